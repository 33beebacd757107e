//! Saves and restores that are one act: nodes are put around them, so that a save takes the values of all variables at one
//! moment, on all tasks, while training goes on; and a restore either gives all variables their values or leaves some of
//! them without one, whoever dies in the middle of it.
//!
//! ```text
//! save     hold a device after the other -> let steps that are halfway end -> read all -> let go -> write
//! restore  read files -> hold -> let steps end -> roll back, forget all values -> assign all -> let go
//! ```
//!
//! A step is known on all tasks by its number, and each of its parts knows where else it changes variables. Those that are
//! halfway on some device are let through on all, and waited for there, also if they have not come yet.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use graph::op::{Registry, Role};
use graph::{AttrValue, Endpoint, GraphData, Node, NodeId};
use tensor::{DType, Result, Tensor};

use crate::rewrite::internal_node;

/// The graph with a moment around its saves and restores, on the devices that `knows` says to have our ops.
///
/// # Errors
/// `NotFound` if the ops are not registered.
pub(crate) fn with_moments(graph: GraphData, registry: &Registry, knows: &impl Fn(&str) -> bool) -> Result<GraphData> {
    let has = |role: Role| graph.nodes().iter().any(|node| node.role() == role);
    // Programs may have ops of their own only.
    if registry.get("_HoldUpdates").is_none() {
        return Ok(graph);
    }
    if has(Role::Restore) {
        return around_restore(graph, registry, knows);
    }
    // A step that both saves and trains has an order of its own.
    let changes = |node: &Node| node.spec.as_ref().is_some_and(|spec| spec.def.changes_variables());
    let changing: Vec<NodeId> =
        graph.ids().filter(|id| changes(graph.node(*id)) && knows(&graph.node(*id).device)).collect();
    match changing.is_empty() {
        true if has(Role::Save) => around_save(graph, registry, knows),
        true => Ok(graph),
        false => Ok(with_spans(graph, &changing)),
    }
}

/// In this attribute, which others ignore, nodes that change variables say on which devices their step does so.
pub(crate) const SPANS: &str = "_spans";

fn with_spans(mut graph: GraphData, changing: &[NodeId]) -> GraphData {
    let devices: BTreeSet<&str> = changing.iter().map(|id| graph.node(*id).device.as_str()).collect();
    if devices.len() > 1 {
        let spans = AttrValue::String(devices.into_iter().collect::<Vec<_>>().join(",").into());
        for id in changing {
            graph.node_mut(*id).attrs.insert(SPANS.to_owned(), spans.clone());
        }
    }
    graph
}

fn around_save(mut graph: GraphData, registry: &Registry, knows: &impl Fn(&str) -> bool) -> Result<GraphData> {
    let saves: Vec<NodeId> = graph.ids().filter(|id| graph.node(*id).role() == Role::Save).collect();
    // What is saved, and all that it is computed of.
    let behind = ancestors(&graph, saves.iter().copied());
    // Reads by handle, and the edges on which a reference becomes a value.
    let mut by_handle: Vec<NodeId> = Vec::new();
    let mut by_reference: BTreeMap<Endpoint, Vec<(NodeId, usize)>> = BTreeMap::new();
    for id in graph.ids().filter(|id| behind.contains(id)) {
        let node = graph.node(id);
        if node.role() != Role::Save
            && node.is_stateful()
            && node.input_types.iter().any(|t| t.dtype == DType::Resource)
        {
            by_handle.push(id);
        }
        for (place, (input, wanted)) in node.inputs.iter().zip(&node.input_types).enumerate() {
            let given = graph.value_type(*input);
            if !wanted.is_ref && given.is_some_and(|given| given.is_ref && given.dtype != DType::String) {
                by_reference.entry(*input).or_default().push((id, place));
            }
        }
    }
    let device = |graph: &GraphData, id: NodeId| graph.node(id).device.clone();
    let variables = by_reference.keys().map(|variable| variable.node).chain(by_handle.iter().copied());
    let devices: BTreeSet<String> = variables.map(|id| device(&graph, id)).filter(|device| knows(device)).collect();
    if devices.is_empty() || crosses_control_flow(&graph, &behind) {
        return Ok(graph);
    }
    let moment = Moment::new(&mut graph, registry, &devices, &[])?;
    let mut taken: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
    for id in by_handle {
        let device = moment.graph.node(id).device.clone();
        if let Some(calm) = moment.calm.get(&device) {
            moment.graph.node_mut(id).control_inputs.push(*calm);
            taken.entry(device).or_default().push(id);
        }
    }
    for (number, (variable, consumers)) in by_reference.into_iter().enumerate() {
        let (device, Some(value)) =
            (moment.graph.node(variable.node).device.clone(), moment.graph.value_type(variable))
        else {
            continue;
        };
        let Some(calm) = moment.calm.get(&device).copied() else { continue };
        let mut read =
            moment.node("Identity", &format!("read_{number}"), &device, [("T", AttrValue::Type(value.dtype))])?;
        read.inputs.push(variable);
        read.control_inputs.push(calm);
        let read = moment.graph.add(read)?;
        taken.entry(device).or_default().push(read);
        for (consumer, place) in consumers {
            moment.graph.node_mut(consumer).inputs[place] = Endpoint { node: read, index: 0 };
        }
    }
    let released = moment.release(taken)?;
    for (device, release) in released {
        let beside = saves.iter().find(|save| graph.node(**save).device == device).or(saves.first());
        if let Some(save) = beside {
            graph.node_mut(*save).control_inputs.push(release);
        }
    }
    Ok(graph)
}

fn around_restore(mut graph: GraphData, registry: &Registry, knows: &impl Fn(&str) -> bool) -> Result<GraphData> {
    let restores: Vec<NodeId> = graph.ids().filter(|id| graph.node(*id).role() == Role::Restore).collect();
    let after = descendants(&graph, &restores);
    let assigns: Vec<NodeId> = graph
        .ids()
        .filter(|id| {
            let node = graph.node(*id);
            let value = node.inputs.get(1).map(|value| value.node);
            node.role() == Role::Assign && knows(&node.device) && value.is_some_and(|value| after.contains(&value))
        })
        .collect();
    let devices: BTreeSet<String> = assigns.iter().map(|id| graph.node(*id).device.clone()).collect();
    let behind = ancestors(&graph, assigns.iter().copied());
    // One that waits for another one, or lies on a branch, has an order of its own.
    let above = ancestors(&graph, assigns.iter().flat_map(|id| graph.node(*id).producers()));
    let in_order = assigns.iter().any(|id| above.contains(id));
    if devices.is_empty() || in_order || crosses_control_flow(&graph, &behind) {
        return Ok(graph);
    }
    // What a value is computed of, files and all, is there before anything is held.
    let values: Vec<NodeId> = assigns.iter().map(|id| graph.node(*id).inputs[1].node).collect();
    let mut moment = Moment::new(&mut graph, registry, &devices, &values)?;
    let mut forgotten: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
    for (number, assign) in assigns.iter().enumerate() {
        let node = moment.graph.node(*assign).clone();
        let by_handle = node.input_types.first().is_some_and(|wanted| wanted.dtype == DType::Resource);
        let (op, attr) = if by_handle { ("_ForgetVariable", "dtype") } else { ("_ForgetValue", "T") };
        let dtype = node.input_types.get(1).map_or(DType::Float, |wanted| wanted.dtype);
        let validate = node.attrs.get("validate_shape").cloned().unwrap_or(AttrValue::Bool(!by_handle));
        let attrs = [(attr, AttrValue::Type(dtype)), ("validate_shape", validate)];
        let mut forget = moment.node(op, &format!("forget_{number}"), &node.device, attrs)?;
        forget.inputs = node.inputs[..2].to_vec();
        forget.control_inputs.extend(moment.calm.get(&node.device));
        let forget = moment.graph.add(forget)?;
        forgotten.entry(node.device.clone()).or_default().push(forget);
    }
    let mut rolled_back: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
    for (device, nodes) in forgotten {
        let mut back = moment.node("_RollBack", "back", &device, [])?;
        back.control_inputs = nodes;
        rolled_back.insert(device, vec![moment.graph.add(back)?]);
    }
    let all = moment.all(rolled_back, "all_forgotten")?;
    let mut assigned: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
    for assign in assigns {
        let node = moment.graph.node_mut(assign);
        node.control_inputs.push(all);
        let device = node.device.clone();
        assigned.entry(device).or_default().push(assign);
    }
    moment.release(assigned)?;
    Ok(graph)
}

/// The nodes that hold updates on some devices.
struct Moment<'a> {
    graph: &'a mut GraphData,
    registry: &'a Registry,
    /// Before all names of its nodes.
    prefix: String,
    /// On each device, the node after which nobody changes anything.
    calm: HashMap<String, NodeId>,
}

impl<'a> Moment<'a> {
    /// Holds the devices, once these nodes have run: one after the other, in the order of their names, so that two who want
    /// a moment do not wait for each other.
    fn new(
        graph: &'a mut GraphData,
        registry: &'a Registry,
        devices: &BTreeSet<String>,
        first: &[NodeId],
    ) -> Result<Moment<'a>> {
        let prefix =
            (0..).map(|number| format!("_moment_{number}")).find(|name| graph.find(&format!("{name}/none")).is_none());
        let mut moment = Moment { graph, registry, prefix: prefix.unwrap_or_default(), calm: HashMap::new() };
        let Some(start) = devices.first() else { return Ok(moment) };
        let none = [("dtype", AttrValue::Type(DType::Int64)), ("value", AttrValue::Tensor(Tensor::vector::<i64>(&[])))];
        let mut none = moment.node("Const", "none", start, none)?;
        none.control_inputs = first.to_vec();
        let mut begun = moment.graph.add(none)?;
        for (number, device) in devices.iter().enumerate() {
            let mut hold = moment.node("_HoldUpdates", &format!("hold_{number}"), device, [])?;
            hold.inputs.push(Endpoint { node: begun, index: 0 });
            begun = moment.graph.add(hold)?;
        }
        for (number, device) in devices.iter().enumerate() {
            let mut wait = moment.node("_AwaitUpdates", &format!("await_{number}"), device, [])?;
            wait.inputs.push(Endpoint { node: begun, index: 0 });
            let calm = moment.graph.add(wait)?;
            moment.calm.insert(device.clone(), calm);
        }
        Ok(moment)
    }

    fn node(
        &self,
        op: &str,
        name: &str,
        device: &str,
        attrs: impl IntoIterator<Item = (&'static str, AttrValue)>,
    ) -> Result<Node> {
        let mut name = format!("{}/{name}", self.prefix);
        while self.graph.find(&name).is_some() {
            name.push('_');
        }
        internal_node(self.registry, op, name, device, attrs)
    }

    /// A node that has all of these behind it, with one in between on each device.
    fn all(&mut self, nodes: BTreeMap<String, Vec<NodeId>>, name: &str) -> Result<NodeId> {
        let first = nodes.keys().next().cloned().unwrap_or_default();
        let mut each = Vec::with_capacity(nodes.len());
        for (device, nodes) in nodes {
            let mut done = self.node("NoOp", name, &device, [])?;
            done.control_inputs = nodes;
            each.push(self.graph.add(done)?);
        }
        let mut all = self.node("NoOp", name, &first, [])?;
        all.control_inputs = each;
        self.graph.add(all)
    }

    /// Lets all devices go after these nodes; returns what does so on each of them.
    fn release(mut self, after: BTreeMap<String, Vec<NodeId>>) -> Result<BTreeMap<String, NodeId>> {
        let devices: BTreeSet<String> = self.calm.keys().cloned().collect();
        let all = self.all(after, "all_done")?;
        let mut released = BTreeMap::new();
        for device in devices {
            let mut release = self.node("_ReleaseUpdates", "release", &device, [])?;
            release.control_inputs.push(all);
            released.insert(device, self.graph.add(release)?);
        }
        Ok(released)
    }
}

fn ancestors(graph: &GraphData, from: impl Iterator<Item = NodeId>) -> HashSet<NodeId> {
    let mut open: Vec<NodeId> = from.collect();
    let mut found: HashSet<NodeId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        open.extend(graph.node(id).producers().filter(|id| found.insert(*id)));
    }
    found
}

fn descendants(graph: &GraphData, from: &[NodeId]) -> HashSet<NodeId> {
    let consumers = graph.consumers();
    let mut open = from.to_vec();
    let mut found: HashSet<NodeId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        open.extend(consumers[id.index()].iter().filter(|id| found.insert(**id)));
    }
    found
}

/// Whether branches or loops decide on some of these nodes.
fn crosses_control_flow(graph: &GraphData, nodes: &HashSet<NodeId>) -> bool {
    let decides = |role: Role| matches!(role, Role::Switch | Role::Merge | Role::Enter | Role::Exit);
    nodes.iter().any(|id| decides(graph.node(*id).role()))
}
