//! Batches: examples gathered by threads, in order or shuffled.

use std::panic::Location;

use graph::{Graph, Operation, Output};
use tensor::{DType, PartialShape, err};

use super::fullness_summary;
use crate::queue::Queue;
use crate::queue_runner::{QueueRunner, add_queue_runner};

/// How batches are gathered.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{BatchOptions, batch};
/// let g = Graph::new();
/// let rows = g.constant([[1f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
/// let options = BatchOptions::new(2).enqueue_many(true).capacity(10).num_threads(1);
/// assert_eq!(batch(&[rows], &options)[0].shape(), PartialShape::from([2, 2]));
/// ```
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
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{BatchOptions, batch};
    /// let g = Graph::new();
    /// assert_eq!(batch(&[g.constant(1f32)], &BatchOptions::new(16))[0].shape(), PartialShape::from([16]));
    /// ```
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
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{BatchOptions, batch, queue_runners};
    /// let g = Graph::new();
    /// batch(&[g.constant(1f32)], &BatchOptions::new(2).num_threads(4));
    /// assert_eq!(queue_runners(&g)[0].names().enqueue.len(), 4);
    /// ```
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
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{BatchOptions, batch};
    /// let g = Graph::new();
    /// let rows = g.zeros(&[100, 3], DType::Float);
    /// assert_eq!(batch(&[rows.clone()], &BatchOptions::new(2))[0].shape(), PartialShape::from([2, 100, 3]));
    /// assert_eq!(batch(&[rows], &BatchOptions::new(2).enqueue_many(true))[0].shape(), PartialShape::from([2, 3]));
    /// ```
    #[must_use]
    pub fn enqueue_many(mut self, many: bool) -> Self {
        self.enqueue_many = many;
        self
    }

    /// The shapes of one example's tensors, where they are not known from the graph.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{BatchOptions, batch};
    /// let g = Graph::new();
    /// let image = g.placeholder(DType::Float, PartialShape::unknown());
    /// let options = BatchOptions::new(2).shapes(&[PartialShape::from([28, 28])]);
    /// assert_eq!(batch(&[image], &options)[0].shape(), PartialShape::from([2, 28, 28]));
    /// ```
    #[must_use]
    pub fn shapes(mut self, shapes: &[PartialShape]) -> Self {
        self.shapes = Some(shapes.to_vec());
        self
    }

    /// Examples of different sizes are padded with zeros.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{BatchOptions, batch};
    /// let g = Graph::new();
    /// let words = g.placeholder(DType::Int64, [None]);
    /// let padded = batch(&[words], &BatchOptions::new(2).dynamic_pad(true));
    /// assert_eq!(padded[0].shape(), PartialShape::from([Some(2), None]));
    /// ```
    #[must_use]
    pub fn dynamic_pad(mut self, pad: bool) -> Self {
        self.dynamic_pad = pad;
        self
    }

    /// The last batch may have fewer examples, instead of being dropped.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{BatchOptions, batch};
    /// let g = Graph::new();
    /// let last = batch(&[g.constant(1f32)], &BatchOptions::new(2).allow_smaller_final_batch(true));
    /// assert_eq!(last[0].shape(), PartialShape::from([None]));
    /// ```
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
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{BatchOptions, GRACE, InputOptions, batch, range_input_producer, start_queue_runners};
/// let g = Graph::new();
/// let number = range_input_producer(&g, 4, InputOptions::new().shuffle(false)).dequeue();
/// let pair = batch(&number, &BatchOptions::new(2));
/// let session: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
/// let coord = Coordinator::new();
/// start_queue_runners(&g, &session, &coord)?;
/// assert_eq!(session.eval::<Vec<i32>, _>(&pair[0])?, [0, 1]);
/// assert_eq!(session.eval::<Vec<i32>, _>(&pair[0])?, [2, 3]);
/// coord.request_stop();
/// coord.join(GRACE)?;
/// # Ok::<(), Status>(())
/// ```
#[track_caller]
pub fn batch(tensors: &[Output], options: &BatchOptions) -> Vec<Output> {
    gather("batch", &[tensors.to_vec()], options.num_threads, options, false)
}

/// As [`batch`], with a thread for each list of tensors.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{BatchOptions, batch_join, queue_runners};
/// let g = Graph::new();
/// let (left, right) = (g.constant(1f32), g.constant(2f32));
/// let joined = batch_join(&[vec![left], vec![right]], &BatchOptions::new(8));
/// assert_eq!(joined[0].shape(), PartialShape::from([8]));
/// assert_eq!(queue_runners(&g)[0].names().enqueue.len(), 2); // a thread for each
/// ```
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
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{BatchOptions, shuffle_batch_join};
/// let g = Graph::new();
/// let (left, right) = (g.constant(1f32), g.constant(2f32));
/// let options = BatchOptions::new(8).capacity(100).min_after_dequeue(50);
/// let joined = shuffle_batch_join(&[vec![left], vec![right]], &options);
/// assert_eq!(joined[0].shape(), PartialShape::from([8]));
/// ```
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
