//! Queues of input: batches, epochs and their ends.

use std::sync::Arc;
use std::time::Duration;

use files::{Compression, RecordWriter};
use ops::prelude::*;
use runtime::{RunRequest, Session};
use tensor::{Code, PartialShape};

use super::*;
use crate::coordinator::Coordinator;
use crate::queue_runner::start_queue_runners;
use crate::testing::{Folder, graph, local};
use crate::variable_lists::local_variables_initializer;

const LONG: Duration = Duration::from_secs(60);

/// Runs a pipeline to its end and gives all values of its outputs.
fn drain(g: &Graph, outputs: &[Output]) -> Vec<Vec<Tensor>> {
    let init = local_variables_initializer(g);
    let session: Arc<dyn Session> = local(g);
    session.run(RunRequest::new().target(&init)).unwrap();
    let coord = Coordinator::new();
    start_queue_runners(g, &session, &coord).unwrap();
    let mut all = Vec::new();
    loop {
        let request = outputs.iter().fold(RunRequest::new(), |request, output| request.fetch(output));
        match session.fetch(request) {
            Ok(values) => all.push(values),
            Err(status) => {
                assert_eq!(status.code(), Code::OutOfRange, "{status}");
                break;
            }
        }
    }
    coord.request_stop();
    coord.join(LONG).unwrap();
    all
}

fn names(g: &Graph) -> Vec<String> {
    let shown = |node: &graph::Node| format!("{} {} {}", node.name, node.op, node.device).trim_end().to_owned();
    g.read(|nodes| nodes.nodes().iter().filter(|node| node.op != "Const").map(shown).collect())
}

/// As in TensorFlow 2.21.
#[test]
fn nodes_have_tensorflows_names() {
    let g = graph();
    let queue = string_input_producer(&g, &["a", "b"], InputOptions::new().num_epochs(2).seed(3));
    let (_, value) = Reader::tf_record(&g).read(&queue);
    let features = [
        ("x", Feature::fixed([2], DType::Float)),
        ("label", Feature::fixed((), DType::String)),
        ("s", Feature::var_len(DType::Int64)),
    ];
    let parsed = parse_single_example(&value, &features);
    batch(&[parsed.get("x"), parsed.get("label")], &BatchOptions::new(2).num_threads(2));
    let options = BatchOptions::new(2).capacity(10).min_after_dequeue(3).seed(1).allow_smaller_final_batch(true);
    shuffle_batch(&[parsed.get("x")], &options);
    g.check().unwrap();
    assert_eq!(
        names(&g),
        [
            "input_producer/Greater Greater",
            "input_producer/Assert/Assert Assert",
            "input_producer/Identity Identity",
            "input_producer/RandomShuffle RandomShuffle",
            "input_producer/limit_epochs/epochs VariableV2",
            "input_producer/limit_epochs/epochs/Assign Assign",
            "input_producer/limit_epochs/epochs/read Identity",
            "input_producer/limit_epochs/CountUpTo CountUpTo",
            "input_producer/limit_epochs Identity",
            "input_producer FIFOQueueV2 /device:CPU:*",
            "input_producer/input_producer_EnqueueMany QueueEnqueueManyV2",
            "input_producer/input_producer_Close QueueCloseV2",
            "input_producer/input_producer_Close_1 QueueCloseV2",
            "input_producer/input_producer_Size QueueSizeV2",
            "input_producer/Cast Cast",
            "input_producer/mul Mul",
            "input_producer/fraction_of_32_full ScalarSummary",
            "TFRecordReaderV2 TFRecordReaderV2",
            "ReaderReadV2 ReaderReadV2",
            "ParseSingleExample/ParseExample/ParseExampleV2 ParseExampleV2",
            "batch/fifo_queue FIFOQueueV2 /device:CPU:*",
            "batch/fifo_queue_enqueue QueueEnqueueV2",
            "batch/fifo_queue_Close QueueCloseV2",
            "batch/fifo_queue_Close_1 QueueCloseV2",
            "batch/fifo_queue_Size QueueSizeV2",
            "batch/Cast Cast",
            "batch/mul Mul",
            "batch/fraction_of_32_full ScalarSummary",
            "batch QueueDequeueManyV2",
            "shuffle_batch/random_shuffle_queue RandomShuffleQueueV2",
            "shuffle_batch/random_shuffle_queue_enqueue QueueEnqueueV2",
            "shuffle_batch/random_shuffle_queue_Close QueueCloseV2",
            "shuffle_batch/random_shuffle_queue_Close_1 QueueCloseV2",
            "shuffle_batch/random_shuffle_queue_Size QueueSizeV2",
            "shuffle_batch/sub Sub",
            "shuffle_batch/Maximum Maximum",
            "shuffle_batch/Cast Cast",
            "shuffle_batch/mul Mul",
            "shuffle_batch/fraction_over_3_of_7_full ScalarSummary",
            "shuffle_batch QueueDequeueUpToV2",
        ]
    );
}

#[test]
fn every_epoch_gives_every_element_once() {
    let g = graph();
    let queue = range_input_producer(&g, 5, InputOptions::new().num_epochs(2));
    let seen: Vec<i32> = drain(&g, &queue.dequeue()).iter().map(|values| values[0].to_scalar().unwrap()).collect();
    for epoch in seen.chunks(5) {
        let mut sorted = epoch.to_vec();
        sorted.sort();
        assert_eq!(sorted, [0, 1, 2, 3, 4]);
    }
    assert_eq!(seen.len(), 10);
    let g = graph();
    let rows = slice_input_producer(
        &[g.constant([10i32, 20, 30]), g.constant([1f32, 2.0, 3.0])],
        InputOptions::new().num_epochs(1).shuffle(false),
    );
    let pairs: Vec<(i32, f32)> = drain(&g, &rows)
        .iter()
        .map(|values| (values[0].to_scalar().unwrap(), values[1].to_scalar().unwrap()))
        .collect();
    assert_eq!(pairs, [(10, 1.0), (20, 2.0), (30, 3.0)]);
}

#[test]
fn the_last_batch_is_dropped_or_smaller() {
    for (smaller, expected) in [(false, vec![2, 2]), (true, vec![2, 2, 1])] {
        let g = graph();
        let queue = range_input_producer(&g, 5, InputOptions::new().num_epochs(1).shuffle(false));
        let batch = batch(&queue.dequeue(), &BatchOptions::new(2).allow_smaller_final_batch(smaller));
        let sizes: Vec<usize> = drain(&g, &batch).iter().map(|values| values[0].num_elements()).collect();
        assert_eq!(sizes, expected);
    }
}

#[test]
fn shuffled_and_joined_batches_lose_nothing() {
    let g = graph();
    let queue = range_input_producer(&g, 20, InputOptions::new().num_epochs(1).shuffle(false).capacity(20));
    let lists = [queue.dequeue(), queue.dequeue()];
    let options = BatchOptions::new(4).capacity(15).min_after_dequeue(8).seed(7);
    let mut seen: Vec<i64> = drain(&g, &shuffle_batch_join(&lists, &options))
        .iter()
        .flat_map(|values| values[0].to_i64_vec().unwrap())
        .collect();
    assert_ne!(seen, (0..20).collect::<Vec<_>>(), "they come in another order");
    seen.sort();
    assert_eq!(seen, (0..20).collect::<Vec<_>>());
    let g = graph();
    let queue = range_input_producer(&g, 6, InputOptions::new().num_epochs(1).shuffle(false));
    let batch = batch_join(&[queue.dequeue(), queue.dequeue()], &BatchOptions::new(3));
    let total: i64 = drain(&g, &batch).iter().flat_map(|values| values[0].to_i64_vec().unwrap()).sum();
    assert_eq!(total, 15);
}

#[test]
fn records_are_read_parsed_and_decoded() {
    let folder = Folder::new("input-records");
    let paths = ["a", "b"].map(|name| folder.path().join(name));
    for (file, path) in paths.iter().enumerate() {
        let mut writer = RecordWriter::create(path, Compression::None).unwrap();
        for record in 0..2 {
            let number = (file * 2 + record) as f64;
            // The label as raw bytes of a double, and a feature that only some examples have.
            let mut example = Example::new().bytes("label", number.to_le_bytes()).floats("x", [number as f32; 2]);
            if record == 0 {
                example = example.ints("size", [28, 29]);
            }
            writer.write(&example.encode()).unwrap();
        }
        writer.finish().unwrap();
    }
    let g = graph();
    let names: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
    let queue = string_input_producer(&g, &names, InputOptions::new().num_epochs(1).shuffle(false));
    let reader = Reader::tf_record(&g);
    let (_, value) = reader.read(&queue);
    let parsed = parse_single_example(
        &value,
        &[
            ("label", Feature::fixed((), DType::String)),
            ("x", Feature::fixed([2], DType::Float)),
            ("size", Feature::fixed([2], DType::Int64).default_value([0i64, 1])),
            ("sizes", Feature::var_len(DType::Int64)),
        ],
    );
    let label = decode_raw(&parsed.get("label"), DType::Double);
    label.set_shape([1]);
    assert!(parsed.sparse("sizes").is_some());
    let batch = batch(&[label, parsed.get("x"), parsed.get("size")], &BatchOptions::new(2));
    assert_eq!(batch[1].shape(), PartialShape::from([2, 2]));
    let values = drain(&g, &batch);
    assert_eq!(values.len(), 2);
    assert_eq!(values[1][0], Tensor::from([[2f64], [3.0]]));
    assert_eq!(values[1][1], Tensor::from([[2f32, 2.0], [3.0, 3.0]]));
    assert_eq!(values[1][2], Tensor::from([[28i64, 29], [0, 1]]));
}

#[test]
fn mistakes_are_named() {
    let mistake = |build: &dyn Fn(&Graph)| {
        let g = graph();
        build(&g);
        g.check().unwrap_err().message().to_owned()
    };
    let none: [&str; 0] = [];
    let message = mistake(&|g| drop(string_input_producer(g, &none, InputOptions::new())));
    assert!(message.contains("string_input_producer requires a non-null input tensor"), "{message}");
    let message = mistake(&|g| drop(batch(&[g.placeholder(DType::Float, [None])], &BatchOptions::new(2))));
    assert!(message.contains("All shapes must be fully defined: [?]"), "{message}");
    let message = mistake(&|g| {
        let parsed = parse_single_example(&g.constant("x"), &[("a", Feature::fixed((), DType::Float))]);
        let wrong = parsed.get("b");
        drop(&wrong + 1.0);
    });
    assert!(message.contains("there is no dense feature 'b', only [\"a\"]"), "{message}");
    let message = mistake(&|g| drop(range_input_producer(g, 3, InputOptions::new().num_epochs(0))));
    assert!(message.contains("num_epochs must be > 0 not 0."), "{message}");
}

#[test]
fn a_damaged_file_ends_the_run_with_its_error() {
    let folder = Folder::new("input-damaged");
    let path = folder.path().join("a");
    std::fs::write(&path, b"this is no record file at all").unwrap();
    let g = graph();
    let queue = string_input_producer(&g, &[path.to_str().unwrap()], InputOptions::new());
    let (_, value) = Reader::tf_record(&g).read(&queue);
    let batch = batch(&[value.reshape(())], &BatchOptions::new(1));
    let (session, coord) = (local(&g), Coordinator::new());
    start_queue_runners(&g, &session, &coord).unwrap();
    assert!(session.fetch(RunRequest::new().fetch(&batch[0])).is_err());
    assert_eq!(coord.join(LONG).unwrap_err().code(), Code::DataLoss);
}
