//! Constants copied to where they are used: a small constant that feeds a node in another place would be sent there at every
//! step, but can just as well be there.

use std::collections::HashMap;

use graph::op::Role;
use graph::{GraphData, NodeId, ReadAttrs};
use tensor::Result;

/// Larger constants are sent: each copy is kept by its task, and travels there when the step is registered.
const MAX_BYTES: usize = 64 << 10;

/// Gives consumers in other places a copy of each small constant on their own device. What a client fetches comes from
/// where it is.
pub(super) fn copy_constants(graph: &mut GraphData, location: &impl Fn(&str) -> String) -> Result<()> {
    // Constants that wait for something say by it which branch or loop they are in.
    let small = |id: &NodeId| {
        let node = graph.node(*id);
        let bytes = || node.attr_tensor("value").map_or(usize::MAX, |value| value.byte_size());
        node.role() == Role::Constant && node.control_inputs.is_empty() && bytes() <= MAX_BYTES
    };
    let constants: HashMap<NodeId, String> =
        graph.ids().filter(small).map(|id| (id, location(&graph.node(id).device))).collect();
    if constants.is_empty() {
        return Ok(());
    }
    let mut copies: HashMap<(NodeId, String), NodeId> = HashMap::new();
    for id in graph.ids() {
        if let Role::Returned | Role::Send = graph.node(id).role() {
            continue;
        }
        for position in 0..graph.node(id).inputs.len() {
            let source = graph.node(id).inputs[position].node;
            let device = &graph.node(id).device;
            let Some(place) = constants.get(&source) else { continue };
            if graph.node(source).device == *device || *place == location(device) {
                continue;
            }
            let copy = match copies.get(&(source, device.clone())) {
                Some(copy) => *copy,
                None => {
                    let device = device.clone();
                    let mut node = graph.node(source).clone();
                    node.name = free_name(graph, &node.name, copies.len());
                    node.device = device.clone();
                    let copy = graph.add(node)?;
                    copies.insert((source, device), copy);
                    copy
                }
            };
            graph.node_mut(id).inputs[position].node = copy;
        }
    }
    Ok(())
}

fn free_name(graph: &GraphData, name: &str, number: usize) -> String {
    let names = (number..).map(|number| format!("{name}/_copy_{number}"));
    names.into_iter().find(|name| graph.find(name).is_none()).unwrap_or_default()
}
