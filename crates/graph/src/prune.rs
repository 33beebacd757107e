//! Pruning: the part of a graph that certain nodes need.

use crate::data::{Endpoint, GraphData, NodeId};

/// A graph of only those nodes that `roots` depend on. Nodes keep their names and order.
pub fn prune(graph: &GraphData, roots: &[NodeId]) -> GraphData {
    let mut needed = vec![false; graph.len()];
    let mut stack: Vec<NodeId> = roots.to_vec();
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut needed[id.index()], true) {
            continue;
        }
        let node = graph.node(id);
        stack.extend(node.inputs.iter().map(|input| input.node));
        stack.extend(&node.control_inputs);
    }
    keep(graph, &needed)
}

/// A graph of the nodes marked. Every input of a marked node must be marked.
pub(crate) fn keep(graph: &GraphData, needed: &[bool]) -> GraphData {
    let mut number = vec![NodeId(0); graph.len()];
    let mut next = 0;
    for id in graph.ids() {
        if needed[id.index()] {
            number[id.index()] = NodeId(next);
            next += 1;
        }
    }
    let mut pruned = graph.emptied();
    for id in graph.ids().filter(|id| needed[id.index()]) {
        let mut node = graph.node(id).clone();
        for input in &mut node.inputs {
            *input = Endpoint { node: number[input.node.index()], index: input.index };
        }
        for control in &mut node.control_inputs {
            *control = number[control.index()];
        }
        // Names are unique in `graph`, so they are here.
        let _ = pruned.add(node);
    }
    pruned
}
