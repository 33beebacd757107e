//! Why a node is where it is: the placer's rules, told for a graph that it has placed.

use std::collections::HashMap;

use graph::{GraphData, NodeId};

use crate::placer::{Groups, origin, takes_handle};

/// Returns, for every node of a placed graph, the rule that put it on its device. `asked` has the devices that nodes asked for
/// themselves, by name.
pub(crate) fn explain(graph: &GraphData, asked: &HashMap<String, String>) -> Vec<String> {
    let Ok(mut groups) = Groups::new(graph) else { return vec![String::new(); graph.len()] };
    let asks = |id: NodeId| asked.get(&graph.node(id).name).map(String::as_str);
    // Who of a group said where it goes: those who have a resource before those who take its handle.
    let mut deciders: HashMap<usize, NodeId> = HashMap::new();
    let (followers, owners): (Vec<NodeId>, Vec<NodeId>) = graph.ids().partition(|id| takes_handle(graph.node(*id)));
    for id in owners.iter().chain(&followers).filter(|id| asks(**id).is_some()) {
        deciders.entry(groups.root(*id)).or_insert(*id);
    }
    let consumers = graph.consumers();
    let mut rule = |id: NodeId| -> String {
        let node = graph.node(id);
        let handle = node
            .inputs
            .iter()
            .zip(&node.input_types)
            .find(|(_, wanted)| wanted.is_ref || wanted.dtype == tensor::DType::Resource);
        let decider = deciders.get(&groups.root(id)).copied();
        if let Some((input, _)) = handle.filter(|_| takes_handle(node) && decider != Some(id)) {
            let owner = graph.node(origin(graph, *input).node);
            return format!("goes where the resource of '{}' is", owner.name);
        }
        match (asks(id), decider) {
            (Some(device), _) => format!("asked for {device}"),
            (None, Some(decider)) => format!("colocated with '{}'", graph.node(decider).name),
            (None, None) => match &consumers[id.index()][..] {
                [consumer]
                    if node.inputs.is_empty()
                        && graph.node(*consumer).device == node.device
                        && asked.contains_key(&graph.node(*consumer).name) =>
                {
                    format!("computed where its only consumer '{}' is", graph.node(*consumer).name)
                }
                _ => "asked for nothing: the client's task".to_owned(),
            },
        }
    };
    graph.ids().map(&mut rule).collect()
}
