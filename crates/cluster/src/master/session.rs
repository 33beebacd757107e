//! A client's session: its graph, the tasks that take part, and the steps that run.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use graph::op::Cancellation;
use graph::{ImportOptions, graph_from_proto};
use parking_lot::{Mutex, RwLock};
use runtime::{DeviceSet, PlacementOptions, Planner, Signature};
use tensor::{Result, Status, ensure, err};
use tokio::sync::{Mutex as AsyncMutex, Notify, OnceCell};

use super::on_pool;
use super::partial_run::PartialRun;
use super::step::RegisteredParts;
use super::task::Task;
use crate::lease::Lease;
use crate::peers::Peers;
use crate::random::{random_handle, random_id};
use crate::worker::Worker;

pub(crate) struct MasterSession {
    pub(super) handle: String,
    pub(super) worker: Arc<Worker>,
    pub(super) peers: Arc<Peers>,
    pub(super) isolate: bool,
    pub(super) device_filters: Vec<graph::DeviceName>,
    pub operation_timeout: Option<Duration>,
    /// How long tasks may take to come up.
    pub(super) start_up: Duration,
    /// The tasks of the session that have been contacted.
    pub(super) tasks: RwLock<BTreeMap<String, Task>>,
    pub(super) devices: RwLock<DeviceSet>,
    pub(super) planner: Arc<RwLock<Planner>>,
    version: AsyncMutex<i64>,
    /// The graphs registered for a signature: task and handle of each part.
    pub(super) registered: Mutex<HashMap<Signature, Arc<OnceCell<RegisteredParts>>>>,
    pub(super) callables: Mutex<HashMap<i64, Arc<super::callable::Callable>>>,
    pub(super) next_callable: AtomicI64,
    pub(super) partial_runs: Mutex<HashMap<String, Arc<PartialRun>>>,
    pub(super) next_partial_run: AtomicI64,
    pub(super) client_device: String,
    pub(super) client_incarnation: u64,
    pub lease: Lease,
    running: Mutex<Running>,
    idle: Notify,
}

#[derive(Default)]
struct Running {
    closed: bool,
    steps: HashMap<i64, Cancellation>,
}

impl MasterSession {
    /// Contacts the tasks that the graph names, places the graph and opens the session on those tasks.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed graph or one that cannot be placed, or options that are not supported;
    /// `Unavailable` for a task that does not answer.
    pub async fn create(
        worker: Arc<Worker>,
        peers: Arc<Peers>,
        start_up: Duration,
        graph: wire::GraphDef,
        config: &wire::ConfigProto,
    ) -> Result<Arc<MasterSession>> {
        ensure!(
            !config.use_per_session_threads && config.session_inter_op_thread_pool.is_empty(),
            InvalidArgument,
            "Distributed session does not support session thread pool options."
        );
        let handle = random_handle();
        let own_cluster = peers.described_by_client().map(|_| peers.clone());
        let own_session = worker.create_session(&handle, config.isolate_session_state, own_cluster)?;
        let devices = DeviceSet::of(own_session.devices());
        let client_device = devices.client_device()?.to_owned();
        let client_incarnation = devices.incarnation(&client_device)?;
        let placement = PlacementOptions { soft: config.allow_soft_placement, log: config.log_device_placement };
        let device_filters = config.device_filters.iter().map(|filter| filter.parse()).collect::<Result<_>>()?;
        let planner = Planner::new(worker.registry().clone(), devices.clone(), placement);
        let own = (peers.own().to_owned(), Task::Own(worker.clone()));
        let session = Arc::new(MasterSession {
            handle,
            isolate: config.isolate_session_state,
            device_filters,
            operation_timeout: u64::try_from(config.operation_timeout_in_ms)
                .ok()
                .filter(|millis| *millis > 0)
                .map(Duration::from_millis),
            start_up,
            tasks: RwLock::new([own].into()),
            devices: RwLock::new(devices),
            planner: Arc::new(RwLock::new(planner)),
            version: AsyncMutex::new(0),
            registered: Mutex::default(),
            callables: Mutex::default(),
            next_callable: AtomicI64::new(0),
            partial_runs: Mutex::default(),
            next_partial_run: AtomicI64::new(0),
            client_device,
            client_incarnation,
            lease: Lease::default(),
            running: Mutex::default(),
            idle: Notify::new(),
            worker,
            peers,
        });
        // Also if the client hangs up meanwhile.
        let opening = CloseOnDrop(Some(session.clone()));
        let outcome = session.grow(graph).await;
        if outcome.is_ok() {
            opening.disarm();
        }
        outcome.map(|()| session)
    }

    pub fn handle(&self) -> &str {
        &self.handle
    }

    /// Adds nodes to the graph; gives its new version.
    ///
    /// # Errors
    /// `Aborted` if the client's version is not the current one; as [`MasterSession::create`] otherwise.
    pub async fn extend(&self, graph: wire::GraphDef, version: i64) -> Result<i64> {
        let mut current = self.version.lock().await;
        ensure!(version == *current, Aborted, "Current version is {current} but caller expected {version}.");
        self.grow(graph).await?;
        *current += 1;
        Ok(*current)
    }

    async fn grow(&self, graph: wire::GraphDef) -> Result<()> {
        let (planner, worker) = (self.planner.clone(), self.worker.clone());
        let data = on_pool(&self.worker, move || {
            let mut data = planner.read().graph().clone();
            graph_from_proto(&mut data, graph, worker.registry(), ImportOptions::default())?;
            Ok(data)
        })
        .await?;
        self.contact(&data).await?;
        let (planner, devices) = (self.planner.clone(), self.devices.read().clone());
        on_pool(&self.worker, move || planner.write().grow(data, devices)).await
    }

    /// Notes a step that runs; gives its number.
    ///
    /// # Errors
    /// `FailedPrecondition` if the session is closed.
    pub(super) fn begin(&self, cancellation: &Cancellation) -> Result<i64> {
        let mut running = self.running.lock();
        ensure!(!running.closed, FailedPrecondition, "Session is closed.");
        let id = random_id();
        running.steps.insert(id, cancellation.clone());
        Ok(id)
    }

    pub(super) fn end(&self, id: i64) {
        let mut running = self.running.lock();
        running.steps.remove(&id);
        if running.steps.is_empty() {
            self.idle.notify_waiters();
        }
    }

    /// Whether steps run. Partial runs, which may wait for a call that never comes, do not count.
    pub fn is_busy(&self) -> bool {
        let partial_runs = self.partial_runs.lock().len();
        self.running.lock().steps.len() > partial_runs
    }

    /// [Closes](Self::close) the session to the end, even if nobody waits for it any more.
    pub async fn close_for_sure(self: Arc<Self>) {
        let network = self.worker.network.clone();
        let _ = network.spawn(async move { self.close().await }).await;
    }

    /// Cancels the steps that run, and lets no more begin.
    pub fn cancel_steps(&self, reason: &Status) {
        let steps: Vec<Cancellation> = {
            let mut running = self.running.lock();
            running.closed = true;
            running.steps.values().cloned().collect()
        };
        for step in steps {
            step.cancel(reason.clone());
        }
    }

    /// Cancels the steps that run, waits for their end, and gives up what the tasks hold for the session.
    async fn close(&self) {
        self.cancel_steps(&err!(Cancelled, "Step was cancelled by an explicit call to `Session::Close()`."));
        let partial_runs = std::mem::take(&mut *self.partial_runs.lock());
        drop(partial_runs);
        loop {
            let ended = self.idle.notified();
            if self.running.lock().steps.is_empty() {
                break;
            }
            ended.await;
        }
        let tasks: Vec<Task> = self.tasks.read().values().cloned().collect();
        let mut calls = tokio::task::JoinSet::new();
        for task in tasks {
            let handle = self.handle.clone();
            // A task that is gone has forgotten the session already.
            calls.spawn(async move { tokio::time::timeout(CLOSE, task.delete_session(&handle)).await });
        }
        calls.join_all().await;
    }
}

/// How long a task may take to forget a session before closing goes on without it.
const CLOSE: Duration = Duration::from_secs(5);

/// Closes a session that was not opened completely.
struct CloseOnDrop(Option<Arc<MasterSession>>);

impl CloseOnDrop {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        if let Some(session) = self.0.take() {
            let network = session.worker.network.clone();
            network.spawn(session.close_for_sure());
        }
    }
}
