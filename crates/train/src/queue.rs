//! Queues of a graph: tuples of tensors that outlive steps. Nodes have TensorFlow's names.

use std::panic::Location;

use graph::{Graph, Operation, Output};
use tensor::{DType, PartialShape};

/// A queue. Steps that enqueue wait while it is full, steps that dequeue while it has too few elements.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Queue;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let queue = Queue::of(&[DType::Int32]).shapes(&[PartialShape::scalar()]).capacity(3).fifo(&g);
/// let put = queue.enqueue_many(&[g.constant([1i32, 2, 3])]);
/// let (get, two) = (queue.dequeue(), queue.dequeue_many(2));
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&put))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&get[0]))?, [Tensor::from(1i32)]);
/// assert_eq!(session.fetch(RunRequest::new().fetch(&two[0]))?, [Tensor::from([2i32, 3])]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Queue {
    handle: Output,
    types: Vec<DType>,
    shapes: Vec<PartialShape>,
}

/// A queue in the making.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Queue;
/// let g = Graph::new();
/// let queue = Queue::of(&[DType::String, DType::Int64]).capacity(100).name("samples").fifo(&g);
/// assert_eq!((queue.name(), queue.types()), ("samples".to_owned(), &[DType::String, DType::Int64][..]));
/// ```
#[derive(Clone, Debug)]
pub struct QueueBuilder {
    types: Vec<DType>,
    shapes: Vec<PartialShape>,
    capacity: i64,
    name: Option<String>,
    exact_name: bool,
    shared_name: String,
}

impl Queue {
    /// A queue of tuples with these types, without a bound on its size unless one is given.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Float, DType::Int64]).fifo(&g);
    /// let (put, get) = (queue.enqueue(&[g.constant(0.5f32), g.constant(7i64)]), queue.dequeue());
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&put)?;
    /// assert_eq!(session.eval::<(f32, i64), _>((&get[0], &get[1]))?, (0.5, 7));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn of(types: &[DType]) -> QueueBuilder {
        QueueBuilder {
            types: types.to_vec(),
            shapes: Vec::new(),
            capacity: -1,
            name: None,
            exact_name: false,
            shared_name: String::new(),
        }
    }

    /// Returns the handle, for ops that use the queue.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Float]).fifo(&g);
    /// let size = g.op("QueueSizeV2").input(queue.handle()).output();
    /// assert_eq!(LocalSession::new(&g)?.eval::<i32, _>(&size)?, 0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn handle(&self) -> &Output {
        &self.handle
    }

    /// Returns the graph that the queue belongs to.
    pub fn graph(&self) -> &Graph {
        self.handle.graph()
    }

    /// The name of the node.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// assert_eq!(Queue::of(&[DType::Float]).fifo(&g).name(), "fifo_queue");
    /// ```
    pub fn name(&self) -> String {
        self.handle.operation().name().unwrap_or_default()
    }

    /// Returns the types of the components of an element.
    pub fn types(&self) -> &[DType] {
        &self.types
    }

    /// Adds one element, which has a tensor for each type.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Float]).fifo(&g);
    /// let (put, size) = (queue.enqueue(&[g.constant([1f32, 2.0])]), queue.size());
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&put)?;
    /// assert_eq!(session.eval::<i32, _>(&size)?, 1);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn enqueue(&self, tensors: &[Output]) -> Operation {
        let op = self.graph().op("QueueEnqueueV2").name(self.named("enqueue"));
        op.input(&self.handle).input_list(tensors).at(Location::caller()).build()
    }

    /// Adds the rows of the tensors as elements.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Float]).fifo(&g);
    /// let (put, size) = (queue.enqueue_many(&[g.constant([1f32, 2.0])]), queue.size());
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&put)?;
    /// assert_eq!(session.eval::<i32, _>(&size)?, 2);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn enqueue_many(&self, tensors: &[Output]) -> Operation {
        let op = self.graph().op("QueueEnqueueManyV2").name(self.named("EnqueueMany"));
        op.input(&self.handle).input_list(tensors).at(Location::caller()).build()
    }

    /// Takes one element.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Int32]).fifo(&g);
    /// let (put, get) = (queue.enqueue_many(&[g.constant([1i32, 2])]), queue.dequeue());
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&put)?;
    /// assert_eq!(session.eval::<i32, _>(&get[0])?, 1);
    /// assert_eq!(session.eval::<i32, _>(&get[0])?, 2);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn dequeue(&self) -> Vec<Output> {
        let op = self.graph().op("QueueDequeueV2").name(self.named("Dequeue")).input(&self.handle);
        let outputs = op.attr("component_types", self.types.clone()).at(Location::caller()).outputs();
        self.with_shapes(outputs, None)
    }

    /// Takes so many elements at once, stacked.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Int32]).shapes(&[PartialShape::scalar()]).fifo(&g);
    /// let (put, two) = (queue.enqueue_many(&[g.constant([1i32, 2, 3])]), queue.dequeue_many(2));
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&put)?;
    /// assert_eq!(session.eval::<Vec<i32>, _>(&two[0])?, [1, 2]);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn dequeue_many(&self, count: i32) -> Vec<Output> {
        self.take("QueueDequeueManyV2", self.named("DequeueMany"), false, count, Some(i64::from(count)))
    }

    /// Takes so many elements, or, from a closed queue, what is left.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Int32]).shapes(&[PartialShape::scalar()]).fifo(&g);
    /// let (put, close) = (queue.enqueue_many(&[g.constant([1i32, 2, 3])]), queue.close(false));
    /// let two = queue.dequeue_up_to(2);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&put)?;
    /// session.eval(&close)?;
    /// assert_eq!(session.eval::<Vec<i32>, _>(&two[0])?, [1, 2]);
    /// assert_eq!(session.eval::<Vec<i32>, _>(&two[0])?, [3]); // what is left
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn dequeue_up_to(&self, count: i32) -> Vec<Output> {
        self.take("QueueDequeueUpToV2", self.named("DequeueUpTo"), false, count, None)
    }

    /// A batch under an exact name, that of the current scope.
    #[track_caller]
    pub(crate) fn dequeue_batch(&self, name: String, count: i32, allow_smaller: bool) -> Vec<Output> {
        if allow_smaller {
            self.take("QueueDequeueUpToV2", name, true, count, None)
        } else {
            self.take("QueueDequeueManyV2", name, true, count, Some(i64::from(count)))
        }
    }

    #[track_caller]
    fn take(&self, op: &str, name: String, exact: bool, count: i32, rows: Option<i64>) -> Vec<Output> {
        let at = Location::caller();
        let graph = self.graph();
        let short = name.rsplit('/').next().unwrap_or_default().to_owned();
        let count = match exact {
            true => graph.op("Const").name("n"),
            false => graph.op("Const").name(format!("{short}/n")),
        }
        .attr("dtype", DType::Int32)
        .attr("value", tensor::Tensor::from(count))
        .at(at)
        .output();
        let op = graph.op(op);
        let op = if exact { op.name_exactly(name) } else { op.name(name) };
        let op = op.input(&self.handle).input(count).attr("component_types", self.types.clone());
        self.with_shapes(op.at(at).outputs(), Some(rows))
    }

    /// Ends the queue: enqueuing is an error from now on (`Cancelled`), dequeuing beyond what is left too
    /// (`OutOfRange`). Steps that wait to enqueue go on waiting, or are cancelled.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Int32]).fifo(&g);
    /// let (close, closed, get) = (queue.close(false), queue.is_closed(), queue.dequeue());
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&close)?;
    /// assert!(session.eval::<bool, _>(&closed)?);
    /// assert_eq!(session.eval::<i32, _>(&get[0]).unwrap_err().code(), Code::OutOfRange);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn close(&self, cancel_pending_enqueues: bool) -> Operation {
        let op = self.graph().op("QueueCloseV2").name(self.named("Close")).input(&self.handle);
        op.attr("cancel_pending_enqueues", cancel_pending_enqueues).at(Location::caller()).build()
    }

    /// How many elements there are.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Int32]).fifo(&g);
    /// let (put, size) = (queue.enqueue_many(&[g.constant([5i32, 6, 7])]), queue.size());
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&put)?;
    /// assert_eq!(session.eval::<i32, _>(&size)?, 3);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn size(&self) -> Output {
        self.graph().op("QueueSizeV2").name(self.named("Size")).input(&self.handle).at(Location::caller()).output()
    }

    /// Whether the queue was closed.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let closed = Queue::of(&[DType::Int32]).fifo(&g).is_closed();
    /// assert!(!LocalSession::new(&g)?.eval::<bool, _>(&closed)?);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn is_closed(&self) -> Output {
        let op = self.graph().op("QueueIsClosedV2").name(self.named("IsClosed")).input(&self.handle);
        op.at(Location::caller()).output()
    }

    fn named(&self, what: &str) -> String {
        let name = self.name();
        format!("{}_{what}", name.rsplit('/').next().unwrap_or_default())
    }

    #[track_caller]
    fn with_shapes(&self, outputs: Vec<Output>, rows: Option<Option<i64>>) -> Vec<Output> {
        for (output, shape) in outputs.iter().zip(&self.shapes) {
            match rows {
                None => output.set_shape(shape.clone()),
                Some(rows) => output.set_shape(PartialShape::vector(rows).concatenate(shape)),
            }
        }
        outputs
    }
}

impl QueueBuilder {
    /// The shapes of the components; without them elements may have any shape, and only be taken one by one.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Float]).shapes(&[PartialShape::from([784])]).fifo(&g);
    /// assert_eq!(queue.dequeue_many(100)[0].shape(), PartialShape::from([100, 784]));
    /// ```
    #[must_use]
    pub fn shapes(mut self, shapes: &[PartialShape]) -> Self {
        self.shapes = shapes.to_vec();
        self
    }

    /// How many elements it holds; without a limit unless told otherwise.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let put = Queue::of(&[DType::Int32]).capacity(1).fifo(&g).enqueue(&[g.constant(1i32)]);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&put)?;
    /// let second = session.step().timeout(Duration::from_millis(1)).eval(&put); // waits for room
    /// assert_eq!(second.unwrap_err().code(), Code::DeadlineExceeded);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn capacity(mut self, capacity: i64) -> Self {
        self.capacity = capacity;
        self
    }

    /// The name of its node.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// assert_eq!(Queue::of(&[DType::Float]).name("images").fifo(&g).name(), "images");
    /// ```
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    pub(crate) fn name_exactly(mut self, name: String) -> Self {
        (self.name, self.exact_name) = (Some(name), true);
        self
    }

    /// Queues of the same shared name on a device are the same, also those of other sessions.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let one = Queue::of(&[DType::Int32]).shared_name("numbers").fifo(&g);
    /// let same = Queue::of(&[DType::Int32]).shared_name("numbers").fifo(&g);
    /// let (put, get) = (one.enqueue(&[g.constant(1i32)]), same.dequeue());
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&put)?;
    /// assert_eq!(session.eval::<i32, _>(&get[0])?, 1);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn shared_name(mut self, name: impl Into<String>) -> Self {
        self.shared_name = name.into();
        self
    }

    /// First in, first out.
    #[track_caller]
    pub fn fifo(self, graph: &Graph) -> Queue {
        let at = Location::caller();
        graph.with_device("/device:CPU:*", |graph| self.build(graph, "FIFOQueueV2", "fifo_queue", at, |op| op))
    }

    /// First in, first out; batches of elements with different shapes are padded with zeros.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Int32]).shapes(&[PartialShape::from([None])]).padding_fifo(&g);
    /// let (long, short) = (queue.enqueue(&[g.constant([1i32, 2])]), queue.enqueue(&[g.constant([3i32])]));
    /// let both = queue.dequeue_many(2);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&long)?;
    /// session.eval(&short)?;
    /// assert_eq!(session.eval::<Vec<[i32; 2]>, _>(&both[0])?, [[1, 2], [3, 0]]);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn padding_fifo(self, graph: &Graph) -> Queue {
        self.build(graph, "PaddingFIFOQueueV2", "padding_fifo_queue", Location::caller(), |op| op)
    }

    /// In random order, chosen among at least `min_after_dequeue` elements more than are taken.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Int32]).shapes(&[PartialShape::scalar()]).random_shuffle(&g, 0, Some(1));
    /// let (put, get) = (queue.enqueue_many(&[g.constant([1i32, 2, 3])]), queue.dequeue_many(3));
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&put)?;
    /// let mut numbers: Vec<i32> = session.eval(&get[0])?;
    /// numbers.sort();
    /// assert_eq!(numbers, [1, 2, 3]);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn random_shuffle(self, graph: &Graph, min_after_dequeue: i64, seed: Option<i64>) -> Queue {
        let (seed, seed2) = graph.seeds(seed);
        self.build(graph, "RandomShuffleQueueV2", "random_shuffle_queue", Location::caller(), |op| {
            op.attr("min_after_dequeue", min_after_dequeue).attr("seed", seed).attr("seed2", seed2)
        })
    }

    fn build(
        self,
        graph: &Graph,
        op: &str,
        default_name: &str,
        at: &'static Location<'static>,
        more: impl FnOnce(graph::OpBuilder) -> graph::OpBuilder,
    ) -> Queue {
        let name = self.name.unwrap_or_else(|| default_name.to_owned());
        let node = graph.op(op);
        let node = if self.exact_name { node.name_exactly(name) } else { node.name(name) };
        let node = node.attr("component_types", self.types.clone()).attr("shapes", self.shapes.clone());
        let node = more(node.attr("capacity", self.capacity).attr("shared_name", self.shared_name));
        Queue { handle: node.at(at).output(), types: self.types, shapes: self.shapes }
    }
}
