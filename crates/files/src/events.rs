//! Event files, which TensorBoard reads: TFRecord files of `Event` messages.
//!
//! A file begins with an event that states the format's version. Records reach the file whole and in one piece, so a
//! TensorBoard that reads along meets a half record only if the disk is full. Stores cannot append to a file: there it is written
//! anew with every flush, and a new file begins before that takes long.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use prost::Message;
use tensor::{Result, bail, err};
use wire::event::What;

use crate::atomic::{at, write_file};
use crate::place;
use crate::record::{Compression, RecordReader, frame};

const VERSION: &str = "brain.Event:2";
const SOURCE: &str = "tensorfleet.event_writer";
/// Buffered bytes beyond this are written out.
const BUFFERED: usize = 1 << 16;
/// Events older than this are written out with the next one, as in TensorFlow.
const FLUSH_AFTER: Duration = Duration::from_secs(120);
/// A file in a store that has so many bytes is followed by another one.
const LARGE: usize = 4 << 20;

/// Writes a new event file. What is buffered is written out when the writer is dropped; call
/// [`flush`](EventWriter::flush) to learn about errors.
///
/// ```
/// use tensorfleet_files::{EventReader, EventWriter};
///
/// let folder = std::env::temp_dir().join(format!("event-writer-{}", std::process::id()));
/// let mut writer = EventWriter::create(&folder, "")?;
/// writer.add_scalar(7, "loss", 0.5)?;
/// writer.flush()?;
/// let mut reader = EventReader::open(writer.path())?;
/// reader.read()?; // every file begins with the format's version
/// assert_eq!(reader.read()?.unwrap().step, 7);
/// assert!(reader.read()?.is_none());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), tensor::Status>(())
/// ```
pub struct EventWriter {
    path: PathBuf,
    file: Kind,
    buffer: Vec<u8>,
    flushed: Instant,
    flush_after: Duration,
}

enum Kind {
    Disk(File),
    Store {
        /// What is in the file by now.
        written: Vec<u8>,
        /// The name of the first file, after which the later ones are called.
        first: PathBuf,
        /// How many files there were before this one.
        number: u32,
    },
}

impl EventWriter {
    /// Creates a file `events.out.tfevents.<seconds>.<host><suffix>` in `folder`, which is made if missing.
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn create(folder: impl AsRef<Path>, suffix: &str) -> Result<EventWriter> {
        let folder = folder.as_ref();
        place::create_folder(folder).map_err(|error| at(folder, error))?;
        EventWriter::with_prefix(&folder.join("events"), suffix)
    }

    /// Creates a file `<prefix>.out.tfevents.<seconds>.<host><suffix>`, whose folder must exist.
    ///
    /// ```
    /// use tensorfleet_files::EventWriter;
    ///
    /// let folder = std::env::temp_dir().join(format!("event-prefix-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// let writer = EventWriter::with_prefix(&folder.join("eval"), ".v2")?;
    /// let name = writer.path().file_name().unwrap().to_str().unwrap();
    /// assert!(name.starts_with("eval.out.tfevents.") && name.ends_with(".v2"));
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn with_prefix(prefix: &Path, suffix: &str) -> Result<EventWriter> {
        let now = wall_time();
        let mut name = prefix.as_os_str().to_owned();
        name.push(format!(".out.tfevents.{:010}.{}{suffix}", now as u64, host_name()));
        let (path, file) = create_new(PathBuf::from(name))?;
        let flushed = Instant::now();
        let mut writer = EventWriter { path, file, buffer: Vec::new(), flushed, flush_after: FLUSH_AFTER };
        writer.begin();
        writer.flush()?;
        Ok(writer)
    }

    /// Every file begins with the format's version.
    fn begin(&mut self) {
        let event = wire::Event {
            wall_time: wall_time(),
            source_metadata: Some(wire::SourceMetadata { writer: SOURCE.to_owned() }),
            what: Some(What::FileVersion(VERSION.to_owned())),
            ..Default::default()
        };
        self.append(&event.encode_to_vec());
    }

    fn append(&mut self, event: &[u8]) {
        let (header, footer) = frame(event);
        self.buffer.extend_from_slice(&header);
        self.buffer.extend_from_slice(event);
        self.buffer.extend_from_slice(&footer);
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets how long events may wait in memory: the first one that is added after this time takes all to the file. Two
    /// minutes unless set, as in TensorFlow.
    pub fn set_flush_after(&mut self, flush_after: Duration) {
        self.flush_after = flush_after;
    }

    /// Adds an event as it is.
    ///
    /// ```
    /// use tensorfleet_files::{EventReader, EventWriter};
    ///
    /// let folder = std::env::temp_dir().join(format!("event-write-{}", std::process::id()));
    /// let mut writer = EventWriter::create(&folder, "")?;
    /// let event = wire::Event { wall_time: 1.5, step: 3, ..Default::default() };
    /// writer.write(&event)?;
    /// writer.flush()?;
    /// assert_eq!(EventReader::open(writer.path())?.nth(1).transpose()?, Some(event));
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn write(&mut self, event: &wire::Event) -> Result<()> {
        self.write_serialized(&event.encode_to_vec())
    }

    /// Adds an event that is serialized already.
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn write_serialized(&mut self, event: &[u8]) -> Result<()> {
        self.append(event);
        // What a store gets travels with all that came before it, so it gets it less often.
        let full = match &self.file {
            Kind::Disk(_) => BUFFERED,
            Kind::Store { .. } => LARGE,
        };
        if self.buffer.len() >= full || self.flushed.elapsed() >= self.flush_after {
            self.flush()?;
        }
        Ok(())
    }

    /// Adds an event of a step, with the time of now.
    ///
    /// ```
    /// use tensorfleet_files::{EventReader, EventWriter};
    /// use wire::event::What;
    ///
    /// let folder = std::env::temp_dir().join(format!("event-add-{}", std::process::id()));
    /// let mut writer = EventWriter::create(&folder, "")?;
    /// writer.add(5, What::Summary(wire::Summary::default()))?;
    /// writer.flush()?;
    /// assert_eq!(EventReader::open(writer.path())?.last().transpose()?.unwrap().step, 5);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn add(&mut self, step: i64, what: What) -> Result<()> {
        self.write(&wire::Event { wall_time: wall_time(), step, source_metadata: None, what: Some(what) })
    }

    /// Adds a single number under a tag.
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn add_scalar(&mut self, step: i64, tag: &str, value: f32) -> Result<()> {
        let value = wire::summary::Value {
            tag: tag.to_owned(),
            value: Some(wire::summary::value::Value::SimpleValue(value)),
            ..Default::default()
        };
        self.add(step, What::Summary(wire::Summary { value: vec![value] }))
    }

    /// Hands everything to the operating system.
    ///
    /// # Errors
    /// The code of the operating system's error. The events in question are then lost: writing them again could put a
    /// torn record into the middle of the file.
    pub fn flush(&mut self) -> Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        self.flushed = Instant::now();
        let (written, first, number) = match &mut self.file {
            Kind::Disk(file) => return file.write_all(&buffer).map_err(|error| at(&self.path, error)),
            Kind::Store { written, first, number } => (written, first, number),
        };
        if buffer.is_empty() {
            return Ok(());
        }
        written.extend_from_slice(&buffer);
        write_file(&self.path, written)?;
        if written.len() >= LARGE {
            written.clear();
            *number += 1;
            // TensorBoard reads the files of a folder in the order of their names.
            self.path = named(first, &format!(".{number:05}"));
            self.begin();
        }
        Ok(())
    }
}

impl Drop for EventWriter {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

/// Reads the events of a file one after the other, also as an iterator.
///
/// ```
/// use tensorfleet_files::{EventReader, EventWriter};
///
/// let folder = std::env::temp_dir().join(format!("event-reader-{}", std::process::id()));
/// let mut writer = EventWriter::create(&folder, "")?;
/// for step in [10, 20] {
///     writer.add_scalar(step, "loss", 1.0 / step as f32)?;
/// }
/// writer.flush()?;
/// // The first event states the format's version.
/// let events: Vec<wire::Event> = EventReader::open(writer.path())?.skip(1).collect::<Result<_, _>>()?;
/// assert_eq!(events.iter().map(|event| event.step).collect::<Vec<_>>(), [10, 20]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), tensor::Status>(())
/// ```
pub struct EventReader {
    records: RecordReader<place::Reader>,
    path: PathBuf,
}

impl EventReader {
    /// Opens a file.
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn open(path: impl AsRef<Path>) -> Result<EventReader> {
        let path = path.as_ref();
        Ok(EventReader { records: RecordReader::open(path, Compression::None)?, path: path.to_owned() })
    }

    /// Returns the next event, or `None` at the end of the file.
    ///
    /// # Errors
    /// `DataLoss` if the file is damaged, or still being written and ends within a record.
    pub fn read(&mut self) -> Result<Option<wire::Event>> {
        let at = self.records.offset();
        let Some(record) = self.records.read()? else { return Ok(None) };
        match wire::Event::decode(record) {
            Ok(event) => Ok(Some(event)),
            Err(error) => bail!(DataLoss, "the record at offset {at} of {} is no event: {error}", self.path.display()),
        }
    }
}

impl Iterator for EventReader {
    type Item = Result<wire::Event>;

    fn next(&mut self) -> Option<Result<wire::Event>> {
        self.read().transpose()
    }
}

/// Creates the file, under a name with a number added if it exists: two writers never share a file.
fn create_new(path: PathBuf) -> Result<(PathBuf, Kind)> {
    const ATTEMPTS: u32 = 1000;
    let mut candidate = path.clone();
    for attempt in 1..ATTEMPTS {
        match create(&candidate) {
            Ok(file) => return Ok((candidate, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                candidate = named(&path, &format!(".{attempt}"));
            }
            Err(error) => return Err(at(&candidate, error)),
        }
    }
    Err(err!(AlreadyExists, "{} and {ATTEMPTS} files named after it exist", path.display()))
}

fn create(path: &Path) -> io::Result<Kind> {
    if !place::is_url(path) {
        return OpenOptions::new().append(true).create_new(true).open(path).map(Kind::Disk);
    }
    match place::metadata(path) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Kind::Store { written: Vec::new(), first: path.to_owned(), number: 0 })
        }
        Err(error) => Err(error),
    }
}

fn named(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Seconds since the epoch.
fn wall_time() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

fn host_name() -> String {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = kernel.map(|name| name.trim().replace('/', "-")).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| "localhost".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TempDir, testdata};

    #[test]
    fn a_file_of_tensorflow() {
        let events: Vec<wire::Event> =
            EventReader::open(testdata("events.out.tfevents.1.host")).unwrap().collect::<Result<_>>().unwrap();
        assert_eq!(events[0].what, Some(What::FileVersion("brain.Event:2".to_owned())));
        let Some(What::Summary(summary)) = &events[1].what else { panic!("{:?}", events[1]) };
        assert_eq!((events[1].step, summary.value[0].tag.as_str()), (7, "loss"));
        assert_eq!(summary.value[0].value, Some(wire::summary::value::Value::SimpleValue(0.5)));
        assert_eq!(events.len(), 3);
    }

    #[test]
    fn what_is_written_is_read() {
        let dir = TempDir::new();
        let mut writer = EventWriter::create(dir.path().join("logs"), ".v2").unwrap();
        writer.add_scalar(3, "loss", 0.25).unwrap();
        let before = std::fs::metadata(writer.path()).unwrap().len();
        writer.flush().unwrap();
        assert!(std::fs::metadata(writer.path()).unwrap().len() > before, "events wait for a flush");
        let name = writer.path().file_name().unwrap().to_str().unwrap().to_owned();
        assert!(name.starts_with("events.out.tfevents.1") && name.ends_with(".v2"), "{name}");
        let events: Vec<_> = EventReader::open(writer.path()).unwrap().collect::<Result<_>>().unwrap();
        assert_eq!(events[0].what, Some(What::FileVersion(VERSION.to_owned())));
        assert_eq!(events[1].step, 3);
    }

    #[test]
    fn two_writers_in_the_same_second_write_two_files() {
        let dir = TempDir::new();
        let path = dir.path().join("events.out.tfevents.1.host");
        let (first, _file) = create_new(path.clone()).unwrap();
        let (second, _file) = create_new(path.clone()).unwrap();
        assert_eq!(first, path);
        assert_eq!(second.file_name().unwrap(), "events.out.tfevents.1.host.1");
    }
}
