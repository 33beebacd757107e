//! The worker: runs the parts of graphs that were registered with it, on this task's devices.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use graph::GraphData;
use graph::op::{CallFrame, Cancellation, Parcel, Registry, Rendezvous, RendezvousKey, Step, StepId};
use parking_lot::Mutex;
use runtime::{Device, DeviceSet, Executor, KernelCache, LocalRendezvous, Pool, ResourceManager, StepStats, partition};
use tensor::{Result, Status, Tensor, err};

/// A task's worker.
pub(crate) struct Worker {
    task: String,
    devices: Vec<Arc<Device>>,
    registry: Arc<Registry>,
    pub kernels: Pool,
    blocking: Pool,
    sessions: Mutex<HashMap<String, Arc<WorkerSession>>>,
    next_graph: AtomicU64,
}

/// What a session has on this task.
struct WorkerSession {
    devices: Vec<Arc<Device>>,
    cache: KernelCache,
    graphs: Mutex<HashMap<String, Arc<RegisteredGraph>>>,
}

/// A graph ready to run, one executor a device.
struct RegisteredGraph {
    parts: Vec<(Executor, Arc<Device>)>,
}

/// One step of a registered graph.
pub(crate) struct StepCall {
    pub id: i64,
    /// Values by rendezvous key, put there before the step begins.
    pub sends: Vec<(RendezvousKey, Tensor)>,
    /// Keys of the values to give back.
    pub receives: Vec<RendezvousKey>,
    pub trace: bool,
}

pub(crate) type StepAnswer = Box<dyn FnOnce(Result<(Vec<Tensor>, Option<StepStats>)>) + Send>;

impl Worker {
    pub fn new(job: &str, task: u32, cpus: u32, registry: Arc<Registry>) -> Worker {
        Worker {
            task: format!("/job:{job}/replica:0/task:{task}"),
            devices: (0..cpus).map(|index| Arc::new(Device::cpu(job, task, index))).collect(),
            registry,
            kernels: Pool::for_kernels(),
            blocking: Pool::for_blocking(),
            sessions: Mutex::default(),
            next_graph: AtomicU64::new(1),
        }
    }

    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// The devices as TensorFlow's messages describe them.
    pub fn device_attributes(&self) -> Vec<wire::DeviceAttributes> {
        let describe = |device: &Arc<Device>| wire::DeviceAttributes {
            name: device.full_name.clone(),
            device_type: device.name.kind.clone().unwrap_or_default(),
            memory_limit: device.memory_limit,
            incarnation: device.incarnation,
            locality: Some(wire::DeviceLocality::default()),
            xla_global_id: -1,
            ..Default::default()
        };
        self.devices.iter().map(describe).collect()
    }

    /// Makes room for a session. An isolated one shares no resources with others.
    pub fn create_session(&self, handle: &str, isolate: bool) {
        let own = |device: &Arc<Device>| Arc::new(device.isolated(device.name.job.as_deref().unwrap_or("")));
        let devices = if isolate { self.devices.iter().map(own).collect() } else { self.devices.clone() };
        let session = WorkerSession { devices, cache: KernelCache::default(), graphs: Mutex::default() };
        self.sessions.lock().insert(handle.to_owned(), Arc::new(session));
    }

    /// Forgets a session's graphs; resources that it shared stay.
    pub fn delete_session(&self, handle: &str) {
        let session = self.sessions.lock().remove(handle);
        drop(session);
    }

    fn session(&self, handle: &str) -> Result<Arc<WorkerSession>> {
        let found = self.sessions.lock().get(handle).cloned();
        found.ok_or_else(|| {
            err!(
                Aborted,
                "Session handle is not found: {handle}. Possibly this worker (\"{}\") just restarted.",
                self.task
            )
        })
    }

    /// Prepares a graph whose nodes are all placed on this task.
    ///
    /// # Errors
    /// `Aborted` for an unknown session; `InvalidArgument` for a node on another task; `NotFound` for ops without kernels.
    pub fn register_graph(&self, session: &str, graph: &GraphData) -> Result<String> {
        let session = self.session(session)?;
        let parts = partition(graph, &DeviceSet::of(&session.devices), &self.registry, |device| device.to_owned())?;
        let mut registered = RegisteredGraph { parts: Vec::with_capacity(parts.len()) };
        for part in &parts {
            let device = session.devices.iter().find(|device| device.full_name == part.location);
            let device =
                device.ok_or_else(|| err!(InvalidArgument, "{} is not a device of {}", part.location, self.task))?;
            let executor = Executor::new(&part.graph, &session.cache, self.kernels.clone(), self.blocking.clone())?;
            registered.parts.push((executor, device.clone()));
        }
        let handle = format!("{:016x}", self.next_graph.fetch_add(1, Ordering::Relaxed));
        session.graphs.lock().insert(handle.clone(), Arc::new(registered));
        Ok(handle)
    }

    /// Runs a step of a graph; `answer` is called once, when everything of it has ended.
    pub fn run_graph(
        &self,
        session: &str,
        graph: &str,
        call: StepCall,
        cancellation: Cancellation,
        answer: StepAnswer,
    ) {
        let found = self.session(session).and_then(|session| {
            let found = session.graphs.lock().get(graph).cloned();
            found.ok_or_else(|| {
                err!(Aborted, "Graph handle is not found: {graph}. Possibly, this worker just restarted.")
            })
        });
        match found {
            Ok(graph) => start_step(&graph, call, &cancellation, answer),
            Err(status) => answer(Err(status)),
        }
    }

    /// Empties containers of all devices.
    pub fn clear_containers(&self, containers: &[String]) {
        for device in &self.devices {
            device.resources.clear(containers);
        }
    }
}

fn start_step(graph: &Arc<RegisteredGraph>, call: StepCall, cancellation: &Cancellation, answer: StepAnswer) {
    let rendezvous = Arc::new(LocalRendezvous::new());
    for (key, tensor) in call.sends {
        if let Err(status) = rendezvous.send(&key, Parcel::Tensor(tensor)) {
            return answer(Err(status));
        }
    }
    let on_cancel = {
        let rendezvous = rendezvous.clone();
        cancellation.on_cancel(move |status| rendezvous.abort(status.clone()))
    };
    let step_resources = Arc::new(ResourceManager::new("step"));
    let gathering = Arc::new(Gathering {
        state: Mutex::new(Gathered {
            missing: graph.parts.len(),
            failure: None,
            stats: None,
            answer: Some(answer),
            on_cancel: Some(on_cancel),
        }),
        rendezvous: rendezvous.clone(),
        receives: call.receives,
        step_resources: step_resources.clone(),
        cancellation: cancellation.clone(),
    });
    for (index, (executor, device)) in graph.parts.iter().enumerate() {
        let step = Arc::new(Step {
            id: StepId(call.id),
            device: device.full_name.clone(),
            resources: device.resources.clone(),
            step_resources: step_resources.clone(),
            rendezvous: rendezvous.clone(),
            cancellation: cancellation.clone(),
            frame: Arc::new(CallFrame::default()),
        });
        let gathering = gathering.clone();
        let done = Box::new(move |outcome| gathering.arrive(outcome));
        if index + 1 == graph.parts.len() {
            executor.run(step, call.trace, done);
        } else {
            executor.spawn(step, call.trace, done);
        }
    }
}

/// Waits for all parts of a step, then answers.
struct Gathering {
    state: Mutex<Gathered>,
    rendezvous: Arc<LocalRendezvous>,
    receives: Vec<RendezvousKey>,
    step_resources: Arc<ResourceManager>,
    cancellation: Cancellation,
}

struct Gathered {
    missing: usize,
    failure: Option<Status>,
    stats: Option<StepStats>,
    answer: Option<StepAnswer>,
    on_cancel: Option<graph::op::Registration>,
}

impl Gathering {
    fn arrive(&self, outcome: Result<Option<StepStats>>) {
        if let Err(status) = &outcome {
            self.cancellation.cancel(status.clone().derived());
        }
        let mut state = self.state.lock();
        state.missing -= 1;
        match outcome {
            Ok(Some(stats)) => state.stats.get_or_insert_default().nodes.extend(stats.nodes),
            Ok(None) => {}
            Err(status) => {
                if state.failure.as_ref().is_none_or(|first| first.is_derived() && !status.is_derived()) {
                    state.failure = Some(status);
                }
            }
        }
        if state.missing > 0 {
            return;
        }
        let (failure, stats, answer, on_cancel) =
            (state.failure.take(), state.stats.take(), state.answer.take(), state.on_cancel.take());
        drop(state);
        drop(on_cancel);
        self.step_resources.clear_all();
        let outcome = match failure {
            Some(status) => Err(match self.cancellation.reason() {
                Some(reason) if !reason.is_derived() => reason,
                _ => status,
            }),
            None => self.fetch().map(|tensors| (tensors, stats)),
        };
        self.rendezvous.abort(err!(Aborted, "the step has ended").derived());
        if let Some(answer) = answer {
            answer(outcome);
        }
    }

    fn fetch(&self) -> Result<Vec<Tensor>> {
        let take = |key: &RendezvousKey| match self.rendezvous.take(key.as_str()) {
            Some(Parcel::Tensor(tensor)) => Ok(tensor),
            _ => Err(err!(Internal, "Failed to fetch outputs: the tensor returned for {} was not valid.", key.name())),
        };
        self.receives.iter().map(take).collect()
    }
}
