//! Writes summaries to an event file, on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use files::EventWriter;
use graph::{Graph, graph_to_proto};
use parking_lot::Mutex;
use prost::Message;
use tensor::{Result, Status, Tensor, err};
use wire::event::What;
use wire::session_log::SessionStatus;

/// How many events may wait to be written before adding one waits too.
const WAITING: usize = 64;
const FLUSH_EVERY: Duration = Duration::from_secs(120);

/// Adds events to a new file in a folder. Adding does not wait for the disk: errors show up at
/// [`flush`](FileWriter::flush), [`close`](FileWriter::close) or with a later event. Clones write to the same file.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::FileWriter;
/// # fn main() -> tensorfleet::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("writer-doctest-{}", std::process::id()));
/// let writer = FileWriter::new(&folder)?;
/// writer.add_scalar("loss", 0.5, 1)?;
/// writer.close()?;
/// assert_eq!(std::fs::read_dir(&folder)?.count(), 1);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct FileWriter {
    shared: Arc<EventFile>,
}

struct EventFile {
    folder: PathBuf,
    path: PathBuf,
    thread: Mutex<Option<SyncSender<Order>>>,
    failed: Arc<Mutex<Option<Status>>>,
    /// Ends when the thread has written everything and closed the file.
    ended: Mutex<Option<std::thread::JoinHandle<()>>>,
}

enum Order {
    Event(Vec<u8>),
    Flush(SyncSender<()>),
}

impl FileWriter {
    /// A new event file in the folder, which is made if missing.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::FileWriter;
    /// # let folder = std::env::temp_dir().join(format!("writer-new-doctest-{}", std::process::id()));
    /// let writer = FileWriter::new(&folder)?;
    /// assert_eq!(writer.logdir(), folder);
    /// assert!(writer.path().file_name().unwrap().to_str().unwrap().starts_with("events.out.tfevents."));
    /// # drop(writer);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// The code of the operating system's error, as `PermissionDenied`.
    pub fn new(folder: impl AsRef<Path>) -> Result<FileWriter> {
        FileWriter::with_suffix(folder, "")
    }

    /// A new event file whose name ends in a suffix.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::FileWriter;
    /// # let folder = std::env::temp_dir().join(format!("writer-suffix-doctest-{}", std::process::id()));
    /// let writer = FileWriter::with_suffix(&folder, ".eval")?;
    /// assert!(writer.path().to_str().unwrap().ends_with(".eval"));
    /// # drop(writer);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](FileWriter::new).
    pub fn with_suffix(folder: impl AsRef<Path>, suffix: &str) -> Result<FileWriter> {
        let writer = EventWriter::create(&folder, suffix)?;
        let path = writer.path().to_owned();
        let (send, receive) = sync_channel(WAITING);
        let failed: Arc<Mutex<Option<Status>>> = Arc::default();
        let failure = failed.clone();
        let thread = std::thread::Builder::new().name("event-writer".to_owned());
        let thread = thread.spawn(move || write_events(writer, &receive, &failure));
        let thread = thread.map_err(|error| err!(ResourceExhausted, "cannot start the event writer: {error}"))?;
        let folder = folder.as_ref().to_owned();
        let shared =
            EventFile { folder, path, thread: Mutex::new(Some(send)), failed, ended: Mutex::new(Some(thread)) };
        Ok(FileWriter { shared: Arc::new(shared) })
    }

    /// The folder of the file.
    pub fn logdir(&self) -> &Path {
        &self.shared.folder
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Adds what a summary node gave.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::FileWriter;
    /// # let folder = std::env::temp_dir().join(format!("writer-summary-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// let loss = summary::scalar("loss", &g.constant(0.5f32));
    /// let writer = FileWriter::new(&folder)?;
    /// writer.add_summary(&LocalSession::new(&g)?.eval(&loss)?, 1)?;
    /// assert_eq!(writer.add_summary(&Tensor::from("no summary"), 2).unwrap_err().code(), Code::InvalidArgument);
    /// writer.close()?;
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if it is no serialized summary; the first error of writing; `FailedPrecondition` once closed.
    pub fn add_summary(&self, summary: &Tensor, step: i64) -> Result<()> {
        let bytes = summary.to_string_scalar()?.clone();
        let summary = wire::Summary::decode(bytes)
            .map_err(|error| err!(InvalidArgument, "the tensor is no serialized summary: {error}"))?;
        self.add(step, What::Summary(summary))
    }

    /// Adds a number under a tag.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::FileWriter;
    /// # let folder = std::env::temp_dir().join(format!("writer-scalar-doctest-{}", std::process::id()));
    /// let writer = FileWriter::new(&folder)?;
    /// for (step, loss) in [(1, 0.5), (2, 0.25)] {
    ///     writer.add_scalar("loss", loss, step)?;
    /// }
    /// writer.close()?;
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`add_summary`](FileWriter::add_summary).
    pub fn add_scalar(&self, tag: &str, value: f32, step: i64) -> Result<()> {
        let value = wire::summary::Value {
            tag: tag.to_owned(),
            value: Some(wire::summary::value::Value::SimpleValue(value)),
            ..Default::default()
        };
        self.add(step, What::Summary(wire::Summary { value: vec![value] }))
    }

    /// Adds the graph.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{FileWriter, export_meta_graph};
    /// # let folder = std::env::temp_dir().join(format!("writer-graph-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let writer = FileWriter::new(&folder)?;
    /// writer.add_graph(&g)?;
    /// writer.add_meta_graph(&export_meta_graph(&g)?, 0)?;
    /// writer.close()?;
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// The graph's first mistake; as [`add_summary`](FileWriter::add_summary).
    pub fn add_graph(&self, graph: &Graph) -> Result<()> {
        let def = graph_to_proto(&graph.snapshot()?)?;
        self.add(0, What::GraphDef(def.encode_to_vec().into()))
    }

    /// Adds a meta graph.
    ///
    /// # Errors
    /// As [`add_summary`](FileWriter::add_summary).
    pub fn add_meta_graph(&self, meta: &wire::MetaGraphDef, step: i64) -> Result<()> {
        self.add(step, What::MetaGraphDef(meta.encode_to_vec().into()))
    }

    /// Marks that a session began, from this step on.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::FileWriter;
    /// # let folder = std::env::temp_dir().join(format!("writer-session-doctest-{}", std::process::id()));
    /// let writer = FileWriter::new(&folder)?;
    /// writer.add_session_start(0)?;
    /// writer.add_checkpoint(&folder.join("model.ckpt-100"), 100)?;
    /// writer.add_session_stop(100)?;
    /// writer.close()?;
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`add_summary`](FileWriter::add_summary).
    pub fn add_session_start(&self, step: i64) -> Result<()> {
        self.add_session_log(SessionStatus::Start, String::new(), step)
    }

    /// Marks that a session ended.
    ///
    /// # Errors
    /// As [`add_summary`](FileWriter::add_summary).
    pub fn add_session_stop(&self, step: i64) -> Result<()> {
        self.add_session_log(SessionStatus::Stop, String::new(), step)
    }

    /// Marks that a checkpoint was written.
    ///
    /// # Errors
    /// As [`add_summary`](FileWriter::add_summary).
    pub fn add_checkpoint(&self, prefix: &Path, step: i64) -> Result<()> {
        self.add_session_log(SessionStatus::Checkpoint, prefix.display().to_string(), step)
    }

    fn add_session_log(&self, status: SessionStatus, checkpoint_path: String, step: i64) -> Result<()> {
        let log = wire::SessionLog { status: status as i32, checkpoint_path, msg: String::new() };
        self.add(step, What::SessionLog(log))
    }

    fn add(&self, step: i64, what: What) -> Result<()> {
        let wall_time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |elapsed| elapsed.as_secs_f64());
        let event = wire::Event { wall_time, step, source_metadata: None, what: Some(what) };
        self.send(Order::Event(event.encode_to_vec()))
    }

    fn send(&self, message: Order) -> Result<()> {
        self.check()?;
        let thread = self.shared.thread.lock().clone();
        let gone = || err!(FailedPrecondition, "the event file {} is closed", self.shared.path.display());
        thread.ok_or_else(gone)?.send(message).map_err(|_| gone())
    }

    fn check(&self) -> Result<()> {
        self.shared.failed.lock().clone().map_or(Ok(()), Err)
    }

    /// Waits until all events so far are handed to the operating system.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::FileWriter;
    /// # let folder = std::env::temp_dir().join(format!("writer-flush-doctest-{}", std::process::id()));
    /// let writer = FileWriter::new(&folder)?;
    /// let before = std::fs::metadata(writer.path())?.len();
    /// writer.add_scalar("loss", 0.5, 1)?;
    /// writer.flush()?;
    /// assert!(std::fs::metadata(writer.path())?.len() > before);
    /// # drop(writer);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// The first error of writing.
    pub fn flush(&self) -> Result<()> {
        let (send, done) = sync_channel(1);
        self.send(Order::Flush(send))?;
        // If the thread has ended instead, its error says why.
        let _ = done.recv();
        self.check()
    }

    /// Writes everything out and closes the file. Adding to it is an error from now on; closing again does nothing.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::FileWriter;
    /// # let folder = std::env::temp_dir().join(format!("writer-close-doctest-{}", std::process::id()));
    /// let writer = FileWriter::new(&folder)?;
    /// writer.close()?;
    /// assert_eq!(writer.add_scalar("loss", 0.5, 1).unwrap_err().code(), Code::FailedPrecondition);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// The first error of writing.
    pub fn close(&self) -> Result<()> {
        drop(self.shared.thread.lock().take());
        if let Some(thread) = self.shared.ended.lock().take() {
            let _ = thread.join();
        }
        self.check()
    }
}

impl Drop for EventFile {
    fn drop(&mut self) {
        drop(self.thread.lock().take());
        if let Some(thread) = self.ended.lock().take() {
            let _ = thread.join();
        }
    }
}

fn write_events(mut writer: EventWriter, messages: &std::sync::mpsc::Receiver<Order>, failed: &Mutex<Option<Status>>) {
    let note = |outcome: Result<()>| {
        if let Err(status) = outcome {
            tracing::warn!(%status, "cannot write events");
            failed.lock().get_or_insert(status);
        }
    };
    let mut flush_at = Instant::now() + FLUSH_EVERY;
    loop {
        match messages.recv_timeout(flush_at.saturating_duration_since(Instant::now())) {
            Ok(Order::Event(event)) => note(writer.write_serialized(&event)),
            Ok(Order::Flush(done)) => {
                note(writer.flush());
                let _ = done.send(());
            }
            Err(RecvTimeoutError::Timeout) => {
                note(writer.flush());
                flush_at = Instant::now() + FLUSH_EVERY;
            }
            Err(RecvTimeoutError::Disconnected) => return note(writer.flush()),
        }
    }
}

#[cfg(test)]
mod tests {
    use files::EventReader;
    use tensor::Code;

    use super::*;
    use crate::testing::{Folder, graph};

    #[test]
    fn events_come_in_order() {
        let folder = Folder::new("file-writer");
        let writer = FileWriter::new(folder.path()).unwrap();
        let g = graph();
        g.constant(1f32);
        writer.add_graph(&g).unwrap();
        writer.add_session_start(5).unwrap();
        writer.add_scalar("loss", 0.5, 6).unwrap();
        writer.flush().unwrap();
        let events: Vec<wire::Event> = EventReader::open(writer.path()).unwrap().map(Result::unwrap).collect();
        assert_eq!(events.iter().map(|event| event.step).collect::<Vec<_>>(), [0, 0, 5, 6]);
        assert!(matches!(&events[1].what, Some(What::GraphDef(bytes)) if !bytes.is_empty()));
        assert!(matches!(&events[2].what, Some(What::SessionLog(log)) if log.status == SessionStatus::Start as i32));
        writer.close().unwrap();
        writer.close().unwrap();
        assert_eq!(writer.add_scalar("loss", 0.5, 7).unwrap_err().code(), Code::FailedPrecondition);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error_at_once() {
        let folder = Folder::new("file-writer-bad");
        let file = folder.path().join("a file");
        std::fs::write(&file, b"").unwrap();
        assert!(FileWriter::new(file.join("logs")).is_err());
    }

    #[test]
    fn what_is_no_summary_is_refused() {
        let folder = Folder::new("file-writer-junk");
        let writer = FileWriter::new(folder.path()).unwrap();
        assert_eq!(writer.add_summary(&Tensor::from("\u{1}junk"), 1).unwrap_err().code(), Code::InvalidArgument);
        assert!(writer.add_summary(&Tensor::from(1f32), 1).is_err());
    }
}
