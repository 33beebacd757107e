//! The contract of a store, and the one that this process has.

use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::time::SystemTime;

use bytes::Bytes;
use tensor::{Result, err};

use super::{Entry, as_io, is_url};

/// Reaches files that are on none of this machine's disks, by URLs. Whatever is asked ends in bounded time, also when nobody
/// answers. Errors do not repeat the URL, and never hold what proves who asks.
pub trait Store: Send + Sync {
    /// Finds a file.
    ///
    /// # Errors
    /// `NotFound` if there is none; `Unimplemented` for a scheme that the store does not know; `PermissionDenied`,
    /// `Unauthenticated` or `Unavailable` as the other side says.
    fn open(&self, url: &str) -> Result<Box<dyn Object>>;

    /// Begins a file, which replaces what has that name once it is committed.
    ///
    /// # Errors
    /// As [`open`](Store::open); `Unimplemented` where files can only be read.
    fn create(&self, url: &str) -> Result<Box<dyn Upload>>;

    /// Returns the files and folders directly below a folder, by name; none for a folder that does not exist.
    ///
    /// # Errors
    /// As [`create`](Store::create).
    fn list(&self, url: &str) -> Result<Vec<Entry>>;

    /// Gives a file another name in the same store.
    ///
    /// # Errors
    /// As [`create`](Store::create).
    fn rename(&self, from: &str, to: &str) -> Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// As [`create`](Store::create). Stores may be content to remove what is not there.
    fn remove(&self, url: &str) -> Result<()>;
}

/// A file in a store, as it was when it was opened.
pub trait Object: Send + Sync {
    /// Its size in bytes.
    fn size(&self) -> u64;

    /// When it was written, where that is known.
    fn modified(&self) -> Option<SystemTime>;

    /// Returns this part of it, exactly.
    ///
    /// # Errors
    /// `DataLoss` if the file has fewer bytes; `Aborted` if it was replaced since it was opened.
    fn read(&self, offset: u64, length: u64) -> Result<Bytes>;
}

/// A file on its way into a store. Dropped without [`commit`](Upload::commit), it never was.
pub trait Upload: Send {
    /// Appends bytes; they may travel later.
    ///
    /// # Errors
    /// What the store says, also of bytes that were given before.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;

    /// Brings all bytes there. The file does not appear yet.
    ///
    /// # Errors
    /// As [`write`](Upload::write).
    fn close(&mut self) -> Result<()>;

    /// Lets the file appear.
    ///
    /// # Errors
    /// As [`write`](Upload::write).
    fn commit(&mut self) -> Result<()>;
}

static STORE: OnceLock<Box<dyn Store>> = OnceLock::new();

/// Gives the process its store. Only the first one counts.
pub fn install(store: Box<dyn Store>) {
    let _ = STORE.set(store);
}

/// The store that has a path, and the path as it knows it; nothing for a path on a disk.
///
/// # Errors
/// `Unimplemented` if the path has a scheme and the process has no store.
pub(crate) fn store_of(path: &Path) -> io::Result<Option<(&'static dyn Store, &str)>> {
    let url = match path.to_str() {
        Some(url) if is_url(path) => url,
        _ => return Ok(None),
    };
    let store = STORE.get().ok_or_else(|| {
        let scheme = url.split("://").next().unwrap_or_default();
        as_io(err!(
            Unimplemented,
            "File system scheme '{scheme}' not implemented: this program has no stores installed \
             (`tensorfleet::stores::install`)"
        ))
    })?;
    Ok(Some((store.as_ref(), url)))
}
