//! What a kernel sees: its inputs, its outputs, its node, and the step it runs in.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use smallvec::SmallVec;
use tensor::{Result, Tensor, bail, ensure, err};

use super::{Cancellation, Collectives, Files, Host, Rendezvous, Resource, Resources, Variable};
use crate::data::Node;

/// A step's number.
///
/// ```
/// use tensorfleet::graph::op::StepId;
/// assert_eq!(StepId(7).to_string(), "7");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepId(pub i64);

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What lies on an edge.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::Value;
/// let value = Value::Tensor(Tensor::from(1f32));
/// assert!(matches!(value, Value::Tensor(tensor) if tensor == Tensor::from(1f32)));
/// ```
#[derive(Clone, Default)]
pub enum Value {
    /// Nothing: an output not set, or an input whose branch was not taken.
    #[default]
    Empty,
    /// A tensor.
    Tensor(Tensor),
    /// A variable's value by reference.
    Ref(Arc<Variable>),
}

/// The outputs of a kernel.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::{Outputs, Value};
/// let outputs = Outputs::from_iter([Value::Tensor(Tensor::from(1f32)), Value::Empty]);
/// assert!(matches!(outputs[..], [Value::Tensor(_), Value::Empty]));
/// ```
pub type Outputs = SmallVec<[Value; 2]>;

/// What a step offers to the kernels of one device.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::Step;
/// /// What a kernel may say of where it runs.
/// fn place(step: &Step) -> String {
///     format!("step {} on {}", step.id, step.device)
/// }
/// ```
pub struct Step {
    /// The step's number.
    pub id: StepId,
    /// The full name of the device.
    pub device: String,
    /// Where variables, queues and the like are kept.
    pub resources: Arc<dyn Resources>,
    /// Resources that end with the step: stacks, tensor arrays.
    pub step_resources: Arc<dyn Resources>,
    /// Where tensors are exchanged with other parts of the step.
    pub rendezvous: Arc<dyn Rendezvous>,
    /// Where the members of collective groups find each other.
    pub collectives: Arc<dyn Collectives>,
    /// What ends the step early.
    pub cancellation: Cancellation,
    /// The step's arguments and results.
    pub frame: Arc<CallFrame>,
    /// What the surroundings do for kernels that call functions.
    pub host: Arc<dyn Host>,
    /// Which files may be touched.
    pub files: Arc<dyn Files>,
    /// How often the device's model had been rolled back when the step began.
    pub epoch: u64,
}

impl Step {
    /// The same surroundings for something that has arguments, and an end, of its own.
    pub fn nested(&self, frame: Arc<CallFrame>, cancellation: Cancellation) -> Step {
        Step {
            id: self.id,
            device: self.device.clone(),
            resources: self.resources.clone(),
            step_resources: self.step_resources.clone(),
            rendezvous: self.rendezvous.clone(),
            collectives: self.collectives.clone(),
            cancellation,
            frame,
            host: self.host.clone(),
            files: self.files.clone(),
            epoch: self.epoch,
        }
    }
}

/// Arguments and results of a step, by number.
#[derive(Default)]
pub struct CallFrame {
    args: Vec<Tensor>,
    results: Mutex<Vec<Option<Tensor>>>,
}

impl CallFrame {
    /// Returns a frame with these arguments and room for so many results.
    pub fn new(args: Vec<Tensor>, results: usize) -> CallFrame {
        CallFrame { args, results: Mutex::new(vec![None; results]) }
    }

    /// # Errors
    /// `InvalidArgument` if there is no such argument.
    pub fn arg(&self, index: usize) -> Result<&Tensor> {
        self.args
            .get(index)
            .ok_or_else(|| err!(InvalidArgument, "argument {index} of {} was asked for", self.args.len()))
    }

    /// # Errors
    /// `InvalidArgument` if there is no such result.
    pub fn set_result(&self, index: usize, value: Tensor) -> Result<()> {
        let mut results = self.results.lock();
        let count = results.len();
        match results.get_mut(index) {
            Some(slot) => *slot = Some(value),
            None => bail!(InvalidArgument, "result {index} of {count} was set"),
        }
        Ok(())
    }

    /// Takes the results out; `None` for one that was not set.
    pub fn take_results(&self) -> Vec<Option<Tensor>> {
        std::mem::take(&mut self.results.lock())
    }
}

/// A kernel's view of one execution.
///
/// The work of a kernel that adds its two inputs, if they are of one shape:
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::OpContext;
/// fn add(cx: &mut OpContext<'_>) -> Result<()> {
///     let mut sum = cx.take_input(0)?;
///     let b = cx.input(1)?.as_slice::<f32>()?;
///     sum.make_mut::<f32>()?.iter_mut().zip(b).for_each(|(a, b)| *a += b);
///     cx.set_output(0, sum);
///     Ok(())
/// }
/// # Ok::<(), Status>(())
/// ```
pub struct OpContext<'a> {
    /// The node whose kernel runs.
    pub node: &'a Node,
    /// The step that it runs in.
    pub step: &'a Step,
    /// The loop frame and iteration, 0 and 0 outside of loops.
    pub frame: (u64, i64),
    inputs: &'a mut [Value],
    outputs: &'a mut [Value],
}

impl<'a> OpContext<'a> {
    /// Returns the context of one run of a node's kernel.
    pub fn new(
        node: &'a Node,
        step: &'a Step,
        frame: (u64, i64),
        inputs: &'a mut [Value],
        outputs: &'a mut [Value],
    ) -> Self {
        OpContext { node, step, frame, inputs, outputs }
    }

    /// Returns how many inputs there are.
    pub fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Returns how many outputs there are.
    pub fn num_outputs(&self) -> usize {
        self.outputs.len()
    }

    /// The value of an input.
    ///
    /// # Errors
    /// `Internal` if there is none.
    pub fn input(&self, index: usize) -> Result<&Tensor> {
        match self.inputs.get(index) {
            Some(Value::Tensor(tensor)) => Ok(tensor),
            _ => Err(missing_input(self.node, index)),
        }
    }

    /// Looks at an input that may be a variable, whose value is then looked at under its lock.
    ///
    /// # Errors
    /// `Internal` if there is none; `FailedPrecondition` for a variable without a value; what `look` returns.
    pub fn view<R>(&self, index: usize, look: impl FnOnce(&Tensor) -> Result<R>) -> Result<R> {
        match self.inputs.get(index) {
            Some(Value::Ref(variable)) => variable.view(look),
            _ => look(self.input(index)?),
        }
    }

    /// The inputs `range`, as for an argument that is a list.
    ///
    /// # Errors
    /// `Internal` if one is missing.
    pub fn inputs(&self, range: std::ops::Range<usize>) -> Result<Vec<&Tensor>> {
        range.map(|index| self.input(index)).collect()
    }

    /// Takes an input away, so that its memory can be written to if nobody else holds it.
    ///
    /// # Errors
    /// `Internal` if there is none.
    pub fn take_input(&mut self, index: usize) -> Result<Tensor> {
        match self.inputs.get_mut(index).map(std::mem::take) {
            Some(Value::Tensor(tensor)) => Ok(tensor),
            _ => Err(missing_input(self.node, index)),
        }
    }

    /// Whether an input has a value: not so if its branch was not taken.
    pub fn has_input(&self, index: usize) -> bool {
        !matches!(self.inputs.get(index), None | Some(Value::Empty))
    }

    /// An input as it is, value or reference.
    pub fn take_value(&mut self, index: usize) -> Value {
        self.inputs.get_mut(index).map(std::mem::take).unwrap_or_default()
    }

    /// The variable that a reference input refers to.
    ///
    /// # Errors
    /// `Internal` if the input is no reference.
    pub fn variable(&self, index: usize) -> Result<&Arc<Variable>> {
        match self.inputs.get(index) {
            Some(Value::Ref(variable)) => Ok(variable),
            _ => bail!(Internal, "input {index} of op {} is not a reference", self.node.op),
        }
    }

    /// The resource behind a handle in an input.
    ///
    /// # Errors
    /// `NotFound` if it does not exist; `InvalidArgument` if it is on another device.
    pub fn resource<T: Resource>(&self, index: usize) -> Result<Arc<T>> {
        open_resource(self.step, self.input(index)?)
    }

    /// Sets an output to a tensor.
    pub fn set_output(&mut self, index: usize, tensor: impl Into<Tensor>) {
        self.set_value(index, Value::Tensor(tensor.into()));
    }

    /// Sets an output to a reference to a variable.
    pub fn set_ref(&mut self, index: usize, variable: Arc<Variable>) {
        self.set_value(index, Value::Ref(variable));
    }

    /// Sets an output to a tensor or a reference.
    pub fn set_value(&mut self, index: usize, value: Value) {
        if let Some(slot) = self.outputs.get_mut(index) {
            *slot = value;
        }
    }
}

/// What an asynchronous kernel holds on to.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::AsyncContext;
/// /// Whether the first input is true, for a kernel that waits otherwise.
/// fn may_go_on(cx: &AsyncContext) -> Result<bool> {
///     cx.step.cancellation.check()?;
///     cx.input(0)?.to()
/// }
/// # Ok::<(), Status>(())
/// ```
pub struct AsyncContext {
    /// The node whose kernel runs.
    pub node: Arc<Node>,
    /// The step that it runs in.
    pub step: Arc<Step>,
    /// The loop's frame and iteration that it runs in.
    pub frame: (u64, i64),
    /// The values of its inputs.
    pub inputs: SmallVec<[Value; 4]>,
    /// Threads for what must wait for a file, once the waiting without a thread is over.
    pub blocking: Arc<dyn Spawn>,
}

/// Runs jobs on threads of its own.
pub trait Spawn: Send + Sync {
    /// Runs a job, now or later.
    fn spawn(self: Arc<Self>, job: Box<dyn FnOnce() + Send>);
}

/// Ends an asynchronous kernel.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::{Done, Outputs, Value};
/// let (tell, told) = std::sync::mpsc::channel();
/// let done: Done = Box::new(move |outcome| {
///     let _ = tell.send(outcome.map(|outputs| outputs.len()));
/// });
/// done(Ok(Outputs::from_iter([Value::Tensor(Tensor::from(1f32))])));
/// assert_eq!(told.try_recv().unwrap()?, 1);
/// # Ok::<(), Status>(())
/// ```
pub type Done = Box<dyn FnOnce(Result<Outputs>) + Send>;

impl AsyncContext {
    /// # Errors
    /// `Internal` if there is no such input.
    pub fn input(&self, index: usize) -> Result<&Tensor> {
        match self.inputs.get(index) {
            Some(Value::Tensor(tensor)) => Ok(tensor),
            _ => Err(missing_input(&self.node, index)),
        }
    }

    /// The resource behind a handle in an input.
    ///
    /// # Errors
    /// `NotFound` if it does not exist; `InvalidArgument` if it is on another device.
    pub fn resource<T: Resource>(&self, index: usize) -> Result<Arc<T>> {
        open_resource(&self.step, self.input(index)?)
    }
}

fn open_resource<T: Resource>(step: &Step, tensor: &Tensor) -> Result<Arc<T>> {
    let handle = match tensor.handles()? {
        [handle] => handle,
        other => bail!(InvalidArgument, "expected one resource handle, got {}", other.len()),
    };
    ensure!(
        handle.device == step.device,
        InvalidArgument,
        "Trying to access resource {} located in device {} from device {}",
        handle.name,
        handle.device,
        step.device
    );
    step.resources.open(handle)
}

fn missing_input(node: &Node, index: usize) -> tensor::Status {
    err!(Internal, "input {index} of op {} has no value", node.op)
}
