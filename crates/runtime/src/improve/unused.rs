//! Nodes whose values nobody takes compute nothing: those that wait for such a node wait for what it waited for.
//!
//! TensorFlow's gradients are full of them: every gradient of an op waits for all others of that op, also for the one that leads
//! to the images. A node with a state or an effect stays, as one without values must have, and so does one that takes its value
//! from where branches or loops begin and end: only its own fate tells which way was taken.

use graph::op::{Registry, Role};
use graph::{Endpoint, GraphData, NodeId};
use tensor::Result;

use crate::rewrite::internal_node;

/// Makes nodes that nobody takes a value of do nothing, the last ones first.
pub(super) fn idle(graph: &mut GraphData, order: &[NodeId], kept: &[NodeId], registry: &Registry) -> Result<()> {
    let mut taken = vec![0usize; graph.len()];
    for input in graph.nodes().iter().flat_map(|node| &node.inputs) {
        taken[input.node.index()] += 1;
    }
    for id in kept {
        taken[id.index()] += 1;
    }
    for id in order.iter().rev() {
        if taken[id.index()] > 0 || !without_effect(graph, *id) {
            continue;
        }
        let node = graph.node(*id);
        let mut nothing = internal_node(registry, "NoOp", node.name.clone(), &node.device, [])?;
        nothing.control_inputs = node.producers().collect();
        nothing.control_inputs.sort_unstable();
        nothing.control_inputs.dedup();
        for input in &node.inputs {
            taken[input.node.index()] -= 1;
        }
        *graph.node_mut(*id) = nothing;
    }
    Ok(())
}

/// Whether nothing but its values tells that a node has run.
fn without_effect(graph: &GraphData, id: NodeId) -> bool {
    let node = graph.node(id);
    let value = |value: &graph::ValueType| !value.is_ref && value.dtype != tensor::DType::Resource;
    let by_value = |input: &Endpoint| graph.value_type(*input).as_ref().is_some_and(value);
    let straight = |input: &Endpoint| !graph.node(input.node).role().depends_on_step();
    matches!(node.role(), Role::Plain | Role::Identity)
        && node.spec.is_some()
        && !node.is_stateful()
        && !node.output_types.is_empty()
        && node.output_types.iter().all(value)
        && node.inputs.iter().all(|input| by_value(input) && straight(input))
}
