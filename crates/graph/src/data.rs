//! The plain structure of a graph: nodes, and which outputs and nodes each one waits for.

use std::collections::HashMap;
use std::sync::Arc;

use tensor::{DType, PartialShape, Result, ensure, err};

use crate::attr::{Attrs, ReadAttrs};
use crate::import::FunctionLibrary;
use crate::op::{OpSpec, Role};
use crate::{DeviceName, TensorName};

/// A node's number in its graph.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// g.constant(1f32);
/// assert_eq!(g.constant(2f32).operation().id().unwrap().index(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Returns the node's place among the nodes of its graph.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One output of a node.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let endpoint = g.constant(1f32).endpoint().unwrap();
/// assert_eq!((endpoint.node.index(), endpoint.index), (0, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    /// The node.
    pub node: NodeId,
    /// Which of the node's outputs.
    pub index: u32,
}

/// What flows along an edge: a value, or a reference to a variable's value.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let value = g.snapshot()?.value_type(w.handle().endpoint().unwrap()).unwrap();
/// assert_eq!((value.dtype, value.is_ref), (DType::Float, true));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueType {
    /// The type of the elements.
    pub dtype: DType,
    /// Whether it is a reference to a variable.
    pub is_ref: bool,
}

/// The version numbers a graph was written with.
///
/// ```
/// use tensorfleet::prelude::*;
/// let versions = Graph::new().snapshot()?.versions;
/// assert!(versions.producer > versions.min_consumer);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Versions {
    /// The version of whoever made the graph.
    pub producer: i32,
    /// The least version that can read the graph.
    pub min_consumer: i32,
    /// Versions that cannot read the graph all the same.
    pub bad_consumers: Vec<i32>,
}

impl Default for Versions {
    /// The producer number of TensorFlow 2.21, whose op definitions are the ones here.
    fn default() -> Versions {
        Versions { producer: 2474, min_consumer: 0, bad_consumers: Vec::new() }
    }
}

/// A node: an op with a name, inputs and attributes.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let sum = g.with_device("/cpu:0", |g| g.constant(1f32) + 1.0);
/// let data = g.snapshot()?;
/// let node = data.node(sum.operation().id().unwrap());
/// assert_eq!((node.name.as_str(), node.op.as_str(), node.device.as_str()), ("add", "AddV2", "/device:CPU:0"));
/// assert_eq!((node.inputs.len(), node.output_shape(0)), (2, PartialShape::scalar()));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct Node {
    /// The full name, with the scopes before it.
    pub name: String,
    /// The name of the op.
    pub op: String,
    /// The registered op; `None` for one that is not known here, which may stand in a graph but not run.
    pub spec: Option<Arc<OpSpec>>,
    /// The requested device; after placement, the full name of the assigned one.
    pub device: String,
    /// What the node's inputs are taken from.
    pub inputs: Vec<Endpoint>,
    /// Nodes that must have run before.
    pub control_inputs: Vec<NodeId>,
    /// With the definition's defaults filled in.
    pub attrs: Attrs,
    /// The types of the inputs.
    pub input_types: Vec<ValueType>,
    /// The types of the outputs.
    pub output_types: Vec<ValueType>,
    /// What is known of each output's shape; empty if nothing was inferred.
    pub output_shapes: Vec<PartialShape>,
    /// For outputs that are resource handles: type and shape of the value behind them.
    pub handle_shapes: Vec<Option<(DType, PartialShape)>>,
}

impl ReadAttrs for Node {
    fn attr_map(&self) -> &Attrs {
        &self.attrs
    }
}

impl Node {
    /// A node of an op that is not registered: it may stand in a graph, but not run.
    pub(crate) fn unknown(op: String, name: String, attrs: Attrs) -> Node {
        Node {
            name,
            op,
            spec: None,
            device: String::new(),
            inputs: Vec::new(),
            control_inputs: Vec::new(),
            attrs,
            input_types: Vec::new(),
            output_types: Vec::new(),
            output_shapes: Vec::new(),
            handle_shapes: Vec::new(),
        }
    }

    /// Returns what is known of an output's shape.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.constant([1f32, 2.0]);
    /// assert_eq!(g.snapshot()?.nodes()[0].output_shape(0), PartialShape::from([2]));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn output_shape(&self, index: usize) -> PartialShape {
        self.output_shapes.get(index).cloned().unwrap_or_default()
    }

    /// The part that its op plays in a graph.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::op::Role;
    /// let g = Graph::new();
    /// g.constant(1f32);
    /// assert_eq!(g.snapshot()?.nodes()[0].role(), Role::Constant);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn role(&self) -> Role {
        self.spec.as_ref().map_or(Role::Plain, |spec| spec.def.role)
    }

    /// The nodes that must have run before this one.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sum = g.constant(1f32) + 1.0;
    /// let data = g.snapshot()?;
    /// let names: Vec<&str> =
    ///     data.node(sum.operation().id().unwrap()).producers().map(|id| data.node(id).name.as_str()).collect();
    /// assert_eq!(names, ["Const", "add/y"]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn producers(&self) -> impl Iterator<Item = NodeId> + '_ {
        let producers = self.inputs.iter().map(|input| input.node).chain(self.control_inputs.iter().copied());
        producers.inspect(|_| crate::work::count())
    }

    /// Returns whether the op has a state, so that two nodes alike are not the same.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let data = g.snapshot()?;
    /// assert!(data.node(data.find("w").unwrap()).is_stateful());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn is_stateful(&self) -> bool {
        self.spec.as_ref().is_some_and(|spec| spec.def.stateful)
    }

    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.with_device("/job:ps/task:1", |g| g.constant(1f32));
    /// assert_eq!(g.snapshot()?.nodes()[0].device_name()?.task, Some(1));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the device string is malformed.
    pub fn device_name(&self) -> Result<DeviceName> {
        self.device.parse::<DeviceName>().map_err(|status| status.at_node(&self.name))
    }

    /// Names of the nodes that this one must share a device with.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = g.constant(1f32);
    /// g.with_colocation(&w.operation(), |g| g.constant(2f32));
    /// assert_eq!(g.snapshot()?.nodes()[1].colocated_with().collect::<Vec<_>>(), ["Const"]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn colocated_with(&self) -> impl Iterator<Item = &str> {
        let entries = self.attr_strings("_class").unwrap_or(&[]);
        entries.iter().filter_map(|entry| std::str::from_utf8(entry).ok()?.strip_prefix("loc:@"))
    }
}

/// A graph's nodes. Edges lead from a node to the outputs it consumes; loops close through `NextIteration`.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let sum = g.constant(1f32) + 1.0;
/// let data = g.snapshot()?;
/// assert_eq!((data.len(), data.find("add").map(|id| data.node(id).op.as_str())), (3, Some("AddV2")));
/// let last = data.topological_order()?.pop().unwrap();
/// assert_eq!(data.node(last).name, "add");
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct GraphData {
    nodes: Vec<Node>,
    by_name: HashMap<String, NodeId>,
    /// The versions that the graph states.
    pub versions: Versions,
    /// The functions that nodes call.
    pub library: FunctionLibrary,
}

impl GraphData {
    /// A graph of no nodes with the same versions and functions.
    #[must_use]
    pub fn emptied(&self) -> GraphData {
        GraphData { versions: self.versions.clone(), library: self.library.clone(), ..Default::default() }
    }

    /// Returns how many nodes there are.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert!(g.snapshot()?.is_empty());
    /// g.constant(1f32);
    /// assert_eq!(g.snapshot()?.len(), 1);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns all nodes, in the order of their numbers.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.constant(1f32);
    /// assert_eq!(g.snapshot()?.nodes()[0].name, "Const");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the numbers of all nodes.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sum = g.constant(1f32) + 1.0;
    /// let data = g.snapshot()?;
    /// assert_eq!(data.ids().next_back(), sum.operation().id());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Returns a node.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let one = g.constant(1f32);
    /// assert_eq!(g.snapshot()?.node(one.operation().id().unwrap()).name, "Const");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn node(&self, id: NodeId) -> &Node {
        crate::work::count();
        &self.nodes[id.index()]
    }

    /// Returns a node to change.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        crate::work::count();
        &mut self.nodes[id.index()]
    }

    /// Returns the node of this name.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.constant(1f32);
    /// let data = g.snapshot()?;
    /// assert!(data.find("Const").is_some() && data.find("Const_1").is_none());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn find(&self, name: &str) -> Option<NodeId> {
        crate::work::count();
        self.by_name.get(name).copied()
    }

    /// Adds a node whose inputs exist (or, in a loop, will exist).
    ///
    /// # Errors
    /// `InvalidArgument` if the name is taken, `ResourceExhausted` beyond four billion nodes.
    pub fn add(&mut self, node: Node) -> Result<NodeId> {
        let id = NodeId(
            u32::try_from(self.nodes.len()).map_err(|_| err!(ResourceExhausted, "a graph of more than 2^32 nodes"))?,
        );
        ensure!(
            !self.by_name.contains_key(&node.name),
            InvalidArgument,
            "Duplicate node name in graph: '{}'",
            node.name
        );
        self.by_name.insert(node.name.clone(), id);
        self.nodes.push(node);
        Ok(id)
    }

    /// The output of this name.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.constant(1f32);
    /// let data = g.snapshot()?;
    /// assert_eq!(data.endpoint(&"Const:0".parse()?)?.index, 0);
    /// assert_eq!(data.endpoint(&"Const:1".parse()?).unwrap_err().code(), Code::InvalidArgument);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` if there is no such node, `InvalidArgument` if it has no such output.
    pub fn endpoint(&self, name: &TensorName) -> Result<Endpoint> {
        let id = self
            .find(&name.node)
            .ok_or_else(|| err!(NotFound, "'{}' is not the name of a node in the graph", name.node))?;
        let outputs = self.node(id).output_types.len();
        ensure!(
            self.node(id).spec.is_none() || (name.index as usize) < outputs,
            InvalidArgument,
            "node '{}' (op {}) has {outputs} outputs, so there is no tensor '{name}'",
            name.node,
            self.node(id).op
        );
        Ok(Endpoint { node: id, index: name.index })
    }

    /// The name of an output, as in `layer/w:0`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let one = g.constant(1f32);
    /// assert_eq!(g.snapshot()?.tensor_name(one.endpoint().unwrap()).to_string(), "Const:0");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn tensor_name(&self, endpoint: Endpoint) -> TensorName {
        TensorName { node: self.node(endpoint.node).name.clone(), index: endpoint.index }
    }

    /// Returns the type of an output, if there is such an output.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let one = g.constant(1f32);
    /// assert_eq!(g.snapshot()?.value_type(one.endpoint().unwrap()).unwrap().dtype, DType::Float);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn value_type(&self, endpoint: Endpoint) -> Option<ValueType> {
        self.node(endpoint.node).output_types.get(endpoint.index as usize).copied()
    }

    /// For each node, the nodes that consume one of its outputs or wait for it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let one = g.constant(1f32);
    /// let sum = &one + &one;
    /// let data = g.snapshot()?;
    /// let users = &data.consumers()[one.operation().id().unwrap().index()];
    /// assert!(users.contains(&sum.operation().id().unwrap()));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn consumers(&self) -> Vec<Vec<NodeId>> {
        let mut consumers = vec![Vec::new(); self.nodes.len()];
        for id in self.ids() {
            for producer in self.node(id).producers() {
                consumers[producer.index()].push(id);
            }
        }
        consumers
    }

    /// All nodes, each after those it depends on; edges out of `NextIteration` do not count.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sum = g.constant(1f32) + 1.0;
    /// let data = g.snapshot()?;
    /// assert_eq!(data.topological_order()?.last(), sum.operation().id().as_ref());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument`, naming a node, if there is a cycle without a `NextIteration`.
    pub fn topological_order(&self) -> Result<Vec<NodeId>> {
        let closes_loop = |id: NodeId| self.node(id).role() == Role::NextIteration;
        let mut waiting: Vec<usize> = vec![0; self.nodes.len()];
        for id in self.ids() {
            waiting[id.index()] = self.node(id).producers().filter(|producer| !closes_loop(*producer)).count();
        }
        let consumers = self.consumers();
        let mut ready: Vec<NodeId> = self.ids().rev().filter(|id| waiting[id.index()] == 0).collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(id) = ready.pop() {
            order.push(id);
            if closes_loop(id) {
                continue;
            }
            for consumer in &consumers[id.index()] {
                waiting[consumer.index()] -= 1;
                if waiting[consumer.index()] == 0 {
                    ready.push(*consumer);
                }
            }
        }
        if let Some(stuck) = self.ids().find(|id| waiting[id.index()] > 0) {
            return Err(
                err!(InvalidArgument, "the graph has a cycle without a NextIteration").at_node(&self.node(stuck).name)
            );
        }
        Ok(order)
    }
}
