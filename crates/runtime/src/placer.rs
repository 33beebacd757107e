//! Placement: a device for every node.
//!
//! Nodes that must stay together (by colocation attributes, reference edges and resource handles) form a group. A group
//! goes to a device that satisfies the constraints of all its members, preferring the client's own task.

use std::collections::HashMap;

use graph::{DeviceName, Endpoint, GraphData, Node, NodeId};
use tensor::{DType, Result, err};

use crate::DeviceSet;

/// How nodes are placed on devices.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::session::PlacementOptions;
/// let g = Graph::new();
/// let there = g.with_device("/gpu:0", |g| g.constant(1f32));
/// assert!(LocalSession::new(&g).is_err()); // there is no such device
/// let placement = PlacementOptions { soft: true, ..Default::default() };
/// let session = LocalSession::with_options(&g, SessionOptions { placement, ..Default::default() })?;
/// assert_eq!(session.eval::<f32, _>(&there)?, 1.0);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PlacementOptions {
    /// Where a kind of device or its number does not exist, take one of the same task that does.
    pub soft: bool,
    /// Log where each node goes.
    pub log: bool,
}

/// Sets every node's `device` to the full name of a device of `devices`. Stateful nodes that `previous` (an earlier
/// placement of part of the graph) names stay where they are.
///
/// # Errors
/// `InvalidArgument`, naming the node, if no device satisfies its constraints, or those of a group contradict.
pub fn place(
    graph: &mut GraphData,
    devices: &DeviceSet,
    options: PlacementOptions,
    previous: Option<&GraphData>,
) -> Result<()> {
    let mut groups = Groups::new(graph)?;
    let client: DeviceName = devices.client_device()?.parse()?;
    let mut constraint: HashMap<usize, DeviceName> = HashMap::new();
    // Whoever has a resource says where it is; ops that take its handle or reference follow, whatever their device says.
    let (followers, owners): (Vec<NodeId>, Vec<NodeId>) = graph.ids().partition(|id| takes_handle(graph.node(*id)));
    for id in owners.into_iter().chain(followers) {
        let node = graph.node(id);
        let mut wanted = node.device_name()?;
        let pinned = previous.and_then(|previous| previous.find(&node.name).map(|id| previous.node(id)));
        if let Some(pinned) = pinned.filter(|pinned| pinned.is_stateful()) {
            wanted = pinned.device_name()?;
        }
        let group = groups.root(id);
        let merged = match constraint.get(&group) {
            None => wanted,
            Some(existing) => match existing.intersect(&wanted) {
                Some(both) => both,
                None if takes_handle(node) => existing.clone(),
                None if options.soft => soften(existing, &wanted),
                None => return Err(contradiction(graph, node, existing, &wanted)),
            },
        };
        constraint.insert(group, merged);
    }
    let mut chosen: HashMap<usize, String> = HashMap::new();
    for id in graph.ids() {
        let group = groups.root(id);
        if let std::collections::hash_map::Entry::Vacant(entry) = chosen.entry(group) {
            let wanted = &constraint[&group];
            let device =
                choose(wanted, devices, &client, options).ok_or_else(|| no_device(graph.node(id), wanted, devices))?;
            entry.insert(device.to_string());
        }
    }
    let generators = generators(graph, &mut groups, &constraint);
    let ids: Vec<NodeId> = graph.ids().collect();
    for id in ids {
        let home = generators.get(&id).copied().unwrap_or(id);
        let device = chosen[&groups.root(home)].clone();
        if options.log {
            tracing::info!(node = %graph.node(id).name, op = %graph.node(id).op, %device, "placed");
        }
        graph.node_mut(id).device = device;
    }
    Ok(())
}

pub(crate) fn takes_handle(node: &Node) -> bool {
    node.input_types.iter().any(|value| value.is_ref || value.dtype == DType::Resource)
}

fn choose<'a>(
    wanted: &DeviceName,
    devices: &'a DeviceSet,
    client: &DeviceName,
    options: PlacementOptions,
) -> Option<&'a DeviceName> {
    let best = |constraint: &DeviceName| {
        let at_home = |name: &&DeviceName| name.job == client.job && name.task == client.task;
        let mut fitting = devices.names().filter(|name| constraint.matches(name));
        let all: Vec<&DeviceName> = fitting.by_ref().collect();
        all.iter().copied().find(at_home).or_else(|| all.into_iter().min())
    };
    best(wanted).or_else(|| options.soft.then(|| best(&wanted.task_name())).flatten())
}

/// Where two members contradict each other and placement is soft, the task of the first stays and the kind gives way.
fn soften(existing: &DeviceName, wanted: &DeviceName) -> DeviceName {
    existing.task_name().intersect(&wanted.task_name()).unwrap_or_else(|| existing.clone())
}

/// A node without inputs whose only consumer is elsewhere is cheaper to compute there than to send.
fn generators(
    graph: &GraphData,
    groups: &mut Groups,
    constraint: &HashMap<usize, DeviceName>,
) -> HashMap<NodeId, NodeId> {
    let consumers = graph.consumers();
    let mut moved = HashMap::new();
    for id in graph.ids() {
        let node = graph.node(id);
        let free = node.inputs.is_empty()
            && node.control_inputs.is_empty()
            && !node.is_stateful()
            && node.output_types.len() == 1
            && constraint[&groups.root(id)].is_empty()
            && groups.size(id) == 1;
        if let ([consumer], true) = (&consumers[id.index()][..], free)
            && graph.node(*consumer).inputs.iter().any(|input| input.node == id)
        {
            moved.insert(id, *consumer);
        }
    }
    moved
}

/// Whether a node returns its inputs as they are, with several handles among them, as what stays of a call of a function does.
/// The resources behind these may lie on several devices: whoever takes a handle from the node goes where its resource is, and
/// the node itself goes anywhere.
fn passes_handles_on(node: &Node) -> bool {
    let handles = node.input_types.iter().filter(|value| value.dtype == DType::Resource).count();
    handles > 1 && node.input_types == node.output_types && !node.is_stateful()
}

/// Where a value comes from that nodes pass on.
pub(crate) fn origin(graph: &GraphData, mut endpoint: Endpoint) -> Endpoint {
    // No path is longer than the graph, unless it goes in a circle.
    for _ in 0..graph.len() {
        let node = graph.node(endpoint.node);
        match node.inputs.get(endpoint.index as usize) {
            Some(input) if passes_handles_on(node) => endpoint = *input,
            _ => break,
        }
    }
    endpoint
}

/// Sets of nodes that must share a device.
pub(crate) struct Groups {
    parent: Vec<usize>,
    sizes: Vec<usize>,
}

impl Groups {
    pub fn new(graph: &GraphData) -> Result<Groups> {
        let mut groups = Groups { parent: (0..graph.len()).collect(), sizes: vec![1; graph.len()] };
        for id in graph.ids() {
            let node = graph.node(id);
            for name in node.colocated_with() {
                // The node that a colocation names may have been pruned away.
                if let Some(other) = graph.find(name) {
                    groups.join(id, other);
                }
            }
            for (index, input) in node.inputs.iter().enumerate() {
                let Some(wanted) = node.input_types.get(index) else { continue };
                let by_reference = wanted.is_ref && graph.value_type(*input).is_some_and(|value| value.is_ref);
                if by_reference || wanted.dtype == DType::Resource && !passes_handles_on(node) {
                    groups.join(id, origin(graph, *input).node);
                }
            }
        }
        Ok(groups)
    }

    fn find(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    pub fn root(&mut self, id: NodeId) -> usize {
        self.find(id.index())
    }

    fn size(&mut self, id: NodeId) -> usize {
        let root = self.root(id);
        self.sizes[root]
    }

    fn join(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            let (small, large) = if self.sizes[a] < self.sizes[b] { (a, b) } else { (b, a) };
            self.parent[small] = large;
            self.sizes[large] += self.sizes[small];
        }
    }
}

fn no_device(node: &Node, wanted: &DeviceName, devices: &DeviceSet) -> tensor::Status {
    let available: Vec<String> = devices.names().map(|name| name.to_string()).collect();
    err!(
        InvalidArgument,
        "Cannot assign a device for operation {0}: {{{{node {0}}}}} was explicitly assigned to {wanted} but available devices are [ {1} ]. Make sure the device specification refers to a valid device.",
        node.name,
        available.join(", ")
    )
}

fn contradiction(graph: &GraphData, node: &Node, existing: &DeviceName, wanted: &DeviceName) -> tensor::Status {
    let others: Vec<&str> = node
        .colocated_with()
        .chain(node.inputs.iter().map(|input| graph.node(input.node).name.as_str()))
        .take(4)
        .collect();
    err!(
        InvalidArgument,
        "Cannot colocate nodes {{{{colocation_node {}}}}} and [{}] because their devices {wanted} and {existing} contradict each other",
        node.name,
        others.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use graph::Graph;
    use graph::op::{Kernel, OpContext, Registry};

    use super::*;
    use crate::Device;

    fn kernel(_: &Node) -> Result<Kernel> {
        Ok(Kernel::cheap(|_: &mut OpContext<'_>| Ok(())))
    }

    fn registry() -> Arc<Registry> {
        let mut registry = Registry::new();
        registry.op("Handle", "-> handle: resource").stateful().any_kernel(kernel);
        registry.op("Pass", "input: T -> output: T").attr("T: list(type) >= 1").any_kernel(kernel);
        registry.op("Read", "handle: resource -> value: float").stateful().any_kernel(kernel);
        registry.op("Both", "a: resource, b: resource -> value: float").stateful().any_kernel(kernel);
        Arc::new(registry)
    }

    /// Two handles on two tasks, passed on together twice.
    fn passed_on(g: &Graph) -> Vec<graph::Output> {
        let handles = ["/job:ps/task:0", "/job:ps/task:1"].map(|ps| g.op("Handle").device(ps).output());
        let once = g.op("Pass").input_list(&handles).outputs();
        g.op("Pass").input_list(&once).outputs()
    }

    fn placed(g: &Graph) -> Result<GraphData> {
        let mut devices = DeviceSet::of(&[Arc::new(Device::cpu("worker", 0, 0))]);
        for task in [0, 1] {
            devices.add(DeviceName::cpu("ps", task, 0), u64::from(task));
        }
        let mut data = g.snapshot()?;
        place(&mut data, &devices, PlacementOptions::default(), None)?;
        Ok(data)
    }

    #[test]
    fn whoever_takes_a_handle_goes_where_its_resource_is_through_nodes_that_pass_it_on() {
        let g = Graph::with_registry(registry());
        let reads: Vec<_> = passed_on(&g).iter().map(|handle| g.op("Read").input(handle).build()).collect();
        let data = placed(&g).unwrap();
        let device = |node: &graph::Operation| data.node(node.id().unwrap()).device.clone();
        let tasks: Vec<String> = reads.iter().map(device).collect();
        let expected = [0, 1].map(|task| DeviceName::cpu("ps", task, 0).to_string());
        assert_eq!(tasks, expected);
    }

    #[test]
    fn one_node_cannot_open_resources_of_two_tasks() {
        let g = Graph::with_registry(registry());
        let handles = passed_on(&g);
        g.op("Both").input(&handles[0]).input(&handles[1]).build();
        let status = placed(&g).unwrap_err();
        assert!(status.message().starts_with("Cannot colocate nodes"), "{status}");
    }
}
