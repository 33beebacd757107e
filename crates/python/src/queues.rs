//! Threads that fill queues, and what stops them.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use pyo3::prelude::*;
use tensor::{Code, Status};
use train::QueueRunnerNames;

use crate::errors::{OrRaise, raise};
use crate::session::Session;

/// How long a wait goes on before signals are looked at.
pub const SLICE: Duration = Duration::from_millis(100);

/// What threads of this library and of Python stop by.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct Coordinator {
    pub coord: train::Coordinator,
}

#[pymethods]
impl Coordinator {
    /// `clean` are the codes of errors that are a good end.
    #[new]
    fn new(clean: Vec<i32>) -> Coordinator {
        let codes: Vec<Code> = clean.into_iter().map(Code::from_number).collect();
        Coordinator { coord: train::Coordinator::with_clean_codes(&codes) }
    }

    fn request_stop(&self) {
        self.coord.request_stop();
    }

    /// Asks for the end because of an error of this code.
    fn request_stop_because(&self, code: i32, message: &str) {
        self.coord.request_stop_because(Status::new(Code::from_number(code), message));
    }

    fn should_stop(&self) -> bool {
        self.coord.should_stop()
    }

    fn clear_stop(&self) {
        self.coord.clear_stop();
    }

    /// How many threads of this library run.
    fn num_threads(&self) -> usize {
        self.coord.num_threads()
    }

    /// Raises what a thread of this library failed with.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.coord.check().or_raise(py)
    }

    /// Waits for a stop, so many seconds at most or without a limit; a signal's handler may raise meanwhile.
    fn wait_for_stop(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<bool> {
        sliced(py, seconds, |slice| self.coord.wait_for_stop(slice))
    }
}

/// Waits in slices until `wait` says that it is over, or the time is; looks at signals between them.
pub fn sliced(py: Python<'_>, seconds: Option<f64>, wait: impl Fn(Duration) -> bool + Sync + Send) -> PyResult<bool> {
    let limit = seconds.map(|seconds| Duration::from_secs_f64(seconds.clamp(0.0, 1e9)));
    let began = std::time::Instant::now();
    loop {
        let left = limit.map_or(SLICE, |limit| limit.saturating_sub(began.elapsed()).min(SLICE));
        if py.detach(|| wait(left)) {
            return Ok(true);
        }
        py.check_signals()?;
        if limit.is_some_and(|limit| began.elapsed() >= limit) {
            return Ok(false);
        }
    }
}

/// Threads that fill a queue.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct QueueRunner {
    runner: train::QueueRunner,
}

impl QueueRunner {
    pub fn of(runner: train::QueueRunner) -> QueueRunner {
        QueueRunner { runner }
    }
}

#[pymethods]
impl QueueRunner {
    /// Of nodes by their names; `closed_codes` are the codes that mean the end of the input.
    #[new]
    fn new(queue: String, enqueue: Vec<String>, close: String, cancel: String, closed_codes: Vec<i32>) -> QueueRunner {
        let closed_codes = closed_codes.into_iter().map(Code::from_number).collect();
        let names = QueueRunnerNames { queue, enqueue, close, cancel, closed_codes };
        QueueRunner { runner: train::QueueRunner::from_names(names) }
    }

    /// The queue, the enqueue operations, and those that close the queue.
    fn names(&self) -> (String, Vec<String>, String, String) {
        let QueueRunnerNames { queue, enqueue, close, cancel, .. } = self.runner.names().clone();
        (queue, enqueue, close, cancel)
    }

    /// Begins the threads, unless they run in the session; they can be waited for.
    fn create_threads(&self, py: Python<'_>, session: &Session, coord: &Coordinator) -> PyResult<Vec<QueueThread>> {
        let started = self.runner.create_threads(&session.session, &coord.coord).map_err(|status| raise(py, status))?;
        let (runner, session) = (self.runner.clone(), Arc::downgrade(&session.session));
        if started == 0 {
            return Ok(Vec::new());
        }
        let names = self.runner.names().enqueue.iter();
        let thread = |(number, _): (usize, &String)| QueueThread {
            name: format!("QueueRunnerThread-{}-{number}", self.runner.name()),
            runner: runner.clone(),
            session: session.clone(),
        };
        Ok(names.enumerate().map(thread).collect())
    }
}

/// A thread that fills a queue.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct QueueThread {
    name: String,
    runner: train::QueueRunner,
    session: std::sync::Weak<dyn runtime::Session>,
}

#[pymethods]
impl QueueThread {
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Whether threads of its runner are at work.
    fn is_alive(&self) -> bool {
        self.session.upgrade().is_some_and(|session| self.runner.runs_in(&session))
    }

    /// Waits until the threads of its runner are done, so many seconds at most or without a limit.
    #[pyo3(signature = (timeout=None))]
    fn join(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<()> {
        let nothing = (Mutex::new(()), Condvar::new());
        sliced(py, timeout, |slice| {
            let over = || self.session.upgrade().is_none_or(|session| !self.runner.runs_in(&session));
            if over() {
                return true;
            }
            let mut guard = nothing.0.lock();
            nothing.1.wait_for(&mut guard, slice.min(Duration::from_millis(20)));
            drop(guard);
            over()
        })?;
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<thread {} of tensorfleet>", self.name)
    }
}
