//! Reading a record file.

use std::fmt;
use std::io::{self, BufReader, Read};
use std::path::Path;

use bytes::Bytes;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use tensor::{Result, Status, ensure, err};

use super::{Compression, FOOTER, HEADER};
use crate::atomic::at;
use crate::crc;
use crate::place;

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

impl RecordReader<place::Reader> {
    /// Opens a file.
    ///
    /// # Errors
    /// The code of the operating system's error, as `NotFound`.
    pub fn open(path: &Path, compression: Compression) -> Result<RecordReader<place::Reader>> {
        let file = place::Reader::open(path).map_err(|error| at(path, error))?;
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
        let mut header = [0; HEADER];
        match self.fill(&mut header)? {
            0 => return Ok(None),
            HEADER => {}
            _ => return Err(self.truncated()),
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
        let payload = self.payload(length)?;
        let mut footer = [0; FOOTER as usize];
        if self.fill(&mut footer)? < footer.len() {
            return Err(self.truncated());
        }
        ensure!(
            u32::from_le_bytes(footer) == crc::masked(&payload),
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

    /// Reads a payload, into memory that grows with what really arrives.
    fn payload(&mut self, length: u64) -> Result<Vec<u8>> {
        let mut payload = vec![0; length.min(TRUSTED) as usize];
        let mut have = self.fill(&mut payload)?;
        while have == payload.len() && (have as u64) < length {
            let more = (have as u64).saturating_mul(2).min(length);
            tensor::memory::ensure_free(more, format_args!("a record of {}", self.name))?;
            payload.resize(usize::try_from(more).map_err(|_| self.truncated())?, 0);
            have += self.fill(&mut payload[have..])?;
        }
        if (have as u64) < length { Err(self.truncated()) } else { Ok(payload) }
    }

    /// Fills `target`, and returns how much of it; less than all only at the end of the stream.
    fn fill(&mut self, target: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < target.len() {
            match self.read_some(&mut target[filled..])? {
                0 => break,
                count => filled += count,
            }
        }
        Ok(filled)
    }

    fn read_some(&mut self, target: &mut [u8]) -> Result<usize> {
        let read = loop {
            let read = match &mut self.stream {
                Decoder::Plain(stream) => stream.read(target),
                Decoder::Zlib(stream) => stream.read(target),
                Decoder::Gzip(stream) => stream.read(target),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        match read {
            Ok(count) => Ok(count),
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
