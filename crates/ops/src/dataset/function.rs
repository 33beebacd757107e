//! Functions that datasets apply to their elements, run node by node on the thread at hand.
//!
//! Loops are run as calls of their condition and body; for an op that waits, the thread waits too, until the op ends or
//! the step is cancelled. Loops in the form of TensorFlow 1.x are refused.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use graph::op::{AsyncContext, CallFrame, ComputeAsync, Kernel, OpContext, Registry, Spawn, Step, Value};
use graph::{Endpoint, FunctionRef, Node, NodeId, ReadAttrs, function_graph};
use tensor::{Result, Tensor, bail, ensure, err};

/// Registers nothing: what is here serves the datasets.
pub(crate) fn register(_: &mut Registry) {}

/// How deep functions may name others, and how many may be made for one node: functions can name each other in circles.
const MAX_DEPTH: usize = 16;
const MAX_FUNCTIONS: usize = 1000;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static MADE: Cell<usize> = const { Cell::new(0) };
}

/// A function that is ready to run.
pub(crate) struct Function {
    count: usize,
    order: Vec<Part>,
    result: NodeId,
}

struct Part {
    id: NodeId,
    node: Arc<Node>,
    run: Run,
}

enum Run {
    Kernel(Kernel),
    Loop { cond: Function, body: Function },
}

impl Function {
    /// The function that an attribute of a node names.
    ///
    /// # Errors
    /// `NotFound` if it is not in the graph's library; `Unimplemented` for what cannot be run here.
    pub(crate) fn of(node: &Node, attr: &str) -> Result<Function> {
        let depth = DEPTH.get();
        if depth == 0 {
            MADE.set(0);
        }
        MADE.set(MADE.get() + 1);
        let name = &node.attr_function(attr)?.name;
        ensure!(
            depth < MAX_DEPTH && MADE.get() < MAX_FUNCTIONS,
            Unimplemented,
            "functions of datasets name each other too deep, or too often, at '{name}'"
        );
        DEPTH.set(depth + 1);
        let made = Function::make(node, attr);
        DEPTH.set(depth);
        made
    }

    fn make(node: &Node, attr: &str) -> Result<Function> {
        let function: &FunctionRef = node.attr_function(attr)?;
        let library = node
            .attr_bytes(graph::FUNCTIONS)
            .map_err(|_| err!(NotFound, "the function '{}' is not in the graph's library", function.name))?;
        let registry = crate::registry();
        let (graph, result) = function_graph(function, library, &registry)?;
        let needed = graph::prune(&graph, &[result]);
        let result =
            needed.find(&graph.node(result).name).ok_or_else(|| err!(Internal, "a function lost its result"))?;
        let graph = needed;
        let mut order = Vec::with_capacity(graph.len());
        for id in graph.topological_order()? {
            let node = graph.node(id);
            ensure!(
                !matches!(node.op.as_str(), "Enter" | "RefEnter" | "NextIteration" | "RefNextIteration"),
                Unimplemented,
                "a loop of TensorFlow 1.x in the function '{}' of a dataset",
                function.name
            );
            let run = match node.op.as_str() {
                "While" | "StatelessWhile" => {
                    Run::Loop { cond: Function::of(node, "cond")?, body: Function::of(node, "body")? }
                }
                _ => {
                    let spec = node.spec.as_ref();
                    let spec = spec.ok_or_else(|| registry.unknown(&node.op).at_node(&node.name))?;
                    Run::Kernel(spec.kernel(node)?)
                }
            };
            order.push(Part { id, node: Arc::new(node.clone()), run });
        }
        Ok(Function { count: graph.len(), order, result })
    }

    /// # Errors
    /// What a node of the body fails with.
    pub(crate) fn call(&self, step: &Step, args: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let step = Arc::new(Step {
            id: step.id,
            device: step.device.clone(),
            resources: step.resources.clone(),
            step_resources: step.step_resources.clone(),
            rendezvous: step.rendezvous.clone(),
            cancellation: step.cancellation.clone(),
            frame: Arc::new(CallFrame::new(args, 0)),
        });
        let mut done: Vec<Option<Vec<Value>>> = vec![None; self.count];
        for part in &self.order {
            let node = &part.node;
            let value = |input: &Endpoint| {
                let outputs = done[input.node.index()].as_ref();
                outputs.and_then(|outputs| outputs.get(input.index as usize)).cloned().unwrap_or_default()
            };
            let inputs: Vec<Value> = node.inputs.iter().map(value).collect();
            let is_empty = |value: &Value| matches!(value, Value::Empty);
            let waits_in_vain = node.control_inputs.iter().any(|control| done[control.index()].is_none());
            let dead = match node.op.as_str() {
                "Merge" | "RefMerge" => inputs.iter().all(is_empty),
                _ => inputs.iter().any(is_empty),
            };
            if dead || waits_in_vain {
                continue;
            }
            let outputs = part.run.outputs(node, &step, inputs).map_err(|status| status.at_node(&node.name))?;
            done[part.id.index()] = Some(outputs);
        }
        let results = done[self.result.index()].take().unwrap_or_default();
        results.into_iter().map(tensor).collect()
    }
}

impl Run {
    fn outputs(&self, node: &Arc<Node>, step: &Arc<Step>, mut inputs: Vec<Value>) -> Result<Vec<Value>> {
        match self {
            Run::Kernel(Kernel::Cheap(compute) | Kernel::Compute(compute) | Kernel::Blocking(compute)) => {
                let mut outputs = vec![Value::Empty; node.output_types.len()];
                let mut cx = OpContext::new(node, step, (0, 0), &mut inputs, &mut outputs);
                compute.compute(&mut cx)?;
                Ok(outputs)
            }
            Run::Kernel(Kernel::Async(kernel)) => wait_for(kernel.as_ref(), node, step, inputs),
            Run::Loop { cond, body } => {
                let mut values = inputs.into_iter().map(tensor).collect::<Result<Vec<_>>>()?;
                loop {
                    step.cancellation.check()?;
                    let verdict = cond.call(step, values.clone())?;
                    let [verdict] = &verdict[..] else {
                        bail!(InvalidArgument, "a condition of {} results", verdict.len())
                    };
                    if !verdict.to_scalar::<bool>()? {
                        return Ok(values.into_iter().map(Value::Tensor).collect());
                    }
                    let count = values.len();
                    values = body.call(step, values)?;
                    ensure!(
                        values.len() == count,
                        InvalidArgument,
                        "a loop of {count} values whose body gives {}",
                        values.len()
                    );
                }
            }
        }
    }
}

/// Runs a kernel that waits, and waits for it. Such kernels end when the step is cancelled.
fn wait_for(kernel: &dyn ComputeAsync, node: &Arc<Node>, step: &Arc<Step>, inputs: Vec<Value>) -> Result<Vec<Value>> {
    let (send, receive) = sync_channel(1);
    let cx = AsyncContext {
        node: node.clone(),
        step: step.clone(),
        frame: (0, 0),
        inputs: inputs.into(),
        blocking: Arc::new(Here),
    };
    kernel.start(cx, Box::new(move |outcome| drop(send.send(outcome))));
    match receive.recv() {
        Ok(outcome) => outcome.map(|outputs| outputs.into_vec()),
        Err(_) => bail!(Internal, "op {} ended without an outcome", node.op),
    }
}

/// Runs jobs where they are asked for.
struct Here;

impl Spawn for Here {
    fn spawn(self: Arc<Self>, job: Box<dyn FnOnce() + Send>) {
        job();
    }
}

fn tensor(value: Value) -> Result<Tensor> {
    match value {
        Value::Tensor(tensor) => Ok(tensor),
        Value::Ref(variable) => variable.read(),
        Value::Empty => Err(err!(InvalidArgument, "a function of a dataset has no value for a result")),
    }
}
