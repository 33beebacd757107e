//! Nodes fused: where ops offer it, one node takes over the work of several, under the name of the last of them.

use graph::op::{Registry, Replacement, Rewrite, Site, uses};
use graph::{GraphData, Node, NodeId};

/// Applies the rewrites that ops offer, each to the whole graph, to nodes on devices that know the ops these make. Nodes that
/// nobody needs any more stay in the graph, but need nothing themselves.
pub(super) fn fuse(
    graph: &mut GraphData,
    order: &[NodeId],
    kept: &[NodeId],
    registry: &Registry,
    knows: &impl Fn(&str) -> bool,
) {
    let mut uses = uses(graph, kept);
    // No rewrite makes anybody take an output that nobody took before.
    let mut whole = vec![false; graph.len()];
    for input in graph.nodes().iter().flat_map(|node| &node.inputs).filter(|input| input.index > 0) {
        whole[input.node.index()] = true;
    }
    for rewrite in registry.rewrites() {
        // From the end, so that the longest chain is found first.
        for id in order.iter().rev() {
            let node = graph.node(*id);
            if uses[id.index()] == 0 || !(rewrite.begins_at)(&node.op) || !knows(&node.device) {
                continue;
            }
            if let Some(found) = find(graph, *id, &uses, rewrite) {
                replace(graph, *id, found, &mut uses, whole[id.index()], registry);
            }
        }
    }
}

fn find(graph: &GraphData, id: NodeId, uses: &[u32], rewrite: &Rewrite) -> Option<Replacement> {
    (rewrite.find)(&Site::new(graph, id, uses)?)
}

/// Puts what was found in the place of a node, of which others take more than the first output if it is taken as a `whole`.
fn replace(graph: &mut GraphData, id: NodeId, found: Replacement, uses: &mut [u32], whole: bool, registry: &Registry) {
    let old = graph.node(id);
    let made = registry.find(found.op).and_then(|spec| spec.node(old.name.clone(), found.attrs));
    // A rewrite that does not fit the definition of its op is not made.
    let Ok(made) = made else { return };
    let made = Node {
        device: old.device.clone(),
        control_inputs: old.control_inputs.clone(),
        output_shapes: old.output_shapes.iter().take(made.output_types.len()).cloned().collect(),
        handle_shapes: old.handle_shapes.iter().take(made.output_types.len()).cloned().collect(),
        inputs: found.inputs,
        ..made
    };
    let same = match whole {
        true => made.output_types == old.output_types,
        false => made.output_types.first() == old.output_types.first(),
    };
    if !same || made.inputs.len() != made.input_types.len() {
        return;
    }
    for input in &made.inputs {
        uses[input.node.index()] += 1;
    }
    let old = std::mem::replace(graph.node_mut(id), made);
    let mut released: Vec<NodeId> = old.inputs.iter().map(|input| input.node).collect();
    while let Some(id) = released.pop() {
        uses[id.index()] -= 1;
        if uses[id.index()] == 0 {
            let node = graph.node_mut(id);
            released.extend(node.producers());
            node.inputs.clear();
            node.control_inputs.clear();
        }
    }
}
