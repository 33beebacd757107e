//! Supervisor: prepares a session, keeps checkpoints and summaries coming, and ends everything together.

mod builder;
mod losses;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use builder::SupervisorBuilder;
use graph::Graph;
pub(crate) use losses::Losses;
use parking_lot::Mutex;
use runtime::{RunRequest, Session, SessionFactory};
use tensor::{Result, Status};

use crate::coordinator::{Coordinator, GRACE};
use crate::hooks::{StepReader, StepTimer, fetch_name};
use crate::queue_runner::{QueueRunner, queue_runners};
use crate::saver::Saver;
use crate::scaffold::Scaffold;
use crate::session_manager::{Initialization, MAX_WAIT, Prepared, SessionManager, is_passing};
use crate::summary::FileWriter;

/// Watches over the training of one task.
///
/// The chief initialises the model or restores it from the newest checkpoint in `logdir`, and saves checkpoints and
/// summaries there in the background; the other tasks wait until the model is ready. A model that has its values is never
/// initialised again.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// # let logdir = std::env::temp_dir().join(format!("supervisor-doctest-{}", std::process::id()));
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(4f32));
/// let loss = &*w * &*w;
/// let global_step = get_or_create_global_step(&g);
/// let train_op = GradientDescent::new(0.1).minimize(&loss, Some(&global_step))?;
/// summary::scalar("loss", &loss);
///
/// // Create a "supervisor", which oversees the training process.
/// let sv = Supervisor::new(&g).is_chief(true).logdir(&logdir).global_step(&global_step).save_model_secs(600).build()?;
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
    graph: Graph,
    is_chief: bool,
    scaffold: Scaffold,
    manager: SessionManager,
    coord: Coordinator,
    /// Stopped when the program asks for the end, and not because a session was lost.
    asked: Coordinator,
    step: Option<StepReader>,
    writer: Option<FileWriter>,
    logdir: Option<PathBuf>,
    checkpoint_basename: String,
    save_model: Duration,
    save_summaries: Duration,
    stop_grace: Duration,
    max_wait: Duration,
    save_on_stop: bool,
    /// The session in use, for the last checkpoint.
    session: Mutex<Option<Arc<dyn Session>>>,
}

impl Supervisor {
    /// A supervisor for a graph whose model is complete.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(graph: &Graph) -> SupervisorBuilder {
        SupervisorBuilder {
            graph: graph.clone(),
            is_chief: true,
            scaffold: Scaffold::new(),
            use_saver: true,
            use_summaries: true,
            logdir: None,
            global_step: None,
            checkpoint_basename: "model.ckpt".to_owned(),
            save_model: Duration::from_secs(600),
            save_summaries: Duration::from_secs(120),
            recovery_wait: Duration::from_secs(30),
            stop_grace: GRACE,
            max_wait: MAX_WAIT,
            save_on_stop: true,
        }
    }

    pub fn coord(&self) -> &Coordinator {
        &self.coord
    }

    pub fn is_chief(&self) -> bool {
        self.is_chief
    }

    pub fn saver(&self) -> Option<&Arc<Saver>> {
        self.scaffold.saver.as_ref()
    }

    pub fn summary_writer(&self) -> Option<&FileWriter> {
        self.writer.as_ref()
    }

    pub fn session_manager(&self) -> &SessionManager {
        &self.manager
    }

    /// The prefix of checkpoints, without the step.
    pub fn save_path(&self) -> Option<PathBuf> {
        self.logdir.as_ref().map(|logdir| logdir.join(&self.checkpoint_basename))
    }

    /// A session whose model is ready, with the services and the queue runners started.
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
    /// # Errors
    /// As [`prepare_or_wait_for_session`](Supervisor::prepare_or_wait_for_session).
    pub fn ready_session(&self, factory: &dyn SessionFactory) -> Result<(Arc<dyn Session>, Prepared)> {
        let (session, prepared) = if self.is_chief {
            let initialization = Initialization {
                init_op: self.scaffold.init_op.as_ref(),
                init_feeds: self.scaffold.init_feeds.clone(),
                init_fn: self.scaffold.init_fn.as_deref(),
                saver: self.scaffold.saver.as_deref(),
                checkpoint_dir: self.logdir.as_deref(),
            };
            let (session, prepared) = self.manager.prepare_session(factory, &initialization)?;
            if let Some(writer) = &self.writer {
                writer.add_graph(&self.graph)?;
            }
            (session, prepared)
        } else {
            (self.manager.wait_for_session(factory, self.max_wait, &self.asked)?, Prepared::Found)
        };
        *self.session.lock() = Some(session.clone());
        Ok((session, prepared))
    }

    /// Starts the chief's threads that save the model, save summaries and count steps.
    ///
    /// # Errors
    /// `ResourceExhausted` if the system gives no more threads.
    pub fn start_standard_services(&self, session: &Arc<dyn Session>) -> Result<()> {
        let (true, Some(writer)) = (self.is_chief, &self.writer) else { return Ok(()) };
        let start = self.step.as_ref().map(|step| step.read(session)).transpose()?.unwrap_or(0);
        writer.add_session_start(start)?;
        if !self.save_summaries.is_zero() {
            if let Some(summary) = &self.scaffold.summary_op {
                self.start_summaries(session, writer, &fetch_name(summary)?)?;
            }
            if let Some(step) = &self.step {
                self.start_step_counter(session, writer, step)?;
            }
        }
        if let (Some(saver), Some(path), false) = (self.saver(), self.save_path(), self.save_model.is_zero()) {
            let (session, step, writer, saver) = (session.clone(), self.step.clone(), writer.clone(), saver.clone());
            self.coord.spawn_loop("SVTimerCheckpointThread", self.save_model, move || {
                save(&saver, &session, &path, step.as_ref(), &writer)
            })?;
        }
        Ok(())
    }

    fn start_summaries(&self, session: &Arc<dyn Session>, writer: &FileWriter, summary: &str) -> Result<()> {
        let (session, step, writer, summary) = (session.clone(), self.step.clone(), writer.clone(), summary.to_owned());
        self.coord.spawn_loop("SVSummaryThread", self.save_summaries, move || {
            let request = step.as_ref().map_or_else(RunRequest::new, StepReader::request).fetch(&summary);
            let values = session.fetch(request)?;
            let at = if step.is_some() { StepReader::value(&values)? } else { 0 };
            values.last().map_or(Ok(()), |summary| writer.add_summary(summary, at))
        })
    }

    fn start_step_counter(&self, session: &Arc<dyn Session>, writer: &FileWriter, step: &StepReader) -> Result<()> {
        let (session, step, writer) = (session.clone(), step.clone(), writer.clone());
        let mut timer = StepTimer::time(self.save_summaries);
        self.coord.spawn_loop("SVStepCounterThread", self.save_summaries, move || {
            let now = step.read(&session)?;
            let Some((steps, elapsed)) = timer.done(now) else { return Ok(()) };
            let rate = steps as f64 / elapsed.as_secs_f64().max(1e-9);
            tracing::info!(step = now, "global_step/sec: {rate:.6}");
            writer.add_scalar("global_step/sec", rate as f32, now)
        })
    }

    /// Starts the graph's queue runners that do not run yet, and says how many threads that took.
    ///
    /// # Errors
    /// `ResourceExhausted` if the system gives no more threads.
    pub fn start_queue_runners(&self, session: &Arc<dyn Session>) -> Result<usize> {
        self.start_these_queue_runners(session, &queue_runners(&self.graph))
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
    /// # Errors
    /// `ResourceExhausted` if the system gives no more threads.
    pub fn run_every(&self, interval: Duration, work: impl FnMut() -> Result<()> + Send + 'static) -> Result<()> {
        self.coord.spawn_loop("supervisor-loop", interval, work)
    }

    pub fn should_stop(&self) -> bool {
        self.coord.should_stop()
    }

    /// Asks for the end of training. May be called from any thread.
    pub fn request_stop(&self) {
        self.asked.request_stop();
        self.coord.request_stop();
    }

    /// Asks for the end of training because of an error.
    pub fn request_stop_because(&self, error: Status) {
        self.asked.request_stop();
        self.coord.request_stop_because(error);
    }

    /// Waits, so long at most, for a stop. True if it came.
    pub fn wait_for_stop(&self, timeout: Duration) -> bool {
        self.coord.wait_for_stop(timeout)
    }

    /// Ends all threads, writes the chief's last checkpoint if all went well, closes the event file and the session.
    ///
    /// # Errors
    /// The first error of a thread; that of the last checkpoint; `DeadlineExceeded` for threads that do not end.
    pub fn stop(&self) -> Result<()> {
        let outcome = self.end_session(true);
        if let Some(writer) = &self.writer {
            let closed = writer.close();
            outcome?;
            return closed;
        }
        outcome
    }

    fn end_session(&self, last: bool) -> Result<()> {
        self.coord.request_stop();
        let mut outcome = self.coord.join(self.stop_grace);
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
        let (true, Some(writer)) = (self.is_chief, &self.writer) else { return Ok(()) };
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
    /// # Errors
    /// What `work` or a thread failed with.
    pub fn managed_session(
        &self,
        factory: &dyn SessionFactory,
        mut work: impl FnMut(&Arc<dyn Session>) -> Result<()>,
    ) -> Result<()> {
        let mut losses = Losses::new(self.max_wait);
        loop {
            let outcome = self.prepare_or_wait_for_session(factory).and_then(|session| {
                losses.ready();
                work(&session)
            });
            // A thread that failed first is the cause of what the main loop ended with.
            let outcome = self.coord.check().and(outcome);
            match outcome {
                Err(status) if is_passing(&status) && !self.asked.should_stop() => {
                    // Queues that lived on stay open.
                    self.coord.request_stop_because(status.clone());
                    let ended = self.end_session(false);
                    if self.coord.num_threads() > 0 {
                        return ended;
                    }
                    losses.again(&status, &self.asked)?;
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
