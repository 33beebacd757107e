//! Planning a step: from what a client asks for to the graphs that devices execute. Written once, for all sessions.
//!
//! Every pass that a graph goes through stands in one of three lists: [`Planner::set_graph`] when a session takes a graph,
//! [`Planner::plan`] when a step is asked for the first time, [`split_by_device`] when a worker gets its part of a step.

use std::collections::HashMap;
use std::sync::Arc;

use graph::op::Registry;
use graph::{GraphData, NodeId, expand_functions, prune};
use tensor::Result;

use crate::DeviceSet;
use crate::control_loops::with_control_loops;
use crate::improve::{Improvements, improve};
use crate::kernels::unknown_op;
use crate::late_reads::with_late_reads;
use crate::moments::with_moments;
use crate::partition::{Partition, partition};
use crate::placer::{PlacementOptions, place};
use crate::rewrite::with_endings;
use crate::rules::explain;

/// What a step feeds, fetches and runs, by name. Steps with the same signature share a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Tensors that the client gives values for.
    pub feeds: Vec<String>,
    /// Tensors that the client wants the values of.
    pub fetches: Vec<String>,
    /// Nodes that must run.
    pub targets: Vec<String>,
}

/// How a client's values enter and leave the graph.
#[derive(Clone, Debug)]
pub enum Endings {
    /// As numbered arguments and results, for callers in this process.
    Call {
        /// The full name of the device where they do so.
        device: String,
    },
    /// Through the step's rendezvous, for callers elsewhere.
    Rendezvous {
        /// The full name of the device where they do so.
        device: String,
        /// Its number, which is part of the keys.
        incarnation: u64,
    },
}

/// A session's graph, placed, from which plans are made.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// use tensorfleet_runtime::{Device, DeviceSet, Endings, PlacementOptions, Planner, Signature};
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let y = g.with_device("/cpu:1", |g| g.constant(2f32) * 3.0);
/// let cpus: Vec<_> = (0..2).map(|index| Arc::new(Device::cpu("localhost", 0, index))).collect();
/// let mut planner = Planner::new(g.registry().clone(), DeviceSet::of(&cpus), PlacementOptions::default());
/// planner.set_graph(g.snapshot()?)?;
/// let signature = Signature { fetches: vec![y.name().unwrap().to_string()], ..Default::default() };
/// let endings = Endings::Call { device: cpus[0].full_name.clone() };
/// let plan = planner.plan(&signature, &endings, |device| device.to_owned())?;
/// // The product is computed on one device and returned on the other.
/// assert_eq!(plan.partitions.len(), 2);
/// # Ok(())
/// # }
/// ```
pub struct Planner {
    registry: Arc<Registry>,
    devices: DeviceSet,
    options: PlacementOptions,
    improvements: Improvements,
    graph: GraphData,
    /// The devices that nodes asked for, by name.
    asked: HashMap<String, String>,
}

/// The graphs of a step, one a place.
pub struct Plan {
    /// Each with its place.
    pub partitions: Vec<Partition>,
}

impl Planner {
    /// A planner for graphs of these ops on these devices; its graph is empty.
    pub fn new(registry: Arc<Registry>, devices: DeviceSet, options: PlacementOptions) -> Planner {
        Planner {
            registry,
            devices,
            options,
            improvements: Improvements::default(),
            graph: GraphData::default(),
            asked: HashMap::new(),
        }
    }

    /// Chooses how the graphs of steps are improved.
    #[must_use]
    pub fn with_improvements(self, improvements: Improvements) -> Planner {
        Planner { improvements, ..self }
    }

    /// The ops that graphs are made of.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The devices that nodes are placed on.
    pub fn devices(&self) -> &DeviceSet {
        &self.devices
    }

    /// The session's graph, functions taken apart and nodes placed.
    pub fn graph(&self) -> &GraphData {
        &self.graph
    }

    /// Takes a grown version of the graph. On an error the old one stays.
    ///
    /// # Errors
    /// `InvalidArgument` if a node cannot be placed.
    pub fn set_graph(&mut self, mut graph: GraphData) -> Result<()> {
        expand_functions(&mut graph, &self.registry)?;
        let asked = self.newly_asked(&graph);
        place(&mut graph, &self.devices, self.options, Some(&self.graph))?;
        self.graph = graph;
        self.asked.extend(asked);
        Ok(())
    }

    /// As [`set_graph`](Planner::set_graph), with devices that have grown too.
    ///
    /// # Errors
    /// `InvalidArgument` if a node cannot be placed.
    pub fn grow(&mut self, mut graph: GraphData, devices: DeviceSet) -> Result<()> {
        expand_functions(&mut graph, &self.registry)?;
        let asked = self.newly_asked(&graph);
        place(&mut graph, &devices, self.options, Some(&self.graph))?;
        (self.graph, self.devices) = (graph, devices);
        self.asked.extend(asked);
        Ok(())
    }

    /// The devices that nodes ask for which were not there before: those that were have been placed.
    fn newly_asked(&self, graph: &GraphData) -> Vec<(String, String)> {
        let new = graph.nodes().iter().filter(|node| !node.device.is_empty() && self.graph.find(&node.name).is_none());
        new.map(|node| (node.name.clone(), node.device.clone())).collect()
    }

    /// Why each node of the graph is on its device, in the order of the nodes.
    pub fn explain(&self) -> Vec<String> {
        explain(&self.graph, &self.asked)
    }

    /// Plans a step, split by `location` (of a full device name).
    ///
    /// # Errors
    /// `NotFound` for names or ops that do not exist; `InvalidArgument` for what cannot be fed, fetched or placed.
    pub fn plan(&self, signature: &Signature, endings: &Endings, location: impl Fn(&str) -> String) -> Result<Plan> {
        self.plan_among(signature, endings, location, |_| true)
    }

    /// As [`plan`](Planner::plan), where only devices that `knows` names have the ops that improvements may make of others:
    /// those of processes like this one.
    ///
    /// # Errors
    /// As [`plan`](Planner::plan).
    pub fn plan_among(
        &self,
        signature: &Signature,
        endings: &Endings,
        location: impl Fn(&str) -> String,
        knows: impl Fn(&str) -> bool,
    ) -> Result<Plan> {
        // Feeds cut the graph off, and fetches and targets say what is needed of it.
        let (graph, roots) = with_endings(&self.graph, signature, endings, &self.registry)?;
        let names: Vec<String> = roots.iter().map(|id| graph.node(*id).name.clone()).collect();
        let graph = prune(&graph, &roots);
        // Ops that are not known may stand in a graph, but not in a step.
        refuse_unknown(&graph, &self.registry)?;
        // Before the split, because only the whole step shows what runs after an update of a variable.
        let graph = with_late_reads(graph)?;
        // After the late reads, which the reads of variables must still show as the client laid them out.
        let graph = improve(graph, &names, &self.improvements, &self.registry, &location, &knows)?;
        // Before the split, because a moment spans places; last, so that nothing of it is taken for the client's.
        let graph = with_moments(graph, &self.registry, &knows)?;
        // Before the split, because only the whole step shows which loops span places.
        let graph = with_control_loops(graph, &self.registry, &location)?;
        let partitions = partition(graph, &self.devices, &self.registry, &location)?;
        Ok(Plan { partitions })
    }

    /// All nodes of this op, for those who look into a graph.
    pub fn nodes_of<'a>(&'a self, op: &'a str) -> impl Iterator<Item = NodeId> + 'a {
        self.graph.ids().filter(move |id| self.graph.node(*id).op == op)
    }
}

/// Plans a task's part of a step, which a master has planned and split by task: it is split by device.
///
/// # Errors
/// `InvalidArgument` if a node's device is not one of `devices`; `Unimplemented` for a loop that spans devices and has no
/// condition.
pub fn split_by_device(graph: &GraphData, devices: &DeviceSet, registry: &Registry) -> Result<Vec<Partition>> {
    let location = |device: &str| device.to_owned();
    // TensorFlow's master does not know of late reads. What ours has done already stays as it is.
    let graph = with_late_reads(graph.clone())?;
    // A master paces loops that span tasks; those that span devices of one task are paced here.
    let graph = with_control_loops(graph, registry, &location)?;
    partition(graph, devices, registry, &location)
}

fn refuse_unknown(graph: &GraphData, registry: &Registry) -> Result<()> {
    match graph.nodes().iter().find(|node| node.spec.is_none()) {
        Some(unknown) => Err(unknown_op(unknown, registry)),
        None => Ok(()),
    }
}
