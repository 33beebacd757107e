//! Readers: from a queue of file names to records.

use std::panic::Location;

use graph::{Graph, Operation, Output};

use crate::queue::Queue;

/// Reads the files that a queue names, record after record. Several steps may read at the same time.
#[derive(Clone, Debug)]
pub struct Reader {
    handle: Output,
}

impl Reader {
    /// Of TFRecord files.
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
    #[track_caller]
    pub fn whole_file(graph: &Graph) -> Reader {
        Reader { handle: graph.op("WholeFileReaderV2").at(Location::caller()).output() }
    }

    /// Of records of one length.
    #[track_caller]
    pub fn fixed_length(graph: &Graph, record_bytes: i64, header_bytes: i64, footer_bytes: i64) -> Reader {
        let op = graph.op("FixedLengthRecordReaderV2").attr("record_bytes", record_bytes);
        let op = op.attr("header_bytes", header_bytes).attr("footer_bytes", footer_bytes);
        Reader { handle: op.at(Location::caller()).output() }
    }

    /// Of the names themselves.
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
    #[track_caller]
    pub fn read_up_to(&self, queue: &Queue, records: i64) -> (Output, Output) {
        let graph = self.handle.graph();
        let records = graph.constant(records);
        let op = graph.op("ReaderReadUpToV2").input(&self.handle).input(queue.handle()).input(records);
        let read = op.at(Location::caller()).build();
        (read.output(0), read.output(1))
    }

    /// How many records were read.
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
