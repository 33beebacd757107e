//! Common subexpressions merged: of nodes of one device that compute the same from the same inputs, the first one stays.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use graph::op::Role;
use graph::{AttrValue, Endpoint, GraphData, Node, NodeId, ReadAttrs};
use tensor::{Buffer, Tensor};

/// Larger constants are not compared.
const MAX_COMPARED: usize = 64 << 10;

/// Lets consumers of nodes alike take their inputs from the first of them. `kept` nodes stay, whatever is like them.
pub(super) fn merge(graph: &mut GraphData, order: &[NodeId], kept: &[NodeId]) {
    let mut stays = vec![false; graph.len()];
    for id in kept {
        stays[id.index()] = true;
    }
    let mut first: HashMap<u64, Vec<NodeId>> = HashMap::new();
    let mut merged: HashMap<NodeId, NodeId> = HashMap::new();
    let in_order: Vec<NodeId> = with_added(graph, order);
    for id in in_order {
        redirect(graph.node_mut(id), &merged);
        if !mergeable(graph, id) {
            continue;
        }
        let alike = first.entry(fingerprint(graph.node(id))).or_default();
        match alike.iter().find(|other| same(graph.node(**other), graph.node(id))) {
            Some(_) if stays[id.index()] => {}
            Some(other) => {
                merged.insert(id, *other);
            }
            None => alike.push(id),
        }
    }
    if !merged.is_empty() {
        // Once more, for what leads back in loops.
        for id in graph.ids() {
            redirect(graph.node_mut(id), &merged);
        }
    }
}

/// Nodes that were added since the order was found are constants, which come first.
fn with_added(graph: &GraphData, order: &[NodeId]) -> Vec<NodeId> {
    graph.ids().skip(order.len()).chain(order.iter().copied()).collect()
}

fn redirect(node: &mut Node, merged: &HashMap<NodeId, NodeId>) {
    if merged.is_empty() {
        return;
    }
    for input in &mut node.inputs {
        input.node = merged.get(&input.node).copied().unwrap_or(input.node);
    }
    for control in &mut node.control_inputs {
        *control = merged.get(control).copied().unwrap_or(*control);
    }
}

fn mergeable(graph: &GraphData, id: NodeId) -> bool {
    let node = graph.node(id);
    let value = |value: &graph::ValueType| !value.is_ref && value.dtype != tensor::DType::Resource;
    let by_value = |input: &Endpoint| graph.value_type(*input).as_ref().is_some_and(value);
    matches!(node.role(), Role::Plain | Role::Identity | Role::Constant)
        && node.spec.is_some()
        && !node.is_stateful()
        && !node.output_types.is_empty()
        && node.output_types.iter().all(value)
        && node.inputs.iter().all(by_value)
        && node.attr_tensor("value").map_or(true, |value| value.byte_size() <= MAX_COMPARED)
}

/// The inputs, in one order where their order does not matter.
fn inputs(node: &Node) -> Vec<Endpoint> {
    let mut inputs = node.inputs.clone();
    let commutative = node.spec.as_ref().is_some_and(|spec| spec.def.commutative && !spec.def.aggregate);
    if commutative && inputs.len() == 2 {
        inputs.sort_unstable();
    }
    inputs
}

fn waits(node: &Node) -> Vec<NodeId> {
    let mut waits = node.control_inputs.clone();
    waits.sort_unstable();
    waits.dedup();
    waits
}

fn fingerprint(node: &Node) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&node.op, &node.device, inputs(node), waits(node)).hash(&mut hasher);
    for value in stated(node) {
        match value {
            Some(AttrValue::Type(dtype)) => dtype.hash(&mut hasher),
            Some(AttrValue::Int(value)) => value.hash(&mut hasher),
            Some(AttrValue::Bool(value)) => value.hash(&mut hasher),
            Some(AttrValue::Tensor(value)) => {
                value.shape().dims().hash(&mut hasher);
                value.buffer().map(content).hash(&mut hasher);
            }
            // The others are told apart by comparing.
            _ => {}
        }
    }
    hasher.finish()
}

fn same(a: &Node, b: &Node) -> bool {
    a.op == b.op
        && a.device == b.device
        && inputs(a) == inputs(b)
        && waits(a) == waits(b)
        && a.output_types == b.output_types
        && stated(a).zip(stated(b)).all(|(a, b)| same_value(a, b))
}

/// The attributes that the op's definition knows: others, as those for placement, change no value.
fn stated(node: &Node) -> impl Iterator<Item = Option<&AttrValue>> {
    let defined = node.spec.iter().flat_map(|spec| &spec.def.attrs);
    defined.map(|attr| node.attrs.get(&attr.name))
}

/// Whether two values are the same to the last bit: zeros of two signs are not, and a NaN is like itself.
fn same_value(a: Option<&AttrValue>, b: Option<&AttrValue>) -> bool {
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    match (a, b) {
        (Some(AttrValue::Tensor(a)), Some(AttrValue::Tensor(b))) => same_tensor(a, b),
        (Some(AttrValue::Tensors(a)), Some(AttrValue::Tensors(b))) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_tensor(a, b))
        }
        (Some(AttrValue::Float(a)), Some(AttrValue::Float(b))) => a.to_bits() == b.to_bits(),
        (Some(AttrValue::Floats(a)), Some(AttrValue::Floats(b))) => bits(a) == bits(b),
        (Some(AttrValue::Function(_) | AttrValue::Functions(_)), _) => false,
        (a, b) => a == b,
    }
}

/// What tells plain tensors of one type and shape apart; those of one value need not be written out for it.
fn content(buffer: &Buffer) -> &[u8] {
    buffer.element().unwrap_or_else(|| buffer.as_bytes())
}

fn same_tensor(a: &Tensor, b: &Tensor) -> bool {
    let bytes = |tensor: &Tensor| tensor.buffer().map(|buffer| content(buffer).to_vec());
    let strings = || matches!((a.strings(), b.strings()), (Ok(a), Ok(b)) if a == b);
    a.dtype() == b.dtype() && a.shape() == b.shape() && (strings() || (a.buffer().is_some() && bytes(a) == bytes(b)))
}
