//! Places of files: disks, and whatever has a path with a scheme (`s3://bucket/model`), which is reached through a [`Store`].
//!
//! The formats of this crate, and whoever else takes a path, open, list and remove files here and need not know where they
//! are. What a store can do is a contract; a program that wants stores installs one that fulfils it (`tensorfleet-stores` does),
//! because stores need a network, which this crate has not.

mod reader;
mod store;
mod writer;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tensor::{Code, Result, Status};

pub use reader::Reader;
pub(crate) use reader::Remote;
pub(crate) use store::store_of;
pub use store::{Object, Store, Upload, install};
pub use writer::Writer;

/// Returns whether a path lies in a store: it begins with a scheme other than `file`.
///
/// ```
/// use std::path::Path;
/// use tensorfleet_files::place::is_url;
///
/// assert!(is_url(Path::new("s3://bucket/model.ckpt-7")));
/// assert!(!is_url(Path::new("/tmp/s3://bucket")) && !is_url(Path::new("file:///tmp/model")));
/// ```
pub fn is_url(path: &Path) -> bool {
    let scheme = path.to_str().and_then(|path| path.split_once("://")).map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme != "file"
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
    })
}

/// What a folder has in it, or what is known of a file.
///
/// ```
/// let folder = std::env::temp_dir().join(format!("place-entry-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// std::fs::write(folder.join("a"), "1234")?;
/// let entries = tensorfleet_files::place::read_folder(&folder)?;
/// assert_eq!((entries[0].path.clone(), entries[0].size, entries[0].is_folder), (folder.join("a"), 4, false));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// All of its path.
    pub path: PathBuf,
    /// The last part of its path.
    pub name: OsString,
    /// Whether it holds others. In a store, a folder is what the names of files have in common.
    pub is_folder: bool,
    /// The size of a file in bytes.
    pub size: u64,
    /// When it was last written, where that is known.
    pub modified: Option<SystemTime>,
}

impl Entry {
    fn of_disk(path: PathBuf, metadata: &fs::Metadata) -> Entry {
        let name = path.file_name().unwrap_or_default().to_owned();
        Entry { path, name, is_folder: metadata.is_dir(), size: metadata.len(), modified: metadata.modified().ok() }
    }
}

/// Returns what is known of a file or folder.
///
/// # Errors
/// `NotFound` if there is none; what the operating system or the store says.
pub fn metadata(path: &Path) -> io::Result<Entry> {
    let Some((store, url)) = store_of(path)? else {
        return Ok(Entry::of_disk(path.to_owned(), &fs::metadata(path)?));
    };
    match store.open(url) {
        Ok(object) => Ok(Entry {
            path: path.to_owned(),
            name: path.file_name().unwrap_or_default().to_owned(),
            is_folder: false,
            size: object.size(),
            modified: object.modified(),
        }),
        Err(status) if status.code() == Code::NotFound => match store.list(url) {
            Ok(entries) if !entries.is_empty() => Ok(Entry {
                path: path.to_owned(),
                name: path.file_name().unwrap_or_default().to_owned(),
                is_folder: true,
                size: 0,
                modified: None,
            }),
            _ => Err(as_io(status)),
        },
        Err(status) => Err(as_io(status)),
    }
}

/// Returns whether there is a file or folder of this path. A store that cannot be asked has none.
///
/// ```
/// assert!(tensorfleet_files::place::exists(&std::env::temp_dir()));
/// assert!(!tensorfleet_files::place::exists("/no/such/file".as_ref()));
/// ```
pub fn exists(path: &Path) -> bool {
    metadata(path).is_ok()
}

/// Returns whether there is a file of this path, which is cheaper to ask of a store than [`exists`]. A store that cannot be
/// asked may have it: whoever opens the file is told why that is so.
///
/// ```
/// assert!(!tensorfleet_files::place::is_file(&std::env::temp_dir()));
/// ```
pub fn is_file(path: &Path) -> bool {
    match store_of(path) {
        Ok(None) => path.is_file(),
        Ok(Some((store, url))) => !store.open(url).is_err_and(|status| status.code() == Code::NotFound),
        Err(_) => true,
    }
}

/// Reads all of a file.
///
/// # Errors
/// What the operating system or the store says; `ResourceExhausted` for a file of a store that does not fit into memory.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let Some((store, url)) = store_of(path)? else { return fs::read(path) };
    let object = store.open(url).map_err(as_io)?;
    tensor::memory::ensure_free(object.size(), format_args!("the file '{}'", path.display())).map_err(as_io)?;
    Ok(object.read(0, object.size()).map_err(as_io)?.to_vec())
}

/// Lists a folder. In a store every name is a folder, which may be empty.
///
/// # Errors
/// What the operating system or the store says.
pub fn read_folder(folder: &Path) -> io::Result<Vec<Entry>> {
    let Some((store, url)) = store_of(folder)? else {
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            // A link to nowhere is an entry all the same.
            if let Ok(metadata) = fs::metadata(&path).or_else(|_| fs::symlink_metadata(&path)) {
                entries.push(Entry::of_disk(path, &metadata));
            }
        }
        return Ok(entries);
    };
    store.list(url).map_err(as_io)
}

/// Makes a folder and those above it; stores have no folders to be made.
///
/// # Errors
/// What the operating system says.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    match store_of(folder)? {
        None => fs::create_dir_all(folder),
        Some(_) => Ok(()),
    }
}

/// Removes a folder that is empty; in a store it is gone with its last file.
///
/// # Errors
/// What the operating system says.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    match store_of(folder)? {
        None => fs::remove_dir(folder),
        Some(_) => Ok(()),
    }
}

/// Removes a file.
///
/// # Errors
/// What the operating system or the store says.
pub fn remove_file(path: &Path) -> io::Result<()> {
    crate::disk::remove_file(path)
}

/// Gives a file another name in the same place. A store copies it and removes the first.
///
/// # Errors
/// What the operating system or the store says.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    crate::disk::rename(from, to)
}

/// A store's error as one of the operating system's: `Status::from` finds the first again in it.
pub(crate) fn as_io(status: Status) -> io::Error {
    let kind = match status.code() {
        Code::NotFound => io::ErrorKind::NotFound,
        Code::PermissionDenied => io::ErrorKind::PermissionDenied,
        Code::AlreadyExists => io::ErrorKind::AlreadyExists,
        Code::InvalidArgument => io::ErrorKind::InvalidInput,
        Code::DeadlineExceeded => io::ErrorKind::TimedOut,
        Code::Unimplemented => io::ErrorKind::Unsupported,
        Code::DataLoss => io::ErrorKind::InvalidData,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, status)
}

/// An error with its code, for those who read bytes.
pub(crate) fn checked<T>(outcome: Result<T>) -> io::Result<T> {
    outcome.map_err(as_io)
}

#[cfg(test)]
mod tests;
