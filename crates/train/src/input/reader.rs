//! Readers: from a queue of file names to records.

use std::panic::Location;

use graph::{Graph, Operation, Output};

use crate::queue::Queue;

/// Reads the files that a queue names, record after record. Several steps may read at the same time.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Queue, Reader};
/// # let path = std::env::temp_dir().join(format!("reader-doctest-{}", std::process::id()));
/// std::fs::write(&path, "one\ntwo\n")?;
/// let g = Graph::new();
/// let files = Queue::of(&[DType::String]).fifo(&g);
/// let name = files.enqueue(&[g.constant(path.to_str().unwrap())]);
/// let (_key, line) = Reader::text_line(&g, 0).read(&files);
/// let session = LocalSession::new(&g)?;
/// session.eval(&name)?;
/// assert_eq!(session.eval::<String, _>(&line)?, "one");
/// assert_eq!(session.eval::<String, _>(&line)?, "two");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reader {
    handle: Output,
}

impl Reader {
    /// Of TFRecord files.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Compression, Queue, Reader, RecordWriter};
    /// # let path = std::env::temp_dir().join(format!("record-reader-doctest-{}", std::process::id()));
    /// let mut file = RecordWriter::create(&path, Compression::None)?;
    /// file.write(b"a record")?;
    /// file.finish()?;
    /// let g = Graph::new();
    /// let files = Queue::of(&[DType::String]).fifo(&g);
    /// let name = files.enqueue(&[g.constant(path.to_str().unwrap())]);
    /// let (_key, record) = Reader::tf_record(&g).read(&files);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&name)?;
    /// assert_eq!(session.eval::<String, _>(&record)?, "a record");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn tf_record(graph: &Graph) -> Reader {
        Reader { handle: graph.op("TFRecordReaderV2").at(Location::caller()).output() }
    }

    /// Of TFRecord files compressed with `ZLIB` or `GZIP`.
    #[track_caller]
    pub fn compressed_tf_record(graph: &Graph, compression: &str) -> Reader {
        let op = graph.op("TFRecordReaderV2").attr("compression_type", compression.to_owned());
        Reader { handle: op.at(Location::caller()).output() }
    }

    /// Of the lines of text files.
    #[track_caller]
    pub fn text_line(graph: &Graph, skip_header_lines: i64) -> Reader {
        let op = graph.op("TextLineReaderV2").attr("skip_header_lines", skip_header_lines);
        Reader { handle: op.at(Location::caller()).output() }
    }

    /// Of whole files.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Queue, Reader};
    /// # let path = std::env::temp_dir().join(format!("file-reader-doctest-{}", std::process::id()));
    /// std::fs::write(&path, "all of it")?;
    /// let g = Graph::new();
    /// let files = Queue::of(&[DType::String]).fifo(&g);
    /// let name = files.enqueue(&[g.constant(path.to_str().unwrap())]);
    /// let (key, contents) = Reader::whole_file(&g).read(&files);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&name)?;
    /// let (key, contents): (String, String) = session.eval((&key, &contents))?;
    /// assert_eq!((key.as_str(), contents.as_str()), (path.to_str().unwrap(), "all of it"));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn whole_file(graph: &Graph) -> Reader {
        Reader { handle: graph.op("WholeFileReaderV2").at(Location::caller()).output() }
    }

    /// Of records of one length.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Queue, Reader};
    /// # let path = std::env::temp_dir().join(format!("length-reader-doctest-{}", std::process::id()));
    /// std::fs::write(&path, "HEADaabbEND")?;
    /// let g = Graph::new();
    /// let files = Queue::of(&[DType::String]).fifo(&g);
    /// let name = files.enqueue(&[g.constant(path.to_str().unwrap())]);
    /// let (_key, record) = Reader::fixed_length(&g, 2, 4, 3).read(&files);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&name)?;
    /// assert_eq!(session.eval::<String, _>(&record)?, "aa");
    /// assert_eq!(session.eval::<String, _>(&record)?, "bb");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn fixed_length(graph: &Graph, record_bytes: i64, header_bytes: i64, footer_bytes: i64) -> Reader {
        let op = graph.op("FixedLengthRecordReaderV2").attr("record_bytes", record_bytes);
        let op = op.attr("header_bytes", header_bytes).attr("footer_bytes", footer_bytes);
        Reader { handle: op.at(Location::caller()).output() }
    }

    /// Of the names themselves.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Queue, Reader};
    /// let g = Graph::new();
    /// let work = Queue::of(&[DType::String]).fifo(&g);
    /// let put = work.enqueue(&[g.constant("shard-3")]);
    /// let (key, value) = Reader::identity(&g).read(&work);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&put)?;
    /// assert_eq!(session.eval::<(String, String), _>((&key, &value))?, ("shard-3".to_owned(), "shard-3".to_owned()));
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn identity(graph: &Graph) -> Reader {
        Reader { handle: graph.op("IdentityReaderV2").at(Location::caller()).output() }
    }

    /// Returns the handle, for ops that use the reader.
    pub fn handle(&self) -> &Output {
        &self.handle
    }

    /// The next record: where it comes from, and what it is. Fails with `OutOfRange` when the queue has ended.
    #[track_caller]
    pub fn read(&self, queue: &Queue) -> (Output, Output) {
        let op = self.handle.graph().op("ReaderReadV2").input(&self.handle).input(queue.handle());
        let read = op.at(Location::caller()).build();
        (read.output(0), read.output(1))
    }

    /// Up to so many records.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Queue, Reader};
    /// # let path = std::env::temp_dir().join(format!("read-up-to-doctest-{}", std::process::id()));
    /// std::fs::write(&path, "one\ntwo\nthree\n")?;
    /// let g = Graph::new();
    /// let work = Queue::of(&[DType::String]).fifo(&g);
    /// let name = work.enqueue(&[g.constant(path.to_str().unwrap())]);
    /// let (_keys, lines) = Reader::text_line(&g, 0).read_up_to(&work, 2);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&name)?;
    /// assert_eq!(session.eval::<Vec<String>, _>(&lines)?, ["one", "two"]);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn read_up_to(&self, queue: &Queue, records: i64) -> (Output, Output) {
        let graph = self.handle.graph();
        let records = graph.constant(records);
        let op = graph.op("ReaderReadUpToV2").input(&self.handle).input(queue.handle()).input(records);
        let read = op.at(Location::caller()).build();
        (read.output(0), read.output(1))
    }

    /// How many records were read.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Queue, Reader};
    /// let g = Graph::new();
    /// let work = Queue::of(&[DType::String]).fifo(&g);
    /// let put = work.enqueue(&[g.constant("a")]);
    /// let reader = Reader::identity(&g);
    /// let (_key, value) = reader.read(&work);
    /// let (records, files) = (reader.num_records_produced(), reader.num_work_units_completed());
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&put)?;
    /// session.eval::<String, _>(&value)?;
    /// assert_eq!(session.eval::<(i64, i64), _>((&records, &files))?, (1, 1));
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn num_records_produced(&self) -> Output {
        self.handle.graph().op("ReaderNumRecordsProducedV2").input(&self.handle).at(Location::caller()).output()
    }

    /// How many files were read to the end.
    #[track_caller]
    pub fn num_work_units_completed(&self) -> Output {
        self.handle.graph().op("ReaderNumWorkUnitsCompletedV2").input(&self.handle).at(Location::caller()).output()
    }

    /// Forgets the file being read.
    #[track_caller]
    pub fn reset(&self) -> Operation {
        self.handle.graph().op("ReaderResetV2").input(&self.handle).at(Location::caller()).build()
    }
}
