//! Sessions in this process and on servers.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use cluster::{RemoteOptions, RemoteSession, Transport, stats_to_proto};
use parking_lot::Mutex;
use prost::Message as _;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use runtime::{LocalSession, PlacementOptions, RunRequest, RunResult, SessionOptions};
use tensor::Code;

use crate::errors::{OrRaise, raise};
use crate::graph::Graph;
use crate::interrupt::Interruptible;
use crate::process::check_process;
use crate::queues::SLICE;
use crate::steps::{Step, feeds_from_python};
use crate::values::tensor_to_python;

/// A session on a graph.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct Session {
    pub session: Arc<dyn runtime::Session>,
    graph: graph::Graph,
}

#[pymethods]
impl Session {
    /// Opens a session: in this process if the target is empty, else on the server at `grpc://host:port`.
    #[new]
    #[pyo3(signature = (graph, target, *, cpu_devices=1, soft_placement=false, log_placement=false, timeout_ms=0,
                        device_filters=vec![], isolate=false))]
    fn new(
        py: Python<'_>,
        graph: &Graph,
        target: &str,
        cpu_devices: u32,
        soft_placement: bool,
        log_placement: bool,
        timeout_ms: u64,
        device_filters: Vec<String>,
        isolate: bool,
    ) -> PyResult<Session> {
        check_process()?;
        let graph = graph.graph.clone();
        let timeout = (timeout_ms > 0).then(|| Duration::from_millis(timeout_ms));
        let (target, to) = (target.to_owned(), graph.clone());
        let session = waited(py, move || -> tensor::Result<Arc<dyn runtime::Session>> {
            let (target, graph) = (&*target, to);
            if target.is_empty() {
                let placement = PlacementOptions { soft: soft_placement, log: log_placement };
                let options =
                    SessionOptions { cpu_devices, placement, operation_timeout: timeout, ..Default::default() };
                return Ok(Arc::new(LocalSession::with_options(&graph, options)?));
            }
            let options = RemoteOptions {
                soft_placement,
                log_placement,
                device_filters,
                isolate,
                operation_timeout: timeout,
                transport: Transport::Auto,
                ..Default::default()
            };
            Ok(Arc::new(RemoteSession::with_options(target, &graph, options)?))
        });
        Ok(Session { session: session?, graph })
    }

    /// Runs a step and returns the fetched values.
    #[pyo3(signature = (step, feeds, timeout_ms=0))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        step: &Step,
        feeds: &Bound<'py, PyList>,
        timeout_ms: u64,
    ) -> PyResult<Bound<'py, PyList>> {
        let result = self.step(py, step, feeds, timeout_ms, false)?;
        fetched(py, &result)
    }

    /// Runs a step and returns the fetched values, and what ran when, as a message `RunMetadata`; empty without `trace`.
    fn run_traced<'py>(
        &self,
        py: Python<'py>,
        step: &Step,
        feeds: &Bound<'py, PyList>,
        timeout_ms: u64,
        trace: bool,
    ) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyBytes>)> {
        let result = self.step(py, step, feeds, timeout_ms, trace)?;
        let step_stats = result.stats.as_ref().map(stats_to_proto);
        let metadata = wire::RunMetadata { step_stats, ..Default::default() };
        Ok((fetched(py, &result)?, PyBytes::new(py, &metadata.encode_to_vec())))
    }

    /// Ends the session and what it runs.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        check_process()?;
        let session = self.session.clone();
        waited(py, move || session.close())
    }
}

fn fetched<'py>(py: Python<'py>, result: &RunResult) -> PyResult<Bound<'py, PyList>> {
    let values = PyList::empty(py);
    for tensor in &result.tensors {
        values.append(tensor_to_python(py, tensor)?)?;
    }
    Ok(values)
}

impl Session {
    fn step(
        &self,
        py: Python<'_>,
        step: &Step,
        feeds: &Bound<'_, PyList>,
        timeout_ms: u64,
        trace: bool,
    ) -> PyResult<RunResult> {
        check_process()?;
        let mut request = RunRequest::new();
        request.feeds = feeds_from_python(&self.graph, feeds)?;
        request.fetches.clone_from(&step.fetches);
        request.targets.clone_from(&step.targets);
        if timeout_ms > 0 {
            request = request.timeout(Duration::from_millis(timeout_ms));
        }
        request.options.trace = trace;
        let waiting = Interruptible::new();
        let request = request.cancellation(&waiting.cancellation);
        let result = py.detach(|| self.session.run(request));
        drop(waiting);
        result.or_else(|status| {
            if status.code() == Code::Cancelled {
                py.check_signals()?;
            }
            Err(raise(py, status))
        })
    }
}

/// Waits for work on a thread of its own, for a server may take long to answer: a signal's handler may end the wait, and then
/// nobody takes what comes of the work.
fn waited<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> tensor::Result<T> + Send + 'static) -> PyResult<T> {
    let (done, result) = mpsc::channel();
    let work = move || {
        // An error means that nobody waits any more.
        let _ = done.send(work());
    };
    std::thread::Builder::new().name("tensorfleet-wait".to_owned()).spawn(work)?;
    let result = Mutex::new(result);
    loop {
        match py.detach(|| result.lock().recv_timeout(SLICE)) {
            Ok(outcome) => return outcome.or_raise(py),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the thread that asked the server ended without an answer"));
            }
        }
    }
}

/// Empties containers on a server and ends its sessions.
#[pyfunction]
pub fn reset(py: Python<'_>, target: String, containers: Vec<String>) -> PyResult<()> {
    check_process()?;
    waited(py, move || RemoteSession::reset(&target, &containers))
}

/// The names of the devices that a server knows.
#[pyfunction]
pub fn list_devices(py: Python<'_>, target: String) -> PyResult<Vec<String>> {
    check_process()?;
    waited(py, move || RemoteSession::devices(&target))
}
