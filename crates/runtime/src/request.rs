//! What a client asks of a session.

use std::time::Duration;

use graph::op::Cancellation;
use graph::{Operation, Output, TensorName};
use tensor::{Result, Status, Tensor, err};

use crate::StepStats;

/// One step: what to feed, fetch and run.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None]);
/// let y = &x * 2.0;
/// let session = LocalSession::new(&g)?;
/// let request = RunRequest::new().feed(&x, [1f32, 2.0]).fetch(&y).timeout(std::time::Duration::from_secs(10));
/// assert_eq!(session.run(request)?.tensors, [Tensor::from([2f32, 4.0])]);
/// // Names do as well as outputs.
/// assert_eq!(session.fetch(RunRequest::new().feed("Placeholder:0", [3f32]).fetch("mul:0"))?, [Tensor::from([6f32])]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct RunRequest {
    /// Tensors by name, with the values that they have in this step.
    pub feeds: Vec<(String, Tensor)>,
    /// Tensors whose values are asked for, by name.
    pub fetches: Vec<String>,
    /// Nodes that must run, by name.
    pub targets: Vec<String>,
    /// How the step is run.
    pub options: RunOptions,
    mistake: Option<Status>,
}

/// How a step is run.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet::prelude::*;
/// use tensorfleet::session::RunOptions;
/// let g = Graph::new();
/// let mut request = RunRequest::new().fetch(&g.constant(1f32));
/// request.options = RunOptions { timeout: Some(Duration::from_secs(10)), trace: true, ..Default::default() };
/// assert!(LocalSession::new(&g)?.run(request)?.stats.is_some());
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// After this time the step is cancelled and fails with `DeadlineExceeded`.
    pub timeout: Option<Duration>,
    /// Collect what ran when.
    pub trace: bool,
    /// Cancelling this cancels the step.
    pub cancellation: Option<Cancellation>,
}

/// What a step returned.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::session::RunResult;
/// let g = Graph::new();
/// let one = g.constant(1f32);
/// let RunResult { tensors, stats } = LocalSession::new(&g)?.run(RunRequest::new().fetch(&one))?;
/// assert_eq!((tensors, stats.is_none()), (vec![Tensor::from(1f32)], true));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RunResult {
    /// In the order of the request's fetches.
    pub tensors: Vec<Tensor>,
    /// If they were asked for.
    pub stats: Option<StepStats>,
}

impl RunRequest {
    /// Asks for nothing yet.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let error = LocalSession::new(&Graph::new())?.run(RunRequest::new()).err().unwrap();
    /// assert_eq!(error.message(), "Must specify at least one target to fetch or execute.");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn new() -> RunRequest {
        RunRequest::default()
    }

    /// Gives a tensor a value for this step.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, ());
    /// let session = LocalSession::new(&g)?;
    /// assert_eq!(session.fetch(RunRequest::new().feed(&x, 3f32).fetch(&x))?, [Tensor::from(3f32)]);
    /// assert!(session.fetch(RunRequest::new().feed(&x, [3f32, 4.0]).fetch(&x)).is_err()); // not a scalar
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn feed(mut self, tensor: impl AsTensor, value: impl Into<Tensor>) -> RunRequest {
        match tensor.tensor_name() {
            Ok(name) => self.feeds.push((name, value.into())),
            Err(status) => self.mistake = self.mistake.or(Some(status)),
        }
        self
    }

    /// Asks for the value of a tensor.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (one, _) = (g.constant(1f32), g.constant(2f32));
    /// let tensors = LocalSession::new(&g)?.fetch(RunRequest::new().fetch("Const_1:0").fetch(&one))?;
    /// assert_eq!(tensors, [Tensor::from(2f32), Tensor::from(1f32)]);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn fetch(mut self, tensor: impl AsTensor) -> RunRequest {
        match tensor.tensor_name() {
            Ok(name) => self.fetches.push(name),
            Err(status) => self.mistake = self.mistake.or(Some(status)),
        }
        self
    }

    /// Asks for a node to run, without fetching anything from it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let session = LocalSession::new(&g)?;
    /// session.run(RunRequest::new().target(w.initializer()))?;
    /// assert_eq!(session.fetch(RunRequest::new().fetch(&w))?, [Tensor::from(1f32)]);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn target(mut self, operation: impl AsOperation) -> RunRequest {
        match operation.operation_name() {
            Ok(name) => self.targets.push(name),
            Err(status) => self.mistake = self.mistake.or(Some(status)),
        }
        self
    }

    /// Lets the step fail with `DeadlineExceeded` if it takes longer.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let never = Queue::of(&[DType::Int32]).fifo(&g).dequeue();
    /// let request = RunRequest::new().fetch(&never[0]).timeout(Duration::from_millis(1));
    /// assert_eq!(LocalSession::new(&g)?.run(request).err().unwrap().code(), Code::DeadlineExceeded);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> RunRequest {
        self.options.timeout = Some(timeout);
        self
    }

    /// Lets the step be cancelled from outside: it then fails with the reason.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// use tensorfleet::graph::op::Cancellation;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let g = Graph::new();
    /// let endless = Queue::of(&[DType::Int32]).fifo(&g).dequeue();
    /// let session = LocalSession::new(&g)?;
    /// let cancellation = Cancellation::new();
    /// cancellation.cancel(Status::new(Code::Cancelled, "enough"));
    /// let request = RunRequest::new().fetch(&endless[0]).cancellation(&cancellation);
    /// assert_eq!(session.run(request).unwrap_err().code(), Code::Cancelled);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn cancellation(mut self, cancellation: &Cancellation) -> RunRequest {
        self.options.cancellation = Some(cancellation.clone());
        self
    }

    /// Collects what ran when, as [`RunResult::stats`].
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sum = g.constant(1f32) + 1.0;
    /// let stats = LocalSession::new(&g)?.run(RunRequest::new().fetch(&sum).trace())?.stats.unwrap();
    /// assert!(stats.nodes.iter().any(|node| node.node == "add"));
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn trace(mut self) -> RunRequest {
        self.options.trace = true;
        self
    }

    /// Whether the request could be put together.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let wrong = g.op("NoSuchOp").output();
    /// assert!(RunRequest::new().fetch(&wrong).check().is_err());
    /// ```
    ///
    /// # Errors
    /// What went wrong while the request was put together.
    pub fn check(&self) -> Result<()> {
        self.mistake.clone().map_or(Ok(()), Err)
    }
}

/// Something that names a tensor of a graph.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::session::AsTensor;
/// let g = Graph::new();
/// let one = g.constant(1f32);
/// assert_eq!(((&one).tensor_name()?.as_str(), "Const:0".tensor_name()?.as_str()), ("Const:0", "Const:0"));
/// # Ok::<(), Status>(())
/// ```
pub trait AsTensor {
    /// The tensor's name, as in `layer/w:0`.
    ///
    /// # Errors
    /// The graph's first mistake, for an output that does not exist because of it.
    fn tensor_name(&self) -> Result<String>;
}

impl AsTensor for &Output {
    fn tensor_name(&self) -> Result<String> {
        match self.name() {
            Some(name) => Ok(name.to_string()),
            None => Err(self
                .graph()
                .check()
                .err()
                .unwrap_or_else(|| err!(InvalidArgument, "an output that does not exist"))),
        }
    }
}

impl AsTensor for &str {
    fn tensor_name(&self) -> Result<String> {
        Ok(self.parse::<TensorName>()?.to_string())
    }
}

impl AsTensor for &String {
    fn tensor_name(&self) -> Result<String> {
        self.as_str().tensor_name()
    }
}

/// Something that names a node of a graph.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::session::AsOperation;
/// let g = Graph::new();
/// let ready = g.op("NoOp").name("ready").build();
/// assert_eq!(((&ready).operation_name()?, "ready".operation_name()?), ("ready".to_owned(), "ready".to_owned()));
/// # Ok::<(), Status>(())
/// ```
pub trait AsOperation {
    /// The node's name.
    ///
    /// # Errors
    /// The graph's first mistake, for a node that does not exist because of it.
    fn operation_name(&self) -> Result<String>;
}

impl AsOperation for &Operation {
    fn operation_name(&self) -> Result<String> {
        match self.name() {
            Some(name) => Ok(name),
            None => {
                Err(self.graph().check().err().unwrap_or_else(|| err!(InvalidArgument, "a node that does not exist")))
            }
        }
    }
}

impl AsOperation for &Output {
    fn operation_name(&self) -> Result<String> {
        (&self.operation()).operation_name()
    }
}

impl AsOperation for &str {
    fn operation_name(&self) -> Result<String> {
        Ok((*self).to_owned())
    }
}
