//! A client's session: its graph, the plans of its steps, and the steps that run.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::op::{Cancellation, RendezvousKey};
use graph::{GraphData, ImportOptions, TensorName, graph_from_proto};
use parking_lot::{Mutex, RwLock};
use runtime::{DeviceSet, Endings, Partition, PlacementOptions, Planner, RunOptions, Signature};
use tensor::{Result, Status, Tensor, bail, ensure, err};
use tokio::sync::{Mutex as AsyncMutex, Notify, OnceCell};

use super::discovery::{START_UP, devices_of};
use super::on_pool;
use super::task::Task;
use crate::peers::{Peers, task_of, tasks_of};
use crate::random::{random_handle, random_id};
use crate::worker::{StepAnswer, StepCall, Worker};

/// What a client asks for in one step.
pub(crate) struct StepRequest {
    pub feeds: Vec<(String, Tensor)>,
    pub fetches: Vec<String>,
    pub targets: Vec<String>,
}

pub(crate) struct MasterSession {
    handle: String,
    worker: Arc<Worker>,
    peers: Arc<Peers>,
    isolate: bool,
    device_filters: Vec<graph::DeviceName>,
    operation_timeout: Option<Duration>,
    /// The tasks of the session that have been contacted.
    tasks: RwLock<BTreeMap<String, Task>>,
    devices: RwLock<DeviceSet>,
    planner: Arc<RwLock<Planner>>,
    version: AsyncMutex<i64>,
    /// The graphs registered for a signature: task and handle of each part.
    registered: Mutex<HashMap<Signature, Arc<OnceCell<RegisteredParts>>>>,
    client_device: String,
    client_incarnation: u64,
    running: Mutex<Running>,
    idle: Notify,
}

/// Task and graph handle of each part of a step.
type RegisteredParts = Arc<Vec<(Task, String)>>;

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
        graph: wire::GraphDef,
        config: &wire::ConfigProto,
    ) -> Result<MasterSession> {
        ensure!(
            !config.use_per_session_threads,
            InvalidArgument,
            "sessions on a server share its threads: use_per_session_threads is not supported"
        );
        let devices = DeviceSet::of(worker.devices());
        let client_device = devices.client_device()?.to_owned();
        let client_incarnation = devices.incarnation(&client_device)?;
        let placement = PlacementOptions { soft: config.allow_soft_placement, log: config.log_device_placement };
        let device_filters = config.device_filters.iter().map(|filter| filter.parse()).collect::<Result<_>>()?;
        let planner = Planner::new(worker.registry().clone(), devices.clone(), placement);
        let own = (worker.task().to_owned(), Task::Own(worker.clone()));
        let session = MasterSession {
            handle: random_handle(),
            isolate: config.isolate_session_state,
            device_filters,
            operation_timeout: u64::try_from(config.operation_timeout_in_ms)
                .ok()
                .filter(|millis| *millis > 0)
                .map(Duration::from_millis),
            tasks: RwLock::new([own].into()),
            devices: RwLock::new(devices),
            planner: Arc::new(RwLock::new(planner)),
            version: AsyncMutex::new(0),
            registered: Mutex::default(),
            client_device,
            client_incarnation,
            running: Mutex::default(),
            idle: Notify::new(),
            worker,
            peers,
        };
        session.worker.create_session(&session.handle, session.isolate);
        let outcome = session.grow(graph).await;
        if outcome.is_err() {
            session.close().await;
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

    /// Contacts the tasks that nodes name and that were not contacted before.
    async fn contact(&self, graph: &GraphData) -> Result<()> {
        let mut wanted: Vec<String> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for node in graph.nodes() {
            if seen.contains(&node.device.as_str()) {
                continue;
            }
            seen.push(&node.device);
            let constraint = node.device_name()?;
            // A node that may be on this task will be; others go to the first task that fits.
            let all = std::iter::once(self.peers.own()).chain(self.peers.names());
            let fitting = tasks_of(&constraint, all);
            if let Some(first) = fitting.first().filter(|_| !fitting.contains(&self.peers.own())) {
                wanted.push((*first).to_owned());
            }
        }
        wanted.sort();
        wanted.dedup();
        wanted.retain(|name| !self.tasks.read().contains_key(name) && self.passes_filters(name));
        let deadline = Instant::now() + self.operation_timeout.unwrap_or(START_UP).min(START_UP);
        for name in wanted {
            let peer = self.peers.get(&name)?.clone();
            let devices = devices_of(&peer, deadline).await?;
            let task = Task::Other(peer);
            task.create_session(&self.handle, self.isolate, (self.peers.own(), self.client_incarnation)).await?;
            let mut set = self.devices.write();
            for device in devices {
                set.add(device.name.parse()?, device.incarnation);
            }
            self.tasks.write().insert(name, task);
        }
        Ok(())
    }

    fn passes_filters(&self, task: &str) -> bool {
        let Ok(task) = task.parse::<graph::DeviceName>() else { return false };
        self.device_filters.is_empty() || self.device_filters.iter().any(|filter| filter.task_name().matches(&task))
    }

    /// Runs a step on all tasks that it needs.
    pub async fn run(
        self: &Arc<Self>,
        request: StepRequest,
        options: &RunOptions,
        cancellation: &Cancellation,
    ) -> Result<StepAnswer> {
        let StepRequest { feeds, fetches, targets } = request;
        let key = |name: &str| {
            RendezvousKey::new(&self.client_device, self.client_incarnation, &self.client_device, name, 0, 0)
        };
        let receives: Vec<RendezvousKey> = fetches.iter().map(|name| key(name)).collect();
        let sends: Vec<(RendezvousKey, Tensor)> =
            feeds.iter().map(|(name, tensor)| (key(name), tensor.clone())).collect();
        let mut signature = Signature { feeds: feeds.into_iter().map(|(name, _)| name).collect(), fetches, targets };
        signature.feeds.sort();
        signature.fetches.sort();
        signature.targets.sort();
        check(&signature)?;
        let parts = self.graphs_for(&signature).await?;
        let step = RunningStep { id: self.begin(cancellation)?, session: self.clone(), parts: parts.clone() };
        self.run_parts(&parts, step.id, sends, receives, options, cancellation).await
    }

    async fn run_parts(
        &self,
        parts: &[(Task, String)],
        id: i64,
        sends: Vec<(RendezvousKey, Tensor)>,
        receives: Vec<RendezvousKey>,
        options: &RunOptions,
        cancellation: &Cancellation,
    ) -> Result<StepAnswer> {
        let (mut sends, mut receives) = (Some(sends), Some(receives));
        let mut calls = tokio::task::JoinSet::new();
        for (task, graph) in parts {
            // The client's values enter and leave on this task.
            let own = matches!(task, Task::Own(_));
            let call = StepCall {
                id,
                sends: if own { sends.take().unwrap_or_default() } else { Vec::new() },
                receives: if own { receives.take().unwrap_or_default() } else { Vec::new() },
                trace: options.trace,
            };
            let (task, graph, session, cancellation) =
                (task.clone(), graph.clone(), self.handle.clone(), cancellation.clone());
            calls.spawn(async move {
                (matches!(task, Task::Own(_)), task.run_graph(&session, &graph, call, &cancellation).await)
            });
        }
        let (mut answer, mut failure) = (StepAnswer { tensors: Vec::new(), stats: None }, None::<Status>);
        while let Some(joined) = calls.join_next().await {
            match joined {
                Ok((own, Ok(part))) => {
                    if own {
                        answer.tensors = part.tensors;
                    }
                    if let Some(stats) = part.stats {
                        answer.stats.get_or_insert_default().nodes.extend(stats.nodes);
                    }
                }
                Ok((_, Err(status))) => {
                    // The first cause counts; everything else of the step is called off.
                    cancellation.cancel(status.clone().derived());
                    if failure.as_ref().is_none_or(|first| first.is_derived() && !status.is_derived()) {
                        failure = Some(status);
                    }
                }
                Err(error) => failure = failure.or(Some(err!(Internal, "a part of the step broke off: {error}"))),
            }
        }
        match failure {
            None => Ok(answer),
            Some(status) => Err(match cancellation.reason() {
                Some(reason) if !reason.is_derived() => reason,
                _ => status,
            }),
        }
    }

    /// The graphs of a signature, registered when it is first asked for. Steps of other signatures do not wait for that.
    async fn graphs_for(&self, signature: &Signature) -> Result<RegisteredParts> {
        let cell = self.registered.lock().entry(signature.clone()).or_default().clone();
        cell.get_or_try_init(|| self.register(signature)).await.cloned()
    }

    async fn register(&self, signature: &Signature) -> Result<RegisteredParts> {
        let endings = Endings::Rendezvous { device: self.client_device.clone(), incarnation: self.client_incarnation };
        let (planner, wanted) = (self.planner.clone(), signature.clone());
        let plan =
            on_pool(&self.worker, move || planner.read().plan(&wanted, &endings, |device| task_of(device).to_owned()))
                .await?;
        let mut parts = Vec::with_capacity(plan.partitions.len());
        for Partition { location, graph } in plan.partitions {
            let task = self.tasks.read().get(&location).cloned();
            let task = task.ok_or_else(|| {
                err!(Internal, "the step was placed on {location}, which takes no part in the session")
            })?;
            let handle = task
                .register_graph(&self.handle, graph)
                .await
                .map_err(|status| status.context(format_args!("registering a graph on {}", task.name())))?;
            parts.push((task, handle));
        }
        Ok(Arc::new(parts))
    }

    fn begin(&self, cancellation: &Cancellation) -> Result<i64> {
        let mut running = self.running.lock();
        ensure!(!running.closed, FailedPrecondition, "Session is closed.");
        let id = random_id();
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

    /// Cancels the steps that run, waits for their end, and gives up what the tasks hold for the session.
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
        let tasks: Vec<Task> = self.tasks.read().values().cloned().collect();
        for task in tasks {
            // A task that is gone has forgotten the session already.
            let _ = tokio::time::timeout(Duration::from_secs(5), task.delete_session(&self.handle)).await;
        }
    }
}

/// A step that runs. When it ends, also because nobody waits for it any more, all tasks forget it.
struct RunningStep {
    id: i64,
    session: Arc<MasterSession>,
    parts: RegisteredParts,
}

impl Drop for RunningStep {
    fn drop(&mut self) {
        self.session.end(self.id);
        for (task, _) in self.parts.iter() {
            match task {
                Task::Own(worker) => worker.clean_up(self.id),
                Task::Other(_) => {
                    let (task, id) = (task.clone(), self.id);
                    self.session.worker.network.spawn(async move { task.clean_up(id).await });
                }
            }
        }
    }
}

/// A tensor cannot be named twice, nor be fed and fetched in the same step.
fn check(signature: &Signature) -> Result<()> {
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
