//! Files that appear whole or not at all: written under another name in the same folder, then renamed; a store takes them in
//! pieces and lets them appear at the end.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tensor::{Result, Status};

use crate::disk;
use crate::place::{Upload, checked, store_of};

/// Replaces the file at `path` by `bytes`. A reader sees the old content or the new one, also after a crash.
///
/// ```
/// let path = std::env::temp_dir().join(format!("write-file-{}", std::process::id()));
/// tensorfleet_files::atomic::write_file(&path, b"old")?;
/// tensorfleet_files::atomic::write_file(&path, b"new")?;
/// assert_eq!(std::fs::read(&path)?, b"new");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), tensor::Status>(())
/// ```
///
/// # Errors
/// The code of the operating system's error; the old file is then untouched.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|error| at(path, error))?;
    file.commit()
}

/// A file under a temporary name beside its destination. [`commit`](AtomicFile::commit) makes it appear; dropped
/// without that, it leaves nothing behind.
///
/// ```
/// use std::io::Write;
/// use tensorfleet_files::atomic::AtomicFile;
///
/// let path = std::env::temp_dir().join(format!("atomic-file-{}", std::process::id()));
/// let mut file = AtomicFile::create(&path)?;
/// file.write_all(b"all of it")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), tensor::Status>(())
/// ```
pub struct AtomicFile {
    destination: PathBuf,
    kind: Kind,
}

enum Kind {
    Disk { temporary: PathBuf, writer: Option<BufWriter<File>> },
    Store(Box<dyn Upload>),
}

impl AtomicFile {
    /// Creates the file under its temporary name.
    ///
    /// # Errors
    /// The code of the operating system's error, as `NotFound` for a missing folder.
    pub fn create(destination: &Path) -> Result<AtomicFile> {
        let fail = |error| at(destination, error);
        if let Some((store, url)) = store_of(destination).map_err(fail)? {
            let upload = checked(store.create(url)).map_err(fail)?;
            return Ok(AtomicFile { destination: destination.to_owned(), kind: Kind::Store(upload) });
        }
        let mut name = destination.as_os_str().to_owned();
        // TensorFlow's own suffix, so that tools which skip its temporary files skip ours.
        name.push(format!(".tempstate{}", random()));
        let temporary = PathBuf::from(name);
        let file = disk::create_new(&temporary).map_err(fail)?;
        let writer = Some(BufWriter::with_capacity(1 << 18, file));
        Ok(AtomicFile { destination: destination.to_owned(), kind: Kind::Disk { temporary, writer } })
    }

    /// Says about how many bytes will come in all, for stores that tell how far they are.
    pub(crate) fn expect(&mut self, bytes: u64) {
        if let Kind::Store(upload) = &mut self.kind {
            upload.expect(bytes);
        }
    }

    /// Writes out what is buffered, makes it durable, renames the file to its destination and makes that durable too: whoever
    /// deletes something older afterwards has the new one also when the power fails.
    ///
    /// # Errors
    /// The code of the operating system's error; the destination is then untouched.
    pub fn commit(mut self) -> Result<()> {
        self.close()?;
        let fail = |error| at(&self.destination, error);
        match &mut self.kind {
            Kind::Disk { temporary, .. } => {
                disk::rename(temporary, &self.destination).map_err(fail)?;
                sync_folder_of(&self.destination)
            }
            Kind::Store(upload) => checked(upload.commit()).map_err(fail),
        }
    }

    /// Writes out everything and closes the file, which keeps its temporary name until [`commit`](AtomicFile::commit).
    pub(crate) fn close(&mut self) -> Result<()> {
        let fail = |error| at(&self.destination, error);
        match &mut self.kind {
            Kind::Store(upload) => checked(upload.close()).map_err(fail),
            Kind::Disk { temporary, writer } => {
                let Some(writer) = writer.take() else { return Ok(()) };
                let file = writer.into_inner().map_err(|error| fail(error.into_error()))?;
                disk::sync(temporary, &file).map_err(fail)
            }
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.kind {
            Kind::Disk { writer: Some(writer), .. } => writer.write(bytes),
            Kind::Disk { .. } => Err(io::Error::other("the file is closed")),
            Kind::Store(upload) => checked(upload.write(bytes)).map(|()| bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.kind {
            Kind::Disk { writer: Some(writer), .. } => writer.flush(),
            _ => Ok(()),
        }
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After a commit the name is gone and this does nothing.
        if let Kind::Disk { temporary, writer } = &mut self.kind {
            drop(writer.take());
            let _ = disk::remove_file(temporary);
        }
    }
}

/// Makes the names in a file's folder durable.
///
/// # Errors
/// The code of the operating system's error, unless it cannot do this with folders at all.
pub(crate) fn sync_folder_of(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match disk::sync_folder(folder) {
        Err(error) if !matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Err(at(folder, error))
        }
        _ => Ok(()),
    }
}

/// The error with the path it concerns.
pub(crate) fn at(path: &Path, error: io::Error) -> Status {
    Status::from(error).context(path.display())
}

fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn an_uncommitted_file_leaves_nothing() {
        let dir = TempDir::new();
        let path = dir.path().join("a");
        write_file(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(dir.names(), ["a"]);
        write_file(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(dir.names(), ["a"]);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let status = write_file(Path::new("/nonexistent/a"), b"").unwrap_err();
        assert_eq!(status.code(), tensor::Code::NotFound);
        assert!(status.message().starts_with("/nonexistent/a: "), "{status}");
    }
}
