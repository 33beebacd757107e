//! Monitored sessions: steps with hooks around them, that survive the loss of a task.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use graph::Graph;
use runtime::{RunRequest, RunResult, Session, SessionFactory};
use tensor::{Code, Result, Tensor, bail, ensure, err};

use crate::coordinator::{Coordinator, GRACE};
use crate::hooks::{CheckpointSaverHook, RunContext, SessionRunHook, StepCounterHook, StepTimer, SummarySaverHook};
use crate::queue_runner::start_queue_runners;
use crate::scaffold::Scaffold;
use crate::session_manager::{Initialization, MAX_WAIT, SessionManager, is_passing};
use crate::summary::FileWriter;
use crate::supervisor::Losses;

/// A session with hooks. When a task is lost (`Aborted`, `Unavailable`), a new session is opened, the model is restored
/// from the newest checkpoint, and the step is run again.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("monitored-doctest-{}", std::process::id()));
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(4f32));
/// let loss = &*w * &*w;
/// let train_op = GradientDescent::new(0.1).minimize(&loss, Some(&get_or_create_global_step(&g)))?;
///
/// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default())
///     .checkpoint_dir(&folder)
///     .hook(StopAtStepHook::last_step(20))
///     .hook(NanTensorHook::new(&loss))
///     .open()?;
/// while !session.should_stop() {
///     session.run(RunRequest::new().target(&train_op))?;
/// }
/// session.close()?;
/// assert_eq!(latest_checkpoint(&folder)?, Some(folder.join("model.ckpt-20")));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
pub struct MonitoredSession {
    graph: Graph,
    factory: Box<dyn SessionFactory>,
    scaffold: Scaffold,
    manager: SessionManager,
    is_chief: bool,
    checkpoint_dir: Option<PathBuf>,
    hooks: Vec<Box<dyn SessionRunHook>>,
    writer: Option<FileWriter>,
    stop_grace: Duration,
    max_wait: Duration,
    coord: Coordinator,
    /// Stopped when the program asks for the end, and not because a session was lost.
    asked: Coordinator,
    session: Option<Arc<dyn Session>>,
    losses: Losses,
    stop: bool,
}

/// A [`MonitoredSession`] for training in the making. What is not said is as in TensorFlow.
pub struct MonitoredTrainingSession {
    graph: Graph,
    factory: Box<dyn SessionFactory>,
    is_chief: bool,
    checkpoint_dir: Option<PathBuf>,
    scaffold: Scaffold,
    hooks: Vec<Box<dyn SessionRunHook>>,
    chief_only_hooks: Vec<Box<dyn SessionRunHook>>,
    save_checkpoint: Option<StepTimer>,
    save_summaries: Option<StepTimer>,
    log_step_count_steps: u64,
    stop_grace: Duration,
    max_wait: Duration,
    recovery_wait: Duration,
    asked: Coordinator,
}

impl MonitoredTrainingSession {
    #[allow(clippy::new_ret_no_self)]
    pub fn new(graph: &Graph, factory: impl SessionFactory + 'static) -> MonitoredTrainingSession {
        MonitoredTrainingSession {
            graph: graph.clone(),
            factory: Box::new(factory),
            is_chief: true,
            checkpoint_dir: None,
            scaffold: Scaffold::new(),
            hooks: Vec::new(),
            chief_only_hooks: Vec::new(),
            save_checkpoint: Some(StepTimer::time(Duration::from_secs(600))),
            save_summaries: Some(StepTimer::steps(100)),
            log_step_count_steps: 100,
            stop_grace: GRACE,
            max_wait: MAX_WAIT,
            recovery_wait: Duration::from_secs(30),
            asked: Coordinator::new(),
        }
    }

    /// Ends the training, or the wait for it to begin, when this coordinator is asked to stop, from whatever thread.
    #[must_use]
    pub fn stop_with(mut self, asked: &Coordinator) -> Self {
        self.asked = asked.clone();
        self
    }

    /// Whether this task initialises the model and saves it.
    #[must_use]
    pub fn is_chief(mut self, is_chief: bool) -> Self {
        self.is_chief = is_chief;
        self
    }

    /// Where checkpoints and event files go. Without it there are none.
    #[must_use]
    pub fn checkpoint_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.checkpoint_dir = Some(folder.as_ref().to_owned());
        self
    }

    #[must_use]
    pub fn scaffold(mut self, scaffold: Scaffold) -> Self {
        self.scaffold = scaffold;
        self
    }

    #[must_use]
    pub fn hook(mut self, hook: impl SessionRunHook + 'static) -> Self {
        self.hooks.push(Box::new(hook));
        self
    }

    /// A hook that only the chief has.
    #[must_use]
    pub fn chief_only_hook(mut self, hook: impl SessionRunHook + 'static) -> Self {
        self.chief_only_hooks.push(Box::new(hook));
        self
    }

    /// How often the chief saves the model; 0 is never.
    #[must_use]
    pub fn save_checkpoint_secs(mut self, secs: u64) -> Self {
        self.save_checkpoint = (secs > 0).then(|| StepTimer::time(Duration::from_secs(secs)));
        self
    }

    /// Every how many steps the chief saves the model; 0 is never.
    #[must_use]
    pub fn save_checkpoint_steps(mut self, steps: u64) -> Self {
        self.save_checkpoint = (steps > 0).then(|| StepTimer::steps(steps));
        self
    }

    /// How often the chief saves summaries; 0 is never.
    #[must_use]
    pub fn save_summaries_secs(mut self, secs: u64) -> Self {
        self.save_summaries = (secs > 0).then(|| StepTimer::time(Duration::from_secs(secs)));
        self
    }

    /// Every how many steps the chief saves summaries; 0 is never.
    #[must_use]
    pub fn save_summaries_steps(mut self, steps: u64) -> Self {
        self.save_summaries = (steps > 0).then(|| StepTimer::steps(steps));
        self
    }

    /// Every how many steps their speed is logged; 0 is never.
    #[must_use]
    pub fn log_step_count_steps(mut self, steps: u64) -> Self {
        self.log_step_count_steps = steps;
        self
    }

    /// How long threads may take to end after a stop.
    #[must_use]
    pub fn stop_grace_period_secs(mut self, secs: u64) -> Self {
        self.stop_grace = Duration::from_secs(secs);
        self
    }

    /// How long to wait for the chief, or for lost tasks to come back.
    #[must_use]
    pub fn max_wait_secs(mut self, secs: u64) -> Self {
        self.max_wait = Duration::from_secs(secs);
        self
    }

    /// The longest pause between two looks whether the model is ready.
    #[must_use]
    pub fn recovery_wait_secs(mut self, secs: u64) -> Self {
        self.recovery_wait = Duration::from_secs(secs);
        self
    }

    /// Opens the session: the chief initialises or restores the model, the others wait for it. Starts queue runners.
    ///
    /// # Errors
    /// The graph's first mistake; the error of a hook; as [`SessionManager::prepare_session`] and
    /// [`SessionManager::wait_for_session`].
    #[track_caller]
    pub fn open(mut self) -> Result<MonitoredSession> {
        self.graph.check()?;
        self.scaffold.finalize(&self.graph);
        let mut hooks = self.hooks;
        let mut writer = None;
        if self.is_chief {
            if let Some(folder) = &self.checkpoint_dir {
                let events = FileWriter::new(folder)?;
                if self.log_step_count_steps > 0 {
                    let timer = StepTimer::steps(self.log_step_count_steps);
                    hooks.push(Box::new(StepCounterHook::new(timer, Some(events.clone()))));
                }
                if let (Some(timer), Some(summary)) = (self.save_summaries, &self.scaffold.summary_op) {
                    hooks.push(Box::new(SummarySaverHook::new(timer, events.clone(), summary)));
                }
                if let (Some(timer), Some(saver)) = (self.save_checkpoint, &self.scaffold.saver) {
                    let hook = CheckpointSaverHook::new(timer, saver.clone(), folder, Some(events.clone()));
                    hooks.push(Box::new(hook));
                }
                writer = Some(events);
            }
            hooks.extend(self.chief_only_hooks);
        }
        for hook in &mut hooks {
            hook.begin(&self.graph)?;
        }
        let manager = self.scaffold.session_manager(&self.graph).recovery_wait(self.recovery_wait);
        self.graph.check()?;
        if let Some(writer) = &writer {
            writer.add_graph(&self.graph)?;
        }
        let mut session = MonitoredSession {
            graph: self.graph,
            factory: self.factory,
            scaffold: self.scaffold,
            manager,
            is_chief: self.is_chief,
            checkpoint_dir: self.checkpoint_dir,
            hooks,
            writer,
            stop_grace: self.stop_grace,
            max_wait: self.max_wait,
            coord: Coordinator::new(),
            asked: self.asked,
            session: None,
            losses: Losses::new(self.max_wait),
            stop: false,
        };
        session.create(None)?;
        Ok(session)
    }
}

impl MonitoredSession {
    /// The session under this one, for steps without hooks.
    ///
    /// # Errors
    /// `FailedPrecondition` once closed.
    pub fn raw_session(&self) -> Result<&Arc<dyn Session>> {
        self.session.as_ref().ok_or_else(|| err!(FailedPrecondition, "Session is closed."))
    }

    pub fn coord(&self) -> &Coordinator {
        &self.coord
    }

    /// Whether a hook, a thread or the program asked for the end.
    pub fn should_stop(&self) -> bool {
        if self.stop || self.session.is_none() || self.asked.should_stop() {
            return true;
        }
        // What stops the threads when a task is lost is no reason to stop: the next step begins with a new session.
        self.coord.should_stop() && !self.coord.check().is_err_and(|status| is_passing(&status))
    }

    /// Asks for the end.
    pub fn request_stop(&mut self) {
        self.stop = true;
    }

    /// Runs a step with all hooks around it.
    ///
    /// # Errors
    /// What the step, a hook or a thread failed with. `OutOfRange` means that the input has ended.
    pub fn run(&mut self, request: RunRequest) -> Result<RunResult> {
        ensure!(self.session.is_some(), FailedPrecondition, "Session is closed.");
        loop {
            // A thread may have noticed first that a task is lost.
            let outcome = match self.coord.check() {
                Err(status) if is_passing(&status) => Err(status),
                _ => self.try_run(&request),
            };
            match outcome {
                Err(status) if is_passing(&status) => self.create(Some(status))?,
                Err(status) => {
                    // A thread that failed first is the cause of what the step failed with.
                    self.coord.check()?;
                    if status.code() == Code::OutOfRange {
                        self.stop = true;
                    }
                    return Err(status);
                }
                Ok(result) => return Ok(result),
            }
        }
    }

    /// Runs a step and gives only the fetched tensors.
    ///
    /// # Errors
    /// As [`run`](MonitoredSession::run).
    pub fn fetch(&mut self, request: RunRequest) -> Result<Vec<Tensor>> {
        Ok(self.run(request)?.tensors)
    }

    /// Calls `step` until it is time to stop, then closes the session. The end of input is a good end.
    ///
    /// # Errors
    /// What a step, a hook or a thread failed with; the session is closed then too.
    pub fn run_until_stop(mut self, mut step: impl FnMut(&mut MonitoredSession) -> Result<()>) -> Result<()> {
        while !self.should_stop() {
            match step(&mut self) {
                Ok(()) => {}
                Err(status) if status.code() == Code::OutOfRange => break,
                Err(status) => {
                    self.abandon();
                    return Err(status);
                }
            }
        }
        self.close()
    }

    fn try_run(&mut self, request: &RunRequest) -> Result<RunResult> {
        let session = self.raw_session()?.clone();
        let mut context = RunContext::new(session.clone());
        let mut combined = request.clone();
        let own = combined.fetches.len();
        let mut shares = Vec::with_capacity(self.hooks.len());
        for hook in &mut self.hooks {
            let wanted = hook.before_run(&context)?;
            wanted.check()?;
            let mut places = Vec::with_capacity(wanted.fetches.len());
            for name in wanted.fetches {
                // Hooks that want the same tensor share it.
                let place = combined.fetches.iter().position(|fetch| *fetch == name);
                places.push(place.unwrap_or(combined.fetches.len()));
                if place.is_none() {
                    combined.fetches.push(name);
                }
            }
            for (name, value) in wanted.feeds {
                let taken = combined.feeds.iter().any(|(fed, _)| *fed == name);
                ensure!(!taken, InvalidArgument, "a hook feeds {name}, which is fed already");
                combined.feeds.push((name, value));
            }
            combined.targets.extend(wanted.targets);
            shares.push(places);
        }
        let mut result = session.run(combined)?;
        for (hook, places) in self.hooks.iter_mut().zip(shares) {
            let mut values = Vec::with_capacity(places.len());
            for place in places {
                match result.tensors.get(place) {
                    Some(value) => values.push(value.clone()),
                    None => bail!(Internal, "the session returned {} tensors", result.tensors.len()),
                }
            }
            hook.after_run(&mut context, &values)?;
        }
        self.stop |= context.stop_requested();
        result.tensors.truncate(own);
        Ok(result)
    }

    /// Opens a session, again and again while tasks are away, and lets hooks and queue runners join it.
    fn create(&mut self, mut lost: Option<tensor::Status>) -> Result<()> {
        loop {
            if let Some(status) = lost.take() {
                self.end_threads();
                self.losses.again(&status, &self.asked)?;
            }
            match self.try_create() {
                Err(status) if is_passing(&status) => lost = Some(status),
                Ok(()) => {
                    self.losses.ready();
                    return Ok(());
                }
                Err(status) => return Err(status),
            }
        }
    }

    fn try_create(&mut self) -> Result<()> {
        let session = if self.is_chief {
            let initialization = Initialization {
                init_op: self.scaffold.init_op.as_ref(),
                init_feeds: self.scaffold.init_feeds.clone(),
                init_fn: self.scaffold.init_fn.as_deref(),
                saver: self.scaffold.saver.as_deref(),
                checkpoint_dir: self.checkpoint_dir.as_deref(),
            };
            self.manager.prepare_session(&*self.factory, &initialization)?.0
        } else {
            self.manager.wait_for_session(&*self.factory, self.max_wait, &self.asked)?
        };
        self.session = Some(session.clone());
        start_queue_runners(&self.graph, &session, &self.coord)?;
        for hook in &mut self.hooks {
            hook.after_create_session(&session, &self.coord)?;
        }
        Ok(())
    }

    /// Ends threads and session, to begin anew.
    fn end_threads(&mut self) {
        self.coord.request_stop();
        if let Some(session) = self.session.take() {
            // Closing wakes threads that wait in the session.
            let _ = session.close();
        }
        let _ = self.coord.join(self.stop_grace);
        self.coord = Coordinator::new();
    }

    /// Ends the training: hooks have their last turn, threads end, files and session are closed. Closing again does
    /// nothing.
    ///
    /// # Errors
    /// The first error of a hook or a thread.
    pub fn close(&mut self) -> Result<()> {
        let Some(session) = self.session.take() else { return Ok(()) };
        let mut outcome = self.coord.check();
        if outcome.is_ok() {
            for hook in &mut self.hooks {
                outcome = outcome.and(hook.end(&session));
            }
        }
        self.coord.request_stop();
        outcome = outcome.and(self.coord.join(self.stop_grace));
        if let Some(writer) = &self.writer {
            outcome = outcome.and(writer.close());
        }
        if let Err(status) = session.close() {
            tracing::warn!(%status, "cannot close the session");
        }
        outcome
    }

    /// Ends without the hooks' last turn, after an error.
    fn abandon(&mut self) {
        self.end_threads();
        if let Some(writer) = &self.writer {
            let _ = writer.close();
        }
    }
}

impl Drop for MonitoredSession {
    fn drop(&mut self) {
        if self.session.is_some() {
            self.abandon();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use parking_lot::Mutex;

    use super::*;
    use crate::hooks::{LoggingTensorHook, NanTensorHook, StopAtStepHook};
    use crate::saver::latest_checkpoint;
    use crate::summary;
    use crate::testing::{Folder, Place, counting, graph};

    fn training(g: &Graph, place: &Place) -> MonitoredTrainingSession {
        MonitoredTrainingSession::new(g, place.clone()).recovery_wait_secs(0).stop_grace_period_secs(60)
    }

    #[test]
    fn a_lost_task_costs_the_steps_since_the_checkpoint() {
        let folder = Folder::new("monitored-lost");
        let (g, step, count) = counting();
        let place = Place::new();
        let mut session = training(&g, &place)
            .checkpoint_dir(folder.path())
            .save_checkpoint_steps(5)
            .hook(StopAtStepHook::last_step(12))
            .open()
            .unwrap();
        let mut seen = Vec::new();
        while !session.should_stop() {
            session.run(RunRequest::new().target(&count)).unwrap();
            let now = session.raw_session().unwrap().fetch(RunRequest::new().fetch(step.value())).unwrap();
            seen.push(now[0].to_scalar::<i64>().unwrap());
            if seen.len() == 7 {
                place.lose();
            }
        }
        session.close().unwrap();
        assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7, 6, 7, 8, 9, 10, 11, 12]);
        assert_eq!(latest_checkpoint(folder.path()).unwrap(), Some(folder.path().join("model.ckpt-12")));
    }

    #[test]
    fn a_loss_that_a_thread_meets_first_is_no_reason_to_stop() {
        let (g, step, count) = counting();
        let place = Place::new();
        let mut session = training(&g, &place).open().unwrap();
        session.run(RunRequest::new().target(&count)).unwrap();
        place.lose();
        session.coord().request_stop_because(err!(Aborted, "the task has restarted"));
        assert!(!session.should_stop());
        // Without a checkpoint the model begins anew.
        session.run(RunRequest::new().target(&count)).unwrap();
        let now = session.raw_session().unwrap().fetch(RunRequest::new().fetch(step.value())).unwrap();
        assert_eq!(now, [Tensor::from(1i64)]);
        let asked = Coordinator::new();
        let session = training(&g, &place).stop_with(&asked).open().unwrap();
        assert!(!session.should_stop());
        asked.request_stop();
        assert!(session.should_stop());
    }

    #[test]
    fn hooks_get_what_they_ask_for_and_the_caller_too() {
        struct Watch(Arc<Mutex<Vec<String>>>, String);
        impl SessionRunHook for Watch {
            fn begin(&mut self, _: &Graph) -> Result<()> {
                self.0.lock().push("begin".into());
                Ok(())
            }
            fn after_create_session(&mut self, _: &Arc<dyn Session>, _: &Coordinator) -> Result<()> {
                self.0.lock().push("created".into());
                Ok(())
            }
            fn before_run(&mut self, _: &RunContext) -> Result<RunRequest> {
                Ok(RunRequest::new().fetch(&self.1))
            }
            fn after_run(&mut self, _: &mut RunContext, values: &[Tensor]) -> Result<()> {
                self.0.lock().push(format!("{:?}", values[0].to_i64_vec()?));
                Ok(())
            }
            fn end(&mut self, _: &Arc<dyn Session>) -> Result<()> {
                self.0.lock().push("end".into());
                Ok(())
            }
        }
        let (g, step, _) = counting();
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let constant = g.constant(7i64);
        let hook = Watch(seen.clone(), constant.name().unwrap().to_string());
        let mut session = training(&g, &Place::new()).hook(hook).open().unwrap();
        let fetched = session.fetch(RunRequest::new().fetch(step.value())).unwrap();
        assert_eq!(fetched, [Tensor::from(0i64)]);
        session.close().unwrap();
        session.close().unwrap();
        assert_eq!(*seen.lock(), ["begin", "created", "[7]", "end"]);
        assert!(session.run(RunRequest::new().fetch(step.value())).is_err());
    }

    #[test]
    fn a_loss_that_is_not_a_number_ends_training() {
        let (g, ..) = counting();
        let x = g.placeholder(tensor::DType::Float, tensor::PartialShape::scalar());
        let mut session = training(&g, &Place::new()).hook(NanTensorHook::new(&x)).open().unwrap();
        session.run(RunRequest::new().feed(&x, 1f32)).unwrap();
        let status = session.run(RunRequest::new().feed(&x, f32::NAN)).unwrap_err();
        assert!(status.message().starts_with("NaN loss during training"), "{status}");
        let mut session = training(&g, &Place::new()).hook(NanTensorHook::new(&x).stop_only()).open().unwrap();
        session.run(RunRequest::new().feed(&x, f32::NAN)).unwrap();
        assert!(session.should_stop());
    }

    #[test]
    fn tensors_are_logged_every_few_steps() {
        let (g, step, count) = counting();
        let (nothing, lines): (_, Arc<Mutex<Vec<String>>>) = (g.group(&[]), Arc::default());
        let sink = lines.clone();
        let log = LoggingTensorHook::new(&[("step", step.value())]).every_n_iter(2);
        let log = log.print_with(move |line| sink.lock().push(line.split(" (").next().unwrap_or_default().to_owned()));
        let mut session = training(&g, &Place::new()).hook(log).open().unwrap();
        for _ in 0..4 {
            session.run(RunRequest::new().target(&nothing)).unwrap();
            session.raw_session().unwrap().run(RunRequest::new().target(&count)).unwrap();
        }
        assert_eq!(*lines.lock(), ["step = 0", "step = 2"]);
    }

    #[test]
    fn summaries_are_written_at_the_first_step_and_then_every_few() {
        let folder = Folder::new("monitored-summaries");
        let (g, step, count) = counting();
        summary::scalar("step", step.value());
        let mut session = training(&g, &Place::new())
            .checkpoint_dir(folder.path())
            .save_summaries_steps(3)
            .hook(StopAtStepHook::num_steps(7))
            .open()
            .unwrap();
        while !session.should_stop() {
            session.run(RunRequest::new().target(&count)).unwrap();
        }
        session.close().unwrap();
        let name = folder.names().into_iter().find(|name| name.starts_with("events")).unwrap();
        let mut steps = Vec::new();
        for event in files::EventReader::open(folder.path().join(name)).unwrap() {
            let event = event.unwrap();
            if let Some(wire::event::What::Summary(summary)) = &event.what
                && summary.value.iter().any(|value| value.tag == "step")
            {
                steps.push(event.step);
            }
        }
        assert_eq!(steps, [1, 4, 7]);
    }

    #[test]
    fn the_end_of_input_closes_the_session() {
        let (g, ..) = counting();
        let session = training(&g, &Place::new()).open().unwrap();
        let calls = AtomicUsize::new(0);
        session
            .run_until_stop(|_| match calls.fetch_add(1, Ordering::Relaxed) {
                3 => Err(err!(OutOfRange, "no more")),
                _ => Ok(()),
            })
            .unwrap();
        assert_eq!(calls.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn a_model_without_a_global_step_is_told_so() {
        let g = graph();
        let status = training(&g, &Place::new()).hook(StopAtStepHook::last_step(1)).open().err().unwrap();
        assert_eq!(status.code(), Code::FailedPrecondition);
        assert!(status.message().starts_with("Global step should be created"), "{status}");
    }
}
