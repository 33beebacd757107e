//! Improving a step's graph before it runs: the same values with less work, one file a pass.
//!
//! What a client feeds, fetches or names as a target stays, and so do names of whatever runs. Nodes with state, effects or
//! references to variables are never touched; only reads are (`views`). Every pass looks at each node a bounded number of times.

mod constants;
mod copies;
mod fusing;
mod identities;
mod merging;
mod unused;
mod views;

use graph::op::{Registry, Role};
use graph::{GraphData, Node, NodeId, prune};
use tensor::Result;

/// Which improvements a session makes to the graphs of its steps.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet_runtime::Improvements;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let sum = g.constant(1f32) + 2.0;
/// let options = SessionOptions { improvements: Improvements::NONE, ..Default::default() };
/// let session = LocalSession::with_options(&g, options)?;
/// assert_eq!(session.eval::<f32, _>(&sum)?, 3.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Improvements {
    /// Nodes that only pass a value on are left out, and so are those whose values nobody takes, and reads of variables where an
    /// op needs little of one.
    pub identities: bool,
    /// What follows from constants alone is computed once, when the step is planned.
    pub folding: bool,
    /// Nodes that compute the same from the same are one.
    pub merging: bool,
    /// Nodes become one where ops offer to do the work of several.
    pub fusing: bool,
    /// A small constant that is used in another place is copied there instead of being sent at every step.
    pub copying: bool,
    /// The largest constant, in bytes, that folding makes.
    pub max_folded_bytes: usize,
}

impl Improvements {
    /// All of them.
    pub const ALL: Improvements = Improvements {
        identities: true,
        folding: true,
        merging: true,
        fusing: true,
        copying: true,
        max_folded_bytes: 10 << 20,
    };

    /// None of them: the graph runs as it stands.
    pub const NONE: Improvements = Improvements {
        identities: false,
        folding: false,
        merging: false,
        fusing: false,
        copying: false,
        ..Improvements::ALL
    };
}

impl Default for Improvements {
    /// All of them.
    fn default() -> Improvements {
        Improvements::ALL
    }
}

/// The graph of a step, improved. `roots` are the names of the nodes that the step is run for; `location` maps a full device
/// name to a place, and `knows` says whether the ops that rewrites make are known on a device.
pub(crate) fn improve(
    mut graph: GraphData,
    roots: &[String],
    options: &Improvements,
    registry: &Registry,
    location: &impl Fn(&str) -> String,
    knows: &impl Fn(&str) -> bool,
) -> Result<GraphData> {
    if !is_worth_it(&graph) {
        return Ok(graph);
    }
    // A graph that cannot be put in order is refused when it is prepared, with a better message.
    let Ok(order) = graph.topological_order() else { return Ok(graph) };
    let mut kept: Vec<NodeId> = roots.iter().filter_map(|name| graph.find(name)).collect();
    if options.identities {
        identities::bypass(&mut graph, &order);
    }
    if options.folding {
        constants::fold(&mut graph, &order, options.max_folded_bytes, registry)?;
    }
    if options.merging {
        merging::merge(&mut graph, &order, &kept);
    }
    if options.identities {
        // What was left out so far must not count as a use.
        (graph, kept) = pruned(&graph, &kept);
        let order = graph.topological_order()?;
        unused::idle(&mut graph, &order, &kept, registry)?;
    }
    if options.fusing {
        // What was left out so far must not count as a use.
        (graph, kept) = pruned(&graph, &kept);
        let order = graph.topological_order()?;
        fusing::fuse(&mut graph, &order, &kept, registry, knows);
    }
    if options.identities {
        views::look(&mut graph);
    }
    if *options != Improvements::NONE {
        (graph, _) = pruned(&graph, &kept);
    }
    if options.copying {
        copies::copy_constants(&mut graph, location)?;
    }
    Ok(graph)
}

/// Smaller graphs run as they stand, as in TensorFlow: there is nothing to gain, and who runs a node or two wants to see them.
const MIN_NODES: usize = 4;

/// Whether there are enough nodes beside those through which values enter and leave.
fn is_worth_it(graph: &GraphData) -> bool {
    let ends = |node: &&Node| matches!(node.role(), Role::Argument | Role::Returned | Role::Send | Role::Receive);
    graph.nodes().iter().filter(|node| !ends(node)).take(MIN_NODES).count() == MIN_NODES
}

/// The part of a graph that these nodes need, and the nodes in it.
fn pruned(graph: &GraphData, kept: &[NodeId]) -> (GraphData, Vec<NodeId>) {
    let part = prune(graph, kept);
    let kept = kept.iter().filter_map(|id| part.find(&graph.node(*id).name)).collect();
    (part, kept)
}
