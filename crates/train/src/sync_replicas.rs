//! Synchronous training: workers hand their gradients in, and one step is made of all of them together.
//!
//! Gradients go to an accumulator per variable, on the variable's ps. The chief's queue runner takes the mean of so many, makes
//! the step, and puts a token for each worker into a queue; a worker that has handed in its gradients waits for a token before
//! it goes on. A gradient that was computed before the last step is dropped. Nodes and shared names are TensorFlow's, so that
//! workers of both kinds can be in one job.

use std::sync::Arc;
use std::time::Duration;

use graph::{Gradient, Graph, IndexedSlices, Operand, Operation, Output};
use parking_lot::Mutex;
use runtime::{ClusterSpec, RunRequest, Session};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure, err};

use crate::collections::keys;
use crate::coordinator::Coordinator;
use crate::gradient_counts::{GradientCounts, WorkerGradients};
use crate::hooks::SessionRunHook;
use crate::moving_average::ExponentialMovingAverage;
use crate::optimizers::{GradientAndVariable, Optimizer};
use crate::queue::Queue;
use crate::queue_runner::QueueRunner;
use crate::quorum::Quorum;
use crate::stall::Stall;
use crate::variable::{Initial, Variable, Wanted};
use crate::variable_lists::{global_variables, report_uninitialized_variables};

/// In this attribute, which others ignore, a node that hands in a gradient says which worker it works for.
const WORKER: &str = "_worker";

/// An optimizer whose steps are made of the gradients of several workers.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let step = get_or_create_global_step(&g);
/// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
/// let train = sync.minimize(&(&*w * &*w), Some(&step))?; // the gradient of w^2 at 1 is 2
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
    built: Mutex<Option<Built>>,
}

/// What [`Optimizer::apply_gradients`] has added to the graph.
#[derive(Clone)]
struct Built {
    global_step: Variable,
    local_step: Variable,
    queue: Queue,
    runner: QueueRunner,
    chief_init_op: Operation,
    local_step_init_op: Operation,
    ready_for_local_init_op: Output,
    accumulators: Vec<Accumulator>,
}

#[derive(Clone)]
struct Accumulator {
    variable: String,
    device: String,
    handle: Output,
    sparse: bool,
}

impl SyncReplicas {
    /// Steps of this optimizer, each made of the gradients of so many workers, which are all there are. An optimizer that is
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

    /// The thread that makes the steps; the chief must run it.
    ///
    /// # Errors
    /// `FailedPrecondition` before gradients are applied, here and below.
    pub fn chief_queue_runner(&self) -> Result<QueueRunner> {
        Ok(self.built()?.runner)
    }

    /// What the chief runs once the model has its values: its own step number and that of the accumulators.
    ///
    /// # Errors
    /// See above.
    pub fn chief_init_op(&self) -> Result<Operation> {
        Ok(self.built()?.chief_init_op)
    }

    /// What every other worker runs once the model has its values: its own step number.
    ///
    /// # Errors
    /// See above.
    pub fn local_step_init_op(&self) -> Result<Operation> {
        Ok(self.built()?.local_step_init_op)
    }

    /// The names of the variables that must have values before the two above; empty when they have.
    ///
    /// # Errors
    /// See above.
    pub fn ready_for_local_init_op(&self) -> Result<Output> {
        Ok(self.built()?.ready_for_local_init_op)
    }

    /// The step that this worker computes its gradients in.
    ///
    /// # Errors
    /// See above.
    pub fn local_step(&self) -> Result<Variable> {
        Ok(self.built()?.local_step)
    }

    /// The queue of tokens that workers wait at.
    ///
    /// # Errors
    /// See above.
    pub fn token_queue(&self) -> Result<Queue> {
        Ok(self.built()?.queue)
    }

    /// A node that puts the first tokens into the queue: as many as gradients in a step, unless said otherwise.
    ///
    /// # Errors
    /// See above; `InvalidArgument` for too few tokens to ever finish the first step.
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

    /// Nodes that tell how many gradients each accumulator has got. They are of our own kind: tasks of the real TensorFlow
    /// refuse a graph that has them.
    ///
    /// # Errors
    /// See above.
    pub fn gradient_counts(&self) -> Result<Vec<GradientCounts>> {
        let counts = |accumulator: &Accumulator| {
            let Accumulator { variable, device, handle, sparse } = accumulator;
            let build = |graph: &Graph| GradientCounts::build(graph, variable, handle, *sparse);
            handle.graph().with_device(device, |graph| graph.with_name_scope("", build))
        };
        Ok(self.built()?.accumulators.iter().map(counts).collect())
    }

    /// A hook that does all of the above at the right time, for a worker of a
    /// [`MonitoredTrainingSession`](crate::MonitoredTrainingSession).
    ///
    /// # Errors
    /// See above.
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
        Ok(SyncReplicasHook { built, init_tokens_op, quorum, stall, counts: None, workers })
    }

    fn built(&self) -> Result<Built> {
        let built = self.built.lock().clone();
        built.ok_or_else(|| err!(FailedPrecondition, "Should be called after apply_gradients()."))
    }

    /// An accumulator for a gradient, on the variable's device: hands it in, and takes the mean of so many.
    fn accumulate(
        &self,
        graph: &Graph,
        gradient: &Gradient,
        variable: &Variable,
        local_step: &Variable,
    ) -> (Accumulator, Operation, Gradient) {
        let dtype = variable.dtype().unwrap_or(DType::Float);
        let sparse = matches!(gradient, Gradient::Slices(_));
        let (op, name, shape) = match sparse {
            true => ("SparseConditionalAccumulator", "sparse_conditional_accumulator", PartialShape::scalar()),
            false => ("ResourceConditionalAccumulator", "conditional_accumulator", variable.shape()),
        };
        let handle = graph.op(op).name(name).attr("dtype", dtype).attr("shape", shape);
        let handle = handle.attr("shared_name", format!("{}:0/grad_accum", variable.name())).output();
        let (worker, local_step) = (local_step.device(), local_step.current());
        let (applied, taken) = match gradient {
            Gradient::Dense(gradient) => {
                let apply = graph.op("ResourceAccumulatorApplyGradient").input(&handle).input(local_step);
                let applied = apply.input(gradient).attr(WORKER, worker).build();
                let mean = self.take(graph, "ResourceAccumulatorTakeGradient", &handle, dtype).output(0);
                mean.set_shape(variable.shape());
                (applied, Gradient::Dense(mean))
            }
            Gradient::Slices(rows) => {
                let (indices, shape) = (as_int64(graph, &rows.indices), as_int64(graph, &rows.dense_shape));
                let apply = graph.op("SparseAccumulatorApplyGradient").input(&handle).input(local_step);
                let apply = apply.input(indices).input(&rows.values).input(shape).attr("has_known_shape", true);
                let applied = apply.attr(WORKER, worker).build();
                let taken = self.take(graph, "SparseAccumulatorTakeGradient", &handle, dtype);
                let (indices, values, dense_shape) = (taken.output(0), taken.output(1), taken.output(2));
                (applied, Gradient::Slices(IndexedSlices { values, indices, dense_shape }))
            }
        };
        let (device, variable) = (variable.device(), variable.name().to_owned());
        (Accumulator { variable, device, handle, sparse }, applied, taken)
    }

    fn take(&self, graph: &Graph, op: &str, handle: &Output, dtype: DType) -> Operation {
        let name = graph.unique_name(op);
        let required = i32::try_from(self.replicas_to_aggregate).unwrap_or(i32::MAX);
        let required = required.to_named_output(graph, Some(DType::Int32), &format!("{name}/num_required"));
        graph.op(op).name_exactly(name).input(handle).input(required).attr("dtype", dtype).build()
    }
}

impl Optimizer for SyncReplicas {
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

    /// The node that a worker runs: it hands in the gradients and waits for a token.
    #[track_caller]
    fn apply_gradients(&self, gradients: &[GradientAndVariable], global_step: Option<&Variable>) -> Result<Operation> {
        ensure!(!gradients.is_empty(), InvalidArgument, "Must supply at least one variable");
        ensure!(self.replicas_to_aggregate > 0, InvalidArgument, "a step must be made of at least one gradient, not 0");
        let Some(step) = global_step else {
            bail!(InvalidArgument, "Global step is required to check staleness");
        };
        let graph = step.handle().graph().clone();
        let dtype = step.dtype().unwrap_or(DType::Int64);
        // The local step stays with the worker, wherever variables usually go.
        let anchor = graph.op("NoOp").build();
        let local_step = graph.with_colocation(&anchor, |graph| {
            let collections = vec![keys::LOCAL_VARIABLES.to_owned()];
            let zero = Tensor::zeros(dtype, &Shape::scalar()).unwrap_or_else(|_| Tensor::from(0i64));
            let wanted = Wanted { collections, ..Wanted::new(graph, false) };
            Variable::make(graph, "sync_rep_local_step", Initial::Constant(zero), wanted)
        });
        let local_step_init_op = local_step.assign(step.current());
        let ready_for_local_init_op = report_uninitialized_variables(&graph, Some(&global_variables(&graph)));
        let train = graph.with_name_scope(&self.name, |graph| -> Result<Operation> {
            let (mut accumulators, mut applied, mut means) = (Vec::new(), Vec::new(), Vec::new());
            for (gradient, variable) in gradients {
                let Some(gradient) = gradient else {
                    means.push((None, variable.clone()));
                    continue;
                };
                let (accumulator, apply, mean) = graph
                    .with_device(variable.device(), |graph| self.accumulate(graph, gradient, variable, &local_step));
                accumulators.push(accumulator);
                applied.push(apply);
                means.push((Some(mean), variable.clone()));
            }
            let beside_step = |build: &dyn Fn(&Graph) -> Result<(Operation, Queue, QueueRunner)>| {
                graph.with_device(step.device(), |graph| graph.with_name_scope("", build))
            };
            let (train, queue, runner) = beside_step(&|graph: &Graph| {
                let updated = self.optimizer.apply_gradients(&means, Some(step))?;
                let queue = Queue::of(&[dtype]).shapes(&[PartialShape::scalar()]).name("sync_token_q");
                let queue = queue.shared_name("sync_token_q").fifo(graph);
                let token = graph.with_control_dependencies(&applied, |_| queue.dequeue());
                let Some(token) = token.first() else { bail!(Internal, "a token is nothing") };
                let train = local_step.assign(token);
                let mut made = graph.with_control_dependencies(&[updated], |graph| {
                    let count = self.total_num_replicas.max(self.replicas_to_aggregate);
                    queue.enqueue_many(&[filled(graph, count, step)])
                });
                if let Some((averages, variables)) = &self.averages {
                    made = graph.with_control_dependencies(&[made], |graph| averages.apply(graph, Some(variables)));
                }
                let runner = QueueRunner::new(&queue, &[made]);
                Ok((train, queue, runner))
            })?;
            let mut chief_init_ops = vec![local_step_init_op.clone()];
            for accumulator in &accumulators {
                let op =
                    if accumulator.sparse { "AccumulatorSetGlobalStep" } else { "ResourceAccumulatorSetGlobalStep" };
                chief_init_ops.push(graph.with_device(&accumulator.device, |graph| {
                    let now = as_int64(graph, &step.current());
                    graph.op(op).name("SetGlobalStep").input(&accumulator.handle).input(now).build()
                }));
            }
            let chief_init_op = graph.group(&chief_init_ops);
            *self.built.lock() = Some(Built {
                global_step: step.clone(),
                local_step: local_step.clone(),
                queue,
                runner,
                chief_init_op,
                local_step_init_op,
                ready_for_local_init_op,
                accumulators,
            });
            Ok(train)
        })?;
        graph.check()?;
        Ok(train)
    }
}

fn as_int64(graph: &Graph, value: &Output) -> Output {
    match value.dtype() {
        Some(DType::Int64) | None => value.clone(),
        _ => graph.op("Cast").input(value).attr("DstT", DType::Int64).output(),
    }
}

/// A node that puts so many tokens into the queue.
fn tokens_op(built: &Built, count: usize) -> Result<Operation> {
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

/// The present value of a counter, so many times.
fn filled(graph: &Graph, count: usize, counter: &Variable) -> Output {
    let name = graph.unique_name("Fill");
    let dims = Tensor::from([i32::try_from(count).unwrap_or(i32::MAX)]);
    let dims =
        graph.op("Const").name_exactly(format!("{name}/dims")).attr("dtype", DType::Int32).attr("value", dims).output();
    graph.op("Fill").name_exactly(name).input(dims).input(counter.current()).output()
}

/// Starts a worker of synchronous training: step numbers, and for the chief tokens and the thread that makes the steps.
pub struct SyncReplicasHook {
    built: Built,
    /// The chief has one.
    init_tokens_op: Option<Operation>,
    quorum: Quorum,
    stall: Stall,
    counts: Option<GradientCounts>,
    workers: usize,
}

impl SyncReplicasHook {
    /// Lets the chief notice when workers of this job cannot be reached for so long: then they count as gone, and if too few
    /// are left for a step, training ends. Workers that sign off are noticed without this.
    #[must_use]
    pub fn watch(mut self, cluster: &ClusterSpec, job: &str, own_task: u32, patience: Duration) -> Self {
        self.quorum.watch(cluster, job, own_task, patience);
        self
    }

    /// Lets the chief log, in the end, how many gradients of each worker were accepted and dropped; these nodes tell.
    #[must_use]
    pub fn log_counts(mut self, counts: &GradientCounts) -> Self {
        self.counts = Some(counts.clone());
        self
    }

    /// What this worker waits for, if its step does not end, and who should bring it. A stall is logged without asking.
    ///
    /// # Errors
    /// What the session failed with.
    pub fn waiting_for(&self, session: &dyn Session) -> Result<String> {
        self.stall.waiting_for(session)
    }
}

impl SessionRunHook for SyncReplicasHook {
    fn after_create_session(&mut self, session: &Arc<dyn Session>, coord: &Coordinator) -> Result<()> {
        let missing = session.fetch(RunRequest::new().fetch(&self.built.ready_for_local_init_op))?;
        let missing: Vec<String> = match missing.first() {
            Some(names) => names.strings()?.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect(),
            None => Vec::new(),
        };
        ensure!(
            missing.is_empty(),
            FailedPrecondition,
            "Init operations did not make model ready for SyncReplicasOptimizer local_init. Variables not initialized: {}",
            missing.join(", ")
        );
        let Some(init_tokens_op) = &self.init_tokens_op else {
            session.run(RunRequest::new().target(&self.built.local_step_init_op))?;
            return self.stall.start(session, coord);
        };
        session.run(RunRequest::new().target(&self.built.chief_init_op))?;
        session.run(RunRequest::new().target(init_tokens_op))?;
        self.built.runner.create_threads(session, coord)?;
        self.stall.start(session, coord)?;
        self.quorum.start(session, coord, self.workers)
    }

    /// Workers sign off; when the chief ends, its queue runner closes the queue of tokens, and they all know.
    fn end(&mut self, session: &Arc<dyn Session>) -> Result<()> {
        if self.init_tokens_op.is_none() {
            self.quorum.sign_off(session);
        } else if let Some(counts) = &self.counts {
            // Tasks of others do not know.
            for WorkerGradients { worker, accepted, dropped } in counts.read(session).unwrap_or_default() {
                tracing::info!(worker, accepted, dropped, "gradients");
            }
        }
        Ok(())
    }
}
