//! Input pipelines: queues of file names, readers of records, parsed examples, batches. Nodes are those of TensorFlow.
//!
//! ```
//! use std::sync::Arc;
//! use tensorfleet::prelude::*;
//! use tensorfleet::train::{
//!     BatchOptions, Compression, Example, Feature, InputOptions, Reader, RecordWriter, batch, decode_raw,
//!     local_variables_initializer, parse_single_example, start_queue_runners, string_input_producer,
//! };
//! # fn main() -> tensorfleet::Result<()> {
//! # let file = std::env::temp_dir().join(format!("input-doctest-{}.tfrecords", std::process::id()));
//! // Write: an image as raw bytes, and its label.
//! let mut writer = RecordWriter::create(&file, Compression::None)?;
//! for label in 0..4i64 {
//!     writer.write(&Example::new().bytes("img_raw", [label as u8; 6]).ints("label", [label]).encode())?;
//! }
//! writer.finish()?;
//!
//! // Read: file names, records, examples, batches.
//! let g = Graph::new();
//! let filename_queue = string_input_producer(&g, &[file.to_str().unwrap()], InputOptions::new().num_epochs(1));
//! let (_key, serialized) = Reader::tf_record(&g).read(&filename_queue);
//! let features = parse_single_example(
//!     &serialized,
//!     &[("img_raw", Feature::fixed((), DType::String)), ("label", Feature::fixed((), DType::Int64))],
//! );
//! let img = decode_raw(&features.get("img_raw"), DType::UInt8).reshape(&[6]).cast(DType::Float);
//! let batch = batch(&[img, features.get("label")], &BatchOptions::new(2).num_threads(1));
//!
//! let init = local_variables_initializer(&g);
//! let sess: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
//! sess.run(RunRequest::new().target(&init))?;
//! let coord = Coordinator::new();
//! start_queue_runners(&g, &sess, &coord)?;
//! let mut labels = Vec::new();
//! loop {
//!     match sess.fetch(RunRequest::new().fetch(&batch[0]).fetch(&batch[1])) {
//!         Ok(values) => labels.extend(values[1].to_i64_vec()?),
//!         Err(status) if status.code() == Code::OutOfRange => break, // one epoch is over
//!         Err(status) => return Err(status),
//!     }
//! }
//! coord.request_stop();
//! coord.join(std::time::Duration::from_secs(60))?;
//! assert_eq!(labels, [0, 1, 2, 3]);
//! # std::fs::remove_file(&file)?;
//! # Ok(())
//! # }
//! ```

mod batch;
mod example;
mod producer;
mod reader;

pub use batch::{BatchOptions, batch, batch_join, shuffle_batch, shuffle_batch_join};
pub use example::{Example, Feature, ParsedFeatures, SparseFeature, decode_raw, parse_example, parse_single_example};
pub use producer::{
    InputOptions, input_producer, limit_epochs, range_input_producer, slice_input_producer, string_input_producer,
};
pub use reader::Reader;

use graph::{Graph, Output};
use tensor::{DType, Tensor};

use crate::queue::Queue;
use crate::summary;

/// A constant under a full name.
#[track_caller]
fn constant_exactly(graph: &Graph, name: String, value: impl Into<Tensor>) -> Output {
    let value = value.into();
    let at = std::panic::Location::caller();
    graph.op("Const").name_exactly(name).attr("dtype", value.dtype()).attr("value", value).at(at).output()
}

/// A summary of how full a queue is, beyond what it keeps for shuffling.
#[track_caller]
fn fullness_summary(graph: &Graph, queue: &Queue, capacity: i64, kept: i64) {
    let mut size = queue.size();
    if kept > 0 {
        let name = graph.unique_name("sub");
        let kept = constant_exactly(graph, format!("{name}/y"), i32::try_from(kept).unwrap_or(i32::MAX));
        size = graph.op("Sub").name_exactly(name).input(size).input(kept).output();
        let name = graph.unique_name("Maximum");
        let zero = constant_exactly(graph, format!("{name}/x"), 0i32);
        size = graph.op("Maximum").name_exactly(name).input(zero).input(size).output();
    }
    let size = graph.op("Cast").input(size).attr("DstT", DType::Float).output();
    let name = graph.unique_name("mul");
    let part = constant_exactly(graph, format!("{name}/y"), (1.0 / (capacity - kept).max(1) as f64) as f32);
    let full = graph.op("Mul").name_exactly(name).input(size).input(part).output();
    if kept > 0 {
        summary::scalar(&format!("fraction_over_{kept}_of_{}_full", capacity - kept), &full);
    } else {
        summary::scalar(&format!("fraction_of_{capacity}_full"), &full);
    }
}

#[cfg(test)]
mod tests;
