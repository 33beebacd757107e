//! The worker: runs the parts of graphs that were registered with it, on this task's devices.

mod partial;
mod rendezvous;
mod report;
mod session;
mod step;
mod steps;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use graph::GraphData;
use graph::op::{Cancellation, Parcel, Registry, RendezvousKey, StepId};
use parking_lot::Mutex;
use runtime::{CollectiveHub, CollectiveLetter, Device, Pool, ResourceManager, is_lent};
use tensor::{Result, Status, ensure, err};

use crate::call::{
    Answer, CreditGuard, Desk, GraphHandle, GraphTerms, NewWorkerSession, Recent, RequestId, SessionHandle, StepCall,
    TaskName, WorkerCalls, task_of,
};
use crate::peer::{LetterPost, MixedGroups, Peers, device_attributes};
pub(crate) use session::WorkerSession;
use steps::Steps;

/// Letters of so many bytes are taken by another thread than the network's.
const LARGE: usize = 1 << 20;

/// A task's worker.
pub(crate) struct Worker {
    peers: Arc<Peers>,
    devices: Vec<Arc<Device>>,
    registry: Arc<Registry>,
    kernels: Pool,
    blocking: Pool,
    /// Where calls to other tasks are made.
    network: tokio::runtime::Handle,
    sessions: Mutex<HashMap<SessionHandle, Arc<WorkerSession>>>,
    /// How many there may be.
    max_sessions: usize,
    /// Whether there ever was a session.
    used: AtomicBool,
    steps: Arc<Steps>,
    next_graph: AtomicU64,
    collectives: Arc<CollectiveHub>,
    /// Collectives with tasks of TensorFlow.
    pub mixed: Arc<MixedGroups>,
    /// Requests to run graphs and for tensors.
    pub recent: Recent<RequestId>,
    /// What is counted for operators.
    pub desk: Arc<Desk>,
}

impl Worker {
    /// The worker of a task that knows the others as `peers`. Kernels run in `kernels`, calls to other tasks are made on
    /// `network`.
    pub fn new(
        peers: Arc<Peers>,
        devices: Vec<Arc<Device>>,
        registry: Arc<Registry>,
        kernels: Pool,
        network: tokio::runtime::Handle,
        (collectives, mixed): (Arc<CollectiveHub>, Arc<MixedGroups>),
    ) -> Worker {
        Worker {
            peers,
            devices,
            registry,
            kernels,
            blocking: Pool::for_blocking(),
            network,
            sessions: Mutex::default(),
            max_sessions: usize::MAX,
            used: AtomicBool::new(false),
            steps: Arc::default(),
            next_graph: AtomicU64::new(1),
            collectives,
            mixed,
            recent: Recent::default(),
            desk: Arc::default(),
        }
    }

    /// The same worker, with no more sessions than this.
    pub fn with_max_sessions(self, most: usize) -> Worker {
        Worker { max_sessions: most, ..self }
    }

    /// Returns the ops that graphs may use.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Returns what each device holds.
    pub fn resources(&self) -> impl Iterator<Item = Arc<ResourceManager>> {
        self.devices.iter().map(|device| device.resources.clone())
    }

    /// Returns the threads for work that a network thread must not do.
    pub fn pool(&self) -> &Pool {
        &self.kernels
    }

    /// Returns a session.
    ///
    /// # Errors
    /// `Aborted`, by which masters and clients know that the task has forgotten the session.
    pub fn session(&self, handle: &SessionHandle) -> Result<Arc<WorkerSession>> {
        let found = self.sessions.lock().get(handle).cloned();
        found.ok_or_else(|| {
            err!(
                Aborted,
                "Session handle is not found: {handle}. Possibly this worker (\"{}\") just restarted.",
                self.task()
            )
        })
    }

    /// Forgets the sessions of masters that have gone for so long, and steps that were left behind. The sessions of the own
    /// master are its own business.
    pub fn collect_sessions(&self, lease: Duration) {
        let over: Vec<SessionHandle> = {
            let sessions = self.sessions.lock();
            let is_over = |session: &WorkerSession| session.lease.get().is_some_and(|held| held.is_over(lease, false));
            sessions.iter().filter(|(_, session)| is_over(session)).map(|(handle, _)| handle.clone()).collect()
        };
        for handle in over {
            tracing::info!(session = %handle, "collected a worker session: its master has gone");
            self.delete_session(&handle);
        }
        self.steps.collect();
    }

    /// Returns whether there ever was a session.
    pub fn was_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns how many sessions there are.
    pub fn session_count(&self) -> usize {
        self.sessions.lock().len()
    }

    /// Returns how many steps run here or have not been cleaned up.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// Returns the second since 1970 until which the certificate of this task holds; `None` without TLS.
    pub fn tls_until(&self) -> Option<i64> {
        self.peers.tls_until()
    }

    /// Returns how many steps are executed here.
    pub fn running_count(&self) -> usize {
        self.steps.running().len()
    }

    /// Forgets a graph.
    ///
    /// # Errors
    /// `Aborted` for an unknown session or graph.
    pub fn forget_graph(&self, session: &SessionHandle, graph: &GraphHandle) -> Result<()> {
        let removed = self.session(session)?.graphs.lock().remove(graph);
        removed.map(drop).ok_or_else(|| err!(Aborted, "Graph handle is not found: {graph}."))
    }

    /// Returns the tensor of a key, when a step has made it. Dropping the future gives up waiting.
    ///
    /// # Errors
    /// `InvalidArgument` for a device that is not here; `Aborted` if the key is for an earlier life of
    /// this task; what the step failed with.
    pub async fn recv_tensor(&self, step: StepId, key: &RendezvousKey) -> Result<Parcel> {
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
        self.steps.receive(step, key).await
    }

    /// Takes a tensor of a step that was pushed here.
    ///
    /// # Errors
    /// `ResourceExhausted` if the step has not begun, and too much waits for such steps.
    pub fn deliver(&self, step: StepId, key: &RendezvousKey, parcel: Parcel, guard: Option<CreditGuard>) -> Result<()> {
        self.steps.deliver(step, key, parcel, guard)
    }

    /// Notes that a tensor of a step exists, by its key, but is not pushed until `want` is called.
    ///
    /// # Errors
    /// As [`deliver`](Worker::deliver).
    pub fn announce(&self, step: StepId, key: &str, want: impl FnOnce() + Send + 'static) -> Result<()> {
        self.steps.announce(step, key, Box::new(want))
    }

    /// Fails the steps in which a task is linked, because tensors to or from it may be lost.
    pub fn peer_lost(&self, task: &TaskName, status: &Status) {
        self.steps.fail_with(task, status);
        self.collectives.lost(task.as_str(), status);
    }

    /// Tells the members of collective groups that this task ends.
    pub fn leave_groups(&self) {
        self.collectives.close();
    }

    /// Takes a letter about collectives of another task.
    pub fn take_letter(&self, from: &TaskName, letter: CollectiveLetter) {
        // Whoever brings it is a network thread, which must not compute for long.
        if letter.bytes() < LARGE {
            return self.collectives.receive(from.as_str(), letter);
        }
        let (hub, from) = (self.collectives.clone(), from.clone());
        self.kernels.spawn(move || hub.receive(from.as_str(), letter));
    }
}

impl WorkerCalls for Worker {
    fn task(&self) -> &TaskName {
        self.peers.own()
    }

    fn devices(&self) -> Vec<wire::DeviceAttributes> {
        self.devices.iter().map(|device| device_attributes(device, &self.peers)).collect()
    }

    /// An isolated session shares no resources with others; one with a cluster of its own calls this task and its devices
    /// as that cluster does.
    fn create_session(&self, new: NewWorkerSession) -> Result<()> {
        ensure!(!new.handle.is_empty(), InvalidArgument, "a worker session must have a handle");
        let peers = match new.cluster {
            None => self.peers.clone(),
            Some((cluster, job, task)) => Arc::new(self.peers.by_client(&cluster, &job, task)?),
        };
        let mut devices = self.devices.clone();
        if peers.own() != self.task() {
            let task = peers.own().parse()?;
            devices = devices.iter().map(|device| Arc::new(device.of_task(&task))).collect();
        }
        if new.isolate {
            devices = devices.iter().map(|device| Arc::new(device.isolated())).collect();
        }
        // A session that calls tasks by names of its own has groups of its own, within each task.
        let collectives = match peers.own() == self.task() {
            true => self.collectives.session(),
            false => LetterPost::hub(&peers, self.network.clone(), Vec::new(), Duration::ZERO).0.session(),
        };
        let session = Arc::new(WorkerSession::new(peers, devices, collectives));
        self.used.store(true, Ordering::Relaxed);
        let mut sessions = self.sessions.lock();
        ensure!(
            sessions.len() < self.max_sessions || sessions.contains_key(&new.handle),
            ResourceExhausted,
            "{} has {} sessions, as many as it may have (--max_sessions)",
            self.task(),
            sessions.len()
        );
        sessions.entry(new.handle).or_insert(session);
        Ok(())
    }

    fn deregister_graph(&self, session: &SessionHandle, graph: &GraphHandle) {
        let _ = self.forget_graph(session, graph);
    }

    fn delete_session(&self, session: &SessionHandle) {
        let session = self.sessions.lock().remove(session);
        drop(session);
    }

    fn register_graph(&self, session: &SessionHandle, graph: &GraphData, terms: &GraphTerms) -> Result<GraphHandle> {
        let (name, session) = (session, self.session(session)?);
        let mut registered = session.prepare(graph, terms, &self.registry, &self.kernels, &self.blocking)?;
        registered.session = name.clone();
        let handle = GraphHandle::from(format!("{:016x}", self.next_graph.fetch_add(1, Ordering::Relaxed)));
        session.graphs.lock().insert(handle.clone(), Arc::new(registered));
        Ok(handle)
    }

    fn run_graph(
        self: Arc<Self>,
        session: &SessionHandle,
        graph: &GraphHandle,
        call: StepCall,
        cancellation: &Cancellation,
        answer: Answer,
    ) {
        let found =
            self.desk.check_open(self.task().as_str()).and_then(|()| self.session(session)).and_then(|session| {
                let found = session.graphs.lock().get(graph).cloned();
                found.ok_or_else(|| {
                    err!(Aborted, "Graph handle is not found: {graph}. Possibly, this worker just restarted.")
                })
            });
        let graph = match found {
            Ok(graph) => graph,
            Err(status) => return answer.give(Err(status)),
        };
        if call.partial.is_some() {
            return partial::advance(&self, graph, call, cancellation, answer);
        }
        if graph.cheap || call.on_this_thread || is_lent() {
            return step::start(&self, graph, call, cancellation, answer);
        }
        // Whoever asks is a network thread, which has others to serve.
        let (pool, cancellation) = (self.kernels.clone(), cancellation.clone());
        pool.spawn(move || step::start(&self, graph, call, &cancellation, answer));
    }

    fn clean_up(&self, step: StepId) {
        let (steps, peers) = (self.steps.clone(), self.peers.clone());
        let forget = move || {
            for task in steps.remove(step, err!(Aborted, "Cleanup {step}").derived()).iter() {
                if let Ok(peer) = peers.get(task) {
                    peer.forget(step);
                }
            }
        };
        // What it needs of the step to do as a whole what it has begun stays until then.
        let forget = match self.steps.cancellation(step) {
            Some(running) => running.after_shield(forget),
            None => Some(forget),
        };
        if let Some(forget) = forget {
            forget();
        }
    }

    fn clear_containers(&self, containers: &[String]) {
        for device in &self.devices {
            device.resources.clear(containers);
        }
    }
}
