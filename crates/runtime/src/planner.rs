//! Planning a step: from what a client asks for to the graphs that devices execute. Written once, for all sessions.

use std::sync::Arc;

use graph::op::Registry;
use graph::{GraphData, NodeId, expand_functions};
use tensor::Result;

use crate::DeviceSet;
use crate::kernels::unknown_op;
use crate::partition::{Partition, partition};
use crate::placer::{PlacementOptions, place};
use crate::rewrite::rewrite;

/// What a step feeds, fetches and runs, by name. Steps with the same signature share a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    pub feeds: Vec<String>,
    pub fetches: Vec<String>,
    pub targets: Vec<String>,
}

/// How a client's values enter and leave the graph.
#[derive(Clone, Debug)]
pub enum Endings {
    /// As numbered arguments and results, for callers in this process.
    Call { device: String },
    /// Through the step's rendezvous, for callers elsewhere.
    Rendezvous { device: String, incarnation: u64 },
}

/// A session's graph, placed, from which plans are made.
pub struct Planner {
    registry: Arc<Registry>,
    devices: DeviceSet,
    options: PlacementOptions,
    graph: GraphData,
}

/// The graphs of a step, one a place.
pub struct Plan {
    pub partitions: Vec<Partition>,
}

impl Planner {
    pub fn new(registry: Arc<Registry>, devices: DeviceSet, options: PlacementOptions) -> Planner {
        Planner { registry, devices, options, graph: GraphData::default() }
    }

    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    pub fn devices(&self) -> &DeviceSet {
        &self.devices
    }

    pub fn graph(&self) -> &GraphData {
        &self.graph
    }

    /// Takes a grown version of the graph. On an error the old one stays.
    ///
    /// # Errors
    /// `InvalidArgument` if a node cannot be placed.
    pub fn set_graph(&mut self, mut graph: GraphData) -> Result<()> {
        expand_functions(&mut graph, &self.registry)?;
        place(&mut graph, &self.devices, self.options, Some(&self.graph))?;
        self.graph = graph;
        Ok(())
    }

    /// As [`set_graph`](Planner::set_graph), with devices that have grown too.
    ///
    /// # Errors
    /// `InvalidArgument` if a node cannot be placed.
    pub fn grow(&mut self, mut graph: GraphData, devices: DeviceSet) -> Result<()> {
        expand_functions(&mut graph, &self.registry)?;
        place(&mut graph, &devices, self.options, Some(&self.graph))?;
        (self.graph, self.devices) = (graph, devices);
        Ok(())
    }

    /// Plans a step, split by `location` (of a full device name).
    ///
    /// # Errors
    /// `NotFound` for names or ops that do not exist; `InvalidArgument` for what cannot be fed, fetched or placed.
    pub fn plan(&self, signature: &Signature, endings: &Endings, location: impl Fn(&str) -> String) -> Result<Plan> {
        let graph = rewrite(&self.graph, signature, endings, &self.registry)?;
        if let Some(unknown) = graph.nodes().iter().find(|node| node.spec.is_none()) {
            return Err(unknown_op(unknown, &self.registry));
        }
        let partitions = partition(&graph, &self.devices, &self.registry, location)?;
        Ok(Plan { partitions })
    }

    /// All nodes of this op, for those who look into a graph.
    pub fn nodes_of<'a>(&'a self, op: &'a str) -> impl Iterator<Item = NodeId> + 'a {
        self.graph.ids().filter(move |id| self.graph.node(*id).op == op)
    }
}
