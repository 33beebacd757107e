//! Writing a file wherever it is, from its begin to its end.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::checked;
use super::store::{Upload, store_of};

/// A new file. On a disk it is there from the begin; in a store it appears with [`complete`](Writer::complete).
///
/// ```
/// use std::io::Write;
/// use tensorfleet_files::place::Writer;
///
/// let path = std::env::temp_dir().join(format!("place-writer-{}", std::process::id()));
/// let mut file = Writer::create(&path)?;
/// file.write_all(b"text")?;
/// file.complete()?;
/// assert_eq!(std::fs::read(&path)?, b"text");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Writer(Kind);

enum Kind {
    Disk(File),
    Store(Box<dyn Upload>),
}

impl Writer {
    /// Makes a file, or empties the one that is there.
    ///
    /// # Errors
    /// What the operating system or the store says.
    pub fn create(path: &Path) -> io::Result<Writer> {
        Ok(Writer(match store_of(path)? {
            None => Kind::Disk(File::create(path)?),
            Some((store, url)) => Kind::Store(checked(store.create(url))?),
        }))
    }

    /// Ends the file; a store has it from now on.
    ///
    /// # Errors
    /// What the store says; it then has no such file, or the one of before.
    pub fn complete(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Disk(_) => Ok(()),
            Kind::Store(upload) => checked(upload.close().and_then(|()| upload.commit())),
        }
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Disk(file) => file.write(bytes),
            Kind::Store(upload) => checked(upload.write(bytes)).map(|()| bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Disk(file) => file.flush(),
            // A store shows nothing before the end, and takes its pieces in a size of its own.
            Kind::Store(_) => Ok(()),
        }
    }
}
