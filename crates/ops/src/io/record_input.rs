//! `RecordInput`: batches of records of many files, in random order, again and again.
//!
//! Files are read one after the other, shuffled anew each time round; records are drawn at random from a buffer of those
//! that were read. Which come together is not TensorFlow's choice: there it depends on its threads.

use std::collections::VecDeque;
use std::path::PathBuf;

use bytes::Bytes;
use files::{Compression, RecordReader};
use graph::op::{Files, Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::random::Words;
use parking_lot::Mutex;
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use super::matching_files::files_of;

pub(crate) fn register(r: &mut Registry) {
    r.op("RecordInput", "-> records: string")
        .attr("file_pattern: string")
        .attr("file_random_seed: int = 301")
        .attr("file_shuffle_shift_ratio: float = 0")
        .attr("file_buffer_size: int = 10000")
        .attr("file_parallelism: int = 16")
        .attr("batch_size: int = 32")
        .attr("compression_type: string = ''")
        .stateful()
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::vector(None));
    Ok(())
}

struct State {
    /// Files of this round that are still to come.
    files: VecDeque<PathBuf>,
    open: Option<RecordReader<files::place::Reader>>,
    buffer: Vec<Bytes>,
    words: Words,
    rounds: u64,
    /// Whether this round gave a record.
    fruitful: bool,
}

fn kernel(node: &Node) -> Result<Kernel> {
    let pattern = node.attr_str("file_pattern")?.to_owned();
    let (batch, size) = (node.attr_int("batch_size")?, node.attr_int("file_buffer_size")?);
    ensure!(batch > 0 && batch <= 1 << 24, InvalidArgument, "batch_size must be positive, but is {batch}");
    ensure!(size > 0, InvalidArgument, "file_buffer_size must be positive, but is {size}");
    let shift = f64::from(node.attr_float("file_shuffle_shift_ratio")?);
    let compression = Compression::from_name(node.attr_str("compression_type")?)?;
    let state = Mutex::new(State {
        files: VecDeque::new(),
        open: None,
        buffer: Vec::new(),
        words: Words::seeded((node.attr_int("file_random_seed")?, 0)),
        rounds: 0,
        fruitful: true,
    });
    Ok(Kernel::files(move |cx: &mut OpContext<'_>| {
        let mut state = state.lock();
        let mut records = Vec::new();
        while (records.len() as i64) < batch {
            cx.step.cancellation.check()?;
            while (state.buffer.len() as i64) < size
                && !(state.rounds > 0 && state.at_end() && !state.buffer.is_empty())
            {
                cx.step.cancellation.check()?;
                if let Some(record) = state.read(&*cx.step.files, &pattern, shift, compression)? {
                    state.buffer.push(record);
                }
            }
            if state.buffer.is_empty() {
                continue;
            }
            let place = state.words.next() as usize % state.buffer.len();
            records.push(state.buffer.swap_remove(place));
        }
        cx.set_output(0, Tensor::from_strings(Shape::vector(records.len()), records)?);
        Ok(())
    }))
}

impl State {
    /// Whether a round has ended and its records are to be used up before the next.
    fn at_end(&self) -> bool {
        self.files.is_empty() && self.open.is_none()
    }

    /// A record, or nothing at the end of a file.
    fn read(
        &mut self,
        files: &dyn Files,
        pattern: &str,
        shift: f64,
        compression: Compression,
    ) -> Result<Option<Bytes>> {
        if let Some(open) = &mut self.open {
            let record = open.read();
            if !matches!(record, Ok(Some(_))) {
                self.open = None;
            }
            self.fruitful |= matches!(record, Ok(Some(_)));
            return record;
        }
        if let Some(file) = self.files.pop_front() {
            self.open = Some(RecordReader::open(&file, compression)?);
            return Ok(None);
        }
        ensure!(self.fruitful, NotFound, "Found no records in the files at {pattern}");
        let mut found: Vec<PathBuf> = files_of(files, pattern.as_bytes())?.into_iter().map(PathBuf::from).collect();
        ensure!(!found.is_empty(), NotFound, "Found no files at {pattern}");
        for last in (1..found.len()).rev() {
            let other = self.words.next() as usize % (last + 1);
            found.swap(last, other);
        }
        let turn = (shift.clamp(0.0, 1.0) * found.len() as f64) as usize * self.rounds as usize % found.len();
        found.rotate_left(turn);
        (self.files, self.fruitful) = (found.into(), false);
        self.rounds += 1;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use files::RecordWriter;

    use super::*;
    use crate::testing::{Bench, Folder, tensor};

    #[test]
    fn every_record_comes_once_a_round() {
        let folder = Folder::new("record_input");
        for name in ["a", "b"] {
            let path = PathBuf::from(folder.path(name));
            let mut writer = RecordWriter::create(&path, Compression::None).unwrap();
            for number in 0..3 {
                writer.write(format!("{name}{number}").as_bytes()).unwrap();
            }
            writer.finish().unwrap();
        }
        let bench = Bench::new();
        let attrs = |pattern: String| [("file_pattern", pattern.into()), ("batch_size", 6i64.into())];
        let node = bench.node("RecordInput", &attrs(folder.path("*")));
        for _ in 0..3 {
            let batch = tensor(&node.run(&bench, vec![]).unwrap()[0]);
            let mut records = batch.strings().unwrap().to_vec();
            records.sort();
            assert_eq!(records, ["a0", "a1", "a2", "b0", "b1", "b2"]);
        }
        let status = bench.run("RecordInput", &attrs(folder.path("none*")), vec![]).err().unwrap();
        assert_eq!(status.code(), tensor::Code::NotFound);
    }
}
