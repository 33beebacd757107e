//! Partition: a graph split by device or by task, with `_Send` and `_Recv` where an edge was cut.

use std::collections::HashMap;

use graph::op::Registry;
use graph::{AttrValue, Endpoint, GraphData, Node, NodeId};
use tensor::{DType, Result, Shape, Tensor};

use crate::DeviceSet;
use crate::control_loops::ControlLoops;
use crate::rewrite::internal_node;

/// The part of a graph that belongs to one place.
#[derive(Clone, Debug)]
pub struct Partition {
    /// What `location` gave for its nodes: a device or a task.
    pub location: String,
    /// Its nodes, with `_Send` and `_Recv` nodes where edges were cut.
    pub graph: GraphData,
}

/// Splits a placed graph by `location`, which maps a full device name to a place.
///
/// # Errors
/// `InvalidArgument` if a node's device is not one of `devices`.
pub(crate) fn partition(
    loops: ControlLoops,
    devices: &DeviceSet,
    registry: &Registry,
    location: &impl Fn(&str) -> String,
) -> Result<Vec<Partition>> {
    let graph = &loops.graph;
    let places: Vec<String> = graph.nodes().iter().map(|node| location(&node.device)).collect();
    if places.windows(2).all(|pair| pair[0] == pair[1]) {
        let Some(place) = places.into_iter().next() else { return Ok(Vec::new()) };
        return Ok(vec![Partition { location: place, graph: loops.graph }]);
    }
    let mut split = Splitter {
        graph,
        loops: &loops,
        devices,
        registry,
        parts: Vec::new(),
        place_of: HashMap::new(),
        moved: HashMap::new(),
        received: HashMap::new(),
        edges: 0,
    };
    for (id, place) in graph.ids().zip(&places) {
        split.add(id, place)?;
    }
    for (id, place) in graph.ids().zip(&places) {
        split.connect(id, place, &places)?;
    }
    Ok(split.parts)
}

struct Splitter<'a> {
    graph: &'a GraphData,
    loops: &'a ControlLoops,
    devices: &'a DeviceSet,
    registry: &'a Registry,
    parts: Vec<Partition>,
    place_of: HashMap<String, usize>,
    /// A node's number in its own part.
    moved: HashMap<NodeId, NodeId>,
    /// What has been received already: by source, and the part it went to. `None` stands for a control edge.
    received: HashMap<(NodeId, Option<u32>, usize), NodeId>,
    edges: usize,
}

impl Splitter<'_> {
    fn part(&mut self, place: &str) -> usize {
        if let Some(index) = self.place_of.get(place) {
            return *index;
        }
        self.parts.push(Partition { location: place.to_owned(), graph: self.graph.emptied() });
        self.place_of.insert(place.to_owned(), self.parts.len() - 1);
        self.parts.len() - 1
    }

    fn add(&mut self, id: NodeId, place: &str) -> Result<()> {
        let part = self.part(place);
        let mut node = self.graph.node(id).clone();
        (node.inputs, node.control_inputs) = (Vec::new(), Vec::new());
        let new = self.parts[part].graph.add(node)?;
        self.moved.insert(id, new);
        Ok(())
    }

    fn connect(&mut self, id: NodeId, place: &str, places: &[String]) -> Result<()> {
        let part = self.part(place);
        let node = self.graph.node(id).clone();
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for input in &node.inputs {
            inputs.push(if places[input.node.index()] == *place {
                Endpoint { node: self.moved[&input.node], index: input.index }
            } else {
                let from = self.place_of[&places[input.node.index()]];
                Endpoint { node: self.transfer(*input, from, part, &node)?, index: 0 }
            });
        }
        let mut control_inputs = Vec::with_capacity(node.control_inputs.len());
        for control in &node.control_inputs {
            control_inputs.push(if places[control.index()] == *place {
                self.moved[control]
            } else {
                let from = self.place_of[&places[control.index()]];
                self.signal(*control, from, part, &node)?
            });
        }
        let target = self.parts[part].graph.node_mut(self.moved[&id]);
        (target.inputs, target.control_inputs) = (inputs, control_inputs);
        Ok(())
    }

    /// The node in `to` that receives an output made in `from`; one serves all consumers there.
    fn transfer(&mut self, source: Endpoint, from: usize, to: usize, consumer: &Node) -> Result<NodeId> {
        let key = (source.node, Some(source.index), to);
        if let Some(received) = self.received.get(&key) {
            return Ok(*received);
        }
        let producer = self.graph.node(source.node);
        let value = self.graph.value_type(source);
        let Some(value) = value else { return Err(crate::kernels::unknown_op(producer, self.registry)) };
        let dtype = value.dtype;
        let input = Endpoint { node: self.moved[&source.node], index: source.index };
        let received = self.send_and_receive(input, dtype, source.node, from, to, consumer)?;
        self.received.insert(key, received);
        Ok(received)
    }

    /// The node in `to` that completes after a node in `from` has.
    fn signal(&mut self, source: NodeId, from: usize, to: usize, consumer: &Node) -> Result<NodeId> {
        let key = (source, None, to);
        if let Some(received) = self.received.get(&key) {
            return Ok(*received);
        }
        let producer = self.graph.node(source);
        let empty = Tensor::zeros(DType::Float, &Shape::vector(0))?;
        let attrs = [("dtype", AttrValue::Type(DType::Float)), ("value", AttrValue::Tensor(empty))];
        let mut token = internal_node(self.registry, "Const", self.name(producer), &producer.device, attrs)?;
        token.control_inputs.push(self.moved[&source]);
        let token = self.parts[from].graph.add(token)?;
        let received =
            self.send_and_receive(Endpoint { node: token, index: 0 }, DType::Float, source, from, to, consumer)?;
        let mut identity = internal_node(
            self.registry,
            "Identity",
            self.name(producer),
            &consumer.device,
            [("T", AttrValue::Type(DType::Float))],
        )?;
        identity.inputs.push(Endpoint { node: received, index: 0 });
        let identity = self.parts[to].graph.add(identity)?;
        self.received.insert(key, identity);
        Ok(identity)
    }

    fn send_and_receive(
        &mut self,
        input: Endpoint,
        dtype: DType,
        source: NodeId,
        from: usize,
        to: usize,
        consumer: &Node,
    ) -> Result<NodeId> {
        let producer = self.graph.node(source);
        let incarnation = self.devices.incarnation(&producer.device)?;
        self.edges += 1;
        let name = format!("edge_{}_{}", self.edges, producer.name);
        let attrs = |type_attr: &'static str| {
            [
                (type_attr, AttrValue::Type(dtype)),
                ("tensor_name", AttrValue::String(name.clone().into())),
                ("send_device", AttrValue::String(producer.device.clone().into())),
                ("send_device_incarnation", AttrValue::Int(incarnation as i64)),
                ("recv_device", AttrValue::String(consumer.device.clone().into())),
            ]
        };
        let mut send = internal_node(self.registry, "_Send", self.name(producer), &producer.device, attrs("T"))?;
        send.inputs.push(input);
        self.parts[from].graph.add(send)?;
        let mut recv =
            internal_node(self.registry, "_Recv", self.name(producer), &consumer.device, attrs("tensor_type"))?;
        let pace = self.loops.pace(source, &self.parts[to].location);
        recv.control_inputs.extend(pace.and_then(|merge| self.moved.get(&merge)));
        self.parts[to].graph.add(recv)
    }

    /// A name that no node of any part has: parts are numbered on, and `/_` never begins a client's name part.
    fn name(&mut self, producer: &Node) -> String {
        self.edges += 1;
        format!("{}/_{}", producer.name, self.edges)
    }
}
