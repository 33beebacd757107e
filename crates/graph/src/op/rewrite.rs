//! Rewrites: what ops offer to whoever improves graphs. An op knows which others it can take over the work of, and says so
//! here; that nothing else notices is seen to by whoever applies it.

use tensor::DType;

use super::Role;
use crate::attr::AttrValue;
use crate::data::{Endpoint, GraphData, Node, NodeId};

/// A rewrite: one node takes over the work of several.
#[derive(Clone, Copy, Debug)]
pub struct Rewrite {
    /// Its name, for those who look into what was done.
    pub name: &'static str,
    /// Whether it may begin at a node of this op: the last of those that become one.
    pub begins_at: fn(&str) -> bool,
    /// What becomes of the node at a site, and of those before it.
    pub find: fn(&Site<'_>) -> Option<Replacement>,
}

/// The node that takes the place, and the name, of the one where a rewrite begins. Nodes that nobody needs any more then are
/// not run.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// Its op.
    pub op: &'static str,
    /// Its inputs.
    pub inputs: Vec<Endpoint>,
    /// Its attributes.
    pub attrs: Vec<(&'static str, AttrValue)>,
}

/// A place in a graph where a rewrite may begin.
pub struct Site<'a> {
    /// The graph.
    pub graph: &'a GraphData,
    /// The node.
    pub id: NodeId,
    uses: &'a [u32],
}

/// For each node of a graph, by how many edges others depend on it; `kept` nodes count as used from outside.
pub fn uses(graph: &GraphData, kept: &[NodeId]) -> Vec<u32> {
    let mut uses = vec![0u32; graph.len()];
    for producer in graph.nodes().iter().flat_map(Node::producers) {
        uses[producer.index()] += 1;
    }
    for id in kept {
        uses[id.index()] += 1;
    }
    uses
}

impl<'a> Site<'a> {
    /// A site, if the node there can be replaced at all. `uses` is what [`uses`] returned for the graph.
    pub fn new(graph: &'a GraphData, id: NodeId, uses: &'a [u32]) -> Option<Site<'a>> {
        is_pure(graph, graph.node(id)).then_some(Site { graph, id, uses })
    }

    /// The node where the rewrite would begin.
    pub fn node(&self) -> &'a Node {
        self.graph.node(self.id)
    }

    /// The node that makes this value as its first output, if its work can be taken over once it is known that nobody else needs it: it has no
    /// state, waits for nothing but its inputs, and is on the same device.
    pub fn producer(&self, input: Endpoint) -> Option<&'a Node> {
        let node = self.graph.node(input.node);
        let takes = node.device == self.node().device
            && node.control_inputs.is_empty()
            && input.index == 0
            && is_pure(self.graph, node);
        takes.then_some(node)
    }

    /// By how many edges others depend on a node.
    pub fn uses(&self, id: NodeId) -> u32 {
        self.uses[id.index()]
    }

    /// As [`producer`](Site::producer), of a value that has no other use.
    pub fn sole_producer(&self, input: Endpoint) -> Option<&'a Node> {
        (self.uses(input.node) == 1).then(|| self.producer(input)).flatten()
    }

    /// The type of the node's first output.
    pub fn dtype(&self) -> Option<DType> {
        self.node().output_types.first().map(|value| value.dtype)
    }
}

/// Whether a node computes values from values and does nothing else.
fn is_pure(graph: &GraphData, node: &Node) -> bool {
    let by_value = |input: &Endpoint| graph.value_type(*input).is_some_and(|value| !value.is_ref);
    node.spec.is_some()
        && node.role() == Role::Plain
        && !node.is_stateful()
        && node.inputs.iter().all(by_value)
        && node.output_types.iter().all(|value| !value.is_ref)
}
