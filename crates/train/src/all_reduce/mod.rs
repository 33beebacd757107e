//! Synchronous training without parameter servers: every worker has the whole model, and the workers average their gradients.
//!
//! The gradient of each variable sets off to the other workers as soon as it exists, while those of earlier layers are still
//! computed; small ones travel together. All workers add in the same order and so make the same step, bit by bit. The first
//! worker is the chief: its values are everybody's first values, and its copy is the one that is saved.

mod average;
mod hook;
mod on_loss;

use std::time::Duration;

use graph::{Graph, OpBuilder, Operation, Output};
pub use hook::AllReduceHook;
pub use on_loss::OnLoss;
use parking_lot::Mutex;
use tensor::{DType, Result, Tensor, ensure, err};

use crate::optimizers::{GradientAndVariable, Optimizer};
use crate::variable::Variable;
use crate::variable_lists::global_variables;

/// An optimizer whose gradients are the averages of those of all workers, each of which has the variables for itself.
///
/// Every worker builds the same graph on devices of its own, with its own number, and opens a session at its own server, as
/// the chief of its own copy (`is_chief(true)`); only worker 0 gets a folder for checkpoints. The hook of
/// [`make_session_run_hook`](AllReduce::make_session_run_hook) gives all workers the values of worker 0, whenever a session
/// begins. Gradients that are rows of a variable ([`IndexedSlices`](graph::IndexedSlices)) must have the same number of rows on
/// all workers.
///
/// When a worker is lost, the steps of all others fail with `Unavailable` or `Aborted`. A
/// [`MonitoredTrainingSession`](crate::MonitoredTrainingSession) or a [`Supervisor`](crate::Supervisor) then opens a new
/// session; what follows is a matter of [`OnLoss`]: the others wait until the worker is back, go on without it, or end.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// // Two workers in one process: each has a device, a variable and a loss of its own.
/// let g = Graph::new();
/// let worker = |task: u32, x: f32| -> tensorfleet::Result<(Operation, Operation, Variable)> {
///     g.with_device(format!("/cpu:{task}").as_str(), |g| {
///         let w = Variable::new(&format!("w{task}"), g.constant(x));
///         let optimizer = AllReduce::new(GradientDescent::new(1.0), 2, task);
///         let train = optimizer.minimize_over(&(&w * x), None, std::slice::from_ref(&w))?; // the gradient is x
///         Ok((train, optimizer.broadcast_op(std::slice::from_ref(&w))?, w))
///     })
/// };
/// let ((train, start, w), (other_train, other_start, other)) = (worker(0, 4.0)?, worker(1, 2.0)?);
/// let session = LocalSession::with_options(&g, SessionOptions { cpu_devices: 2, ..Default::default() })?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&start).target(&other_start))?; // both have 4 now
/// session.run(RunRequest::new().target(&train).target(&other_train))?; // minus the average of 4 and 2
/// let values = session.fetch(RunRequest::new().fetch(w.value()).fetch(other.value()))?;
/// assert_eq!(values, [Tensor::from(1f32), Tensor::from(1f32)]);
/// # Ok(())
/// # }
/// ```
pub struct AllReduce {
    optimizer: Box<dyn Optimizer>,
    num_workers: usize,
    task: u32,
    group_key: i32,
    timeout: Duration,
    on_loss: OnLoss,
    name: String,
    built: Mutex<Built>,
}

/// What has been added to the graph so far.
#[derive(Default)]
struct Built {
    graph: Option<Graph>,
    /// How many exchanges there are: each has a number of its own, the same on all workers.
    instances: i32,
}

impl AllReduce {
    /// Returns an optimizer of the average of so many workers' gradients, for the worker of this number.
    pub fn new(optimizer: impl Optimizer + 'static, num_workers: usize, task: u32) -> AllReduce {
        AllReduce {
            optimizer: Box::new(optimizer),
            num_workers,
            task,
            group_key: 1,
            timeout: Duration::ZERO,
            on_loss: OnLoss::default(),
            name: "all_reduce".to_owned(),
            built: Mutex::default(),
        }
    }

    /// With another key for the group of workers: every `AllReduce` of a program needs one of its own.
    #[must_use]
    pub fn group_key(mut self, key: i32) -> Self {
        self.group_key = key;
        self
    }

    /// Fails a step if the other workers take longer than this for their part of it. A worker that is lost is noticed without.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// What the others do when a worker is lost; they wait for it unless told otherwise. All workers must say the same.
    #[must_use]
    pub fn on_loss(mut self, on_loss: OnLoss) -> Self {
        self.on_loss = on_loss;
        self
    }

    /// With another name for its nodes.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// Returns a node that gives these variables the values that they have on worker 0. All workers must run theirs.
    ///
    /// # Errors
    /// `InvalidArgument` for a variable whose shape is not known; `Unimplemented` for types that cannot be broadcast.
    #[track_caller]
    pub fn broadcast_op(&self, variables: &[Variable]) -> Result<Operation> {
        let Some(first) = variables.first() else {
            return Err(err!(InvalidArgument, "Must supply at least one variable"));
        };
        let graph = first.handle().graph().clone();
        let operations = graph.with_name_scope(&format!("{}_broadcast", self.name), |graph| {
            variables.iter().map(|variable| self.broadcast(graph, variable)).collect::<Result<Vec<Operation>>>()
        })?;
        let all = graph.group(&operations);
        graph.check()?;
        Ok(all)
    }

    /// Returns a hook that gives all global variables the values of worker 0 when a session begins, and lets all workers end
    /// together.
    ///
    /// # Errors
    /// `FailedPrecondition` before gradients are applied; else as [`broadcast_op`](AllReduce::broadcast_op).
    #[track_caller]
    pub fn make_session_run_hook(&self) -> Result<AllReduceHook> {
        let graph = self.built.lock().graph.clone();
        let graph = graph.ok_or_else(|| err!(FailedPrecondition, "Should be called after apply_gradients()."))?;
        let start = self.broadcast_op(&global_variables(&graph))?;
        let finish = graph.with_name_scope(&format!("{}_end", self.name), |graph| {
            self.reduce(graph, &graph.constant(0f32), "Id").operation()
        });
        graph.check()?;
        Ok(AllReduceHook { start, finish, ends_on_loss: self.on_loss == OnLoss::End, began: false })
    }

    fn broadcast(&self, graph: &Graph, variable: &Variable) -> Result<Operation> {
        let name = variable.name();
        let shape = variable.shape();
        let Some(shape) = shape.to_shape() else {
            return Err(err!(InvalidArgument, "{name} cannot be broadcast: its shape {shape} is not known"));
        };
        let dtype = variable.dtype().unwrap_or(DType::Float);
        let types = [DType::Bool, DType::Float, DType::Half, DType::Double, DType::Int32, DType::Int64];
        ensure!(types.contains(&dtype), Unimplemented, "{name} cannot be broadcast: its type is {dtype}");
        Ok(graph.with_device(variable.device(), |graph| {
            let [size, group, instance] = self.keys(graph);
            if self.task == 0 {
                let send = graph.op("CollectiveBcastSendV2").input(variable.read());
                return self.governed(send.input(size).input(group).input(instance)).build();
            }
            let dims = graph.constant(Tensor::vector(shape.dims()));
            let value = graph.op("CollectiveBcastRecvV2").input(size).input(group).input(instance).input(dims);
            let value = self.governed(value.attr("T", dtype)).output();
            value.set_shape(variable.shape());
            variable.assign(&value)
        }))
    }

    /// The sum over all workers, or the average.
    fn reduce(&self, graph: &Graph, value: &Output, final_op: &'static str) -> Output {
        let [size, group, instance] = self.keys(graph);
        let reduce = graph.op("CollectiveReduceV2").input(value).input(size).input(group).input(instance);
        let reduce = reduce.input_list(&[]).attr("merge_op", "Add").attr("final_op", final_op);
        self.governed(reduce).output()
    }

    /// The inputs that name the group and the next of its instances.
    fn keys(&self, graph: &Graph) -> [Output; 3] {
        let instance = {
            let mut built = self.built.lock();
            built.instances += 1;
            built.instances
        };
        let size = i32::try_from(self.num_workers).unwrap_or(i32::MAX);
        [size, self.group_key, instance].map(|key| graph.constant(key))
    }

    /// The node, with what it says about those who are late or do not come.
    fn governed(&self, node: OpBuilder) -> OpBuilder {
        let node = node.attr("timeout_seconds", self.timeout.as_secs_f32());
        match self.on_loss {
            OnLoss::Shrink { at_least, after } => {
                let at_least = i64::try_from(at_least).unwrap_or(i64::MAX);
                node.attr("_shrink_to", at_least).attr("_shrink_after", after.as_secs_f32())
            }
            OnLoss::Wait | OnLoss::End => node,
        }
    }
}

impl Optimizer for AllReduce {
    fn name(&self) -> &str {
        &self.name
    }

    fn slot(&self, variable: &Variable, name: &str) -> Option<Variable> {
        self.optimizer.slot(variable, name)
    }

    fn variables(&self) -> Vec<Variable> {
        self.optimizer.variables()
    }

    fn compute_gradients(&self, loss: &Output, variables: Option<&[Variable]>) -> Result<Vec<GradientAndVariable>> {
        self.optimizer.compute_gradients(loss, variables)
    }

    /// Averages the gradients over all workers, and applies them to the variables of this one.
    #[track_caller]
    fn apply_gradients(&self, gradients: &[GradientAndVariable], global_step: Option<&Variable>) -> Result<Operation> {
        ensure!(self.num_workers > 0, InvalidArgument, "there must be at least one worker, not 0");
        ensure!(
            (self.task as usize) < self.num_workers,
            InvalidArgument,
            "worker {} is not one of {}",
            self.task,
            self.num_workers
        );
        let averages = self.averages(gradients)?;
        let train = self.optimizer.apply_gradients(&averages, global_step)?;
        self.built.lock().graph = gradients.first().map(|(_, variable)| variable.handle().graph().clone());
        Ok(train)
    }
}
