//! Constants folded: what follows from constants alone is computed when a step is planned, by the kernels that would compute
//! it in every step. A node whose kernel fails stays as it is and fails in the step.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use graph::inference::{evaluate, infer};
use graph::op::{Registry, Role, Value};
use graph::{AttrValue, Endpoint, GraphData, Node, NodeId, ReadAttrs};
use math::flush::Flushed;
use tensor::{Result, Tensor};

use crate::rewrite::internal_node;

/// A result may be this large although what it is computed from is smaller: it is kept for each plan, and sent to the task
/// that it belongs to.
const MAX_GROWTH: usize = 64 << 10;

/// What one plan may spend: bytes read and written by kernels, and time. Whatever is left is computed in the step.
const MAX_WORK: usize = 64 << 20;
const MAX_TIME: Duration = Duration::from_millis(250);

/// More nodes than this to wait for are not gathered in one constant.
const MAX_WAITS: usize = 16;

/// Replaces nodes that follow from constants by constants of the same name.
pub(super) fn fold(graph: &mut GraphData, order: &[NodeId], max_bytes: usize, registry: &Registry) -> Result<()> {
    // As in a step.
    let _flushed = Flushed::new();
    let begin = Instant::now();
    let mut work = 0;
    let mut moved: HashMap<Endpoint, Endpoint> = HashMap::new();
    for id in order {
        if !moved.is_empty() {
            for input in &mut graph.node_mut(*id).inputs {
                *input = moved.get(input).copied().unwrap_or(*input);
            }
        }
        if work > MAX_WORK || !foldable(graph.node(*id)) {
            continue;
        }
        let Some(inputs) = constant_inputs(graph, *id) else { continue };
        if begin.elapsed() > MAX_TIME {
            return Ok(());
        }
        let Some(waits) = waits(graph, *id) else { continue };
        let read: usize = inputs.iter().map(Tensor::byte_size).sum();
        let Some(written) = output_bytes(graph, *id, &inputs) else { continue };
        if written > max_bytes || (written > read && written > MAX_GROWTH) {
            continue;
        }
        work += read + written;
        let node = graph.node(*id);
        let mut values: Vec<Value> = inputs.into_iter().map(Value::Tensor).collect();
        let Some(outputs) = evaluate(node, &mut values) else { continue };
        if outputs.iter().zip(&node.output_types).any(|(made, stated)| made.dtype() != stated.dtype) {
            continue;
        }
        let (name, device) = (node.name.clone(), node.device.clone());
        if let [value] = &outputs[..] {
            *graph.node_mut(*id) = constant(registry, name, &device, value.clone(), waits)?;
            continue;
        }
        for (index, value) in outputs.into_iter().enumerate() {
            let name = format!("{name}/_folded_{index}");
            if graph.find(&name).is_some() {
                continue;
            }
            let added = graph.add(constant(registry, name, &device, value, waits.clone())?)?;
            moved.insert(Endpoint { node: *id, index: index as u32 }, Endpoint { node: added, index: 0 });
        }
    }
    Ok(())
}

/// A node that gives the same for the same inputs and does nothing else.
fn foldable(node: &Node) -> bool {
    let plain = |types: &[graph::ValueType]| types.iter().all(|value| !value.is_ref && value.dtype.is_plain());
    matches!(node.role(), Role::Plain | Role::Identity)
        && node.spec.is_some()
        && !node.is_stateful()
        && !node.inputs.is_empty()
        && !node.output_types.is_empty()
        && plain(&node.input_types)
        && plain(&node.output_types)
}

/// The values of the inputs, if all are constants of the same device: what a client spread over devices is computed there.
fn constant_inputs(graph: &GraphData, id: NodeId) -> Option<Vec<Tensor>> {
    let Node { inputs, device, .. } = graph.node(id);
    let is_constant = |node: &Node| node.role() == Role::Constant && node.device == *device;
    if !inputs.iter().all(|input| is_constant(graph.node(input.node))) {
        return None;
    }
    inputs.iter().map(|input| graph.node(input.node).attr_tensor("value").ok().cloned()).collect()
}

/// What the node and its inputs wait for. The branch or loop that a constant is in shows in what it waits for.
fn waits(graph: &GraphData, id: NodeId) -> Option<Vec<NodeId>> {
    let node = graph.node(id);
    let mut waits = node.control_inputs.clone();
    for input in &node.inputs {
        waits.extend(&graph.node(input.node).control_inputs);
        if waits.len() > MAX_WAITS {
            return None;
        }
    }
    waits.sort_unstable();
    waits.dedup();
    Some(waits)
}

/// How large the outputs will be, by the op's shape function.
fn output_bytes(graph: &mut GraphData, id: NodeId, inputs: &[Tensor]) -> Option<usize> {
    let sources: Vec<NodeId> = graph.node(id).inputs.iter().map(|input| input.node).collect();
    for (source, value) in sources.into_iter().zip(inputs) {
        graph.node_mut(source).output_shapes = vec![value.shape().into()];
    }
    let mut node = graph.node(id).clone();
    infer(graph, &mut node).ok()?;
    let mut bytes = 0usize;
    for (shape, value) in node.output_shapes.iter().zip(&node.output_types) {
        let elements = usize::try_from(shape.num_elements()?).ok()?;
        bytes = bytes.checked_add(elements.checked_mul(value.dtype.size())?)?;
    }
    Some(bytes)
}

fn constant(registry: &Registry, name: String, device: &str, value: Tensor, waits: Vec<NodeId>) -> Result<Node> {
    let attrs = [("dtype", AttrValue::Type(value.dtype())), ("value", AttrValue::Tensor(value))];
    Ok(Node { control_inputs: waits, ..internal_node(registry, "Const", name, device, attrs)? })
}
