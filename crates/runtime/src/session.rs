//! Sessions: the [`Session`] trait, and [`LocalSession`], which runs graphs in this process.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use graph::op::{CallFrame, Cancellation, Collectives, Registry, StepId};
use graph::{Graph, GraphData};
use parking_lot::{Condvar, Mutex, RwLock};
use tensor::{Result, Tensor, ensure, err};

use crate::improve::Improvements;
use crate::planner::{Endings, Planner, Signature};
use crate::rendezvous::LocalRendezvous;
use crate::request::{RunRequest, RunResult};
use crate::running::RunningSteps;
use crate::stats::StepStats;
use crate::step::{Parts, StepSetup, run_parts};
use crate::timer::Timer;
use crate::{CollectiveHub, Device, DeviceSet, Executor, FileRoots, KernelCache, PlacementOptions, Pool};

/// Runs steps of a graph, here or elsewhere. May be used from several threads at once.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let two = g.constant(1f32) + 1.0;
/// let session: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
/// assert_eq!(session.run(RunRequest::new().fetch(&two))?.tensors, [Tensor::from(2f32)]);
/// session.close()?;
/// assert!(session.fetch(RunRequest::new().fetch(&two)).is_err());
/// # Ok::<(), Status>(())
/// ```
pub trait Session: Send + Sync {
    /// Runs one step.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let two = g.constant(1f32) + 1.0;
    /// let result = LocalSession::new(&g)?.run(RunRequest::new().fetch(&two).trace())?;
    /// assert_eq!(result.tensors, [Tensor::from(2f32)]);
    /// assert!(result.stats.is_some());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// What the step failed with; `DeadlineExceeded` after the request's timeout; `FailedPrecondition` once closed.
    fn run(&self, request: RunRequest) -> Result<RunResult>;

    /// Takes a grown version of the graph: all its old nodes, and new ones.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.constant(1f32);
    /// let session = LocalSession::from_data(g.snapshot()?, g.registry().clone(), SessionOptions::default())?;
    /// let next = g.constant(2f32);
    /// session.extend(g.snapshot()?)?;
    /// assert_eq!(session.eval::<f32, _>(&next)?, 2.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if an old node is missing or a new one cannot be placed; then the old graph stays.
    fn extend(&self, graph: GraphData) -> Result<()>;

    /// Cancels the steps that run, waits for their end, and refuses further ones.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let one = g.constant(1f32);
    /// let session = LocalSession::new(&g)?;
    /// session.close()?;
    /// assert_eq!(session.eval::<f32, _>(&one).unwrap_err().code(), Code::FailedPrecondition);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// None here; a session elsewhere may be out of reach.
    fn close(&self) -> Result<()>;

    /// Runs one step and returns only the fetched tensors.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (one, two) = (g.constant(1f32), g.constant(2i64));
    /// let tensors = LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&one).fetch(&two))?;
    /// assert_eq!(tensors, [Tensor::from(1f32), Tensor::from(2i64)]);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Session::run).
    fn fetch(&self, request: RunRequest) -> Result<Vec<Tensor>> {
        Ok(self.run(request)?.tensors)
    }
}

impl<S: Session + ?Sized> Session for Arc<S> {
    fn run(&self, request: RunRequest) -> Result<RunResult> {
        (**self).run(request)
    }

    fn extend(&self, graph: GraphData) -> Result<()> {
        (**self).extend(graph)
    }

    fn close(&self) -> Result<()> {
        (**self).close()
    }
}

/// Opens sessions on a graph, as often as they are lost: what training loops recover with. Closures are factories too.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let one = g.constant(1f32);
/// let factory = LocalSessions::default();
/// assert_eq!(factory.open(&g)?.fetch(RunRequest::new().fetch(&one))?, [Tensor::from(1f32)]);
/// let closure = |graph: &Graph| -> tensorfleet::Result<Arc<dyn Session>> {
///     Ok(Arc::new(LocalSession::new(graph)?))
/// };
/// assert_eq!(closure.open(&g)?.fetch(RunRequest::new().fetch(&one))?, [Tensor::from(1f32)]);
/// # Ok(())
/// # }
/// ```
pub trait SessionFactory: Send + Sync {
    /// Opens a session on a graph.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let one = g.constant(1f32);
    /// let sessions = LocalSessions::default();
    /// assert_eq!(sessions.open(&g)?.eval::<f32, _>(&one)?, 1.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// Those of opening a session: `Unavailable` if the place where it should run is out of reach.
    fn open(&self, graph: &Graph) -> Result<Arc<dyn Session>>;
}

impl<F: Fn(&Graph) -> Result<Arc<dyn Session>> + Send + Sync> SessionFactory for F {
    fn open(&self, graph: &Graph) -> Result<Arc<dyn Session>> {
        self(graph)
    }
}

/// Opens sessions in this process, each with variables of its own.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let there = g.with_device("/cpu:1", |g| g.constant(1f32));
/// let sessions = LocalSessions(SessionOptions { cpu_devices: 2, ..Default::default() });
/// assert_eq!(sessions.open(&g)?.eval::<f32, _>(&there)?, 1.0);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LocalSessions(pub SessionOptions);

impl SessionFactory for LocalSessions {
    fn open(&self, graph: &Graph) -> Result<Arc<dyn Session>> {
        Ok(Arc::new(LocalSession::with_options(graph, self.0.clone())?))
    }
}

/// How a session in this process is set up.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Queue;
/// let g = Graph::new();
/// let never = Queue::of(&[DType::Int32]).fifo(&g).dequeue();
/// let options = SessionOptions { operation_timeout: Some(Duration::from_millis(1)), ..Default::default() };
/// let session = LocalSession::with_options(&g, options)?;
/// assert_eq!(session.eval::<i32, _>(&never[0]).unwrap_err().code(), Code::DeadlineExceeded);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// How many CPU devices there are.
    pub cpu_devices: u32,
    /// How nodes are placed on them.
    pub placement: PlacementOptions,
    /// The timeout of steps that have none of their own.
    pub operation_timeout: Option<Duration>,
    /// How graphs are improved before they run.
    pub improvements: Improvements,
    /// The folders that ops may read and write files in; without any, that is everywhere.
    pub file_roots: Vec<PathBuf>,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            cpu_devices: 1,
            placement: PlacementOptions::default(),
            operation_timeout: None,
            improvements: Improvements::default(),
            file_roots: Vec::new(),
        }
    }
}

/// A session in this process, with devices and resources of its own.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None]);
/// let there = g.with_device("/cpu:1", |_| &x + 1.0);
/// let session = LocalSession::with_options(&g, SessionOptions { cpu_devices: 2, ..Default::default() })?;
/// let result = session.run(RunRequest::new().feed(&x, [1f32, 2.0]).fetch(&there).trace())?;
/// assert_eq!(result.tensors[0], Tensor::from([2f32, 3.0]));
/// let add = result.stats.unwrap().nodes.into_iter().find(|node| node.op == "AddV2").unwrap();
/// assert_eq!(add.device, "/job:localhost/replica:0/task:0/device:CPU:1");
/// # Ok(())
/// # }
/// ```
pub struct LocalSession {
    devices: Vec<Arc<Device>>,
    planner: RwLock<Planner>,
    /// The graph that the session follows as it grows, if it was opened on one, and how many of its nodes are known.
    source: Option<Graph>,
    known: AtomicUsize,
    /// Held by the thread that catches up with the graph.
    following: Mutex<()>,
    plans: RwLock<HashMap<Signature, Arc<Parts>>>,
    cache: KernelCache,
    kernels: Pool,
    blocking: Pool,
    next_step: AtomicI64,
    running: RunningSteps,
    collectives: Arc<dyn Collectives>,
    operation_timeout: Option<Duration>,
}

impl LocalSession {
    /// A session on a graph under construction; nodes added later are taken along.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let session = LocalSession::new(&g)?;
    /// let later = g.constant(7f32); // nodes may still be added
    /// assert_eq!(session.eval::<f32, _>(&later)?, 7.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// The graph's first mistake; `InvalidArgument` if a node cannot be placed.
    pub fn new(graph: &Graph) -> Result<LocalSession> {
        LocalSession::with_options(graph, SessionOptions::default())
    }

    /// As [`new`](LocalSession::new), with options.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let there = g.with_device("/cpu:1", |g| g.constant(1f32));
    /// assert!(LocalSession::new(&g).is_err()); // there is no such device
    /// let session = LocalSession::with_options(&g, SessionOptions { cpu_devices: 2, ..Default::default() })?;
    /// assert_eq!(session.eval::<f32, _>(&there)?, 1.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](LocalSession::new).
    pub fn with_options(graph: &Graph, options: SessionOptions) -> Result<LocalSession> {
        let data = graph.snapshot()?;
        let known = AtomicUsize::new(data.len());
        let mut session = LocalSession::from_data(data, graph.registry().clone(), options)?;
        (session.source, session.known) = (Some(graph.clone()), known);
        Ok(session)
    }

    /// A session on a finished graph.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.constant(7f32);
    /// let session = LocalSession::from_data(g.snapshot()?, g.registry().clone(), SessionOptions::default())?;
    /// assert_eq!(session.eval::<f32, _>("Const:0")?, 7.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if a node cannot be placed, or a file root is not a folder.
    pub fn from_data(graph: GraphData, registry: Arc<Registry>, options: SessionOptions) -> Result<LocalSession> {
        ensure!(options.cpu_devices > 0, InvalidArgument, "a session needs at least one device");
        let files = Arc::new(FileRoots::new(&options.file_roots)?);
        let device = |index| Arc::new(Device::cpu("localhost", 0, index).with_files(files.clone()));
        let devices: Vec<Arc<Device>> = (0..options.cpu_devices).map(device).collect();
        let planner = Planner::new(registry, DeviceSet::of(&devices), options.placement);
        let mut planner = planner.with_improvements(options.improvements);
        planner.set_graph(graph)?;
        Ok(LocalSession {
            devices,
            planner: RwLock::new(planner),
            source: None,
            known: AtomicUsize::new(0),
            following: Mutex::new(()),
            plans: RwLock::default(),
            cache: KernelCache::default(),
            kernels: shared_kernel_pool(),
            blocking: shared_blocking_pool(),
            next_step: AtomicI64::new(1),
            running: RunningSteps::default(),
            collectives: CollectiveHub::local("/job:localhost/replica:0/task:0").session(),
            operation_timeout: options.operation_timeout,
        })
    }

    /// Its devices, with their resources.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let session = LocalSession::with_options(&g, SessionOptions { cpu_devices: 2, ..Default::default() })?;
    /// assert_eq!(session.devices()[1].full_name, "/job:localhost/replica:0/task:0/device:CPU:1");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn follow_source(&self) -> Result<()> {
        let Some(source) = &self.source else { return Ok(()) };
        source.check()?;
        if source.num_nodes() <= self.known.load(Ordering::Acquire) {
            return Ok(());
        }
        // One at a time: whoever looked at the graph earlier must not put an older version in the place of a newer one.
        let _turn = self.following.lock();
        if source.num_nodes() <= self.known.load(Ordering::Acquire) {
            return Ok(());
        }
        let grown = source.snapshot()?;
        let known = grown.len();
        self.extend(grown)?;
        self.known.store(known, Ordering::Release);
        Ok(())
    }

    fn prepared(&self, signature: &Signature) -> Result<Arc<Parts>> {
        if let Some(prepared) = self.plans.read().get(signature) {
            return Ok(prepared.clone());
        }
        let planner = self.planner.read();
        let endings = Endings::Call { device: planner.devices().client_device()?.to_owned() };
        let plan = planner.plan(signature, &endings, |device| device.to_owned())?;
        let mut parts = Vec::with_capacity(plan.partitions.len());
        for partition in &plan.partitions {
            let device = self.devices.iter().find(|device| device.full_name == partition.location);
            let device = device.ok_or_else(|| err!(Internal, "there is no device {}", partition.location))?.clone();
            parts.push((
                Executor::new(&partition.graph, &self.cache, self.kernels.clone(), self.blocking.clone())?,
                device,
            ));
        }
        let prepared = Arc::new(parts);
        self.plans.write().insert(signature.clone(), prepared.clone());
        Ok(prepared)
    }

    /// Runs the parts of a plan and waits for all of them.
    fn execute(
        &self,
        parts: &Parts,
        id: StepId,
        frame: &Arc<CallFrame>,
        cancellation: &Cancellation,
        trace: bool,
    ) -> Result<Option<StepStats>> {
        let rendezvous = Arc::new(LocalRendezvous::new());
        let setup = StepSetup {
            id,
            rendezvous: rendezvous.clone(),
            collectives: self.collectives.clone(),
            cancellation: cancellation.clone(),
            frame: frame.clone(),
            trace,
        };
        let gate = Arc::new(Gate::default());
        let opener = gate.clone();
        run_parts(
            parts,
            setup,
            move |status| rendezvous.abort(status.clone()),
            Box::new(move |outcome| opener.open(outcome)),
        );
        gate.wait()
    }
}

impl Session for LocalSession {
    fn run(&self, request: RunRequest) -> Result<RunResult> {
        request.check()?;
        self.follow_source()?;
        let RunRequest { feeds, fetches, targets, options, .. } = request;
        let (names, values): (Vec<String>, Vec<Tensor>) = feeds.into_iter().unzip();
        self.check_feeds(&names, &values)?;
        let signature = Signature { feeds: names, fetches, targets };
        let prepared = self.prepared(&signature)?;
        let cancellation = Cancellation::new();
        let id = StepId(self.next_step.fetch_add(1, Ordering::Relaxed));
        self.running.begin(id, &cancellation)?;
        let outside = options.cancellation.as_ref().map(|outside| {
            let cancellation = cancellation.clone();
            outside.on_cancel(move |reason| cancellation.cancel(reason.clone()))
        });
        let alarm = options.timeout.or(self.operation_timeout).map(|timeout| {
            let cancellation = cancellation.clone();
            let reason = err!(DeadlineExceeded, "the step did not end within {timeout:?}");
            Timer::global().after(timeout, move || cancellation.cancel(reason))
        });
        let frame = Arc::new(CallFrame::new(values, signature.fetches.len()));
        let outcome = self.execute(&prepared, id, &frame, &cancellation, options.trace);
        drop((alarm, outside));
        self.running.end(id);
        let stats = outcome?;
        let mut tensors = Vec::with_capacity(signature.fetches.len());
        for (value, name) in frame.take_results().into_iter().zip(&signature.fetches) {
            let value = value.ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "Retval[{}] does not have value: {name} was on a branch that was not taken",
                    tensors.len()
                )
            })?;
            tensors.push(value);
        }
        Ok(RunResult { tensors, stats })
    }

    fn extend(&self, graph: GraphData) -> Result<()> {
        let mut planner = self.planner.write();
        for node in planner.graph().nodes() {
            ensure!(
                graph.find(&node.name).is_some(),
                InvalidArgument,
                "the extended graph has no node '{}' any more",
                node.name
            );
        }
        planner.set_graph(graph)
    }

    fn close(&self) -> Result<()> {
        self.running.close(&err!(Cancelled, "Step was cancelled by an explicit call to `Session::Close()`."));
        self.running.wait_until_idle();
        Ok(())
    }
}

impl LocalSession {
    /// Fed values must be of the type, and fit the shape, that the graph states.
    fn check_feeds(&self, names: &[String], values: &[Tensor]) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let planner = self.planner.read();
        for (name, value) in names.iter().zip(values) {
            let endpoint = planner.graph().endpoint(&name.parse()?)?;
            if let Some(wanted) = planner.graph().value_type(endpoint) {
                ensure!(
                    wanted.dtype == value.dtype(),
                    InvalidArgument,
                    "tensor {name} is of type {}, but was fed a value of type {}",
                    wanted.dtype,
                    value.dtype()
                );
            }
            let shape = planner.graph().node(endpoint.node).output_shape(endpoint.index as usize);
            ensure!(
                shape.is_compatible_with(value.shape()),
                InvalidArgument,
                "Cannot feed value of shape {} for tensor {name}, which has shape {shape}",
                value.shape()
            );
        }
        Ok(())
    }
}

impl Drop for LocalSession {
    fn drop(&mut self) {
        for device in &self.devices {
            device.resources.clear_all();
        }
    }
}

/// Where the caller waits for the end of a step.
#[derive(Default)]
struct Gate {
    outcome: Mutex<Option<Result<Option<StepStats>>>>,
    opened: Condvar,
}

impl Gate {
    fn open(&self, outcome: Result<Option<StepStats>>) {
        *self.outcome.lock() = Some(outcome);
        self.opened.notify_one();
    }

    fn wait(&self) -> Result<Option<StepStats>> {
        let mut outcome = self.outcome.lock();
        loop {
            if let Some(outcome) = outcome.take() {
                return outcome;
            }
            self.opened.wait(&mut outcome);
        }
    }
}

/// All local sessions of a process share these threads. Servers have their own.
pub(crate) fn shared_kernel_pool() -> Pool {
    static POOL: std::sync::LazyLock<Pool> = std::sync::LazyLock::new(Pool::for_kernels);
    POOL.clone()
}

/// Threads for checkpoints, of all sessions and servers of the process.
pub(crate) fn shared_saving_pool() -> Pool {
    static POOL: std::sync::LazyLock<Pool> = std::sync::LazyLock::new(|| Pool::new("checkpoint", 16));
    POOL.clone()
}

pub(crate) fn shared_blocking_pool() -> Pool {
    static POOL: std::sync::LazyLock<Pool> = std::sync::LazyLock::new(Pool::for_blocking);
    POOL.clone()
}
