//! What a session has on this task: its graphs, ready to run, and the devices as it calls them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use graph::GraphData;
use graph::op::Registry;
use parking_lot::Mutex;
use runtime::{Device, DeviceSet, Executor, KernelCache, Parts, Pool, split_by_device};
use tensor::{Result, ensure, err};

use crate::connection::Connection;
use crate::lease::Lease;
use crate::peers::Peers;

pub(crate) struct WorkerSession {
    pub(super) peers: Arc<Peers>,
    pub(super) devices: Vec<Arc<Device>>,
    cache: KernelCache,
    pub(super) graphs: Mutex<HashMap<String, Arc<RegisteredGraph>>>,
    /// Only of sessions that other tasks' masters opened.
    pub(super) lease: OnceLock<Lease>,
}

/// A graph that is ready to run.
pub(super) struct RegisteredGraph {
    pub parts: Parts,
    /// What each part was made of, for those who ask.
    pub graphs: Vec<GraphData>,
    /// The tasks between which tensors of the graph are pushed.
    pub linked: Arc<[String]>,
    /// Whether any thread may run it.
    pub cheap: bool,
}

impl WorkerSession {
    pub(super) fn new(peers: Arc<Peers>, devices: Vec<Arc<Device>>) -> WorkerSession {
        WorkerSession {
            peers,
            devices,
            cache: KernelCache::default(),
            graphs: Mutex::default(),
            lease: OnceLock::new(),
        }
    }

    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// A master uses the session over this connection.
    pub fn used_by(&self, connection: &Connection) {
        self.lease.get_or_init(Lease::default).used_by(connection);
    }

    pub(super) fn prepare(
        &self,
        graph: &GraphData,
        linked: &[String],
        registry: &Registry,
        kernels: &Pool,
        blocking: &Pool,
    ) -> Result<RegisteredGraph> {
        let own = self.peers.own();
        for node in graph.nodes() {
            let known = self.devices.iter().any(|device| device.full_name == node.device);
            ensure!(
                known,
                InvalidArgument,
                "node '{}' is placed on {:?}, which is not a device of {own}",
                node.name,
                node.device,
            );
        }
        let split = split_by_device(graph, &DeviceSet::of(&self.devices), registry)?;
        let mut registered =
            RegisteredGraph { parts: Parts::new(), graphs: Vec::new(), linked: linked.into(), cheap: true };
        for part in split {
            let device = self.devices.iter().find(|device| device.full_name == part.location);
            let device = device.ok_or_else(|| err!(InvalidArgument, "{} is not a device of {own}", part.location))?;
            let executor = Executor::new(&part.graph, &self.cache, kernels.clone(), blocking.clone())?;
            registered.cheap &= executor.is_cheap();
            registered.parts.push((executor, device.clone()));
            registered.graphs.push(part.graph);
        }
        Ok(registered)
    }
}
