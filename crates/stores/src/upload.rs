//! Writing a file into a store: small ones at once, larger ones in parts, a few of which are under way while the next is filled.

use std::collections::VecDeque;
use std::sync::Arc;

use files::place::Upload;
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt};
use tensor::{Result, err};

use crate::address::Address;
use crate::progress::Progress;
use crate::transfer::{Begun, begin, wait};

/// Stores take 10,000 parts, so a file may have 160 GB.
const PART: usize = 16 << 20;
/// Parts that travel at once.
const AT_ONCE: usize = 3;

/// Begins a file. A store that cannot be reached is met with the first part.
pub(crate) fn begin_file(address: Address) -> Result<Box<dyn Upload>> {
    let Address { url, store, path, .. } = address.for_writing()?;
    let progress = Progress::new("writing", &url, None);
    Ok(Box::new(Going { store, path, part: Vec::new(), parts: None, under_way: VecDeque::new(), progress }))
}

struct Going {
    store: Arc<dyn ObjectStore>,
    path: Path,
    /// What is not under way yet.
    part: Vec<u8>,
    /// The file at the store, once there is more than a part of it.
    parts: Option<Box<dyn MultipartUpload>>,
    /// Parts on their way, with their sizes.
    under_way: VecDeque<(usize, Begun<()>)>,
    progress: Progress,
}

impl Going {
    /// Sends what there is as a part.
    fn send(&mut self) -> Result<()> {
        if self.parts.is_none() {
            let (store, path) = (self.store.clone(), self.path.clone());
            self.parts = Some(wait(async move { store.put_multipart(&path).await })?);
        }
        let parts = self.parts.as_mut().ok_or_else(|| err!(Internal, "no upload was begun"))?;
        let part = std::mem::take(&mut self.part);
        self.under_way.push_back((part.len(), begin(parts.put_part(part.into()))?));
        self.settle(AT_ONCE - 1)
    }

    /// Waits until no more than so many parts are under way.
    fn settle(&mut self, under_way: usize) -> Result<()> {
        while self.under_way.len() > under_way {
            let Some((bytes, part)) = self.under_way.pop_front() else { break };
            part.wait_with(&self.progress)?;
            self.progress.add(bytes);
        }
        Ok(())
    }
}

impl Upload for Going {
    fn expect(&mut self, bytes: u64) {
        self.progress.expect(bytes);
    }

    fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let length = bytes.len().min(PART - self.part.len());
            self.part.extend_from_slice(&bytes[..length]);
            bytes = &bytes[length..];
            if self.part.len() == PART {
                self.send()?;
            }
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        if self.parts.is_some() && !self.part.is_empty() {
            self.send()?;
        }
        self.settle(0)
    }

    fn commit(&mut self) -> Result<()> {
        self.close()?;
        let (store, path) = (self.store.clone(), self.path.clone());
        match self.parts.take() {
            None => {
                let all = std::mem::take(&mut self.part);
                let bytes = all.len();
                begin(async move { store.put(&path, all.into()).await.map(drop) })?.wait_with(&self.progress)?;
                self.progress.add(bytes);
            }
            Some(mut parts) => {
                begin(async move { parts.complete().await.map(drop) })?.wait_with(&self.progress)?;
            }
        }
        self.progress.end();
        Ok(())
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        // Parts of a file that never appears would be kept, and paid for, by the store.
        if let Some(mut parts) = self.parts.take() {
            while let Some((_, part)) = self.under_way.pop_front() {
                let _ = part.wait();
            }
            let _ = wait(async move { parts.abort().await });
        }
    }
}
