//! Batches: examples gathered by threads, in order or shuffled.

use std::panic::Location;

use graph::{Graph, Operation, Output};
use tensor::{DType, PartialShape, err};

use super::fullness_summary;
use crate::queue::Queue;
use crate::queue_runner::{QueueRunner, add_queue_runner};

/// How batches are gathered.
#[derive(Clone, Debug)]
pub struct BatchOptions {
    batch_size: i32,
    num_threads: usize,
    capacity: i64,
    min_after_dequeue: i64,
    seed: Option<i64>,
    enqueue_many: bool,
    shapes: Option<Vec<PartialShape>>,
    dynamic_pad: bool,
    allow_smaller_final_batch: bool,
    shared_name: String,
}

impl BatchOptions {
    /// Batches of so many examples, gathered by one thread, 32 examples ahead.
    pub fn new(batch_size: i32) -> BatchOptions {
        BatchOptions {
            batch_size,
            num_threads: 1,
            capacity: 32,
            min_after_dequeue: 0,
            seed: None,
            enqueue_many: false,
            shapes: None,
            dynamic_pad: false,
            allow_smaller_final_batch: false,
            shared_name: String::new(),
        }
    }

    /// How many threads gather examples.
    #[must_use]
    pub fn num_threads(mut self, threads: usize) -> Self {
        self.num_threads = threads;
        self
    }

    /// How many examples are gathered ahead.
    #[must_use]
    pub fn capacity(mut self, capacity: i64) -> Self {
        self.capacity = capacity;
        self
    }

    /// Among how many examples at least a shuffled batch is chosen.
    #[must_use]
    pub fn min_after_dequeue(mut self, elements: i64) -> Self {
        self.min_after_dequeue = elements;
        self
    }

    /// The seed of the order, for batches that are shuffled.
    #[must_use]
    pub fn seed(mut self, seed: i64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The tensors are rows of examples instead of one example.
    #[must_use]
    pub fn enqueue_many(mut self, many: bool) -> Self {
        self.enqueue_many = many;
        self
    }

    /// The shapes of one example's tensors, where they are not known from the graph.
    #[must_use]
    pub fn shapes(mut self, shapes: &[PartialShape]) -> Self {
        self.shapes = Some(shapes.to_vec());
        self
    }

    /// Examples of different sizes are padded with zeros.
    #[must_use]
    pub fn dynamic_pad(mut self, pad: bool) -> Self {
        self.dynamic_pad = pad;
        self
    }

    /// The last batch may have fewer examples, instead of being dropped.
    #[must_use]
    pub fn allow_smaller_final_batch(mut self, allow: bool) -> Self {
        self.allow_smaller_final_batch = allow;
        self
    }

    /// The name under which sessions share the queue.
    #[must_use]
    pub fn shared_name(mut self, name: &str) -> Self {
        self.shared_name = name.to_owned();
        self
    }
}

/// Batches of an example's tensors, in the order in which they come.
#[track_caller]
pub fn batch(tensors: &[Output], options: &BatchOptions) -> Vec<Output> {
    gather("batch", &[tensors.to_vec()], options.num_threads, options, false)
}

/// As [`batch`], with a thread for each list of tensors.
#[track_caller]
pub fn batch_join(tensors: &[Vec<Output>], options: &BatchOptions) -> Vec<Output> {
    gather("batch_join", tensors, 1, options, false)
}

/// Batches of an example's tensors in random order.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{BatchOptions, shuffle_batch};
/// let g = Graph::new();
/// let options = BatchOptions::new(128).capacity(2000).min_after_dequeue(1000).num_threads(16);
/// let batch = shuffle_batch(&[g.zeros(&[784], DType::Float), g.constant(7i64)], &options);
/// assert_eq!(batch[0].shape().to_string(), "[128,784]");
/// ```
#[track_caller]
pub fn shuffle_batch(tensors: &[Output], options: &BatchOptions) -> Vec<Output> {
    gather("shuffle_batch", &[tensors.to_vec()], options.num_threads, options, true)
}

/// As [`shuffle_batch`], with a thread for each list of tensors.
#[track_caller]
pub fn shuffle_batch_join(tensors: &[Vec<Output>], options: &BatchOptions) -> Vec<Output> {
    gather("shuffle_batch_join", tensors, 1, options, true)
}

#[track_caller]
fn gather(scope: &str, lists: &[Vec<Output>], threads: usize, options: &BatchOptions, shuffle: bool) -> Vec<Output> {
    let Some(first) = lists.first().and_then(|list| list.first()) else { return Vec::new() };
    let graph = first.graph().clone();
    let at = Location::caller();
    graph.with_name_scope(scope, |graph| {
        let name = graph.name_scope();
        let types: Vec<DType> = lists[0].iter().map(|tensor| tensor.dtype().unwrap_or(DType::Float)).collect();
        let queue = Queue::of(&types).shapes(&element_shapes(graph, lists, options));
        let queue = queue.capacity(options.capacity).shared_name(&*options.shared_name);
        let queue = match (shuffle, options.dynamic_pad) {
            (true, _) => queue.random_shuffle(graph, options.min_after_dequeue, options.seed),
            (false, true) => queue.padding_fifo(graph),
            (false, false) => queue.fifo(graph),
        };
        let mut enqueue: Vec<Operation> = Vec::with_capacity(lists.len() * threads);
        for list in lists {
            let op = if options.enqueue_many { queue.enqueue_many(list) } else { queue.enqueue(list) };
            enqueue.extend(std::iter::repeat_n(op, threads.max(1)));
        }
        add_queue_runner(graph, QueueRunner::new(&queue, &enqueue));
        fullness_summary(graph, &queue, options.capacity, if shuffle { options.min_after_dequeue } else { 0 });
        let outputs = queue.dequeue_batch(name, options.batch_size, options.allow_smaller_final_batch);
        if outputs.is_empty() {
            graph.note_mistake(err!(InvalidArgument, "{}:{}: the batch has no tensors", at.file(), at.line()));
        }
        outputs
    })
}

/// The shapes of one example's tensors, as far as all lists agree.
#[track_caller]
fn element_shapes(graph: &Graph, lists: &[Vec<Output>], options: &BatchOptions) -> Vec<PartialShape> {
    let shapes = options.shapes.clone().unwrap_or_else(|| {
        let element = |tensor: &Output| match (tensor.shape().dims(), options.enqueue_many) {
            (Some(dims), true) if !dims.is_empty() => PartialShape::new(&dims[1..]),
            (_, true) => PartialShape::unknown(),
            (_, false) => tensor.shape(),
        };
        let mut shapes: Vec<PartialShape> = lists.first().into_iter().flatten().map(element).collect();
        for list in lists.iter().skip(1) {
            for (shape, tensor) in shapes.iter_mut().zip(list) {
                *shape = shape.common(&element(tensor));
            }
        }
        shapes
    });
    let known = |shape: &PartialShape| shape.is_fully_known() || (options.dynamic_pad && shape.rank().is_some());
    if !shapes.iter().all(known) {
        let shown: Vec<String> = shapes.iter().map(ToString::to_string).collect();
        graph.note_mistake(err!(InvalidArgument, "All shapes must be fully defined: {}", shown.join(", ")));
    }
    shapes
}
