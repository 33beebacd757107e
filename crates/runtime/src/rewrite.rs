//! Where a client's values enter and leave a graph: nodes are put in the place of fed tensors and behind fetched ones.

use std::collections::HashMap;

use graph::op::{Registry, Role};
use graph::{AttrValue, Endpoint, GraphData, Node, NodeId, TensorName};
use tensor::{DType, Result, ensure, err};

use crate::planner::{Endings, Signature};

/// A graph with nodes for the feeds and fetches of a signature, and the nodes that a step of it must run.
///
/// # Errors
/// `NotFound` for names that are not in the graph; `InvalidArgument` for a tensor fed twice, or nothing asked for.
pub(crate) fn with_endings(
    graph: &GraphData,
    signature: &Signature,
    endings: &Endings,
    registry: &Registry,
) -> Result<(GraphData, Vec<NodeId>)> {
    ensure!(
        !signature.fetches.is_empty() || !signature.targets.is_empty(),
        InvalidArgument,
        "Must specify at least one target to fetch or execute."
    );
    let mut graph = graph.clone();
    let mut replaced: HashMap<Endpoint, Endpoint> = HashMap::new();
    for (index, name) in signature.feeds.iter().enumerate() {
        let name: TensorName = name.parse()?;
        let endpoint = graph
            .endpoint(&name)
            .map_err(|status| status.context(format_args!("FeedInputs: unable to find feed output {name}")))?;
        ensure!(!replaced.contains_key(&endpoint), InvalidArgument, "tensor {name} is fed more than once");
        let value = graph
            .value_type(endpoint)
            .ok_or_else(|| err!(InvalidArgument, "tensor {name} of an unknown op cannot be fed"))?;
        let node = endings.feed(index, &signature.feeds[index], value.dtype, &name, registry)?;
        let id = graph.add(node)?;
        replaced.insert(endpoint, Endpoint { node: id, index: 0 });
    }
    redirect(&mut graph, &replaced);
    let mut roots = Vec::new();
    for (index, text) in signature.fetches.iter().enumerate() {
        let name: TensorName = text.parse()?;
        let endpoint =
            graph.endpoint(&name).map_err(|status| status.context(format_args!("FetchOutputs node {name}")))?;
        let value = graph.value_type(endpoint);
        let value = value.ok_or_else(|| crate::kernels::unknown_op(graph.node(endpoint.node), registry))?;
        let source = replaced.get(&endpoint).copied().unwrap_or(endpoint);
        let mut node = endings.fetch(index, text, value.dtype, &name, registry)?;
        node.inputs.push(source);
        roots.push(graph.add(node)?);
    }
    for target in &signature.targets {
        let name = target.split(':').next().unwrap_or(target);
        let id =
            graph.find(name).ok_or_else(|| err!(NotFound, "PruneForTargets: Some target nodes not found: {target}"))?;
        roots.push(id);
    }
    Ok((graph, roots))
}

/// Consumers of fed outputs take the feed instead. What waits for a fed placeholder waits for the feed.
fn redirect(graph: &mut GraphData, replaced: &HashMap<Endpoint, Endpoint>) {
    if replaced.is_empty() {
        return;
    }
    let placeholders: HashMap<NodeId, NodeId> = replaced
        .iter()
        .filter(|(from, _)| graph.node(from.node).role() == Role::Placeholder)
        .map(|(from, to)| (from.node, to.node))
        .collect();
    let ids: Vec<NodeId> = graph.ids().collect();
    for id in ids {
        let node = graph.node_mut(id);
        for input in &mut node.inputs {
            if let Some(to) = replaced.get(input) {
                *input = *to;
            }
        }
        for control in &mut node.control_inputs {
            if let Some(to) = placeholders.get(control) {
                *control = *to;
            }
        }
    }
}

impl Endings {
    fn feed(&self, index: usize, text: &str, dtype: DType, name: &TensorName, registry: &Registry) -> Result<Node> {
        match self {
            Endings::Call { device } => {
                let attrs = [("T", AttrValue::Type(dtype)), ("index", AttrValue::Int(index as i64))];
                internal_node(registry, "_Arg", format!("_arg_{}_{}", name.node, name.index), device, attrs)
            }
            Endings::Rendezvous { device, incarnation } => {
                let mut attrs = transfer_attrs(text, device, *incarnation);
                attrs.push(("tensor_type", AttrValue::Type(dtype)));
                internal_node(registry, "_Recv", format!("_recv_{}_{}", name.node, name.index), device, attrs)
            }
        }
    }

    fn fetch(&self, index: usize, text: &str, dtype: DType, name: &TensorName, registry: &Registry) -> Result<Node> {
        match self {
            Endings::Call { device } => {
                let attrs = [("T", AttrValue::Type(dtype)), ("index", AttrValue::Int(index as i64))];
                internal_node(
                    registry,
                    "_Retval",
                    format!("_retval_{}_{}_{index}", name.node, name.index),
                    device,
                    attrs,
                )
            }
            Endings::Rendezvous { device, incarnation } => {
                let mut attrs = transfer_attrs(text, device, *incarnation);
                attrs.push(("T", AttrValue::Type(dtype)));
                internal_node(registry, "_Send", format!("_send_{}_{}", name.node, name.index), device, attrs)
            }
        }
    }
}

fn transfer_attrs(tensor_name: &str, device: &str, incarnation: u64) -> Vec<(&'static str, AttrValue)> {
    vec![
        ("tensor_name", AttrValue::String(tensor_name.to_owned().into())),
        ("send_device", AttrValue::String(device.to_owned().into())),
        ("send_device_incarnation", AttrValue::Int(incarnation as i64)),
        ("recv_device", AttrValue::String(device.to_owned().into())),
        ("client_terminated", AttrValue::Bool(true)),
    ]
}

/// A node that the runtime inserts.
pub(crate) fn internal_node(
    registry: &Registry,
    op: &str,
    name: String,
    device: &str,
    attrs: impl IntoIterator<Item = (&'static str, AttrValue)>,
) -> Result<Node> {
    Ok(Node { device: device.to_owned(), ..registry.find(op)?.node(name, attrs)? })
}
