//! A client's session: its graph, the tasks that take part, and the steps that run.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use graph::op::{Cancellation, StepId};
use graph::{ImportOptions, graph_from_proto};
use parking_lot::{Mutex, RwLock};
use runtime::{DeviceSet, PlacementOptions, Planner, RunningSteps};
use tensor::{Result, Status, ensure, err};
use tokio::sync::{Mutex as AsyncMutex, Notify};

use super::MasterSetup;
use super::costs::CostModel;
use super::partial_run::PartialRun;
use super::plans::Plans;
use crate::call::messages::{improvements_from_proto, time_limit};
use crate::call::{
    Callable, CallableHandle, GraphVersion, Lease, NewSession, PartialRunHandle, SessionHandle, TaskName, millis,
    on_pool, random_step,
};
use crate::peer::{Peers, WorkerPeer, renamed};

/// A session of a client.
pub(crate) struct MasterSession {
    pub(super) handle: SessionHandle,
    pub(super) setup: Arc<MasterSetup>,
    pub(super) peers: Arc<Peers>,
    pub(super) isolate: bool,
    pub(super) device_filters: Vec<graph::DeviceName>,
    pub(super) cost_model: CostModel,
    /// The time limit of calls that state none.
    pub operation_timeout: Option<Duration>,
    /// The workers of the session that have been contacted.
    pub(super) workers: RwLock<BTreeMap<TaskName, WorkerPeer>>,
    pub(super) devices: RwLock<DeviceSet>,
    pub(super) planner: Arc<RwLock<Planner>>,
    version: AsyncMutex<GraphVersion>,
    /// The graphs registered for a signature: worker and handle of each part.
    pub(super) registered: Mutex<Plans>,
    pub(super) callables: Mutex<HashMap<CallableHandle, Arc<Callable>>>,
    pub(super) next_callable: AtomicI64,
    pub(super) partial_runs: Mutex<HashMap<PartialRunHandle, Arc<PartialRun>>>,
    pub(super) next_partial_run: AtomicI64,
    pub(super) client_device: String,
    pub(super) client_incarnation: u64,
    pub lease: Lease,
    pub(super) created: Instant,
    /// When the last step ended, in milliseconds after that.
    pub(super) last_step: AtomicU64,
    pub(super) steps: AtomicU64,
    pub(super) running: RunningSteps,
    idle: Notify,
}

impl MasterSession {
    /// Contacts the tasks that the graph names, places the graph and opens the session on those tasks.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed graph or one that cannot be placed, or options that are not supported;
    /// `Unavailable` for a task that does not answer.
    pub async fn create(setup: Arc<MasterSetup>, peers: Arc<Peers>, new: NewSession) -> Result<Arc<MasterSession>> {
        let NewSession { graph, config } = new;
        ensure!(
            !config.use_per_session_threads && config.session_inter_op_thread_pool.is_empty(),
            InvalidArgument,
            "Distributed session does not support session thread pool options."
        );
        let session = Arc::new(MasterSession::on_own_task(setup, peers, &config)?);
        // Also if the client hangs up meanwhile.
        let opening = CloseOnDrop(Some(session.clone()));
        let outcome = session.grow(graph).await;
        if outcome.is_ok() {
            opening.disarm();
        }
        outcome.map(|()| session)
    }

    /// A session with an empty graph, opened on the own worker only.
    fn on_own_task(setup: Arc<MasterSetup>, peers: Arc<Peers>, config: &wire::ConfigProto) -> Result<MasterSession> {
        let handle = SessionHandle::random();
        let mut devices = DeviceSet::default();
        for device in renamed(setup.own.devices(), peers.own())? {
            devices.add(device.name.parse()?, device.incarnation);
        }
        let client_device = devices.client_device()?.to_owned();
        let client_incarnation = devices.incarnation(&client_device)?;
        let device_filters = config.device_filters.iter().map(|filter| filter.parse()).collect::<Result<_>>()?;
        let placement = PlacementOptions { soft: config.allow_soft_placement, log: config.log_device_placement };
        let planner = Planner::new(setup.registry.clone(), devices.clone(), placement)
            .with_improvements(improvements_from_proto(config)?);
        let session = MasterSession {
            handle,
            isolate: config.isolate_session_state,
            device_filters,
            cost_model: CostModel::of(config),
            operation_timeout: time_limit(config.operation_timeout_in_ms),
            workers: RwLock::new([(peers.own().clone(), WorkerPeer::Own(setup.own.clone()))].into()),
            devices: RwLock::new(devices),
            planner: Arc::new(RwLock::new(planner)),
            version: AsyncMutex::default(),
            registered: Mutex::default(),
            callables: Mutex::default(),
            next_callable: AtomicI64::new(0),
            partial_runs: Mutex::default(),
            next_partial_run: AtomicI64::new(0),
            client_device,
            client_incarnation,
            lease: Lease::default(),
            created: Instant::now(),
            last_step: AtomicU64::new(0),
            steps: AtomicU64::new(0),
            running: RunningSteps::default(),
            idle: Notify::new(),
            setup,
            peers,
        };
        session.setup.own.create_session(session.worker_session(session.peers.own())?)?;
        Ok(session)
    }

    /// Returns the handle by which its client and all workers know the session.
    pub fn handle(&self) -> &SessionHandle {
        &self.handle
    }

    /// Adds nodes to the graph; returns its new version.
    ///
    /// # Errors
    /// `Aborted` if the client's version is not the current one; as [`MasterSession::create`] otherwise.
    pub async fn extend(&self, graph: wire::GraphDef, version: GraphVersion) -> Result<GraphVersion> {
        let mut current = self.version.lock().await;
        let (known, expected) = (current.0, version.0);
        ensure!(known == expected, Aborted, "Current version is {known} but caller expected {expected}.");
        self.grow(graph).await?;
        current.0 += 1;
        Ok(*current)
    }

    async fn grow(&self, graph: wire::GraphDef) -> Result<()> {
        let (planner, registry) = (self.planner.clone(), self.setup.registry.clone());
        let data = on_pool(&self.setup.pool, "reading a graph", move || {
            let mut data = planner.read().graph().clone();
            graph_from_proto(&mut data, graph, &registry, ImportOptions::default())?;
            Ok(data)
        })
        .await?;
        self.contact(&data).await?;
        let (planner, devices) = (self.planner.clone(), self.devices.read().clone());
        on_pool(&self.setup.pool, "placing a graph", move || planner.write().grow(data, devices)).await
    }

    /// Notes a step that runs; returns its number.
    ///
    /// # Errors
    /// `FailedPrecondition` if the session is closed.
    pub(super) fn begin(&self, cancellation: &Cancellation) -> Result<StepId> {
        self.setup.desk.check_open(self.setup.own.task().as_str())?;
        let step = random_step();
        self.running.begin(step, cancellation)?;
        Ok(step)
    }

    /// Notes that a step has ended.
    pub(super) fn end(&self, step: StepId) {
        self.steps.fetch_add(1, Ordering::Relaxed);
        self.last_step.store(millis(self.created.elapsed()), Ordering::Relaxed);
        if self.running.end(step) {
            self.idle.notify_waiters();
        }
    }

    /// Returns whether steps run. Partial runs, which may wait for a call that never comes, do not count.
    pub fn is_busy(&self) -> bool {
        let partial_runs = self.partial_runs.lock().len();
        self.running.len() > partial_runs
    }

    /// [Closes](Self::close) the session to the end, even if nobody waits for it any more.
    pub async fn close_for_sure(self: Arc<Self>) {
        let network = self.setup.network.clone();
        let _ = network.spawn(async move { self.close().await }).await;
    }

    /// Cancels the steps that run, and lets no more begin.
    pub fn cancel_steps(&self, reason: &Status) {
        self.running.close(reason);
    }

    /// Cancels the steps that run, waits for their end, and gives up what the tasks hold for the session.
    async fn close(&self) {
        self.cancel_steps(&err!(Cancelled, "Step was cancelled by an explicit call to `Session::Close()`."));
        let partial_runs = std::mem::take(&mut *self.partial_runs.lock());
        drop(partial_runs);
        let all_ended = async {
            loop {
                let ended = self.idle.notified();
                if self.running.is_empty() {
                    break;
                }
                ended.await;
            }
        };
        if tokio::time::timeout(STEPS, all_ended).await.is_err() {
            // A kernel may wait for a disk that does not answer. The step ends when it does; the session is over now.
            tracing::warn!(session = %self.handle, steps = self.running.len(), "closed with steps that do not end");
        }
        let workers: Vec<WorkerPeer> = self.workers.read().values().cloned().collect();
        let mut calls = tokio::task::JoinSet::new();
        for worker in workers {
            let handle = self.handle.clone();
            // A task that is gone has forgotten the session already.
            calls.spawn(async move { tokio::time::timeout(CLOSE, worker.delete_session(&handle)).await });
        }
        calls.join_all().await;
    }
}

/// How long steps that were cancelled may take to end before closing goes on without them.
const STEPS: Duration = Duration::from_secs(10);
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
            let network = session.setup.network.clone();
            network.spawn(session.close_for_sure());
        }
    }
}
