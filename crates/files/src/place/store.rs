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
///
/// ```
/// use tensor::{Code, Result, err};
/// use tensorfleet_files::place::{self, Entry, Object, Store, Upload};
///
/// /// A store that has nothing and takes nothing.
/// struct Nothing;
///
/// impl Store for Nothing {
///     fn open(&self, _: &str) -> Result<Box<dyn Object>> {
///         Err(err!(NotFound, "there is nothing"))
///     }
///     fn create(&self, _: &str) -> Result<Box<dyn Upload>> {
///         Err(err!(Unimplemented, "nothing can be written"))
///     }
///     fn list(&self, _: &str) -> Result<Vec<Entry>> {
///         Ok(Vec::new())
///     }
///     fn rename(&self, _: &str, _: &str) -> Result<()> {
///         Err(err!(NotFound, "there is nothing"))
///     }
///     fn remove(&self, _: &str) -> Result<()> {
///         Ok(())
///     }
/// }
/// place::install(Box::new(Nothing));
/// let status = tensorfleet_files::BundleReader::open("any://where/model").err().unwrap();
/// assert_eq!(status.code(), Code::NotFound);
/// ```
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
///
/// ```
/// use bytes::Bytes;
/// use tensor::{Result, ensure};
/// use tensorfleet_files::place::Object;
///
/// struct InMemory(Bytes);
///
/// impl Object for InMemory {
///     fn size(&self) -> u64 {
///         self.0.len() as u64
///     }
///     fn modified(&self) -> Option<std::time::SystemTime> {
///         None
///     }
///     fn read(&self, offset: u64, length: u64) -> Result<Bytes> {
///         ensure!(offset + length <= self.size(), DataLoss, "it has {} bytes", self.size());
///         Ok(self.0.slice(offset as usize..(offset + length) as usize))
///     }
/// }
/// assert_eq!(InMemory("abcdef".into()).read(2, 3)?, "cde");
/// # Ok::<(), tensor::Status>(())
/// ```
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
///
/// ```
/// use tensor::Result;
/// use tensorfleet_files::place::Upload;
///
/// /// Counts what comes and forgets it.
/// struct Counted(usize);
///
/// impl Upload for Counted {
///     fn write(&mut self, bytes: &[u8]) -> Result<()> {
///         self.0 += bytes.len();
///         Ok(())
///     }
///     fn close(&mut self) -> Result<()> {
///         Ok(())
///     }
///     fn commit(&mut self) -> Result<()> {
///         Ok(())
///     }
/// }
/// let mut upload = Counted(0);
/// upload.write(b"abc")?;
/// upload.commit()?;
/// assert_eq!(upload.0, 3);
/// # Ok::<(), tensor::Status>(())
/// ```
pub trait Upload: Send {
    /// Hears how many bytes will come in all, where that is known; a store can then tell how far it is.
    fn expect(&mut self, _bytes: u64) {}

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
