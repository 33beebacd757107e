//! Producers: queues that give out the elements of a tensor, epoch after epoch.

use std::panic::Location;

use graph::{Graph, Output};
use tensor::{DType, PartialShape, Tensor, err};

use super::{constant_exactly, fullness_summary};
use crate::queue::Queue;
use crate::queue_runner::{QueueRunner, add_queue_runner};
use crate::variable::{Variable, VariableKind};

/// How a producer gives out its elements.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{InputOptions, local_variables, string_input_producer};
/// let g = Graph::new();
/// let options = InputOptions::new().shuffle(false).num_epochs(1).capacity(4);
/// let files = string_input_producer(&g, &["a", "b"], options);
/// assert_eq!(files.types(), [DType::String]);
/// assert_eq!(local_variables(&g).len(), 1); // counts the epochs
/// ```
#[derive(Clone, Debug)]
pub struct InputOptions {
    num_epochs: Option<i64>,
    shuffle: bool,
    seed: Option<i64>,
    capacity: i64,
    shared_name: String,
}

impl Default for InputOptions {
    fn default() -> InputOptions {
        InputOptions { num_epochs: None, shuffle: true, seed: None, capacity: 32, shared_name: String::new() }
    }
}

impl InputOptions {
    /// Without end, in a new random order each epoch.
    pub fn new() -> InputOptions {
        InputOptions::default()
    }

    /// After so many epochs the queue is closed. They are counted by a local variable, which must be initialised.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{GRACE, InputOptions, local_variables_initializer, range_input_producer, start_queue_runners};
    /// let g = Graph::new();
    /// let number = range_input_producer(&g, 2, InputOptions::new().num_epochs(1).shuffle(false)).dequeue();
    /// let session: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
    /// session.eval(&local_variables_initializer(&g))?;
    /// let coord = Coordinator::new();
    /// start_queue_runners(&g, &session, &coord)?;
    /// assert_eq!([session.eval::<i32, _>(&number[0])?, session.eval(&number[0])?], [0, 1]);
    /// assert_eq!(session.eval::<i32, _>(&number[0]).unwrap_err().code(), Code::OutOfRange);
    /// coord.join(GRACE)?;
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn num_epochs(mut self, epochs: i64) -> Self {
        self.num_epochs = Some(epochs);
        self
    }

    /// Whether the elements of each epoch are shuffled; they are unless told otherwise.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{InputOptions, range_input_producer, start_queue_runners, GRACE};
    /// let g = Graph::new();
    /// let number = range_input_producer(&g, 3, InputOptions::new().shuffle(false)).dequeue();
    /// let session: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
    /// let coord = Coordinator::new();
    /// start_queue_runners(&g, &session, &coord)?;
    /// for expected in [0, 1, 2, 0] {
    ///     assert_eq!(session.eval::<i32, _>(&number[0])?, expected);
    /// }
    /// coord.request_stop();
    /// coord.join(GRACE)?;
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn shuffle(mut self, shuffle: bool) -> Self {
        self.shuffle = shuffle;
        self
    }

    /// The seed of the order.
    #[must_use]
    pub fn seed(mut self, seed: i64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// How many elements the queue holds: 32 unless told otherwise.
    #[must_use]
    pub fn capacity(mut self, capacity: i64) -> Self {
        self.capacity = capacity;
        self
    }

    /// The name under which sessions share the queue.
    #[must_use]
    pub fn shared_name(mut self, name: &str) -> Self {
        self.shared_name = name.to_owned();
        self
    }
}

/// A queue of strings, usually names of files.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{GRACE, InputOptions, start_queue_runners, string_input_producer};
/// let g = Graph::new();
/// let file = string_input_producer(&g, &["a", "b"], InputOptions::new().shuffle(false)).dequeue();
/// let session: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
/// let coord = Coordinator::new();
/// start_queue_runners(&g, &session, &coord)?;
/// for expected in ["a", "b", "a"] {
///     assert_eq!(session.eval::<String, _>(&file[0])?, expected);
/// }
/// coord.request_stop();
/// coord.join(GRACE)?;
/// # Ok::<(), Status>(())
/// ```
#[track_caller]
pub fn string_input_producer(graph: &Graph, strings: &[impl AsRef<str>], options: InputOptions) -> Queue {
    let at = Location::caller();
    if strings.is_empty() {
        graph.note_mistake(err!(InvalidArgument, "string_input_producer requires a non-null input tensor"));
    }
    let strings: Vec<String> = strings.iter().map(|string| string.as_ref().to_owned()).collect();
    graph.with_name_scope("input_producer", |graph| {
        let count = strings.len() as i32;
        let input = graph.constant(Tensor::string_vector(strings));
        let size = constant_exactly(graph, graph.unique_name("Size"), count);
        let name = graph.unique_name("Greater");
        let zero = constant_exactly(graph, format!("{name}/y"), 0i32);
        let some = graph.op("Greater").name_exactly(name).input(size).input(zero).at(at).output();
        let assert = graph.with_name_scope("Assert", |graph| {
            let name = graph.unique_name("Assert");
            let reason = "string_input_producer requires a non-null input tensor";
            let reason = constant_exactly(graph, format!("{name}/data_0"), reason);
            graph.op("Assert").name_exactly(name).input(some).input_list(&[reason]).at(at).build()
        });
        let input = graph.op("Identity").input(input).control_inputs(&[assert]).at(at).output();
        produce(graph, &input, &options)
    })
}

/// A queue of the rows of a tensor.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{InputOptions, input_producer};
/// let g = Graph::new();
/// let row = input_producer(&g.zeros(&[100, 3], DType::Float), InputOptions::new()).dequeue();
/// assert_eq!(row[0].shape(), PartialShape::from([3]));
/// ```
#[track_caller]
pub fn input_producer(rows: &Output, options: InputOptions) -> Queue {
    rows.graph().with_name_scope("input_producer", |graph| produce(graph, rows, &options))
}

/// A queue of the numbers from 0 up to a limit.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{InputOptions, queue_runners, range_input_producer};
/// let g = Graph::new();
/// let number = range_input_producer(&g, 10, InputOptions::new().seed(1)).dequeue();
/// assert_eq!((number[0].dtype(), queue_runners(&g).len()), (Some(DType::Int32), 1));
/// ```
#[track_caller]
pub fn range_input_producer(graph: &Graph, limit: i32, options: InputOptions) -> Queue {
    graph.with_name_scope("input_producer", |graph| {
        let limit = constant_exactly(graph, graph.unique_name("range/limit"), limit);
        range(graph, &limit, &options)
    })
}

#[track_caller]
fn range(graph: &Graph, limit: &Output, options: &InputOptions) -> Queue {
    let name = graph.unique_name("range");
    let start = constant_exactly(graph, format!("{name}/start"), 0i32);
    let delta = constant_exactly(graph, format!("{name}/delta"), 1i32);
    let numbers = graph.op("Range").name_exactly(name).input(start).input(limit).input(delta).output();
    produce(graph, &numbers, options)
}

/// One row of each tensor at a time; all have the same number of rows.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{InputOptions, slice_input_producer};
/// let g = Graph::new();
/// let (images, labels) = (g.zeros(&[100, 784], DType::Float), g.zeros(&[100], DType::Int64));
/// let example = slice_input_producer(&[images, labels], InputOptions::new());
/// assert_eq!((example[0].shape(), example[1].shape()), (PartialShape::from([784]), PartialShape::scalar()));
/// ```
#[track_caller]
pub fn slice_input_producer(tensors: &[Output], options: InputOptions) -> Vec<Output> {
    let at = Location::caller();
    let Some(first) = tensors.first() else { return Vec::new() };
    first.graph().clone().with_name_scope("input_producer", |graph| {
        let shape = graph.op("Shape").input(first).at(at).output();
        let name = graph.unique_name("strided_slice");
        let edges = [("stack", 0i32), ("stack_1", 1), ("stack_2", 1)]
            .map(|(edge, value)| constant_exactly(graph, format!("{name}/{edge}"), [value]));
        let [begin, end, step] = edges;
        let rows = graph.op("StridedSlice").name_exactly(name).input(shape).input(begin).input(end).input(step);
        let rows = rows.attr("shrink_axis_mask", 1i64).at(at).output();
        let queue = graph.with_name_scope("input_producer", |graph| range(graph, &rows, &options));
        let row = queue.dequeue();
        let Some(row) = row.first() else { return Vec::new() };
        let gather = |tensor: &Output| {
            let name = graph.unique_name("GatherV2");
            let axis = constant_exactly(graph, format!("{name}/axis"), 0i32);
            graph.op("GatherV2").name_exactly(name).input(tensor).input(row).input(axis).at(at).output()
        };
        tensors.iter().map(gather).collect()
    })
}

/// In the scope that has the queue's name.
#[track_caller]
fn produce(graph: &Graph, input: &Output, options: &InputOptions) -> Queue {
    let at = Location::caller();
    let shape = match input.shape().dims() {
        Some(dims) if !dims.is_empty() => PartialShape::new(&dims[1..]),
        _ => PartialShape::unknown(),
    };
    if !shape.is_fully_known() {
        graph.note_mistake(err!(
            InvalidArgument,
            "element_shape must be fully defined: the rows of a tensor of shape {} are {shape}",
            input.shape()
        ));
    }
    let mut input = input.clone();
    if options.shuffle {
        let (seed, seed2) = graph.seeds(options.seed);
        let shuffle = graph.op("RandomShuffle").input(&input).attr("seed", seed).attr("seed2", seed2);
        input = shuffle.at(at).output();
    }
    if let Some(epochs) = options.num_epochs {
        input = limit_epochs(&input, epochs);
    }
    let queue = Queue::of(&[input.dtype().unwrap_or(DType::String)]).shapes(&[shape]).capacity(options.capacity);
    let queue = queue.shared_name(&*options.shared_name).name_exactly(graph.name_scope()).fifo(graph);
    let enqueue = queue.enqueue_many(&[input]);
    add_queue_runner(graph, QueueRunner::new(&queue, &[enqueue]));
    fullness_summary(graph, &queue, options.capacity, 0);
    queue
}

/// A tensor that can be had so many times; then its node fails with `OutOfRange`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{limit_epochs, local_variables_initializer};
/// let g = Graph::new();
/// let twice = limit_epochs(&g.constant(7i32), 2);
/// let session = LocalSession::new(&g)?;
/// session.eval(&local_variables_initializer(&g))?;
/// assert_eq!([session.eval::<i32, _>(&twice)?, session.eval(&twice)?], [7, 7]);
/// assert_eq!(session.eval::<i32, _>(&twice).unwrap_err().code(), Code::OutOfRange);
/// # Ok::<(), Status>(())
/// ```
#[track_caller]
pub fn limit_epochs(tensor: &Output, epochs: i64) -> Output {
    let at = Location::caller();
    let graph = tensor.graph();
    if epochs <= 0 {
        graph.note_mistake(err!(InvalidArgument, "num_epochs must be > 0 not {epochs}."));
    }
    graph.with_name_scope("limit_epochs", |graph| {
        let name = graph.name_scope();
        let zero = graph.constant(0i64);
        let counter = Variable::local("epochs", zero);
        let count = match counter.kind() {
            VariableKind::Ref => graph.op("CountUpTo"),
            VariableKind::Resource => graph.op("ResourceCountUpTo").attr("T", DType::Int64),
        };
        let counted = graph.with_colocation(&counter.operation(), |_| {
            count.input(counter.handle()).attr("limit", epochs).at(at).build()
        });
        graph.op("Identity").name_exactly(name).input(tensor).control_inputs(&[counted]).at(at).output()
    })
}
