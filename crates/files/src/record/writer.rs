//! Writing a record file.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::write::{GzEncoder, ZlibEncoder};
use tensor::Result;

use super::{Compression, frame};
use crate::atomic::at;
use crate::place;

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
    /// What is left to do at the end of the file.
    complete: fn(&mut W) -> io::Result<()>,
}

enum Encoder<W: Write> {
    Plain(BufWriter<W>),
    Zlib(ZlibEncoder<BufWriter<W>>),
    Gzip(GzEncoder<BufWriter<W>>),
}

impl RecordWriter<place::Writer> {
    /// Creates a file, or empties the one that is there.
    ///
    /// ```
    /// use tensorfleet_files::{Compression, RecordReader, RecordWriter};
    ///
    /// let path = std::env::temp_dir().join(format!("record-writer-{}", std::process::id()));
    /// let mut writer = RecordWriter::create(&path, Compression::Zlib)?;
    /// writer.write(b"one")?;
    /// writer.finish()?;
    /// assert_eq!(RecordReader::open(&path, Compression::Zlib)?.count(), 1);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn create(path: &Path, compression: Compression) -> Result<RecordWriter<place::Writer>> {
        let file = place::Writer::create(path).map_err(|error| at(path, error))?;
        Ok(RecordWriter { complete: place::Writer::complete, ..RecordWriter::new(file, compression) })
    }
}

impl<W: Write> RecordWriter<W> {
    /// Returns a writer to any stream.
    pub fn new(stream: W, compression: Compression) -> RecordWriter<W> {
        let stream = BufWriter::with_capacity(1 << 18, stream);
        let level = flate2::Compression::default();
        let stream = match compression {
            Compression::None => Encoder::Plain(stream),
            Compression::Zlib => Encoder::Zlib(ZlibEncoder::new(stream, level)),
            Compression::Gzip => Encoder::Gzip(GzEncoder::new(stream, level)),
        };
        RecordWriter { stream, complete: |_| Ok(()) }
    }

    /// Appends a record.
    ///
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
        let mut stream = stream.into_inner().map_err(|error| error.into_error())?;
        (self.complete)(&mut stream)?;
        Ok(stream)
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
