//! Reading a record file.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use bytes::Bytes;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use tensor::{Result, Status, ensure, err};

use super::{Compression, FOOTER, HEADER};
use crate::atomic::at;
use crate::crc;

/// Memory taken for a record on the word of its length alone; beyond it memory grows with what really arrives.
const TRUSTED: u64 = 1 << 16;

/// Reads the records of a file one after the other, also as an iterator.
///
/// ```
/// use tensorfleet_files::{Compression, RecordReader, RecordWriter};
///
/// let mut writer = RecordWriter::new(Vec::new(), Compression::None);
/// writer.write(b"one")?;
/// let bytes = writer.finish()?;
/// for record in RecordReader::new(&bytes[..], "memory", Compression::None) {
///     assert_eq!(&record?[..], b"one");
/// }
/// let torn = &bytes[..bytes.len() - 1];
/// assert!(RecordReader::new(torn, "torn", Compression::None).read().is_err());
/// # Ok::<(), tensor::Status>(())
/// ```
pub struct RecordReader<R: Read> {
    stream: Decoder<R>,
    name: String,
    offset: u64,
}

enum Decoder<R: Read> {
    Plain(BufReader<R>),
    Zlib(Box<ZlibDecoder<BufReader<R>>>),
    Gzip(Box<MultiGzDecoder<BufReader<R>>>),
}

impl RecordReader<File> {
    /// Opens a file.
    ///
    /// # Errors
    /// The code of the operating system's error, as `NotFound`.
    pub fn open(path: &Path, compression: Compression) -> Result<RecordReader<File>> {
        let file = File::open(path).map_err(|error| at(path, error))?;
        Ok(RecordReader::new(file, path.display(), compression))
    }
}

impl<R: Read> RecordReader<R> {
    /// Returns a reader of any stream; `name` stands for it in errors.
    pub fn new(stream: R, name: impl fmt::Display, compression: Compression) -> RecordReader<R> {
        let stream = BufReader::with_capacity(1 << 18, stream);
        let stream = match compression {
            Compression::None => Decoder::Plain(stream),
            Compression::Zlib => Decoder::Zlib(Box::new(ZlibDecoder::new(stream))),
            Compression::Gzip => Decoder::Gzip(Box::new(MultiGzDecoder::new(stream))),
        };
        RecordReader { stream, name: name.to_string(), offset: 0 }
    }

    /// Returns the next record, or `None` at the end of the file.
    ///
    /// # Errors
    /// `DataLoss` if the file ends within a record or a checksum does not match. Reading on after an error makes no
    /// sense.
    pub fn read(&mut self) -> Result<Option<Bytes>> {
        let mut header = Vec::with_capacity(HEADER);
        self.fill(&mut header, HEADER as u64)?;
        if header.is_empty() {
            return Ok(None);
        }
        let (Some(length), Some(stored)) = (little_u64(&header), little_u32(header.get(8..))) else {
            return Err(self.truncated());
        };
        ensure!(
            crc::masked(&header[..8]) == stored,
            DataLoss,
            "corrupted record at offset {} of {}: the checksum of the length does not match (is it a TFRecord file, \
             and of this compression?)",
            self.offset,
            self.name
        );
        let mut payload = Vec::with_capacity(length.saturating_add(FOOTER).min(TRUSTED) as usize);
        self.fill(&mut payload, length.saturating_add(FOOTER))?;
        let Some(stored) = payload.len().checked_sub(4).filter(|data| *data as u64 == length) else {
            return Err(self.truncated());
        };
        let stored = little_u32(Some(&payload.split_off(stored)));
        ensure!(
            stored == Some(crc::masked(&payload)),
            DataLoss,
            "corrupted record at offset {} of {}: the checksum of its {length} bytes does not match",
            self.offset + HEADER as u64,
            self.name
        );
        self.offset += HEADER as u64 + length + FOOTER;
        Ok(Some(payload.into()))
    }

    /// Returns where the next record begins, counted in uncompressed bytes.
    ///
    /// ```
    /// use tensorfleet_files::{Compression, RecordReader, RecordWriter};
    ///
    /// let mut writer = RecordWriter::new(Vec::new(), Compression::None);
    /// writer.write(b"four")?;
    /// let bytes = writer.finish()?;
    /// let mut reader = RecordReader::new(&bytes[..], "memory", Compression::None);
    /// reader.read()?;
    /// assert_eq!(reader.offset(), 8 + 4 + 4 + 4); // length, its checksum, payload, its checksum
    /// # Ok::<(), tensor::Status>(())
    /// ```
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads up to `count` bytes; fewer only at the end of the stream.
    fn fill(&mut self, target: &mut Vec<u8>, count: u64) -> Result<()> {
        let read = match &mut self.stream {
            Decoder::Plain(stream) => stream.take(count).read_to_end(target),
            Decoder::Zlib(stream) => stream.take(count).read_to_end(target),
            Decoder::Gzip(stream) => stream.take(count).read_to_end(target),
        };
        match read {
            Ok(_) => Ok(()),
            Err(error) => match (&self.stream, error.kind()) {
                (Decoder::Plain(_), _) => Err(Status::from(error).context(&self.name)),
                // What flate2 says about a stream that is broken or ends early.
                (_, io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) => {
                    Err(err!(
                        DataLoss,
                        "truncated record at offset {} of {}: the compressed stream is damaged: {error}",
                        self.offset,
                        self.name
                    ))
                }
                _ => Err(Status::from(error).context(&self.name)),
            },
        }
    }

    fn truncated(&self) -> Status {
        err!(DataLoss, "truncated record at offset {} of {}: the file ends within it", self.offset, self.name)
    }
}

impl<R: Read> Iterator for RecordReader<R> {
    type Item = Result<Bytes>;

    fn next(&mut self) -> Option<Result<Bytes>> {
        self.read().transpose()
    }
}

fn little_u64(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

fn little_u32(bytes: Option<&[u8]>) -> Option<u32> {
    bytes?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}
