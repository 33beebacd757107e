//! Reads of variables that are too early: an `Identity` takes a variable's value when the step begins, but a consumer of
//! it runs only after the variable was updated, and means the new value.
//!
//! In TensorFlow the value of a reference shares its memory with the variable, so such a consumer sees the update; moving
//! averages and the tokens of synchronous training depend on it. Here a value, once read, does not change. Instead the
//! consumer gets a read of its own, which waits for what the consumer waits for. All other reads stay as they are.

use std::collections::{HashMap, HashSet};

use graph::op::Role;
use graph::{AttrValue, Endpoint, GraphData, Node, NodeId};
use tensor::Result;

/// Marks a read that has been looked at here. The task that gets a part of the graph must not look at it again: it sees only
/// its part, and the graph may have been improved since.
const SETTLED: &str = "_settled";

/// The graph with a later read for each consumer that runs after an update of the variable on its device.
pub(crate) fn with_late_reads(graph: GraphData) -> Result<GraphData> {
    let reads = reads(&graph);
    if reads.is_empty() {
        return Ok(graph);
    }
    let settled: Vec<NodeId> = reads.iter().map(|(read, _)| *read).collect();
    let updates = updates(&graph);
    let consumers = graph.consumers();
    let mut later: HashMap<NodeId, HashSet<NodeId>> = HashMap::new();
    let mut changed: Vec<LateRead> = Vec::new();
    for (read, variable) in reads {
        let Some(updates) = updates.get(&variable) else { continue };
        let later = later.entry(variable).or_insert_with(|| reachable(&graph, updates, &consumers));
        for consumer in &consumers[read.index()] {
            let waits: Vec<NodeId> = graph.node(*consumer).producers().filter(|id| later.contains(id)).collect();
            let waited_for = |id: &NodeId| *id == read || graph.node(read).control_inputs.contains(id);
            if waits.iter().all(waited_for) || !may_read_later(&graph, read, *consumer) {
                continue;
            }
            changed.push(LateRead { read, consumer: *consumer, waits });
        }
    }
    let mut graph = graph;
    for read in settled {
        graph.node_mut(read).attrs.insert(SETTLED.to_owned(), AttrValue::Bool(true));
    }
    for LateRead { read, consumer, waits } in changed {
        let mut node = graph.node(read).clone();
        node.name = free_name(&graph, &node.name);
        node.control_inputs.extend(waits);
        let later = graph.add(node)?;
        for input in graph.node_mut(consumer).inputs.iter_mut().filter(|input| input.node == read) {
            input.node = later;
        }
    }
    Ok(graph)
}

/// A consumer that needs a read of its own, which waits for what the consumer waits for.
struct LateRead {
    read: NodeId,
    consumer: NodeId,
    waits: Vec<NodeId>,
}

/// Nodes that read a variable on its device, and the variable.
fn reads(graph: &GraphData) -> Vec<(NodeId, NodeId)> {
    let by_value = |node: &Node| node.input_types.iter().all(|wanted| !wanted.is_ref);
    let is_read = |node: &Node| node.role() == Role::Identity && by_value(node) && !node.attrs.contains_key(SETTLED);
    let reads = graph.ids().filter(|id| is_read(graph.node(*id)));
    let of = |id: NodeId| variable_of(graph, *graph.node(id).inputs.first()?);
    reads
        .filter_map(|id| Some((id, of(id)?)))
        .filter(|(id, variable)| graph.node(*id).device == graph.node(*variable).device)
        .collect()
}

/// The nodes that change each variable.
fn updates(graph: &GraphData) -> HashMap<NodeId, Vec<NodeId>> {
    let mut updates: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    for id in graph.ids() {
        let node = graph.node(id);
        if leaves_variables(node) {
            continue;
        }
        for (input, _) in node.inputs.iter().zip(&node.input_types).filter(|(_, wanted)| wanted.is_ref) {
            if let Some(variable) = variable_of(graph, *input) {
                updates.entry(variable).or_default().push(id);
            }
        }
    }
    updates
}

fn leaves_variables(node: &Node) -> bool {
    node.spec.as_ref().is_some_and(|spec| spec.def.leaves_variables)
}

/// The variable that an output refers to. Those that go through control flow are left alone.
fn variable_of(graph: &GraphData, mut output: Endpoint) -> Option<NodeId> {
    for _ in 0..graph.len() {
        let node = graph.node(output.node);
        if !graph.value_type(output)?.is_ref {
            return None;
        }
        let Some(position) = node.input_types.iter().position(|wanted| wanted.is_ref) else {
            return Some(output.node);
        };
        if leaves_variables(node) && node.role() != Role::Identity {
            return None;
        }
        // What updates a variable gives its first reference on.
        output = *node.inputs.get(position)?;
    }
    None
}

/// These nodes, and all that run after one of them. In a part of a larger graph, whatever is received may depend on
/// whatever is sent.
fn reachable(graph: &GraphData, from: &[NodeId], consumers: &[Vec<NodeId>]) -> HashSet<NodeId> {
    let mut found: HashSet<NodeId> = from.iter().copied().collect();
    let mut open = from.to_vec();
    let mut sent = false;
    while let Some(id) = open.pop() {
        open.extend(consumers[id.index()].iter().filter(|next| found.insert(**next)));
        if !sent && graph.node(id).role() == Role::Send {
            sent = true;
            let received = graph.ids().filter(|id| graph.node(*id).role() == Role::Receive);
            open.extend(received.filter(|id| found.insert(*id)));
        }
    }
    found
}

/// A consumer by value on the same device. `Merge` runs as soon as one input is there, so it waits for nothing.
fn may_read_later(graph: &GraphData, read: NodeId, consumer: NodeId) -> bool {
    let node = graph.node(consumer);
    node.device == graph.node(read).device
        && node.role() != Role::Merge
        && node.inputs.iter().any(|input| input.node == read)
}

fn free_name(graph: &GraphData, name: &str) -> String {
    let names = (1..).map(|number| format!("{name}_later_{number}"));
    names.into_iter().find(|name| graph.find(name).is_none()).unwrap_or_default()
}
