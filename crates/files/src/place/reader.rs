//! Reading a file wherever it is. What comes from a store comes in pieces that grow while they are asked for in order.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use bytes::Bytes;
use parking_lot::Mutex;
use tensor::Result;

use super::store::{Object, store_of};
use super::{as_io, checked};

/// The first piece, and every one that does not follow the last.
const FIRST: u64 = 1 << 18;
/// Pieces double up to this.
const LARGEST: u64 = 32 << 20;

/// An open file, on a disk or in a store. Seeking costs nothing; reading in order is quickest.
///
/// ```
/// use std::io::Read;
/// use tensorfleet_files::place::Reader;
///
/// let path = std::env::temp_dir().join(format!("place-reader-{}", std::process::id()));
/// std::fs::write(&path, "text")?;
/// let (mut file, mut text) = (Reader::open(&path)?, String::new());
/// file.read_to_string(&mut text)?;
/// assert_eq!((file.size()?, &*text), (4, "text"));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Reader(Kind);

enum Kind {
    Disk(File),
    Store { remote: Remote, at: u64 },
}

impl Reader {
    /// Opens a file.
    ///
    /// # Errors
    /// What the operating system or the store says.
    pub fn open(path: &Path) -> io::Result<Reader> {
        Ok(Reader(match store_of(path)? {
            None => Kind::Disk(File::open(path)?),
            Some((store, url)) => Kind::Store { remote: Remote::new(checked(store.open(url))?), at: 0 },
        }))
    }

    /// Returns how many bytes the file has; in a store, had when it was opened.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn size(&self) -> io::Result<u64> {
        match &self.0 {
            Kind::Disk(file) => Ok(file.metadata()?.len()),
            Kind::Store { remote, .. } => Ok(remote.size()),
        }
    }
}

impl Read for Reader {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Disk(file) => file.read(target),
            Kind::Store { remote, at } => {
                let length = remote.size().saturating_sub(*at).min(target.len() as u64) as usize;
                checked(remote.read_into(*at, &mut target[..length]))?;
                *at += length as u64;
                Ok(length)
            }
        }
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.0 {
            Kind::Disk(file) => file.seek(to),
            Kind::Store { remote, at } => {
                let target = match to {
                    SeekFrom::Start(offset) => Some(offset),
                    SeekFrom::End(offset) => remote.size().checked_add_signed(offset),
                    SeekFrom::Current(offset) => at.checked_add_signed(offset),
                };
                *at = target.ok_or_else(|| {
                    as_io(tensor::err!(InvalidArgument, "{to:?} lies before the begin of the file, at {at}"))
                })?;
                Ok(*at)
            }
        }
    }
}

/// A file in a store with the piece of it that was read last. May be used from several threads.
pub(crate) struct Remote {
    object: Box<dyn Object>,
    last: Mutex<Piece>,
}

#[derive(Clone)]
struct Piece {
    at: u64,
    bytes: Bytes,
    /// How long the next one is, if it follows.
    next: u64,
}

impl Remote {
    pub fn new(object: Box<dyn Object>) -> Remote {
        Remote { object, last: Mutex::new(Piece { at: 0, bytes: Bytes::new(), next: FIRST }) }
    }

    pub fn size(&self) -> u64 {
        self.object.size()
    }

    /// Fills `target`, which must not reach beyond the end, with what begins at `offset`.
    pub fn read_into(&self, offset: u64, target: &mut [u8]) -> Result<()> {
        let (mut at, mut rest) = (offset, target);
        while !rest.is_empty() {
            let piece = self.piece(at, rest.len() as u64)?;
            let skip = (at - piece.at) as usize;
            let length = rest.len().min(piece.bytes.len() - skip);
            rest[..length].copy_from_slice(&piece.bytes[skip..skip + length]);
            at += length as u64;
            rest = &mut rest[length..];
        }
        Ok(())
    }

    /// A piece that holds at least the byte at `at`. Nobody waits for another's piece.
    fn piece(&self, at: u64, wanted: u64) -> Result<Piece> {
        let last = self.last.lock().clone();
        let end = last.at + last.bytes.len() as u64;
        if (last.at..end).contains(&at) {
            return Ok(last);
        }
        let ahead = if at == end { last.next } else { FIRST };
        let length = ahead.max(wanted.min(LARGEST)).min(self.size().saturating_sub(at));
        let bytes = self.object.read(at, length)?;
        tensor::ensure!(!bytes.is_empty(), DataLoss, "no bytes came for offset {at} of {}", self.size());
        let piece = Piece { at, bytes, next: (2 * ahead).min(LARGEST) };
        *self.last.lock() = piece.clone();
        Ok(piece)
    }
}
