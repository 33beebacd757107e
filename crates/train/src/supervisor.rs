//! Supervisor: prepares a session, keeps checkpoints and summaries coming, and ends everything together.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use graph::{Graph, Operation, Output};
use parking_lot::Mutex;
use runtime::{RunRequest, Session, SessionFactory};
use tensor::{Result, Status, Tensor, err};

use crate::coordinator::{Coordinator, GRACE};
use crate::global_step::get_global_step;
use crate::hooks::{StepReader, StepTimer, fetch_name};
use crate::queue_runner::{QueueRunner, queue_runners};
use crate::saver::Saver;
use crate::scaffold::{InitFn, Scaffold};
use crate::session_manager::{Initialization, MAX_WAIT, Prepared, SessionManager, is_passing};
use crate::summary::FileWriter;
use crate::variable::Variable;

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

/// A [`Supervisor`] in the making. What is not said is as in TensorFlow.
pub struct SupervisorBuilder {
    graph: Graph,
    is_chief: bool,
    scaffold: Scaffold,
    use_saver: bool,
    use_summaries: bool,
    logdir: Option<PathBuf>,
    global_step: Option<Variable>,
    checkpoint_basename: String,
    save_model: Duration,
    save_summaries: Duration,
    recovery_wait: Duration,
    stop_grace: Duration,
    max_wait: Duration,
    save_on_stop: bool,
}

impl SupervisorBuilder {
    /// Whether this task initialises the model and saves it; the first worker usually is the chief.
    #[must_use]
    pub fn is_chief(mut self, is_chief: bool) -> Self {
        self.is_chief = is_chief;
        self
    }

    /// Where checkpoints and event files go. Without it there are none.
    #[must_use]
    pub fn logdir(mut self, logdir: impl AsRef<Path>) -> Self {
        self.logdir = Some(logdir.as_ref().to_owned());
        self
    }

    #[must_use]
    pub fn init_op(mut self, operation: &Operation) -> Self {
        self.scaffold.init_op = Some(operation.clone());
        self
    }

    /// What the init op is fed.
    #[must_use]
    pub fn init_feed(mut self, tensor: &Output, value: impl Into<Tensor>) -> Self {
        if let Ok(name) = fetch_name(tensor) {
            self.scaffold.init_feeds.push((name, value.into()));
        }
        self
    }

    /// Called after the init op.
    #[must_use]
    pub fn init_fn(mut self, init_fn: impl Fn(&dyn Session) -> Result<()> + Send + Sync + 'static) -> Self {
        let init_fn: InitFn = Arc::new(init_fn);
        self.scaffold.init_fn = Some(init_fn);
        self
    }

    #[must_use]
    pub fn local_init_op(mut self, operation: &Operation) -> Self {
        self.scaffold.local_init_op = Some(operation.clone());
        self
    }

    #[must_use]
    pub fn ready_op(mut self, output: &Output) -> Self {
        self.scaffold.ready_op = Some(output.clone());
        self
    }

    #[must_use]
    pub fn ready_for_local_init_op(mut self, output: &Output) -> Self {
        self.scaffold.ready_for_local_init_op = Some(output.clone());
        self
    }

    #[must_use]
    pub fn saver(mut self, saver: Saver) -> Self {
        self.scaffold.saver = Some(Arc::new(saver));
        self
    }

    /// Neither restores nor saves.
    #[must_use]
    pub fn without_saver(mut self) -> Self {
        self.use_saver = false;
        self
    }

    #[must_use]
    pub fn summary_op(mut self, output: &Output) -> Self {
        self.scaffold.summary_op = Some(output.clone());
        self
    }

    /// The program runs its summaries itself.
    #[must_use]
    pub fn without_summary_op(mut self) -> Self {
        self.use_summaries = false;
        self
    }

    #[must_use]
    pub fn global_step(mut self, step: &Variable) -> Self {
        self.global_step = Some(step.clone());
        self
    }

    /// How often the model is saved; 0 is never.
    #[must_use]
    pub fn save_model_secs(mut self, secs: u64) -> Self {
        self.save_model = Duration::from_secs(secs);
        self
    }

    /// How often summaries are saved; 0 is never.
    #[must_use]
    pub fn save_summaries_secs(mut self, secs: u64) -> Self {
        self.save_summaries = Duration::from_secs(secs);
        self
    }

    /// The longest pause between two looks whether the model is ready.
    #[must_use]
    pub fn recovery_wait_secs(mut self, secs: u64) -> Self {
        self.recovery_wait = Duration::from_secs(secs);
        self
    }

    /// How long threads may take to end after a stop.
    #[must_use]
    pub fn stop_grace_secs(mut self, secs: u64) -> Self {
        self.stop_grace = Duration::from_secs(secs);
        self
    }

    /// How long to wait for the chief, or for lost tasks to come back.
    #[must_use]
    pub fn max_wait_secs(mut self, secs: u64) -> Self {
        self.max_wait = Duration::from_secs(secs);
        self
    }

    #[must_use]
    pub fn checkpoint_basename(mut self, name: &str) -> Self {
        self.checkpoint_basename = name.to_owned();
        self
    }

    /// Whether the chief writes a last checkpoint when training ends without an error. It does unless told otherwise.
    #[must_use]
    pub fn save_on_stop(mut self, save: bool) -> Self {
        self.save_on_stop = save;
        self
    }

    /// Makes the nodes that are missing, and the event file of the chief.
    ///
    /// # Errors
    /// The graph's first mistake; the code of the operating system's error if `logdir` cannot be written.
    #[track_caller]
    pub fn build(mut self) -> Result<Supervisor> {
        let graph = self.graph;
        if !self.use_summaries {
            self.scaffold.summary_op = None;
        }
        self.scaffold.finalize(&graph);
        if !self.use_saver {
            self.scaffold.saver = None;
        }
        if !self.use_summaries {
            self.scaffold.summary_op = None;
        }
        graph.check()?;
        let manager = self.scaffold.session_manager(&graph).recovery_wait(self.recovery_wait);
        graph.check()?;
        let step = self.global_step.or_else(|| get_global_step(&graph));
        let step = step.as_ref().map(StepReader::of).transpose()?;
        let writer = match &self.logdir {
            Some(logdir) if self.is_chief => Some(FileWriter::new(logdir)?),
            _ => None,
        };
        Ok(Supervisor {
            graph,
            is_chief: self.is_chief,
            scaffold: self.scaffold,
            manager,
            coord: Coordinator::new(),
            asked: Coordinator::new(),
            step,
            writer,
            logdir: self.logdir,
            checkpoint_basename: self.checkpoint_basename,
            save_model: self.save_model,
            save_summaries: self.save_summaries,
            stop_grace: self.stop_grace,
            max_wait: self.max_wait,
            save_on_stop: self.save_on_stop,
            session: Mutex::new(None),
        })
    }
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

/// Counts tries to get going again, and ends them when no session was ready for too long.
pub(crate) struct Losses {
    max_wait: Duration,
    since: Option<std::time::Instant>,
    was_ready: bool,
    pause: Duration,
}

impl Losses {
    const FIRST_PAUSE: Duration = Duration::from_millis(100);
    /// Tasks that were never there are not waited for as long as those that may come back.
    const START_UP: Duration = Duration::from_secs(300);

    pub fn new(max_wait: Duration) -> Losses {
        Losses { max_wait, since: None, was_ready: false, pause: Losses::FIRST_PAUSE }
    }

    /// A session was ready.
    pub fn ready(&mut self) {
        (self.since, self.was_ready, self.pause) = (None, true, Losses::FIRST_PAUSE);
    }

    /// A session was lost: waits a moment before the next try, or gives up.
    ///
    /// # Errors
    /// What the session was lost with, after too long a time; `Cancelled` if the coordinator stops meanwhile.
    pub fn again(&mut self, status: &Status, asked: &Coordinator) -> Result<()> {
        tracing::warn!(%status, "the session was lost; a new one follows");
        let limit = if self.was_ready { self.max_wait } else { self.max_wait.min(Losses::START_UP) };
        let since = *self.since.get_or_insert_with(std::time::Instant::now);
        if since.elapsed() >= limit {
            return Err(status.clone().context(format_args!("no session for {} secs", limit.as_secs())));
        }
        if asked.wait_for_stop(self.pause) {
            return Err(err!(Cancelled, "stopped while waiting for a lost task: {status}"));
        }
        self.pause = (self.pause * 2).min(Duration::from_secs(5));
        Ok(())
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
mod tests {
    use tensor::Code;

    use super::*;
    use crate::saver::latest_checkpoint;
    use crate::summary;
    use crate::testing::{Folder, Place, counting};

    fn supervisor(g: &Graph, folder: &Folder, chief: bool) -> Supervisor {
        let sv = Supervisor::new(g).is_chief(chief).logdir(folder.path()).recovery_wait_secs(0);
        sv.save_model_secs(3600).save_summaries_secs(3600).stop_grace_secs(60).build().unwrap()
    }

    #[test]
    fn training_goes_on_where_it_ended() {
        let folder = Folder::new("supervisor-resume");
        for expected in [3i64, 6] {
            let (g, step, count) = counting();
            summary::scalar("step", step.value());
            let sv = supervisor(&g, &folder, true);
            let mut last = 0;
            sv.managed_session(&Place::new(), |session| {
                for _ in 0..3 {
                    session.run(RunRequest::new().target(&count))?;
                }
                last = session.fetch(RunRequest::new().fetch(step.value()))?[0].to_scalar::<i64>()?;
                Ok(())
            })
            .unwrap();
            assert_eq!(last, expected);
            let newest = latest_checkpoint(folder.path()).unwrap().unwrap();
            assert_eq!(newest, folder.path().join(format!("model.ckpt-{expected}")));
        }
        let events = folder.names().iter().filter(|name| name.starts_with("events.out.tfevents")).count();
        assert_eq!(events, 2);
    }

    #[test]
    fn a_lost_task_leads_to_a_restored_model() {
        let folder = Folder::new("supervisor-lost");
        let (g, step, count) = counting();
        let sv = supervisor(&g, &folder, true);
        let place = Place::new();
        let (mut sessions, mut seen) = (0, Vec::new());
        sv.managed_session(&place, |session| {
            sessions += 1;
            loop {
                session.run(RunRequest::new().target(&count))?;
                let now = session.fetch(RunRequest::new().fetch(step.value()))?[0].to_scalar::<i64>()?;
                seen.push(now);
                if now == 2 && sessions == 1 {
                    sv.saver().unwrap().save(session, sv.save_path().unwrap(), Some(now))?;
                    place.lose();
                }
                if now == 4 {
                    return Ok(());
                }
            }
        })
        .unwrap();
        assert_eq!((sessions, seen), (2, vec![1, 2, 3, 4]));
    }

    #[test]
    fn the_end_of_input_is_a_good_end_and_other_errors_are_not() {
        let folder = Folder::new("supervisor-errors");
        let (g, ..) = counting();
        let sv = supervisor(&g, &folder, true);
        sv.managed_session(&Place::new(), |_| Err(err!(OutOfRange, "no more"))).unwrap();
        let sv = supervisor(&g, &folder, true);
        let status = sv.managed_session(&Place::new(), |_| Err(err!(DataLoss, "broken"))).unwrap_err();
        assert_eq!(status.code(), Code::DataLoss);
        // A failing thread ends the main loop, and its error is the one reported.
        let sv = supervisor(&g, &folder, true);
        sv.run_every(Duration::from_secs(3600), || Err(err!(NotFound, "thread"))).unwrap();
        let outcome = sv.managed_session(&Place::new(), |_| {
            assert!(sv.wait_for_stop(Duration::from_secs(60)));
            Err(err!(Cancelled, "because of the thread"))
        });
        assert_eq!(outcome.unwrap_err().code(), Code::NotFound);
    }

    /// The thread that saves learns of the loss, and the main loop only that it should stop.
    #[test]
    fn a_loss_that_a_thread_meets_first_is_recovered_from() {
        let folder = Folder::new("supervisor-thread");
        let (g, step, count) = counting();
        let sv = supervisor(&g, &folder, true);
        let place = Place::new();
        let mut sessions = 0;
        sv.managed_session(&place, |session| {
            sessions += 1;
            session.run(RunRequest::new().target(&count))?;
            if sessions == 1 {
                sv.saver().unwrap().save(session, sv.save_path().unwrap(), Some(1))?;
                place.lose();
                let (lost, step) = (session.clone(), StepReader::of(&step)?);
                sv.run_every(Duration::from_secs(3600), move || step.read(&lost).map(drop))?;
                assert!(sv.wait_for_stop(Duration::from_secs(60)));
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(sessions, 2);
        assert_eq!(latest_checkpoint(folder.path()).unwrap(), Some(folder.path().join("model.ckpt-2")));
    }

    #[test]
    fn a_program_that_asks_for_the_end_gets_it_also_while_a_task_is_lost() {
        let folder = Folder::new("supervisor-asked");
        let (g, ..) = counting();
        let sv = supervisor(&g, &folder, true);
        let status = sv.managed_session(&Place::new(), |_| {
            sv.request_stop();
            Err(err!(Unavailable, "gone"))
        });
        assert!(status.is_ok() || status.unwrap_err().code() == Code::Unavailable);
    }

    #[test]
    fn tasks_that_never_come_are_given_up() {
        let (g, ..) = counting();
        let sv = Supervisor::new(&g).max_wait_secs(0).build().unwrap();
        let away = |_: &Graph| -> Result<Arc<dyn Session>> { Err(err!(Unavailable, "refused")) };
        let status = sv.managed_session(&away, |_| Ok(())).unwrap_err();
        assert_eq!((status.code(), status.message()), (Code::Unavailable, "no session for 0 secs: refused"));
    }

    #[test]
    fn workers_wait_and_save_nothing() {
        let folder = Folder::new("supervisor-worker");
        let (g, step, count) = counting();
        let place = Place::new();
        let worker = supervisor(&g, &folder, false);
        let chief = supervisor(&g, &folder, true);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let session = worker.prepare_or_wait_for_session(&place).unwrap();
                session.run(RunRequest::new().target(&count)).unwrap();
                session.fetch(RunRequest::new().fetch(step.value())).unwrap()[0].to_scalar::<i64>().unwrap()
            });
            chief.prepare_or_wait_for_session(&place).unwrap();
            assert_eq!(waiting.join().unwrap(), 1);
        });
        chief.stop().unwrap();
        let names = folder.names();
        worker.stop().unwrap();
        assert_eq!(folder.names(), names);
    }

    #[test]
    fn a_logdir_that_cannot_be_written_is_an_error() {
        let folder = Folder::new("supervisor-bad");
        let file = folder.path().join("file");
        std::fs::write(&file, b"").unwrap();
        let (g, ..) = counting();
        assert!(Supervisor::new(&g).logdir(file.join("logs")).build().is_err());
    }
}
