//! TFRecord files: a sequence of byte strings, each with its length and two checksums.
//!
//! A record is the length (u64), the masked CRC-32C of these 8 bytes, the payload and its masked CRC-32C, all
//! little-endian. There is no header. The whole file may be compressed with zlib or gzip.

mod reader;
mod writer;

use std::io::Read;

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use tensor::{Result, bail};

use crate::crc;
pub use reader::RecordReader;
pub use writer::RecordWriter;

const HEADER: usize = 12;
const FOOTER: u64 = 4;

/// How a whole record file is compressed.
///
/// ```
/// use tensorfleet_files::Compression;
///
/// assert_eq!(Compression::from_name("GZIP")?, Compression::Gzip);
/// assert_eq!(Compression::default(), Compression::None);
/// # Ok::<(), tensor::Status>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// As one zlib stream.
    Zlib,
    /// As gzip members, one or more.
    Gzip,
}

impl Compression {
    /// Returns the compression of TensorFlow's name: empty, `ZLIB` or `GZIP`.
    ///
    /// # Errors
    /// `InvalidArgument` for any other name.
    pub fn from_name(name: &str) -> Result<Compression> {
        match name {
            "" => Ok(Compression::None),
            "ZLIB" => Ok(Compression::Zlib),
            "GZIP" => Ok(Compression::Gzip),
            other => bail!(InvalidArgument, "Unsupported compression_type: {other}; known are '', ZLIB and GZIP"),
        }
    }
}

/// Returns a stream of what a compressed stream stands for.
///
/// ```
/// use std::io::Read;
/// use tensorfleet_files::{Compression, decompressed};
///
/// let mut text = String::new();
/// decompressed(&b"plain"[..], Compression::None).read_to_string(&mut text)?;
/// assert_eq!(text, "plain");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn decompressed(stream: impl Read + Send + 'static, compression: Compression) -> Box<dyn Read + Send> {
    match compression {
        Compression::None => Box::new(stream),
        Compression::Zlib => Box::new(ZlibDecoder::new(stream)),
        Compression::Gzip => Box::new(MultiGzDecoder::new(stream)),
    }
}

/// What stands before and after a payload.
pub(crate) fn frame(payload: &[u8]) -> ([u8; HEADER], [u8; FOOTER as usize]) {
    let length = (payload.len() as u64).to_le_bytes();
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&length);
    header[8..].copy_from_slice(&crc::masked(&length).to_le_bytes());
    (header, crc::masked(payload).to_le_bytes())
}

#[cfg(test)]
mod tests;
