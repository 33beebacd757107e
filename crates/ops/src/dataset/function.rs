//! Functions that datasets apply to their elements, run node by node on the thread at hand.
//!
//! A body without loops and without ops that wait is all that is run here; what else there is, is refused.

use std::sync::Arc;

use graph::op::{CallFrame, Kernel, OpContext, Registry, Step, Value};
use graph::{FunctionRef, GraphData, Node, NodeId, ReadAttrs, function_graph};
use tensor::{Result, Tensor, bail, ensure, err};

/// Registers nothing: what is here serves the datasets.
pub(crate) fn register(_: &mut Registry) {}

/// A function that is ready to run.
pub(crate) struct Function {
    graph: GraphData,
    order: Vec<(NodeId, Kernel)>,
    result: NodeId,
}

impl Function {
    /// The function that an attribute of a node names.
    ///
    /// # Errors
    /// `NotFound` if it is not in the graph's library; `Unimplemented` for what cannot be run here.
    pub(crate) fn of(node: &Node, attr: &str) -> Result<Function> {
        let function: &FunctionRef = node.attr_function(attr)?;
        let library = node
            .attr_bytes(graph::FUNCTIONS)
            .map_err(|_| err!(NotFound, "the function '{}' is not in the graph's library", function.name))?;
        let (graph, result) = function_graph(function, library, &crate::registry())?;
        let needed = graph::prune(&graph, &[result]);
        let result = needed.find(&graph.node(result).name).ok_or_else(|| err!(Internal, "a function lost its result"))?;
        let graph = needed;
        let mut order = Vec::with_capacity(graph.len());
        for id in graph.topological_order()? {
            let node = graph.node(id);
            ensure!(
                !matches!(node.op.as_str(), "Enter" | "RefEnter" | "NextIteration" | "RefNextIteration"),
                Unimplemented,
                "a loop in the function '{}' of a dataset",
                function.name
            );
            let spec = node
                .spec
                .as_ref()
                .ok_or_else(|| err!(NotFound, "Op type not registered '{}' in tensorfleet", node.op))?;
            order.push((id, spec.kernel(node)?));
        }
        Ok(Function { graph, order, result })
    }

    /// # Errors
    /// What a node of the body fails with.
    pub(crate) fn call(&self, step: &Step, args: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let step = Step {
            id: step.id,
            device: step.device.clone(),
            resources: step.resources.clone(),
            step_resources: step.step_resources.clone(),
            rendezvous: step.rendezvous.clone(),
            cancellation: step.cancellation.clone(),
            frame: Arc::new(CallFrame::new(args, 0)),
        };
        let mut done: Vec<Option<Vec<Value>>> = vec![None; self.graph.len()];
        for (id, kernel) in &self.order {
            let node = self.graph.node(*id);
            let value = |input: &graph::Endpoint| {
                let outputs = done[input.node.index()].as_ref();
                outputs.and_then(|outputs| outputs.get(input.index as usize)).cloned().unwrap_or_default()
            };
            let mut inputs: Vec<Value> = node.inputs.iter().map(value).collect();
            let is_empty = |value: &Value| matches!(value, Value::Empty);
            let merge = node.op == "Merge";
            let waits_in_vain = node.control_inputs.iter().any(|control| done[control.index()].is_none());
            let dead = if merge { inputs.iter().all(is_empty) } else { inputs.iter().any(is_empty) };
            if dead || waits_in_vain {
                continue;
            }
            let mut outputs = vec![Value::Empty; node.output_types.len()];
            let (Kernel::Cheap(compute) | Kernel::Compute(compute) | Kernel::Blocking(compute)) = kernel else {
                bail!(Unimplemented, "op {} in a function of a dataset", node.op)
            };
            let mut cx = OpContext::new(node, &step, (0, 0), &mut inputs, &mut outputs);
            compute.compute(&mut cx).map_err(|status| status.at_node(&node.name))?;
            done[id.index()] = Some(outputs);
        }
        let results = done[self.result.index()].take().unwrap_or_default();
        let tensor = |value: Value| match value {
            Value::Tensor(tensor) => Ok(tensor),
            Value::Ref(variable) => variable.read(),
            Value::Empty => Err(err!(InvalidArgument, "a function of a dataset has no value for a result")),
        };
        results.into_iter().map(tensor).collect()
    }
}
