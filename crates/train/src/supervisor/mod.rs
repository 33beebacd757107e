//! Supervisor: prepares a session, keeps checkpoints and summaries coming, and ends everything together.

mod builder;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use builder::{SupervisorBuilder, SupervisorOptions};
use parking_lot::Mutex;
use runtime::{RunRequest, Session, SessionFactory};
use tensor::{Result, Status};

use crate::coordinator::Coordinator;
use crate::hooks::{Every, StepReader, StepTimer, fetch_name};
use crate::queue_runner::{QueueRunner, queue_runners};
use crate::run::{Losses, Run};
use crate::saver::Saver;
use crate::session_manager::{Prepared, SessionManager, is_passing};
use crate::summary::FileWriter;

/// Watches over the training of one task.
///
/// The chief initialises the model or restores it from the newest checkpoint in `logdir`, and saves checkpoints and
/// summaries there in the background; the other tasks wait until the model is ready. A model that has its values is never
/// initialised again.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::latest_checkpoint;
/// # fn main() -> tensorfleet::Result<()> {
/// # let logdir = std::env::temp_dir().join(format!("supervisor-doctest-{}", std::process::id()));
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(4f32));
/// let loss = &w * &w;
/// let global_step = get_or_create_global_step(&g);
/// let train_op = GradientDescent::new(0.1).minimize(&loss, Some(&global_step))?;
/// summary::scalar("loss", &loss);
///
/// // Create a "supervisor", which oversees the training process.
/// let sv = Supervisor::new(&g)
///     .is_chief(true)
///     .logdir(&logdir)
///     .global_step(&global_step)
///     .save_checkpoint_every(std::time::Duration::from_secs(600))
///     .build()?;
///
/// // The supervisor takes care of session initialization, restoring from a checkpoint, and closing when done or an
/// // error occurs.
/// sv.managed_session(&LocalSessions::default(), |sess| {
///     let mut step = 0;
///     while !sv.should_stop() && step < 20 {
///         let fetched = sess.fetch(RunRequest::new().target(&train_op).fetch(global_step.value()))?;
///         step = fetched[0].to_scalar::<i64>()?;
///     }
///     Ok(())
/// })?;
/// assert!(latest_checkpoint(&logdir)?.is_some());
/// # std::fs::remove_dir_all(&logdir)?;
/// # Ok(())
/// # }
/// ```
pub struct Supervisor {
    run: Run,
    coord: Coordinator,
    step: Option<StepReader>,
    save_on_stop: bool,
    /// The session in use, for the last checkpoint.
    session: Mutex<Option<Arc<dyn Session>>>,
}

impl Supervisor {
    /// Returns the coordinator of its threads.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sv = Supervisor::new(&g).build()?;
    /// sv.coord().request_stop();
    /// assert!(sv.coord().should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn coord(&self) -> &Coordinator {
        &self.coord
    }

    /// Returns whether this task initialises the model and saves it.
    pub fn is_chief(&self) -> bool {
        self.run.is_chief
    }

    /// Returns the saver of checkpoints, if there is one.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// # let folder = std::env::temp_dir().join(format!("sv-saver-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// get_or_create_global_step(&g);
    /// let sv = Supervisor::new(&g).logdir(&folder).build()?;
    /// assert_eq!(sv.saver().unwrap().options().max_to_keep, 5);
    /// assert_eq!(sv.summary_writer().unwrap().logdir(), folder);
    /// # drop(sv);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    pub fn saver(&self) -> Option<&Arc<Saver>> {
        self.run.scaffold.saver.as_ref()
    }

    /// Returns the chief's event file, if there is a folder for it.
    pub fn summary_writer(&self) -> Option<&FileWriter> {
        self.run.writer.as_ref()
    }

    /// Returns the manager that makes its sessions ready.
    pub fn session_manager(&self) -> &SessionManager {
        &self.run.manager
    }

    /// The prefix of checkpoints, without the step.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// # let folder = std::env::temp_dir().join(format!("sv-path-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// get_or_create_global_step(&g);
    /// let sv = Supervisor::new(&g).logdir(&folder).build()?;
    /// assert_eq!(sv.save_path(), Some(folder.join("model.ckpt")));
    /// # drop(sv);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    pub fn save_path(&self) -> Option<PathBuf> {
        self.run.checkpoint_path()
    }

    /// A session whose model is ready, with the services and the queue runners started.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(3f32));
    /// let sv = Supervisor::new(&g).build()?;
    /// let session = sv.prepare_or_wait_for_session(&LocalSessions::default())?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 3.0);
    /// sv.stop()?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`SessionManager::prepare_session`] and [`SessionManager::wait_for_session`].
    pub fn prepare_or_wait_for_session(&self, factory: &dyn SessionFactory) -> Result<Arc<dyn Session>> {
        let session = self.ready_session(factory)?.0;
        self.start_standard_services(&session)?;
        self.start_queue_runners(&session)?;
        Ok(session)
    }

    /// A session whose model is ready, and nothing else. For workers other than the chief the model is always found.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Prepared;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(3f32));
    /// let sv = Supervisor::new(&g).build()?;
    /// let (_session, prepared) = sv.ready_session(&LocalSessions::default())?;
    /// assert_eq!(prepared, Prepared::Initialized);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`prepare_or_wait_for_session`](Supervisor::prepare_or_wait_for_session).
    pub fn ready_session(&self, factory: &dyn SessionFactory) -> Result<(Arc<dyn Session>, Prepared)> {
        let (session, prepared) = self.run.ready_session(factory)?;
        if let Some(writer) = &self.run.writer {
            writer.add_graph(&self.run.graph)?;
        }
        *self.session.lock() = Some(session.clone());
        Ok((session, prepared))
    }

    /// Starts the chief's threads that save the model, save summaries and count steps.
    ///
    /// # Errors
    /// `ResourceExhausted` if the system gives no more threads.
    pub fn start_standard_services(&self, session: &Arc<dyn Session>) -> Result<()> {
        let Some(writer) = &self.run.writer else { return Ok(()) };
        let start = self.step.as_ref().map(|step| step.read(session)).transpose()?.unwrap_or(0);
        writer.add_session_start(start)?;
        if let Some(interval) = interval(self.run.save_summaries) {
            if let Some(summary) = &self.run.scaffold.summary_op {
                self.start_summaries(session, writer, interval, &fetch_name(summary)?)?;
            }
            if let Some(step) = &self.step {
                self.start_step_counter(session, writer, interval, step)?;
            }
        }
        let every = interval(self.run.save_checkpoint);
        if let (Some(saver), Some(path), Some(interval)) = (self.saver(), self.save_path(), every) {
            let (session, step, writer, saver) = (session.clone(), self.step.clone(), writer.clone(), saver.clone());
            self.coord.spawn_loop("SVTimerCheckpointThread", interval, move || {
                save(&saver, &session, &path, step.as_ref(), &writer)
            })?;
        }
        Ok(())
    }

    fn start_summaries(
        &self,
        session: &Arc<dyn Session>,
        writer: &FileWriter,
        interval: Duration,
        summary: &str,
    ) -> Result<()> {
        let (session, step, writer, summary) = (session.clone(), self.step.clone(), writer.clone(), summary.to_owned());
        self.coord.spawn_loop("SVSummaryThread", interval, move || {
            let request = step.as_ref().map_or_else(RunRequest::new, StepReader::request).fetch(&summary);
            let values = session.fetch(request)?;
            let at = if step.is_some() { StepReader::value(&values)? } else { 0 };
            values.last().map_or(Ok(()), |summary| writer.add_summary(summary, at))
        })
    }

    fn start_step_counter(
        &self,
        session: &Arc<dyn Session>,
        writer: &FileWriter,
        interval: Duration,
        step: &StepReader,
    ) -> Result<()> {
        let (session, step, writer) = (session.clone(), step.clone(), writer.clone());
        let mut timer = StepTimer::new(interval);
        self.coord.spawn_loop("SVStepCounterThread", interval, move || {
            let now = step.read(&session)?;
            let Some((steps, elapsed)) = timer.done(now) else { return Ok(()) };
            let rate = steps as f64 / elapsed.as_secs_f64().max(1e-9);
            tracing::info!(step = now, "global_step/sec: {rate:.6}");
            writer.add_scalar("global_step/sec", rate as f32, now)
        })
    }

    /// Starts the graph's queue runners that do not run yet, and says how many threads that took.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{InputOptions, range_input_producer};
    /// let g = Graph::new();
    /// let number = range_input_producer(&g, 3, InputOptions::new().shuffle(false)).dequeue();
    /// let sv = Supervisor::new(&g).build()?;
    /// let (session, _) = sv.ready_session(&LocalSessions::default())?;
    /// assert_eq!(sv.start_queue_runners(&session)?, 1);
    /// assert_eq!(session.eval::<i32, _>(&number[0])?, 0);
    /// sv.stop()?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `ResourceExhausted` if the system gives no more threads.
    pub fn start_queue_runners(&self, session: &Arc<dyn Session>) -> Result<usize> {
        self.start_these_queue_runners(session, &queue_runners(&self.run.graph))
    }

    /// Starts some queue runners, unless they run already.
    ///
    /// # Errors
    /// As [`start_queue_runners`](Supervisor::start_queue_runners).
    pub fn start_these_queue_runners(&self, session: &Arc<dyn Session>, runners: &[QueueRunner]) -> Result<usize> {
        let mut started = 0;
        for runner in runners {
            started += runner.create_threads(session, &self.coord)?;
        }
        Ok(started)
    }

    /// Does something at once and then every so often on a thread, until the stop or the loss of the session. (TensorFlow's
    /// `loop`.)
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sv = Supervisor::new(&g).build()?;
    /// let coord = sv.coord().clone();
    /// sv.run_every(Duration::from_millis(1), move || {
    ///     coord.request_stop();
    ///     Ok(())
    /// })?;
    /// assert!(sv.coord().wait_for_stop(Duration::from_secs(60)));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `ResourceExhausted` if the system gives no more threads.
    pub fn run_every(&self, interval: Duration, work: impl FnMut() -> Result<()> + Send + 'static) -> Result<()> {
        self.coord.spawn_loop("supervisor-loop", interval, work)
    }

    /// Returns whether someone asked for the end of training, or a session was lost.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sv = Supervisor::new(&g).build()?;
    /// assert!(!sv.should_stop());
    /// sv.request_stop();
    /// assert!(sv.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn should_stop(&self) -> bool {
        self.coord.should_stop() || self.run.asked.should_stop()
    }

    /// Asks for the end of training. May be called from any thread.
    pub fn request_stop(&self) {
        self.run.asked.request_stop();
        self.coord.request_stop();
    }

    /// Asks for the end of training because of an error.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sv = Supervisor::new(&g).build()?;
    /// let error = sv.managed_session(&LocalSessions::default(), |_session| {
    ///     sv.request_stop_because(Status::new(Code::DataLoss, "the file is cut off"));
    ///     Ok(())
    /// });
    /// assert_eq!(error.unwrap_err().message(), "the file is cut off");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn request_stop_because(&self, error: Status) {
        self.run.asked.request_stop();
        self.coord.request_stop_because(error);
    }

    /// Waits, so long at most, for a stop. True if it came.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sv = Supervisor::new(&g).build()?;
    /// assert!(!sv.wait_for_stop(Duration::ZERO));
    /// sv.request_stop();
    /// assert!(sv.wait_for_stop(Duration::from_secs(60)));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn wait_for_stop(&self, timeout: Duration) -> bool {
        self.coord.wait_for_stop(timeout)
    }

    /// Ends all threads, writes the chief's last checkpoint if all went well, closes the event file and the session.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::latest_checkpoint;
    /// # let folder = std::env::temp_dir().join(format!("sv-stop-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// let count = get_or_create_global_step(&g).assign_add(1);
    /// let sv = Supervisor::new(&g).logdir(&folder).build()?;
    /// let session = sv.prepare_or_wait_for_session(&LocalSessions::default())?;
    /// session.eval(&count)?;
    /// sv.stop()?;
    /// assert_eq!(latest_checkpoint(&folder)?, Some(folder.join("model.ckpt-1")));
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// The first error of a thread; that of the last checkpoint; `DeadlineExceeded` for threads that do not end.
    pub fn stop(&self) -> Result<()> {
        let outcome = self.end_session(true);
        if let Some(writer) = &self.run.writer {
            let closed = writer.close();
            outcome?;
            return closed;
        }
        outcome
    }

    fn end_session(&self, last: bool) -> Result<()> {
        self.coord.request_stop();
        let mut outcome = self.coord.join(self.run.stop_grace);
        if let Some(session) = self.session.lock().take() {
            if last && outcome.is_ok() {
                outcome = self.save_last(&session);
            }
            if let Err(status) = session.close() {
                tracing::warn!(%status, "cannot close the session");
            }
        }
        outcome
    }

    fn save_last(&self, session: &Arc<dyn Session>) -> Result<()> {
        let Some(writer) = &self.run.writer else { return Ok(()) };
        let step = self.step.as_ref();
        if let (Some(saver), Some(path), true) = (self.saver(), self.save_path(), self.save_on_stop) {
            let now = step.map(|step| step.read(session)).transpose()?;
            let newest = saver.last_checkpoints().pop();
            if now.is_none() || newest != Some(with_step(&path, now)) {
                save(saver, session, &path, step, writer)?;
            }
        }
        let now = step.map(|step| step.read(session)).transpose()?.unwrap_or(0);
        writer.add_session_stop(now)
    }

    /// Runs `work` with a session whose model is ready, and stops everything afterwards. If a task is lost meanwhile
    /// (`Aborted`, `Unavailable`), the model is restored once the task is back, and `work` is called again with a new
    /// session. The end of input (`OutOfRange`) is a good end.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(3f32));
    /// let sv = Supervisor::new(&g).build()?;
    /// let error = sv.managed_session(&LocalSessions::default(), |session| {
    ///     assert_eq!(session.eval::<f32, _>(&w)?, 3.0);
    ///     Err(Status::new(Code::Internal, "the program's own error"))
    /// });
    /// assert_eq!(error.unwrap_err().message(), "the program's own error");
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// What `work` or a thread failed with.
    pub fn managed_session(
        &self,
        factory: &dyn SessionFactory,
        mut work: impl FnMut(&Arc<dyn Session>) -> Result<()>,
    ) -> Result<()> {
        let mut losses = Losses::new(self.run.max_wait);
        loop {
            let outcome = self.prepare_or_wait_for_session(factory).and_then(|session| {
                losses.ready();
                work(&session)
            });
            // A thread that failed first is the cause of what the main loop ended with.
            let outcome = self.coord.check().and(outcome);
            match outcome {
                Err(status) if is_passing(&status) && !self.run.asked.should_stop() => {
                    // Queues that lived on stay open.
                    self.coord.request_stop_because(status.clone());
                    let ended = self.end_session(false);
                    if self.coord.num_threads() > 0 {
                        return ended;
                    }
                    losses.again(&status, &self.run.asked)?;
                    self.coord.clear_stop();
                }
                Err(status) => {
                    self.coord.request_stop_because(status);
                    return self.stop();
                }
                Ok(()) => return self.stop(),
            }
        }
    }
}

impl Drop for Supervisor {
    /// Threads of a supervisor that is gone end by themselves.
    fn drop(&mut self) {
        self.coord.request_stop();
    }
}

/// The time between two turns of a thread; `None` if it is never its turn.
fn interval(every: Every) -> Option<Duration> {
    match every {
        Every::Time(time) if !every.is_never() => Some(time),
        _ => None,
    }
}

fn with_step(path: &Path, step: Option<i64>) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    if let Some(step) = step {
        name.push(format!("-{step}"));
    }
    PathBuf::from(name)
}

fn save(
    saver: &Saver,
    session: &Arc<dyn Session>,
    path: &Path,
    step: Option<&StepReader>,
    writer: &FileWriter,
) -> Result<()> {
    let step = step.map(|step| step.read(session)).transpose()?;
    let prefix = saver.save(session, path, step)?;
    tracing::info!(prefix = %prefix.display(), "saved a checkpoint");
    writer.add_checkpoint(&prefix, step.unwrap_or(0))
}

#[cfg(test)]
mod tests;
