//! Which nodes use a tensor: found as the graph grows, not looked for among all nodes each time.

use std::collections::HashMap;

use graph::{Endpoint, GraphData, NodeId};

/// The nodes that use each tensor, of the nodes that have been looked at so far.
#[derive(Default)]
pub struct Consumers {
    looked_at: usize,
    users: HashMap<Endpoint, Vec<u32>>,
    /// Nodes whose inputs may still change: a loop comes back to its merges when its body is built.
    merges: Vec<NodeId>,
}

impl Consumers {
    /// The nodes of a graph that use a tensor, oldest first. It is always the same graph.
    pub fn of(&mut self, graph: &GraphData, tensor: Endpoint) -> Vec<u32> {
        for number in self.looked_at..graph.len() {
            let id = NodeId(number as u32);
            let node = graph.node(id);
            if matches!(node.op.as_str(), "Merge" | "RefMerge") {
                self.merges.push(id);
                continue;
            }
            for input in &node.inputs {
                let users = self.users.entry(*input).or_default();
                if users.last() != Some(&id.0) {
                    users.push(id.0);
                }
            }
        }
        self.looked_at = graph.len();
        let mut found = self.users.get(&tensor).cloned().unwrap_or_default();
        found.extend(self.merges.iter().filter(|id| graph.node(**id).inputs.contains(&tensor)).map(|id| id.0));
        found.sort_unstable();
        found
    }
}
