//! Reads of variables that are too early: an `Identity` takes a variable's value when the step begins, but a consumer of
//! it runs only after the variable was updated, and means the new value.
//!
//! In TensorFlow the value of a reference shares its memory with the variable, so such a consumer sees the update; moving
//! averages and the tokens of synchronous training depend on it. Here a value, once read, does not change. Instead the
//! consumer gets a read of its own, which waits for what the consumer waits for. All other reads stay as they are.

use std::collections::{BTreeMap, HashMap, HashSet};

use graph::op::Role;
use graph::{AttrValue, Endpoint, GraphData, Node, NodeId};
use tensor::Result;

/// Marks a read that has been looked at here. The task that gets a part of the graph must not look at it again: it sees only
/// its part, and the graph may have been improved since.
const SETTLED: &str = "_settled";

/// The graph with a later read for each consumer that runs after an update of the variable on its device.
pub(crate) fn with_late_reads(mut graph: GraphData) -> Result<GraphData> {
    let reads: HashMap<NodeId, NodeId> = reads(&graph).into_iter().collect();
    if reads.is_empty() {
        return Ok(graph);
    }
    let mut updates = updates(&graph);
    let read: HashSet<NodeId> = reads.values().copied().collect();
    updates.retain(|_, variables| variables.iter().any(|variable| read.contains(variable)));
    let late = if updates.is_empty() { BTreeMap::new() } else { late_reads(&graph, &reads, &updates) };
    for read in reads.into_keys() {
        graph.node_mut(read).attrs.insert(SETTLED.to_owned(), AttrValue::Bool(true));
    }
    let mut numbers: HashMap<NodeId, usize> = HashMap::new();
    for (consumer, late) in late {
        let mut replaced: HashMap<NodeId, NodeId> = HashMap::new();
        for LateRead { read, waits } in late {
            let mut node = graph.node(read).clone();
            node.name = free_name(&graph, &node.name, numbers.entry(read).or_insert(1));
            node.control_inputs.extend(waits);
            replaced.insert(read, graph.add(node)?);
        }
        for input in &mut graph.node_mut(consumer).inputs {
            input.node = replaced.get(&input.node).copied().unwrap_or(input.node);
        }
    }
    Ok(graph)
}

/// A read that a consumer needs for itself, and what it must wait for.
struct LateRead {
    read: NodeId,
    waits: Vec<NodeId>,
}

/// A read by a consumer that also waits for something behind an update of some variable.
struct Candidate {
    read: NodeId,
    consumer: NodeId,
    waits: Vec<NodeId>,
}

/// The consumers that need reads of their own.
fn late_reads(
    graph: &GraphData,
    reads: &HashMap<NodeId, NodeId>,
    updates: &HashMap<NodeId, Vec<NodeId>>,
) -> BTreeMap<NodeId, Vec<LateRead>> {
    let later = Later::new(graph, updates);
    let mut candidates: Vec<Candidate> = Vec::new();
    // Of what consumers wait for: who wants to know which updates lie before it. Each is asked once, for all of them.
    let mut asked: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for consumer in graph.ids() {
        let node = graph.node(consumer);
        // `Merge` runs as soon as one input is there, so it waits for nothing.
        if node.role() == Role::Merge || !node.inputs.iter().any(|input| reads.contains_key(&input.node)) {
            continue;
        }
        let mut waits: Vec<NodeId> = node.producers().filter(|id| later.contains(*id)).collect();
        waits.sort();
        waits.dedup();
        let mut seen = HashSet::new();
        for read in node.inputs.iter().map(|input| input.node).filter(|id| reads.contains_key(id)) {
            if waits.is_empty() || graph.node(read).device != node.device || !seen.insert(read) {
                continue;
            }
            let waited_for = |id: &NodeId| *id == read || graph.node(read).control_inputs.contains(id);
            for id in waits.iter().filter(|id| !waited_for(id)) {
                asked.entry(*id).or_default().push(candidates.len());
            }
            candidates.push(Candidate { read, consumer, waits: Vec::new() });
        }
    }
    let mut origins = HashMap::new();
    let mut together: BTreeMap<NodeId, Vec<(NodeId, Vec<usize>)>> = BTreeMap::new();
    for (id, wanted) in asked {
        together.entry(later.origin(id, &mut origins)).or_default().push((id, wanted));
    }
    for (origin, asked) in together {
        let updated = later.updated_before(origin);
        for (id, wanted) in asked {
            for number in wanted {
                let candidate = &mut candidates[number];
                if updated.contains(&reads[&candidate.read]) {
                    candidate.waits.push(id);
                }
            }
        }
    }
    let mut late: BTreeMap<NodeId, Vec<LateRead>> = BTreeMap::new();
    for Candidate { read, consumer, waits } in candidates.into_iter().filter(|candidate| !candidate.waits.is_empty()) {
        late.entry(consumer).or_default().push(LateRead { read, waits });
    }
    late
}

/// The updates of a graph and all that runs after one of them. In a part of a larger graph, whatever is received may depend
/// on whatever is sent.
struct Later<'a> {
    graph: &'a GraphData,
    updates: &'a HashMap<NodeId, Vec<NodeId>>,
    found: Vec<bool>,
    /// What was found that is sent.
    sent: Vec<NodeId>,
}

impl<'a> Later<'a> {
    fn new(graph: &'a GraphData, updates: &'a HashMap<NodeId, Vec<NodeId>>) -> Later<'a> {
        let consumers = graph.consumers();
        let mut later = Later { graph, updates, found: vec![false; graph.len()], sent: Vec::new() };
        let mut open: Vec<NodeId> = updates.keys().copied().collect();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut later.found[id.index()], true) {
                continue;
            }
            open.extend(&consumers[id.index()]);
            if graph.node(id).role() == Role::Send {
                if later.sent.is_empty() {
                    open.extend(graph.ids().filter(|id| graph.node(*id).role() == Role::Receive));
                }
                later.sent.push(id);
            }
        }
        later
    }

    fn contains(&self, id: NodeId) -> bool {
        self.found[id.index()]
    }

    /// The node before which the same updates lie as before this one: where nodes have one later producer each, the first
    /// of them. `known` are the answers so far.
    fn origin(&self, id: NodeId, known: &mut HashMap<NodeId, NodeId>) -> NodeId {
        let (mut at, mut passed) = (id, HashSet::new());
        while !passed.contains(&at) {
            if let Some(origin) = known.get(&at) {
                at = *origin;
                break;
            }
            let node = self.graph.node(at);
            let mut producers = node.producers().filter(|id| self.contains(*id));
            let Some(only) = producers.next() else { break };
            if producers.any(|id| id != only) || self.updates.contains_key(&at) || node.role() == Role::Receive {
                break;
            }
            passed.insert(at);
            at = only;
        }
        known.extend(passed.into_iter().map(|id| (id, at)));
        at
    }

    /// The variables that are updated by this node or one that it depends on.
    fn updated_before(&self, id: NodeId) -> HashSet<NodeId> {
        let (mut updated, mut seen, mut open) = (HashSet::new(), HashSet::from([id]), vec![id]);
        let mut received = false;
        while let Some(id) = open.pop() {
            updated.extend(self.updates.get(&id).into_iter().flatten());
            let node = self.graph.node(id);
            open.extend(node.producers().filter(|id| self.contains(*id) && seen.insert(*id)));
            if node.role() == Role::Receive && !std::mem::replace(&mut received, true) {
                open.extend(self.sent.iter().filter(|id| seen.insert(**id)));
            }
        }
        updated
    }
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

/// The nodes that change variables, and which.
fn updates(graph: &GraphData) -> HashMap<NodeId, Vec<NodeId>> {
    let mut updates: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    for id in graph.ids() {
        let node = graph.node(id);
        if leaves_variables(node) {
            continue;
        }
        for (input, _) in node.inputs.iter().zip(&node.input_types).filter(|(_, wanted)| wanted.is_ref) {
            if let Some(variable) = variable_of(graph, *input) {
                updates.entry(id).or_default().push(variable);
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

/// A name that no node has, from this number on.
fn free_name(graph: &GraphData, name: &str, number: &mut usize) -> String {
    loop {
        let free = format!("{name}_later_{number}");
        *number += 1;
        if graph.find(&free).is_none() {
            return free;
        }
    }
}
