//! Bytes that can be read at any position: a file on a disk or in a store, or memory. Ranges are checked before anything is allocated.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use bytes::Bytes;
use tensor::{Result, Status, ensure};

use crate::place::{Remote, checked, store_of};

pub(crate) struct Source {
    name: String,
    len: u64,
    content: Content,
}

enum Content {
    File(File),
    Store(Remote),
    Memory(Bytes),
}

impl Source {
    pub fn open(path: &Path) -> Result<Source> {
        let name = path.display().to_string();
        let fail = |error| Status::from(error).context(&name);
        if let Some((store, url)) = store_of(path).map_err(fail)? {
            let remote = Remote::new(checked(store.open(url)).map_err(fail)?);
            return Ok(Source { name, len: remote.size(), content: Content::Store(remote) });
        }
        let file = File::open(path).map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        ensure!(metadata.is_file(), FailedPrecondition, "{name} is not a regular file");
        Ok(Source { name, len: metadata.len(), content: Content::File(file) })
    }

    pub fn memory(name: &str, bytes: Bytes) -> Source {
        Source { name: name.to_owned(), len: bytes.len() as u64, content: Content::Memory(bytes) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether all of `offset..offset + len` exists.
    pub fn contains(&self, offset: u64, len: u64) -> bool {
        offset.checked_add(len).is_some_and(|end| end <= self.len)
    }

    /// Returns a copy of a range of a file, or a part of memory that is shared.
    pub fn read(&self, offset: u64, len: u64) -> Result<Bytes> {
        self.check(offset, len)?;
        match &self.content {
            Content::Memory(bytes) => Ok(bytes.slice(offset as usize..(offset + len) as usize)),
            Content::File(_) | Content::Store(_) => {
                let mut bytes = vec![0; len as usize];
                self.read_into(offset, &mut bytes)?;
                Ok(bytes.into())
            }
        }
    }

    /// Fills `target` with what begins at `offset`.
    pub fn read_into(&self, offset: u64, target: &mut [u8]) -> Result<()> {
        self.check(offset, target.len() as u64)?;
        match &self.content {
            Content::Memory(bytes) => target.copy_from_slice(&bytes[offset as usize..offset as usize + target.len()]),
            Content::File(file) => {
                let read = file.read_exact_at(target, offset);
                read.map_err(|error| Status::from(error).context(&self.name))?;
            }
            Content::Store(remote) => {
                remote.read_into(offset, target).map_err(|status| status.context(&self.name))?;
            }
        }
        Ok(())
    }

    fn check(&self, offset: u64, len: u64) -> Result<()> {
        ensure!(
            self.contains(offset, len),
            DataLoss,
            "{}: {len} bytes at offset {offset} are beyond the end of the file ({} bytes)",
            self.name,
            self.len
        );
        Ok(())
    }
}
