//! Synchronous training: workers hand their gradients in, and one step is made of all of them together.
//!
//! Gradients go to an accumulator per variable, on the variable's ps. The chief's queue runner takes the mean of so many, makes
//! the step, and puts a token for each worker into a queue; a worker that has handed in its gradients waits for a token before
//! it goes on. A gradient that was computed before the last step is dropped. Nodes and shared names are TensorFlow's, so that
//! workers of both kinds can be in one job.

mod apply;
mod hook;

use graph::{Graph, Operation, Output};
pub use hook::SyncReplicasHook;
use parking_lot::Mutex;
use tensor::{Result, ensure, err};

use crate::gradient_counts::GradientCounts;
use crate::moving_average::ExponentialMovingAverage;
use crate::optimizers::Optimizer;
use crate::queue::Queue;
use crate::queue_runner::QueueRunner;
use crate::quorum::Quorum;
use crate::session_manager::Prepared;
use crate::stall::Stall;
use crate::variable::Variable;
use apply::filled;

/// An optimizer whose steps are made of the gradients of several workers.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let step = get_or_create_global_step(&g);
/// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
/// let train = sync.minimize(&(&w * &w), Some(&step))?; // the gradient of w^2 at 1 is 2
/// let init = global_variables_initializer(&g);
/// let (local_init, tokens) = (sync.chief_init_op()?, sync.init_tokens_op(None)?);
///
/// let session: std::sync::Arc<dyn Session> = std::sync::Arc::new(LocalSession::new(&g)?);
/// session.run(RunRequest::new().target(&init))?;
/// session.run(RunRequest::new().target(&local_init))?;
/// session.run(RunRequest::new().target(&tokens))?;
/// let coord = Coordinator::new();
/// sync.chief_queue_runner()?.create_threads(&session, &coord)?;
/// session.run(RunRequest::new().target(&train))?; // gets the token that was there before
/// session.run(RunRequest::new().target(&train))?; // waits for the first step, which the chief's thread makes
/// assert!(session.fetch(RunRequest::new().fetch(w.value()))?[0].to_scalar::<f32>()? <= 0.5);
/// coord.request_stop();
/// coord.join(std::time::Duration::from_secs(60))?;
/// # Ok(())
/// # }
/// ```
pub struct SyncReplicas {
    optimizer: Box<dyn Optimizer>,
    replicas_to_aggregate: usize,
    total_num_replicas: usize,
    averages: Option<(ExponentialMovingAverage, Vec<Variable>)>,
    name: String,
    built: Mutex<Option<SynchronousStep>>,
}

/// What [`Optimizer::apply_gradients`] has added to the graph.
#[derive(Clone)]
struct SynchronousStep {
    global_step: Variable,
    local_step: Variable,
    queue: Queue,
    runner: QueueRunner,
    chief_init_op: Operation,
    local_step_init_op: Operation,
    ready_for_local_init_op: Output,
    accumulators: Vec<Accumulator>,
}

/// The accumulator of a variable's gradients.
#[derive(Clone)]
struct Accumulator {
    variable: String,
    device: String,
    handle: Output,
    sparse: bool,
}

impl SyncReplicas {
    /// Returns an optimizer of steps of this one, each made of the gradients of so many workers, which are all there are. An optimizer that is
    /// used elsewhere too is given as an `Arc`.
    pub fn new(optimizer: impl Optimizer + 'static, replicas_to_aggregate: usize) -> SyncReplicas {
        SyncReplicas {
            optimizer: Box::new(optimizer),
            replicas_to_aggregate,
            total_num_replicas: replicas_to_aggregate,
            averages: None,
            name: "sync_replicas".to_owned(),
            built: Mutex::new(None),
        }
    }

    /// There are more workers than gradients in a step: those that come late in a step count for nothing (backup workers). With
    /// fewer, each hands in several.
    ///
    /// With backup workers: steps are made of the first four of six gradients.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let sync = SyncReplicas::new(GradientDescent::new(0.1), 4).total_num_replicas(6);
    /// assert_eq!(sync.name(), "sync_replicas");
    /// ```
    #[must_use]
    pub fn total_num_replicas(mut self, total: usize) -> Self {
        self.total_num_replicas = total;
        self
    }

    /// After each step, brings averages of these variables up to date.
    #[must_use]
    pub fn variable_averages(mut self, averages: ExponentialMovingAverage, variables: &[Variable]) -> Self {
        self.averages = Some((averages, variables.to_vec()));
        self
    }

    /// With another name for its nodes.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// Returns the thread that makes the steps; the chief must run it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    /// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
    /// assert_eq!(sync.chief_queue_runner().err().unwrap().code(), Code::FailedPrecondition);
    /// sync.minimize(&(&w * &w), Some(&step))?;
    /// assert_eq!(sync.chief_queue_runner()?.names().enqueue.len(), 1);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `FailedPrecondition` before gradients are applied.
    pub fn chief_queue_runner(&self) -> Result<QueueRunner> {
        Ok(self.built()?.runner)
    }

    /// Returns the node that the chief runs once the model has its values: it sets its own step number and that of the
    /// accumulators.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    /// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
    /// sync.minimize(&(&w * &w), Some(&step))?;
    /// let (init, chief) = (global_variables_initializer(&g), sync.chief_init_op()?);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&init)?;
    /// session.eval(&chief)?;
    /// assert_eq!(session.eval::<i64, _>(&sync.local_step()?)?, 0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `FailedPrecondition` before gradients are applied.
    pub fn chief_init_op(&self) -> Result<Operation> {
        Ok(self.built()?.chief_init_op)
    }

    /// Returns the node that every other worker runs once the model has its values: it sets its own step number.
    ///
    /// # Errors
    /// `FailedPrecondition` before gradients are applied.
    pub fn local_step_init_op(&self) -> Result<Operation> {
        Ok(self.built()?.local_step_init_op)
    }

    /// Returns the node that names the variables without a value that [`chief_init_op`](SyncReplicas::chief_init_op) and
    /// [`local_step_init_op`](SyncReplicas::local_step_init_op) need; empty when all have one.
    ///
    /// # Errors
    /// `FailedPrecondition` before gradients are applied.
    pub fn ready_for_local_init_op(&self) -> Result<Output> {
        Ok(self.built()?.ready_for_local_init_op)
    }

    /// Returns the step that this worker computes its gradients in.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    /// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
    /// sync.minimize(&(&w * &w), Some(&step))?;
    /// assert_eq!(sync.local_step()?.dtype(), Some(DType::Int64));
    /// assert_eq!(sync.token_queue()?.types(), [DType::Int64]);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `FailedPrecondition` before gradients are applied.
    pub fn local_step(&self) -> Result<Variable> {
        Ok(self.built()?.local_step)
    }

    /// Returns the queue of tokens that workers wait at.
    ///
    /// # Errors
    /// `FailedPrecondition` before gradients are applied.
    pub fn token_queue(&self) -> Result<Queue> {
        Ok(self.built()?.queue)
    }

    /// Returns a node that puts the first tokens into the queue: as many as gradients in a step, unless said otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    /// let sync = SyncReplicas::new(GradientDescent::new(0.25), 2);
    /// sync.minimize(&(&w * &w), Some(&step))?;
    /// let (tokens, there) = (sync.init_tokens_op(None)?, sync.token_queue()?.size());
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// session.eval(&tokens)?;
    /// assert_eq!(session.eval::<i32, _>(&there)?, 2);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `FailedPrecondition` before gradients are applied; `InvalidArgument` for too few tokens to ever finish the first step.
    pub fn init_tokens_op(&self, num_tokens: Option<usize>) -> Result<Operation> {
        let built = self.built()?;
        let needed = self.replicas_to_aggregate.saturating_sub(self.total_num_replicas);
        let count = num_tokens.unwrap_or(self.replicas_to_aggregate);
        ensure!(
            count >= needed,
            InvalidArgument,
            "Too few tokens to finish the first step: {count} (given) vs {needed} (needed)"
        );
        tokens_op(&built, count)
    }

    /// Returns nodes that tell how many gradients each accumulator has got. They are of our own kind: tasks of the real TensorFlow
    /// refuse a graph that has them.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    /// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
    /// sync.minimize(&(&w * &w), Some(&step))?;
    /// assert_eq!(sync.gradient_counts()?[0].variable, "w");
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `FailedPrecondition` before gradients are applied.
    pub fn gradient_counts(&self) -> Result<Vec<GradientCounts>> {
        let counts = |accumulator: &Accumulator| {
            let Accumulator { variable, device, handle, sparse } = accumulator;
            let build = |graph: &Graph| GradientCounts::build(graph, variable, handle, *sparse);
            handle.graph().with_device(device, |graph| graph.with_name_scope("", build))
        };
        Ok(self.built()?.accumulators.iter().map(counts).collect())
    }

    /// Returns a hook that initialises the steps, puts the first tokens into the queue and starts the chief's thread when a session
    /// of a [`MonitoredTrainingSession`](crate::MonitoredTrainingSession) begins.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    /// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
    /// assert!(sync.make_session_run_hook(true, None).is_err()); // no gradients are applied yet
    /// sync.minimize(&(&w * &w), Some(&step))?;
    /// assert!(sync.make_session_run_hook(true, None).is_ok());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `FailedPrecondition` before gradients are applied.
    pub fn make_session_run_hook(&self, is_chief: bool, num_tokens: Option<usize>) -> Result<SyncReplicasHook> {
        let built = self.built()?;
        let init_tokens_op = if is_chief { Some(self.init_tokens_op(num_tokens)?) } else { None };
        // Where there are fewer workers than gradients in a step, each hands in several, and any number will do.
        let needed = if self.replicas_to_aggregate <= self.total_num_replicas { self.replicas_to_aggregate } else { 1 };
        let graph = built.global_step.handle().graph().clone();
        let mut quorum = graph.with_device(built.global_step.device(), |graph| {
            graph.with_name_scope("", |_| {
                Quorum::build(&built.queue, &built.local_step, &built.runner.names().close, needed)
            })
        });
        if is_chief {
            quorum = quorum.one_token(tokens_op(&built, 1)?);
        }
        let accumulated = |accumulator: &Accumulator| {
            let op = if accumulator.sparse { "AccumulatorNumAccumulated" } else { "ResourceAccumulatorNumAccumulated" };
            let count = |graph: &Graph| graph.op(op).input(&accumulator.handle).output();
            let count = graph.with_device(&accumulator.device, |graph| graph.with_name_scope("", count));
            (accumulator.variable.clone(), count)
        };
        let accumulated = built.accumulators.iter().map(accumulated).collect();
        let stall = graph.with_device(built.global_step.device(), |graph| {
            let required = self.replicas_to_aggregate;
            graph.with_name_scope("", |_| Stall::build(&built.queue, &built.local_step, accumulated, required))
        });
        graph.check()?;
        let workers = self.total_num_replicas;
        let tokens = graph.with_device(built.global_step.device(), |graph| {
            graph.with_name_scope("", |_| (built.queue.size(), built.queue.dequeue().swap_remove(0)))
        });
        let needs_none = self.replicas_to_aggregate <= self.total_num_replicas;
        // Who does not say otherwise begins.
        let prepared = Prepared::Initialized;
        Ok(SyncReplicasHook {
            built,
            init_tokens_op,
            tokens,
            needs_none,
            prepared,
            quorum,
            stall,
            counts: None,
            workers,
        })
    }

    fn built(&self) -> Result<SynchronousStep> {
        let built = self.built.lock().clone();
        built.ok_or_else(|| err!(FailedPrecondition, "Should be called after apply_gradients()."))
    }
}

/// A node that puts so many tokens into the queue.
fn tokens_op(built: &SynchronousStep, count: usize) -> Result<Operation> {
    let graph = built.global_step.handle().graph();
    if count == 0 {
        return Ok(graph.op("NoOp").name("no_init_tokens").build());
    }
    let tokens = graph.with_device(built.global_step.device(), |graph| {
        graph.with_name_scope("", |graph| built.queue.enqueue_many(&[filled(graph, count, &built.global_step)]))
    });
    graph.check()?;
    Ok(tokens)
}
