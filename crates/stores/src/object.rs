//! Reading a file of a store, by parts that come several at once.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use bytes::{Bytes, BytesMut};
use files::place::Object;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt};
use tensor::{Result, ensure};

use crate::address::Address;
use crate::errors::{knows_no_parts, told};
use crate::progress::Progress;
use crate::transfer::{Begun, begin, wait};

/// How much is asked for with one request.
const PART: u64 = 8 << 20;
/// Parts that travel at once: with more, each would take longer than a request may.
const AT_ONCE: usize = 4;

/// Finds a file.
pub(crate) fn open(address: Address) -> Result<Box<dyn Object>> {
    let Address { url, store, path, read_only } = address;
    let (asked, of) = (store.clone(), path.clone());
    let meta = wait(async move { asked.head(&of).await })?;
    let progress = Progress::new("reading", &url, Some(meta.size));
    Ok(Box::new(Found { store, path, meta, web: read_only, all: OnceLock::new(), progress }))
}

struct Found {
    store: Arc<dyn ObjectStore>,
    path: Path,
    meta: ObjectMeta,
    web: bool,
    /// All of it, from a server that gives no parts.
    all: OnceLock<Bytes>,
    progress: Progress,
}

impl Found {
    fn get(&self, range: Option<std::ops::Range<u64>>) -> Result<Begun<Bytes>> {
        let (store, path) = (self.store.clone(), self.path.clone());
        // Web servers are free to have tags that cannot be asked for.
        let if_match = self.meta.e_tag.clone().filter(|tag| !self.web && !tag.starts_with("W/"));
        let options = GetOptions { if_match, range: range.map(GetRange::Bounded), ..Default::default() };
        begin(async move { store.get_opts(&path, options).await?.bytes().await })
    }

    fn whole(&self) -> Result<Bytes> {
        if let Some(all) = self.all.get() {
            return Ok(all.clone());
        }
        tensor::memory::ensure_free(
            self.meta.size,
            format_args!("a file of a web server that does not give parts of it"),
        )?;
        let all = self.get(None)?.wait_with(&self.progress)?;
        self.progress.add(all.len());
        ensure!(
            all.len() as u64 == self.meta.size,
            DataLoss,
            "{} bytes came of a file of {}",
            all.len(),
            self.meta.size
        );
        Ok(self.all.get_or_init(|| all).clone())
    }
}

impl Object for Found {
    fn size(&self) -> u64 {
        self.meta.size
    }

    fn modified(&self) -> Option<SystemTime> {
        Some(SystemTime::from(self.meta.last_modified))
    }

    fn read(&self, offset: u64, length: u64) -> Result<Bytes> {
        let end = offset.checked_add(length).filter(|end| *end <= self.meta.size);
        let Some(end) = end else {
            tensor::bail!(DataLoss, "{length} bytes at offset {offset} of a file of {} bytes", self.meta.size)
        };
        if length == 0 {
            return Ok(Bytes::new());
        }
        if let Some(all) = self.all.get() {
            return Ok(all.slice(offset as usize..end as usize));
        }
        let mut starts = (offset..end).step_by(PART as usize);
        let mut under_way: VecDeque<Begun<Bytes>> = VecDeque::new();
        let mut read: Vec<Bytes> = Vec::new();
        loop {
            for start in starts.by_ref().take(AT_ONCE - under_way.len()) {
                under_way.push_back(self.get(Some(start..end.min(start + PART)))?);
            }
            let Some(part) = under_way.pop_front() else { break };
            match part.outcome_with(&self.progress)? {
                Ok(bytes) => {
                    self.progress.add(bytes.len());
                    read.push(bytes);
                }
                Err(error) if self.web && knows_no_parts(&error) => {
                    return Ok(self.whole()?.slice(offset as usize..end as usize));
                }
                Err(error) => return Err(told(error)),
            }
        }
        let came: u64 = read.iter().map(|part| part.len() as u64).sum();
        ensure!(came == length, DataLoss, "{came} bytes came of {length} at offset {offset}");
        if let [only] = read.as_slice() {
            return Ok(only.clone());
        }
        let mut joined = BytesMut::with_capacity(length as usize);
        read.iter().for_each(|part| joined.extend_from_slice(part));
        Ok(joined.freeze())
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        self.progress.end();
    }
}
