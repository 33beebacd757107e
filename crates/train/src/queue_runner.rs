//! Queue runners: threads that keep a queue filled while a program trains.

use std::sync::{Arc, Weak};
use std::time::Duration;

use graph::op::Cancellation;
use graph::{Graph, Operation};
use parking_lot::{Condvar, Mutex};
use runtime::{RunRequest, Session};
use tensor::{Code, Result, err};

use crate::coordinator::Coordinator;
use crate::queue::Queue;
use crate::session_manager::is_passing;

/// A queue and the ops that fill it. For each op a thread runs it again and again, until the queue or the input ends or the
/// coordinator stops. Clones are the same runner.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Queue, QueueRunner, add_queue_runner, start_queue_runners};
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let queue = Queue::of(&[DType::Float]).capacity(10).fifo(&g);
/// let enqueue = queue.enqueue(&[g.random_uniform((), 0.0, 1.0)]);
/// add_queue_runner(&g, QueueRunner::new(&queue, &[enqueue.clone(), enqueue])); // two threads
/// let number = queue.dequeue();
///
/// let session: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
/// let coord = Coordinator::new();
/// assert_eq!(start_queue_runners(&g, &session, &coord)?, 2);
/// assert_eq!(start_queue_runners(&g, &session, &coord)?, 0); // they run already
/// for _ in 0..20 {
///     session.fetch(RunRequest::new().fetch(&number[0]))?;
/// }
/// coord.request_stop();
/// coord.join(std::time::Duration::from_secs(60))?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct QueueRunner {
    shared: Arc<RunnerThreads>,
}

struct RunnerThreads {
    names: QueueRunnerNames,
    /// How many threads run in each session.
    running: Mutex<Vec<(Weak<dyn Session>, usize)>>,
    /// Told when a thread ends.
    ended: Condvar,
}

/// How long a step that fills the queue may go on after all is told to stop, before it is cancelled: it may wait for something
/// else than room in the queue.
const LAST_STEP: Duration = Duration::from_secs(1);

/// The nodes of a queue runner, by name.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Queue, QueueRunner};
/// let g = Graph::new();
/// let queue = Queue::of(&[DType::Float]).name("queue").fifo(&g);
/// let runner = QueueRunner::new(&queue, &[queue.enqueue(&[g.constant(1f32)])]);
/// let names = runner.names();
/// assert_eq!((names.queue.as_str(), names.enqueue.len()), ("queue", 1));
/// assert_eq!(names.closed_codes, [Code::OutOfRange]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct QueueRunnerNames {
    /// The queue.
    pub queue: String,
    /// The nodes that fill the queue, each run by a thread of its own.
    pub enqueue: Vec<String>,
    /// The node that closes the queue when nothing more comes.
    pub close: String,
    /// The node that closes the queue and fails those who wait to fill it.
    pub cancel: String,
    /// Errors of these codes mean that the input has ended.
    pub closed_codes: Vec<Code>,
}

impl QueueRunner {
    /// A runner for a queue, with a thread for each of the enqueue ops (which may be the same one several times).
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Queue, QueueRunner};
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Float]).fifo(&g);
    /// let enqueue = queue.enqueue(&[g.constant(1f32)]);
    /// let runner = QueueRunner::new(&queue, &[enqueue.clone(), enqueue]); // two threads
    /// assert_eq!(runner.names().enqueue.len(), 2);
    /// ```
    #[track_caller]
    pub fn new(queue: &Queue, enqueue_ops: &[Operation]) -> QueueRunner {
        let (close, cancel) = (queue.close(false), queue.close(true));
        QueueRunner::with_ops(queue, enqueue_ops, &close, &cancel)
    }

    /// A runner with nodes of the program's own for closing the queue, and for cancelling what waits to enqueue.
    pub fn with_ops(queue: &Queue, enqueue_ops: &[Operation], close: &Operation, cancel: &Operation) -> QueueRunner {
        let name = |operation: &Operation| operation.name().unwrap_or_default();
        QueueRunner::from_names(QueueRunnerNames {
            queue: queue.name(),
            enqueue: enqueue_ops.iter().map(name).collect(),
            close: name(close),
            cancel: name(cancel),
            closed_codes: vec![Code::OutOfRange],
        })
    }

    /// A runner of nodes known by name, as in a graph that was read from a file.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Queue, QueueRunner};
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Float]).fifo(&g);
    /// let runner = QueueRunner::new(&queue, &[queue.enqueue(&[g.constant(1f32)])]);
    /// let same = QueueRunner::from_names(runner.names().clone());
    /// assert_eq!(same.name(), "fifo_queue");
    /// ```
    pub fn from_names(names: QueueRunnerNames) -> QueueRunner {
        QueueRunner { shared: Arc::new(RunnerThreads { names, running: Mutex::default(), ended: Condvar::new() }) }
    }

    /// Returns the names of its nodes.
    pub fn names(&self) -> &QueueRunnerNames {
        &self.shared.names
    }

    /// The name of the queue's node.
    pub fn name(&self) -> &str {
        &self.shared.names.queue
    }

    /// Starts the threads, unless they run in this session already. Returns how many were started.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{GRACE, Queue, QueueRunner};
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Float]).capacity(10).fifo(&g);
    /// let runner = QueueRunner::new(&queue, &[queue.enqueue(&[g.constant(1f32)])]);
    /// let session: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
    /// let coord = Coordinator::new();
    /// assert_eq!(runner.create_threads(&session, &coord)?, 1);
    /// assert!(runner.runs_in(&session));
    /// coord.request_stop();
    /// coord.join(GRACE)?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `ResourceExhausted` if the system gives no more threads.
    pub fn create_threads(&self, session: &Arc<dyn Session>, coord: &Coordinator) -> Result<usize> {
        let count = self.shared.names.enqueue.len();
        {
            let mut running = self.shared.running.lock();
            running.retain(|(known, threads)| *threads > 0 && known.strong_count() > 0);
            let this = Arc::downgrade(session);
            if running.iter().any(|(known, _)| known.ptr_eq(&this)) {
                return Ok(0);
            }
            running.push((this, count));
        }
        let cancellation = Cancellation::new();
        for (index, enqueue) in self.shared.names.enqueue.iter().enumerate() {
            let work = Filling {
                runner: self.clone(),
                session: session.clone(),
                coord: coord.clone(),
                enqueue: enqueue.clone(),
                cancellation: cancellation.clone(),
                signed_off: false,
            };
            coord.spawn(&format!("QueueRunnerThread-{}-{index}", self.name()), move || work.run())?;
        }
        let (session, coordinator, cancel) = (Arc::downgrade(session), coord.clone(), self.shared.names.cancel.clone());
        coord.spawn(&format!("QueueRunnerThread-close_on_stop-{}", self.name()), {
            let runner = self.clone();
            move || {
                // Ends with the threads it watches, or when they must be woken from waiting for a full queue.
                let done = || session.upgrade().is_none_or(|session| !runner.runs_in(&session));
                if !coordinator.wait_for_stop_or(done) {
                    return Ok(());
                }
                // After the loss of a task all begins anew, and a queue elsewhere that lived on is needed again, open.
                let begins_anew = coordinator.check().is_err_and(|status| is_passing(&status));
                if let (Some(session), false) = (session.upgrade(), begins_anew) {
                    // The queue may be out of reach, and then nobody waits for it.
                    let _ = session.run(RunRequest::new().target(&*cancel).timeout(std::time::Duration::from_secs(60)));
                    runner.wait_for_end(&session, LAST_STEP);
                }
                cancellation.cancel(err!(Cancelled, "the coordinator stopped the queue runner {}", runner.name()));
                Ok(())
            }
        })?;
        Ok(count)
    }

    /// Whether a thread of this runner is at work in the session.
    pub fn runs_in(&self, session: &Arc<dyn Session>) -> bool {
        let this = Arc::downgrade(session);
        self.shared.running.lock().iter().any(|(known, threads)| *threads > 0 && known.ptr_eq(&this))
    }

    /// Waits until no thread is at work in the session, but no longer than this.
    fn wait_for_end(&self, session: &Arc<dyn Session>, limit: Duration) {
        let this = Arc::downgrade(session);
        let mut running = self.shared.running.lock();
        let at_work = |running: &mut Vec<(Weak<dyn Session>, usize)>| {
            running.iter().any(|(known, threads)| *threads > 0 && known.ptr_eq(&this))
        };
        self.shared.ended.wait_while_for(&mut running, at_work, limit);
    }

    /// One thread less in this session; true if it was the last.
    fn sign_off(&self, session: &Arc<dyn Session>) -> bool {
        let this = Arc::downgrade(session);
        let mut running = self.shared.running.lock();
        for (known, threads) in running.iter_mut() {
            if known.ptr_eq(&this) {
                *threads = threads.saturating_sub(1);
                self.shared.ended.notify_all();
                return *threads == 0;
            }
        }
        true
    }
}

/// One thread's work.
struct Filling {
    runner: QueueRunner,
    session: Arc<dyn Session>,
    coord: Coordinator,
    enqueue: String,
    cancellation: Cancellation,
    signed_off: bool,
}

impl Filling {
    fn run(mut self) -> Result<()> {
        let request = RunRequest::new().target(&*self.enqueue).cancellation(&self.cancellation);
        request.check()?;
        let names = self.runner.names().clone();
        while !self.coord.should_stop() {
            match self.session.run(request.clone()) {
                Ok(_) => {}
                Err(status) if names.closed_codes.contains(&status.code()) => {
                    self.signed_off = true;
                    if self.runner.sign_off(&self.session) {
                        // Those who dequeue get what is left, then the end. A queue that is gone needs no closing.
                        let _ = self.session.run(RunRequest::new().target(&*names.close));
                    }
                    return Ok(());
                }
                Err(_) if self.cancellation.is_cancelled() => return Ok(()),
                Err(status) => return Err(status),
            }
        }
        Ok(())
    }
}

impl Drop for Filling {
    fn drop(&mut self) {
        if !self.signed_off {
            self.runner.sign_off(&self.session);
        }
    }
}

/// The queue runners of a graph.
#[derive(Default)]
struct QueueRunners(Vec<QueueRunner>);

/// Keeps a runner with the graph, to be started with the others.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Queue, QueueRunner, add_queue_runner, queue_runners};
/// let g = Graph::new();
/// let queue = Queue::of(&[DType::Float]).fifo(&g);
/// add_queue_runner(&g, QueueRunner::new(&queue, &[queue.enqueue(&[g.constant(1f32)])]));
/// assert_eq!(queue_runners(&g)[0].name(), "fifo_queue");
/// ```
pub fn add_queue_runner(graph: &Graph, runner: QueueRunner) {
    graph.with_extension(|runners: &mut QueueRunners| runners.0.push(runner));
}

/// The runners kept with a graph.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{InputOptions, queue_runners, string_input_producer};
/// let g = Graph::new();
/// string_input_producer(&g, &["a", "b"], InputOptions::new());
/// assert_eq!(queue_runners(&g).len(), 1); // input pipelines bring theirs
/// ```
pub fn queue_runners(graph: &Graph) -> Vec<QueueRunner> {
    graph.with_extension(|runners: &mut QueueRunners| runners.0.clone())
}

/// Starts all queue runners of a graph that do not run in the session yet, and says how many threads that took.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{GRACE, InputOptions, start_queue_runners, string_input_producer};
/// let g = Graph::new();
/// let name = string_input_producer(&g, &["a"], InputOptions::new()).dequeue();
/// let session: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
/// let coord = Coordinator::new();
/// assert_eq!(start_queue_runners(&g, &session, &coord)?, 1);
/// assert_eq!(session.eval::<String, _>(&name[0])?, "a");
/// coord.request_stop();
/// coord.join(GRACE)?;
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// The graph's first mistake; `ResourceExhausted` if the system gives no more threads.
pub fn start_queue_runners(graph: &Graph, session: &Arc<dyn Session>, coord: &Coordinator) -> Result<usize> {
    graph.check()?;
    let mut started = 0;
    for runner in queue_runners(graph) {
        started += runner.create_threads(session, coord)?;
    }
    Ok(started)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tensor::{DType, PartialShape, Tensor};

    use super::*;
    use crate::testing::{graph, local};

    const LONG: Duration = Duration::from_secs(60);

    fn numbers(g: &Graph, capacity: i64) -> Queue {
        Queue::of(&[DType::Int32]).shapes(&[PartialShape::scalar()]).capacity(capacity).fifo(g)
    }

    #[test]
    fn a_full_queue_does_not_keep_threads_from_stopping() {
        let g = graph();
        let queue = numbers(&g, 1);
        let enqueue = queue.enqueue(&[g.constant(1i32)]);
        let size = queue.size();
        add_queue_runner(&g, QueueRunner::new(&queue, &[enqueue.clone(), enqueue]));
        let (session, coord) = (local(&g), Coordinator::new());
        start_queue_runners(&g, &session, &coord).unwrap();
        while session.fetch(RunRequest::new().fetch(&size)).unwrap()[0] != Tensor::from(1i32) {}
        coord.request_stop();
        coord.join(LONG).unwrap();
        assert!(!queue_runners(&g)[0].runs_in(&session));
    }

    #[test]
    fn the_end_of_input_closes_the_queue() {
        let g = graph();
        let (source, target) = (numbers(&g, 10), numbers(&g, 10));
        let fill = source.enqueue_many(&[g.constant([1i32, 2, 3])]);
        let end = source.close(false);
        let copy = target.enqueue(&source.dequeue());
        let taken = target.dequeue();
        let runner = QueueRunner::new(&target, &[copy]);
        let (session, coord) = (local(&g), Coordinator::new());
        session.run(RunRequest::new().target(&fill)).unwrap();
        session.run(RunRequest::new().target(&end)).unwrap();
        assert_eq!(runner.create_threads(&session, &coord).unwrap(), 1);
        for expected in [1i32, 2, 3] {
            assert_eq!(session.fetch(RunRequest::new().fetch(&taken[0])).unwrap()[0], Tensor::from(expected));
        }
        let status = session.fetch(RunRequest::new().fetch(&taken[0])).unwrap_err();
        assert_eq!(status.code(), Code::OutOfRange);
        coord.join(LONG).unwrap();
        assert!(!coord.should_stop(), "the end of one input stops nobody else");
    }

    #[test]
    fn a_failing_enqueue_stops_the_coordinator_with_its_error() {
        let g = graph();
        let queue = numbers(&g, 10);
        let wrong = g.placeholder(DType::Int32, [1]); // and nobody feeds it
        let runner = QueueRunner::new(&queue, &[queue.enqueue_many(&[wrong])]);
        let (session, coord) = (local(&g), Coordinator::new());
        runner.create_threads(&session, &coord).unwrap();
        assert_eq!(coord.join(LONG).unwrap_err().code(), Code::InvalidArgument);
    }

    /// The queue may live on in another task than the one that was lost.
    #[test]
    fn the_loss_of_a_task_leaves_the_queue_open_and_the_end_closes_it() {
        let lost = || err!(Unavailable, "a task was lost");
        for (error, open) in [(Some(lost()), true), (None, false)] {
            let g = graph();
            let queue = numbers(&g, 1);
            let (enqueue, taken, closed) = (queue.enqueue(&[g.constant(1i32)]), queue.dequeue(), queue.is_closed());
            let runner = QueueRunner::new(&queue, &[enqueue]);
            let (session, coord) = (local(&g), Coordinator::new());
            runner.create_threads(&session, &coord).unwrap();
            session.fetch(RunRequest::new().fetch(&taken[0])).unwrap();
            match error {
                Some(status) => coord.request_stop_because(status),
                None => coord.request_stop(),
            }
            let _ = coord.join(LONG);
            assert_eq!(coord.num_threads(), 0);
            let closed = session.fetch(RunRequest::new().fetch(&closed)).unwrap().remove(0);
            assert_eq!(closed, Tensor::from(!open));
        }
    }

    #[test]
    fn each_session_gets_its_threads_once() {
        let g = graph();
        let queue = numbers(&g, 1);
        let runner = QueueRunner::new(&queue, &[queue.enqueue(&[g.constant(1i32)])]);
        let (one, two, coord) = (local(&g), local(&g), Coordinator::new());
        let started = [&one, &one, &two].map(|session| runner.create_threads(session, &coord).unwrap());
        assert_eq!(started, [1, 0, 1]);
        coord.request_stop();
        coord.join(LONG).unwrap();
        coord.clear_stop();
        assert_eq!(runner.create_threads(&one, &coord).unwrap(), 1);
        coord.request_stop();
        coord.join(LONG).unwrap();
    }
}
