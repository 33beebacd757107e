//! Nodes fused: where ops offer it, one node takes over the work of several, under the name of the last of them.

use graph::op::{Registry, Replacement, Rewrite, Site, uses};
use graph::{GraphData, Node, NodeId};

/// Applies the rewrites that ops offer, each to the whole graph, to nodes on devices that know the ops these make. The nodes
/// taken over stay in the graph, but nothing depends on them any more.
pub(super) fn fuse(
    graph: &mut GraphData,
    order: &[NodeId],
    kept: &[NodeId],
    registry: &Registry,
    knows: &impl Fn(&str) -> bool,
) {
    let mut uses = uses(graph, kept);
    for rewrite in registry.rewrites() {
        // From the end, so that the longest chain is found first.
        for id in order.iter().rev() {
            let node = graph.node(*id);
            if uses[id.index()] == 0 || !(rewrite.begins_at)(&node.op) || !knows(&node.device) {
                continue;
            }
            if let Some(found) = find(graph, *id, &uses, rewrite) {
                replace(graph, *id, found, &mut uses, registry);
            }
        }
    }
}

fn find(graph: &GraphData, id: NodeId, uses: &[u32], rewrite: &Rewrite) -> Option<Replacement> {
    (rewrite.find)(&Site::new(graph, id, uses)?)
}

fn replace(graph: &mut GraphData, id: NodeId, found: Replacement, uses: &mut [u32], registry: &Registry) {
    let old = graph.node(id);
    let made = registry.find(found.op).and_then(|spec| spec.node(old.name.clone(), found.attrs));
    // A rewrite that does not fit the definition of its op is not made.
    let Ok(made) = made else { return };
    let made = Node {
        device: old.device.clone(),
        control_inputs: old.control_inputs.clone(),
        output_shapes: old.output_shapes.clone(),
        handle_shapes: old.handle_shapes.clone(),
        inputs: found.inputs,
        ..made
    };
    if made.output_types != old.output_types || made.inputs.len() != made.input_types.len() {
        return;
    }
    for input in &made.inputs {
        uses[input.node.index()] += 1;
    }
    for gone in found.absorbed.iter().chain([&id]) {
        for input in graph.node(*gone).inputs.iter() {
            uses[input.node.index()] -= 1;
        }
    }
    for gone in found.absorbed {
        graph.node_mut(gone).inputs.clear();
    }
    *graph.node_mut(id) = made;
}
