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
#[derive(Clone, Debug, Default)]
pub struct RunResult {
    /// In the order of the request's fetches.
    pub tensors: Vec<Tensor>,
    /// If they were asked for.
    pub stats: Option<StepStats>,
}

impl RunRequest {
    /// Asks for nothing yet.
    pub fn new() -> RunRequest {
        RunRequest::default()
    }

    /// Gives a tensor a value for this step.
    #[must_use]
    pub fn feed(mut self, tensor: impl AsTensor, value: impl Into<Tensor>) -> RunRequest {
        match tensor.tensor_name() {
            Ok(name) => self.feeds.push((name, value.into())),
            Err(status) => self.mistake = self.mistake.or(Some(status)),
        }
        self
    }

    /// Asks for the value of a tensor.
    #[must_use]
    pub fn fetch(mut self, tensor: impl AsTensor) -> RunRequest {
        match tensor.tensor_name() {
            Ok(name) => self.fetches.push(name),
            Err(status) => self.mistake = self.mistake.or(Some(status)),
        }
        self
    }

    /// Asks for a node to run, without fetching anything from it.
    #[must_use]
    pub fn target(mut self, operation: impl AsOperation) -> RunRequest {
        match operation.operation_name() {
            Ok(name) => self.targets.push(name),
            Err(status) => self.mistake = self.mistake.or(Some(status)),
        }
        self
    }

    /// Lets the step fail with `DeadlineExceeded` if it takes longer.
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
    #[must_use]
    pub fn trace(mut self) -> RunRequest {
        self.options.trace = true;
        self
    }

    /// Whether the request could be put together.
    ///
    /// # Errors
    /// What went wrong while the request was put together.
    pub fn check(&self) -> Result<()> {
        self.mistake.clone().map_or(Ok(()), Err)
    }
}

/// Something that names a tensor of a graph.
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
