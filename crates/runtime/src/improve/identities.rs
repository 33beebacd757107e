//! Nodes that only pass a value on are left out: who takes the value takes it from where it comes from.
//!
//! An `Identity` that reads a variable, that waits for other nodes or that is fetched stays. One that other nodes wait for
//! stays for them: which branch was taken is told by the node itself, not by what it gets its value from.

use graph::op::Role;
use graph::{Endpoint, GraphData, Node, NodeId};

/// How many nodes are passed at once. In the order of the graph, one is nearly always enough.
const MAX_HOPS: usize = 8;

/// Lets consumers take their inputs from behind the nodes that only pass them on.
pub(super) fn bypass(graph: &mut GraphData, order: &[NodeId]) {
    for id in order {
        if let Role::Returned | Role::Send = graph.node(*id).role() {
            continue;
        }
        for position in 0..graph.node(*id).inputs.len() {
            let mut source = graph.node(*id).inputs[position];
            for _ in 0..MAX_HOPS {
                let Some(behind) = behind(graph, source, &graph.node(*id).device) else { break };
                source = behind;
            }
            graph.node_mut(*id).inputs[position] = source;
        }
    }
}

/// Where a consumer on `device` may take this output from instead.
fn behind(graph: &GraphData, output: Endpoint, device: &str) -> Option<Endpoint> {
    let node = graph.node(output.node);
    if !passes_on(node) {
        return None;
    }
    let source = *node.inputs.first()?;
    let by_value = graph.value_type(source).is_some_and(|value| !value.is_ref);
    // Otherwise a value might travel where it does not travel now.
    let no_detour = node.device == device || node.device == graph.node(source.node).device;
    (by_value && no_detour).then_some(source)
}

fn passes_on(node: &Node) -> bool {
    let by_value = |types: &[graph::ValueType]| types.iter().all(|value| !value.is_ref);
    node.role() == Role::Identity
        && node.control_inputs.is_empty()
        && by_value(&node.input_types)
        && by_value(&node.output_types)
}
