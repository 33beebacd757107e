//! What a session has on this task: its graphs, ready to run, and the devices as it calls them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use graph::GraphData;
use graph::op::{Collectives, Registry};
use parking_lot::Mutex;
use runtime::{Device, DeviceSet, Executor, KernelCache, Parts, Pool, split_by_device};
use tensor::{Result, ensure, err};

use crate::call::{Caller, GraphHandle, GraphTerms, Lease, SessionHandle};
use crate::peer::{Peers, TensorRoutes};

/// A session of a master.
pub(crate) struct WorkerSession {
    peers: Arc<Peers>,
    devices: Vec<Arc<Device>>,
    cache: KernelCache,
    /// Where its devices meet the other members of their groups.
    collectives: Arc<dyn Collectives>,
    pub(super) graphs: Mutex<HashMap<GraphHandle, Arc<RegisteredGraph>>>,
    /// Only of sessions that other tasks' masters opened.
    pub(super) lease: OnceLock<Lease>,
}

/// A graph that is ready to run.
pub(super) struct RegisteredGraph {
    /// The session that it belongs to.
    pub session: SessionHandle,
    pub parts: Parts,
    /// What each part was made of, for those who ask.
    pub graphs: Vec<GraphData>,
    /// How its tensors reach other tasks.
    pub routes: TensorRoutes,
    /// Whether any thread may run it.
    pub cheap: bool,
    /// Where the members of its collectives find each other.
    pub collectives: Arc<dyn Collectives>,
    /// The sequence in which its steps are counted by those who do not share them.
    pub sequence: Option<i64>,
}

impl WorkerSession {
    /// A session that knows the other tasks as `peers` and calls its devices so.
    pub(super) fn new(
        peers: Arc<Peers>,
        devices: Vec<Arc<Device>>,
        collectives: Arc<dyn Collectives>,
    ) -> WorkerSession {
        WorkerSession {
            peers,
            devices,
            cache: KernelCache::default(),
            collectives,
            graphs: Mutex::default(),
            lease: OnceLock::new(),
        }
    }

    /// Returns the devices as the session calls them.
    pub(super) fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// Notes that a master has used the session.
    pub fn used_by(&self, caller: &Caller) {
        self.lease.get_or_init(Lease::default).used_by(caller);
    }

    /// Makes a graph ready to run.
    ///
    /// # Errors
    /// `InvalidArgument` for a node on another task; `NotFound` for ops without kernels.
    pub(super) fn prepare(
        &self,
        graph: &GraphData,
        terms: &GraphTerms,
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
        let routes = TensorRoutes::new(self.peers.clone(), &terms.linked);
        let collectives = self.collectives.clone();
        let mut registered = RegisteredGraph {
            session: SessionHandle::default(),
            parts: Parts::new(),
            graphs: Vec::new(),
            routes,
            cheap: true,
            collectives,
            sequence: (terms.collectives != 0 && !terms.mixed).then_some(terms.collectives),
        };
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
