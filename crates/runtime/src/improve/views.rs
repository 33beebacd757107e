//! Ops that need little of a variable look at it themselves, instead of at a snapshot: while somebody holds one, an update of the
//! variable must copy it, which for the table of an embedding takes longer than all else.
//!
//! Such an op then sees the value at the time when it runs, no earlier than the read that it had, as in TensorFlow, where
//! the value of a read shares its memory with the variable.

use graph::op::Role;
use graph::{Endpoint, GraphData, NodeId};

/// Lets such ops take variables instead of the reads of these. Must be the last pass that compares nodes: these nodes look
/// as if they took values.
pub(super) fn look(graph: &mut GraphData) {
    let ids: Vec<NodeId> = graph.ids().collect();
    for id in ids {
        if let Some((variable, waits)) = variable_behind(graph, id) {
            let node = graph.node_mut(id);
            node.inputs[0] = variable;
            let more: Vec<NodeId> = waits.into_iter().filter(|id| !node.control_inputs.contains(id)).collect();
            node.control_inputs.extend(more);
        }
    }
}

/// The variable that an op could take instead of its first input, and what it must then wait for.
fn variable_behind(graph: &GraphData, id: NodeId) -> Option<(Endpoint, Vec<NodeId>)> {
    let node = graph.node(id);
    let views = node.spec.as_ref().is_some_and(|spec| spec.def.views_variable);
    let read = graph.node(node.inputs.first().filter(|_| views)?.node);
    let source = *read.inputs.first()?;
    let is_read = read.role() == Role::Identity && read.output_types.iter().all(|value| !value.is_ref);
    let of_variable = graph.value_type(source).is_some_and(|value| value.is_ref);
    (is_read && of_variable && read.device == node.device).then(|| (source, read.control_inputs.clone()))
}
