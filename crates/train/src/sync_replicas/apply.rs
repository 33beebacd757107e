//! Applying gradients together: accumulators on the parameter servers, the queue of tokens, and the step of the chief.

use graph::{Gradient, Graph, IndexedSlices, Operand, Operation, Output};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::{Accumulator, SyncReplicas, SynchronousStep};
use crate::collections::keys;
use crate::optimizers::{GradientAndVariable, Optimizer};
use crate::queue::Queue;
use crate::queue_runner::QueueRunner;
use crate::variable::{Initial, Variable, Wanted};
use crate::variable_lists::{global_variables, report_uninitialized_variables};

/// In this attribute, which others ignore, a node that hands in a gradient says which worker it works for.
const WORKER: &str = "_worker";

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
            *self.built.lock() = Some(SynchronousStep {
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

impl SyncReplicas {
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
        let (worker, local_step) = (local_step.device(), as_int64(graph, &local_step.current()));
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

fn as_int64(graph: &Graph, value: &Output) -> Output {
    match value.dtype() {
        Some(DType::Int64) | None => value.clone(),
        _ => graph.op("Cast").input(value).attr("DstT", DType::Int64).output(),
    }
}

/// The present value of a counter, so many times.
pub(super) fn filled(graph: &Graph, count: usize, counter: &Variable) -> Output {
    let name = graph.unique_name("Fill");
    let dims = Tensor::from([i32::try_from(count).unwrap_or(i32::MAX)]);
    let dims =
        graph.op("Const").name_exactly(format!("{name}/dims")).attr("dtype", DType::Int32).attr("value", dims).output();
    graph.op("Fill").name_exactly(name).input(dims).input(counter.current()).output()
}
