//! TFRecord files: a sequence of byte strings, each with its length and two checksums.
//!
//! A record is the length (u64), the masked CRC-32C of these 8 bytes, the payload and its masked CRC-32C, all
//! little-endian. There is no header. The whole file may be compressed with zlib or gzip.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use bytes::Bytes;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use tensor::{Result, Status, bail, ensure, err};

use crate::atomic::at;
use crate::crc;

const HEADER: usize = 12;
const FOOTER: u64 = 4;
/// Memory taken for a record on the word of its length alone; beyond it memory grows with what really arrives.
const TRUSTED: u64 = 1 << 16;

/// How a whole record file is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    #[default]
    None,
    Zlib,
    Gzip,
}

impl Compression {
    /// From TensorFlow's name: empty, `ZLIB` or `GZIP`.
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

/// A stream without its compression.
pub fn decompressed(stream: impl Read + Send + 'static, compression: Compression) -> Box<dyn Read + Send> {
    match compression {
        Compression::None => Box::new(stream),
        Compression::Zlib => Box::new(ZlibDecoder::new(stream)),
        Compression::Gzip => Box::new(MultiGzDecoder::new(stream)),
    }
}

/// Reads the records of a file one after the other.
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
    /// # Errors
    /// The code of the operating system's error, as `NotFound`.
    pub fn open(path: &Path, compression: Compression) -> Result<RecordReader<File>> {
        let file = File::open(path).map_err(|error| at(path, error))?;
        Ok(RecordReader::new(file, path.display(), compression))
    }
}

impl<R: Read> RecordReader<R> {
    /// Reads from any stream; `name` stands for it in errors.
    pub fn new(stream: R, name: impl fmt::Display, compression: Compression) -> RecordReader<R> {
        let stream = BufReader::with_capacity(1 << 18, stream);
        let stream = match compression {
            Compression::None => Decoder::Plain(stream),
            Compression::Zlib => Decoder::Zlib(Box::new(ZlibDecoder::new(stream))),
            Compression::Gzip => Decoder::Gzip(Box::new(MultiGzDecoder::new(stream))),
        };
        RecordReader { stream, name: name.to_string(), offset: 0 }
    }

    /// The next record, or `None` at the end of the file.
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

    /// Where the next record begins, counted in uncompressed bytes.
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

/// Appends records to a stream. Call [`finish`](RecordWriter::finish) in the end, which reports errors that dropping
/// the writer would hide.
///
/// ```
/// use tensorfleet_files::{Compression, RecordReader, RecordWriter};
///
/// let mut writer = RecordWriter::new(Vec::new(), Compression::Gzip);
/// writer.write(b"one")?;
/// writer.write(b"two")?;
/// let bytes = writer.finish()?;
/// let mut reader = RecordReader::new(&bytes[..], "memory", Compression::Gzip);
/// assert_eq!(reader.read()?.as_deref(), Some(&b"one"[..]));
/// assert_eq!(reader.read()?.as_deref(), Some(&b"two"[..]));
/// assert_eq!(reader.read()?, None);
/// # Ok::<(), tensor::Status>(())
/// ```
pub struct RecordWriter<W: Write> {
    stream: Encoder<W>,
}

enum Encoder<W: Write> {
    Plain(BufWriter<W>),
    Zlib(ZlibEncoder<BufWriter<W>>),
    Gzip(GzEncoder<BufWriter<W>>),
}

impl RecordWriter<File> {
    /// A new file, or an empty one in place of an old one.
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn create(path: &Path, compression: Compression) -> Result<RecordWriter<File>> {
        let file = File::create(path).map_err(|error| at(path, error))?;
        Ok(RecordWriter::new(file, compression))
    }
}

impl<W: Write> RecordWriter<W> {
    pub fn new(stream: W, compression: Compression) -> RecordWriter<W> {
        let stream = BufWriter::with_capacity(1 << 18, stream);
        let level = flate2::Compression::default();
        let stream = match compression {
            Compression::None => Encoder::Plain(stream),
            Compression::Zlib => Encoder::Zlib(ZlibEncoder::new(stream, level)),
            Compression::Gzip => Encoder::Gzip(GzEncoder::new(stream, level)),
        };
        RecordWriter { stream }
    }

    /// # Errors
    /// The code of the operating system's error.
    pub fn write(&mut self, payload: &[u8]) -> Result<()> {
        let (header, footer) = frame(payload);
        let stream = self.stream.as_write();
        stream.write_all(&header)?;
        stream.write_all(payload)?;
        stream.write_all(&footer)?;
        Ok(())
    }

    /// Hands everything to the operating system.
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn flush(&mut self) -> Result<()> {
        Ok(self.stream.as_write().flush()?)
    }

    /// Ends the file and returns the stream.
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn finish(self) -> Result<W> {
        let stream = match self.stream {
            Encoder::Plain(stream) => stream,
            Encoder::Zlib(stream) => stream.finish()?,
            Encoder::Gzip(stream) => stream.finish()?,
        };
        stream.into_inner().map_err(|error| error.into_error().into())
    }
}

impl<W: Write> Encoder<W> {
    fn as_write(&mut self) -> &mut dyn Write {
        match self {
            Encoder::Plain(stream) => stream,
            Encoder::Zlib(stream) => stream,
            Encoder::Gzip(stream) => stream,
        }
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

fn little_u64(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

fn little_u32(bytes: Option<&[u8]>) -> Option<u32> {
    bytes?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tensor::Code;

    use super::*;
    use crate::testing::{Damage, testdata};

    /// What TensorFlow 2.21 writes for the records `abc`, an empty one, and ten times `x`.
    const THREE: &str = "0300000000000000b099490e6162636e57f121000000000000000029039807d8ea82a20a00000000000000\
                         aea3bf3a78787878787878787878cf2bb7d1";

    fn three() -> Vec<u8> {
        (0..THREE.len()).step_by(2).map(|at| u8::from_str_radix(&THREE[at..at + 2], 16).unwrap()).collect()
    }

    fn read_all(bytes: &[u8], compression: Compression) -> Result<Vec<Bytes>> {
        RecordReader::new(bytes, "test", compression).collect()
    }

    fn write_all(records: &[Vec<u8>], compression: Compression) -> Vec<u8> {
        let mut writer = RecordWriter::new(Vec::new(), compression);
        for record in records {
            writer.write(record).unwrap();
        }
        writer.finish().unwrap()
    }

    #[test]
    fn the_bytes_are_those_of_tensorflow() {
        assert_eq!(read_all(&three(), Compression::None).unwrap(), [&b"abc"[..], b"", b"xxxxxxxxxx"]);
        let records = [b"abc".to_vec(), vec![], vec![b'x'; 10]];
        assert_eq!(write_all(&records, Compression::None), three());
    }

    #[test]
    fn compressed_files_of_tensorflow() {
        for (name, compression) in [("plain.tfrecord", ""), ("zlib.tfrecord", "ZLIB"), ("gzip.tfrecord", "GZIP")] {
            let compression = Compression::from_name(compression).unwrap();
            let records: Result<Vec<Bytes>> = RecordReader::open(&testdata(name), compression).unwrap().collect();
            assert_eq!(records.unwrap(), [&b"abc"[..], b"", &[b'x'; 1000]], "{name}");
        }
        assert_eq!(Compression::from_name("SNAPPY").unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn damage_is_named_with_its_offset() {
        let message = |bytes: &[u8]| {
            let status = read_all(bytes, Compression::None).unwrap_err();
            assert_eq!(status.code(), Code::DataLoss);
            status.message().to_owned()
        };
        let whole = three();
        assert!(message(&whole[..whole.len() - 1]).starts_with("truncated record at offset 35 of test"));
        assert!(message(&whole[..25]).starts_with("truncated record at offset 19 of test"));
        let mut payload = whole.clone();
        payload[13] ^= 1;
        assert!(message(&payload).starts_with("corrupted record at offset 12 of test"));
        let mut length = whole.clone();
        length[0] ^= 1;
        assert!(message(&length).starts_with("corrupted record at offset 0 of test"));
        // A compressed file read as a plain one, and the other way round.
        let gzip = std::fs::read(testdata("gzip.tfrecord")).unwrap();
        assert!(message(&gzip).starts_with("corrupted record at offset 0"));
        assert_eq!(read_all(&whole, Compression::Gzip).unwrap_err().code(), Code::DataLoss);
        assert_eq!(read_all(&gzip[..gzip.len() / 2], Compression::Gzip).unwrap_err().code(), Code::DataLoss);
    }

    #[test]
    fn an_absurd_length_takes_no_memory() {
        let length = (u64::MAX - 3).to_le_bytes();
        let bytes = [&length[..], &crc::masked(&length).to_le_bytes(), b"short"].concat();
        let mut reader = RecordReader::new(&bytes[..], "test", Compression::None);
        assert!(reader.read().unwrap_err().message().starts_with("truncated record at offset 0"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn records_come_back(records: Vec<Vec<u8>>, kind in 0usize..3) {
            let compression = [Compression::None, Compression::Zlib, Compression::Gzip][kind];
            prop_assert_eq!(read_all(&write_all(&records, compression), compression).unwrap(), records);
        }

        #[test]
        fn damaged_files_end_in_an_error_or_fewer_records(damage in Damage::any()) {
            let damaged = damage.apply(&three());
            match read_all(&damaged, Compression::None) {
                Ok(records) => prop_assert!(records.len() < 3),
                Err(status) => prop_assert_eq!(status.code(), Code::DataLoss),
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            for compression in [Compression::None, Compression::Zlib, Compression::Gzip] {
                let _ = read_all(&bytes, compression);
            }
        }
    }
}
