//! The worker: runs the parts of graphs that were registered with it, on this task's devices.

mod partial;
mod rendezvous;
mod session;
mod step;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use graph::op::{Cancellation, Parcel, Registry, RendezvousKey};
use graph::{DeviceName, GraphData};
use parking_lot::Mutex;
use runtime::{Device, Pool, StepStats};
use tensor::{Result, Status, Tensor, ensure, err};

use crate::link::CreditGuard;
use crate::peers::{Peers, task_of};
use crate::recent::RecentIds;
pub(crate) use session::WorkerSession;
use step::Steps;

/// A task's worker.
pub(crate) struct Worker {
    peers: Arc<Peers>,
    devices: Vec<Arc<Device>>,
    registry: Arc<Registry>,
    pub kernels: Pool,
    blocking: Pool,
    /// Where calls to other tasks are made.
    pub network: tokio::runtime::Handle,
    sessions: Mutex<HashMap<String, Arc<WorkerSession>>>,
    /// Whether there ever was a session.
    used: AtomicBool,
    steps: Arc<Steps>,
    next_graph: AtomicU64,
    /// Requests to run graphs and for tensors.
    pub recent: RecentIds,
}

/// One step of a registered graph.
pub(crate) struct StepCall {
    pub id: i64,
    /// Values by rendezvous key, put there before the step begins.
    pub sends: Vec<(RendezvousKey, Tensor)>,
    /// Keys of the values to give back.
    pub receives: Vec<RendezvousKey>,
    pub trace: bool,
    /// Whether to tell the graphs that ran.
    pub graphs: bool,
    /// For a step in several calls: which of them this is.
    pub partial: Option<PartialCall>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartialCall {
    NotLast,
    Last,
}

/// What a step gave, by the order of its `receives`.
#[derive(Default)]
pub(crate) struct StepAnswer {
    pub tensors: Vec<Tensor>,
    pub stats: Option<StepStats>,
    pub graphs: Vec<wire::GraphDef>,
}

pub(crate) type Answer = Box<dyn FnOnce(Result<StepAnswer>) + Send>;

impl Worker {
    pub fn new(
        peers: Arc<Peers>,
        job: &str,
        task: u32,
        cpus: u32,
        registry: Arc<Registry>,
        network: tokio::runtime::Handle,
    ) -> Worker {
        Worker {
            peers,
            devices: (0..cpus).map(|index| Arc::new(Device::cpu(job, task, index))).collect(),
            registry,
            kernels: Pool::for_kernels(),
            blocking: Pool::for_blocking(),
            network,
            sessions: Mutex::default(),
            used: AtomicBool::new(false),
            steps: Arc::default(),
            next_graph: AtomicU64::new(1),
            recent: RecentIds::default(),
        }
    }

    pub fn task(&self) -> &str {
        self.peers.own()
    }

    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The devices as TensorFlow's messages describe them.
    pub fn device_attributes(&self) -> Vec<wire::DeviceAttributes> {
        let describe = |device: &Arc<Device>| wire::DeviceAttributes {
            name: device.full_name.clone(),
            device_type: device.name.kind.clone().unwrap_or_default(),
            memory_limit: device.memory_limit,
            incarnation: device.incarnation,
            locality: Some(wire::DeviceLocality::default()),
            physical_device_desc: if self.peers.may_link() { MARKER } else { MARKER_OVER_GRPC }.to_owned(),
            xla_global_id: -1,
        };
        self.devices.iter().map(describe).collect()
    }

    /// Makes room for a session; one that is there already stays. An isolated one shares no resources with others; one
    /// with a cluster of its own calls this task and its devices as that cluster does.
    ///
    /// # Errors
    /// `InvalidArgument` for an empty handle.
    pub fn create_session(&self, handle: &str, isolate: bool, peers: Option<Arc<Peers>>) -> Result<Arc<WorkerSession>> {
        ensure!(!handle.is_empty(), InvalidArgument, "a worker session must have a handle");
        let peers = peers.unwrap_or_else(|| self.peers.clone());
        let task: DeviceName = peers.own().parse()?;
        let mut devices = self.devices.clone();
        if peers.own() != self.task() {
            devices = devices.iter().map(|device| Arc::new(device.of_task(&task))).collect();
        }
        if isolate {
            devices = devices.iter().map(|device| Arc::new(device.isolated())).collect();
        }
        let session = Arc::new(WorkerSession::new(peers, devices));
        self.used.store(true, Ordering::Relaxed);
        Ok(self.sessions.lock().entry(handle.to_owned()).or_insert(session).clone())
    }

    /// Forgets a session's graphs; resources that it shared stay.
    pub fn delete_session(&self, handle: &str) {
        let session = self.sessions.lock().remove(handle);
        drop(session);
    }

    /// # Errors
    /// `Aborted`, by which masters and clients know that the task has forgotten the session.
    pub fn session(&self, handle: &str) -> Result<Arc<WorkerSession>> {
        let found = self.sessions.lock().get(handle).cloned();
        found.ok_or_else(|| {
            err!(
                Aborted,
                "Session handle is not found: {handle}. Possibly this worker (\"{}\") just restarted.",
                self.task()
            )
        })
    }

    /// Forgets the sessions of masters that have gone for so long, and steps that were left behind. The sessions of the own master are its own business.
    pub fn collect_sessions(&self, lease: Duration) {
        self.sessions.lock().retain(|handle, session| {
            let over = session.lease.get().is_some_and(|held| held.is_over(lease, false));
            if over {
                tracing::info!(session = %handle, "collected a worker session: its master has gone");
            }
            !over
        });
        self.steps.collect();
    }

    pub fn was_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    pub fn session_count(&self) -> usize {
        self.sessions.lock().len()
    }

    /// How many steps run here or have not been cleaned up.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// Prepares a graph whose nodes are all placed on this task. Between the tasks of `linked` tensors are pushed.
    ///
    /// # Errors
    /// `Aborted` for an unknown session; `InvalidArgument` for a node on another task; `NotFound` for ops without kernels.
    pub fn register_graph(&self, session: &str, graph: &GraphData, linked: &[String]) -> Result<String> {
        let session = self.session(session)?;
        let registered = session.prepare(graph, linked, &self.registry, &self.kernels, &self.blocking)?;
        let handle = format!("{:016x}", self.next_graph.fetch_add(1, Ordering::Relaxed));
        session.graphs.lock().insert(handle.clone(), Arc::new(registered));
        Ok(handle)
    }

    /// Forgets a graph.
    pub fn deregister_graph(&self, session: &str, graph: &str) -> Result<()> {
        let removed = self.session(session)?.graphs.lock().remove(graph);
        removed.map(drop).ok_or_else(|| err!(Aborted, "Graph handle is not found: {graph}."))
    }

    /// Runs a step of a graph; `answer` is called once, when everything of it on this task has ended. What was sent to
    /// other tasks waits for them until [`clean_up`](Worker::clean_up).
    pub fn run_graph(
        self: &Arc<Self>,
        session: &str,
        graph: &str,
        call: StepCall,
        cancellation: &Cancellation,
        answer: Answer,
    ) {
        let found = self.session(session).and_then(|session| {
            let found = session.graphs.lock().get(graph).cloned();
            let graph = found.ok_or_else(|| {
                err!(Aborted, "Graph handle is not found: {graph}. Possibly, this worker just restarted.")
            })?;
            Ok((session, graph))
        });
        let (session, graph) = match found {
            Ok(found) => found,
            Err(status) => return answer(Err(status)),
        };
        if call.partial.is_some() {
            return partial::advance(self, &session, graph, call, cancellation, answer);
        }
        if graph.cheap {
            return step::start(self, &session, graph, call, cancellation, answer);
        }
        // Whoever asks is a network thread, which has others to serve.
        let (worker, cancellation) = (self.clone(), cancellation.clone());
        self.kernels.spawn(move || step::start(&worker, &session, graph, call, &cancellation, answer));
    }

    /// The tensor of a key, when a step has made it. Dropping the future gives up waiting.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed key or a device that is not here; `Aborted` if the key is for an earlier life of
    /// this task; what the step failed with.
    pub async fn recv_tensor(&self, step: i64, key: &str) -> Result<Parcel> {
        let key = RendezvousKey::parse(key)?;
        // Sessions may call this task by another name, so only the device counts.
        let local = |name: &str| name[task_of(name).len()..].to_owned();
        let device = self.devices.iter().find(|device| local(&device.full_name) == local(key.send_device()));
        let device =
            device.ok_or_else(|| err!(InvalidArgument, "{} is not a device of {}", key.send_device(), self.task()))?;
        ensure!(
            device.incarnation == key.incarnation(),
            Aborted,
            "RecvTensor expects a different device incarnation: {} vs. {}. Your worker job (\"{}\") was probably restarted. Check your worker job for the reason why it was restarted.",
            key.incarnation(),
            device.incarnation,
            self.task()
        );
        self.steps.receive(step, &key).await
    }

    /// A tensor of a step was pushed here.
    pub fn deliver(&self, step: i64, key: &RendezvousKey, parcel: Parcel, guard: Option<CreditGuard>) {
        self.steps.deliver(step, key, parcel, guard);
    }

    /// A tensor of a step exists but is not pushed until `want` is called.
    pub fn announce(&self, step: i64, key: &str, want: impl FnOnce() + Send + 'static) {
        self.steps.announce(step, key, Box::new(want));
    }

    /// Tensors to or from a task may be lost: the steps in which it is linked fail.
    pub fn peer_lost(&self, task: &str, status: &Status) {
        self.steps.fail_with(task, status);
    }

    /// Forgets a step; whoever still waits for a tensor of it is told.
    pub fn clean_up(&self, step: i64) {
        for task in self.steps.remove(step, err!(Aborted, "Cleanup {step}").derived()).iter() {
            if let Ok(peer) = self.peers.get(task) {
                peer.link().forget(step);
            }
        }
    }

    /// Empties containers of all devices.
    pub fn clear_containers(&self, containers: &[String]) {
        for device in &self.devices {
            device.resources.clear(containers);
        }
    }
}

/// By this, one of our tasks knows another that can be linked,
pub(crate) const MARKER: &str = "tensorfleet 1";
/// and one that shall not be.
const MARKER_OVER_GRPC: &str = "tensorfleet, over gRPC only";
