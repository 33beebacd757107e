//! A client's session: its graph, the plans of its steps, and the steps that run.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use graph::op::{Cancellation, RendezvousKey};
use graph::{GraphData, ImportOptions, TensorName, graph_from_proto};
use parking_lot::{Mutex, RwLock};
use runtime::{DeviceSet, Endings, PlacementOptions, Planner, Signature};
use tensor::{Result, Tensor, bail, ensure, err};
use tokio::sync::Notify;

use crate::worker::{StepCall, Worker};

/// What a client asks for in one step.
pub(crate) struct StepRequest {
    pub feeds: Vec<(String, Tensor)>,
    pub fetches: Vec<String>,
    pub targets: Vec<String>,
}

pub(crate) type StepOutcome = Box<dyn FnOnce(Result<Vec<Tensor>>) + Send>;

pub(crate) struct MasterSession {
    handle: String,
    worker: Arc<Worker>,
    planner: RwLock<Planner>,
    version: Mutex<i64>,
    /// Graph handles at the worker, by signature.
    registered: Mutex<HashMap<Signature, String>>,
    client_device: String,
    client_incarnation: u64,
    next_step: AtomicI64,
    running: Mutex<Running>,
    idle: Notify,
}

#[derive(Default)]
struct Running {
    closed: bool,
    steps: HashMap<i64, Cancellation>,
}

impl MasterSession {
    /// # Errors
    /// `InvalidArgument` for a malformed graph or one that cannot be placed, or options that are not supported.
    pub fn new(worker: Arc<Worker>, graph: wire::GraphDef, config: &wire::ConfigProto) -> Result<MasterSession> {
        ensure!(
            !config.use_per_session_threads,
            InvalidArgument,
            "sessions on a server share its threads: use_per_session_threads is not supported"
        );
        let devices = DeviceSet::of(worker.devices());
        let client_device = devices.client_device()?.to_owned();
        let client_incarnation = devices.incarnation(&client_device)?;
        let options = PlacementOptions { soft: config.allow_soft_placement, log: config.log_device_placement };
        let mut planner = Planner::new(worker.registry().clone(), devices, options);
        let mut data = GraphData::default();
        graph_from_proto(&mut data, graph, worker.registry(), ImportOptions::default())?;
        planner.set_graph(data)?;
        let handle = new_handle();
        worker.create_session(&handle, config.isolate_session_state);
        Ok(MasterSession {
            handle,
            worker,
            planner: RwLock::new(planner),
            version: Mutex::new(0),
            registered: Mutex::default(),
            client_device,
            client_incarnation,
            next_step: AtomicI64::new(1),
            running: Mutex::default(),
            idle: Notify::new(),
        })
    }

    pub fn handle(&self) -> &str {
        &self.handle
    }

    /// Adds nodes to the graph; gives its new version.
    ///
    /// # Errors
    /// `Aborted` if the client's version is not the current one; as [`MasterSession::new`] otherwise.
    pub fn extend(&self, graph: wire::GraphDef, version: i64) -> Result<i64> {
        let mut current = self.version.lock();
        ensure!(version == *current, Aborted, "Current version is {current} but caller expected {version}.");
        let mut planner = self.planner.write();
        let mut data = planner.graph().clone();
        graph_from_proto(&mut data, graph, self.worker.registry(), ImportOptions::default())?;
        planner.set_graph(data)?;
        *current += 1;
        Ok(*current)
    }

    /// Runs a step; `outcome` is called once.
    pub fn run(self: &Arc<Self>, request: StepRequest, cancellation: &Cancellation, outcome: StepOutcome) {
        let StepRequest { feeds, fetches, targets } = request;
        let key = |name: &str| {
            RendezvousKey::new(&self.client_device, self.client_incarnation, &self.client_device, name, 0, 0)
        };
        let receives = fetches.iter().map(|name| key(name)).collect();
        let sends = feeds.iter().map(|(name, tensor)| (key(name), tensor.clone())).collect();
        let mut signature = Signature { feeds: feeds.into_iter().map(|(name, _)| name).collect(), fetches, targets };
        signature.feeds.sort();
        signature.fetches.sort();
        signature.targets.sort();
        let begun = self
            .check(&signature)
            .and_then(|()| self.graph_for(&signature))
            .and_then(|graph| Ok((graph, self.begin(cancellation)?)));
        let (graph, id) = match begun {
            Ok(begun) => begun,
            Err(status) => return outcome(Err(status)),
        };
        let call = StepCall { id, sends, receives, trace: false };
        let session = self.clone();
        let answer = Box::new(move |answer: Result<(Vec<Tensor>, _)>| {
            session.end(id);
            outcome(answer.map(|(tensors, _)| tensors));
        });
        self.worker.run_graph(&self.handle, &graph, call, cancellation.clone(), answer);
    }

    /// A tensor cannot be fed and fetched in the same step.
    fn check(&self, signature: &Signature) -> Result<()> {
        for pair in signature.feeds.windows(2).chain(signature.fetches.windows(2)) {
            ensure!(pair[0] != pair[1], InvalidArgument, "tensor {} is named twice in one step", pair[0]);
        }
        for name in &signature.fetches {
            name.parse::<TensorName>()?;
            if signature.feeds.binary_search(name).is_ok() {
                bail!(InvalidArgument, "tensor {name} is both fed and fetched");
            }
        }
        Ok(())
    }

    fn graph_for(&self, signature: &Signature) -> Result<String> {
        if let Some(graph) = self.registered.lock().get(signature) {
            return Ok(graph.clone());
        }
        let planner = self.planner.read();
        let endings = Endings::Rendezvous { device: self.client_device.clone(), incarnation: self.client_incarnation };
        let plan = planner.plan(signature, &endings, task_of)?;
        let [part] = &plan.partitions[..] else {
            bail!(
                Unimplemented,
                "a step over {} tasks: only this server's own task is supported",
                plan.partitions.len()
            );
        };
        let graph = self.worker.register_graph(&self.handle, &part.graph)?;
        self.registered.lock().insert(signature.clone(), graph.clone());
        Ok(graph)
    }

    fn begin(&self, cancellation: &Cancellation) -> Result<i64> {
        let mut running = self.running.lock();
        ensure!(!running.closed, FailedPrecondition, "Session is closed.");
        let id = self.next_step.fetch_add(1, Ordering::Relaxed);
        running.steps.insert(id, cancellation.clone());
        Ok(id)
    }

    fn end(&self, id: i64) {
        let mut running = self.running.lock();
        running.steps.remove(&id);
        if running.steps.is_empty() {
            self.idle.notify_waiters();
        }
    }

    /// Cancels the steps that run, waits for their end, and gives up what the worker holds for the session.
    pub async fn close(&self) {
        let steps: Vec<Cancellation> = {
            let mut running = self.running.lock();
            running.closed = true;
            running.steps.values().cloned().collect()
        };
        for step in steps {
            step.cancel(err!(Cancelled, "Step was cancelled by an explicit call to `Session::Close()`."));
        }
        loop {
            let ended = self.idle.notified();
            if self.running.lock().steps.is_empty() {
                break;
            }
            ended.await;
        }
        self.worker.delete_session(&self.handle);
    }
}

/// The task of a full device name: everything before the device itself.
fn task_of(device: &str) -> String {
    device.find("/device:").map_or(device, |at| &device[..at]).to_owned()
}

/// 16 hexadecimal digits that nobody can guess.
fn new_handle() -> String {
    use std::hash::{BuildHasher, Hasher};
    format!("{:016x}", std::collections::hash_map::RandomState::new().build_hasher().finish())
}
