//! Monitored sessions: steps with hooks around them, that survive the loss of a task.

mod builder;

use std::sync::Arc;

pub use builder::{MonitoredTrainingSession, MonitoringOptions};
use runtime::{AsTensor, Fetch, RunRequest, RunResult, RunStep, Session, SessionFactory, Step};
use tensor::{Code, Result, Status, Tensor, bail, ensure, err};

use crate::coordinator::Coordinator;
use crate::hooks::{RunContext, SessionRunHook};
use crate::queue_runner::start_queue_runners;
use crate::run::{Losses, Run};
use crate::session_manager::is_passing;

/// A session with hooks. When a task is lost (`Aborted`, `Unavailable`), a new session is opened, the model is restored
/// from the newest checkpoint, and the step is run again.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{NanTensorHook, latest_checkpoint};
/// # fn main() -> tensorfleet::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("monitored-doctest-{}", std::process::id()));
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(4f32));
/// let loss = &w * &w;
/// let train_op = GradientDescent::new(0.1).minimize(&loss, Some(&get_or_create_global_step(&g)))?;
///
/// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default())
///     .logdir(&folder)
///     .hook(StopAtStepHook::last_step(20))
///     .hook(NanTensorHook::new(&loss))
///     .open()?;
/// while !session.should_stop() {
///     session.eval(&train_op)?;
/// }
/// session.close()?;
/// assert_eq!(latest_checkpoint(&folder)?, Some(folder.join("model.ckpt-20")));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
pub struct MonitoredSession {
    run: Run,
    factory: Box<dyn SessionFactory>,
    hooks: Vec<Box<dyn SessionRunHook>>,
    coord: Coordinator,
    session: Option<Arc<dyn Session>>,
    losses: Losses,
    stop: bool,
}

impl MonitoredSession {
    /// The session under this one, for steps without hooks.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let count = get_or_create_global_step(&g).assign_add(1);
    /// let builder = MonitoredTrainingSession::new(&g, LocalSessions::default());
    /// let session = builder.hook(StopAtStepHook::last_step(1)).open()?;
    /// session.raw_session()?.eval(&count)?; // no hook sees it
    /// assert!(!session.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `FailedPrecondition` once closed.
    pub fn raw_session(&self) -> Result<&Arc<dyn Session>> {
        self.session.as_ref().ok_or_else(|| err!(FailedPrecondition, "Session is closed."))
    }

    /// Returns the coordinator of its threads.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let session = MonitoredTrainingSession::new(&g, LocalSessions::default()).open()?;
    /// session.coord().request_stop();
    /// assert!(session.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn coord(&self) -> &Coordinator {
        &self.coord
    }

    /// Whether a hook, a thread or the program asked for the end.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).open()?;
    /// assert!(!session.should_stop());
    /// session.request_stop();
    /// assert!(session.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn should_stop(&self) -> bool {
        if self.stop || self.session.is_none() || self.run.asked.should_stop() {
            return true;
        }
        // What stops the threads when a task is lost is no reason to stop: the next step begins with a new session.
        self.coord.should_stop() && !self.coord.check().is_err_and(|status| is_passing(&status))
    }

    /// Asks for the end.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).open()?;
    /// session.request_stop();
    /// assert!(session.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn request_stop(&mut self) {
        self.stop = true;
    }

    /// Runs a step with all hooks around it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let two = g.constant(1f32) + 1.0;
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).open()?;
    /// assert_eq!(session.run(RunRequest::new().fetch(&two))?.tensors, [Tensor::from(2f32)]);
    /// # Ok::<(), Status>(())
    /// ```
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

    /// Runs a step and returns only the fetched tensors.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let two = g.constant(1f32) + 1.0;
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).open()?;
    /// assert_eq!(session.fetch(RunRequest::new().fetch(&two))?, [Tensor::from(2f32)]);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](MonitoredSession::run).
    pub fn fetch(&mut self, request: RunRequest) -> Result<Vec<Tensor>> {
        Ok(self.run(request)?.tensors)
    }

    /// Runs a step with all hooks around it and returns what was asked for, as [`Evaluate::eval`](runtime::Evaluate::eval)
    /// does.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let two = g.constant(1f32) + 1.0;
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).open()?;
    /// assert_eq!(session.eval::<f32, _>(&two)?, 2.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](MonitoredSession::run); `InvalidArgument`, naming the tensor, for a value of another type or rank.
    pub fn eval<T, F: Fetch<T>>(&mut self, what: F) -> Result<T> {
        Step::on(self).eval(what)
    }

    /// Begins a step that is fed, as [`Evaluate::feed`](runtime::Evaluate::feed) does.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, ());
    /// let more = &x + 1.0;
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).open()?;
    /// assert_eq!(session.feed(&x, 4f32).eval::<f32, _>(&more)?, 5.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn feed(&mut self, tensor: impl AsTensor, value: impl Into<Tensor>) -> Step<&mut MonitoredSession> {
        Step::on(self).feed(tensor, value)
    }

    /// Calls `step` until it is time to stop, then closes the session. The end of input is a good end.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let count = get_or_create_global_step(&g).assign_add(1);
    /// let builder = MonitoredTrainingSession::new(&g, LocalSessions::default());
    /// let session = builder.hook(StopAtStepHook::last_step(3)).open()?;
    /// let mut steps = 0;
    /// session.run_until_stop(|session| {
    ///     steps += 1;
    ///     session.eval(&count)
    /// })?;
    /// assert_eq!(steps, 3);
    /// # Ok::<(), Status>(())
    /// ```
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
    fn create(&mut self, mut lost: Option<Status>) -> Result<()> {
        loop {
            if let Some(status) = lost.take() {
                self.end_threads(Some(&status));
                self.losses.again(&status, &self.run.asked)?;
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
        let (session, prepared) = self.run.ready_session(&*self.factory)?;
        self.session = Some(session.clone());
        start_queue_runners(&self.run.graph, &session, &self.coord)?;
        for hook in &mut self.hooks {
            hook.model_ready(&prepared);
            hook.after_create_session(&session, &self.coord)?;
        }
        Ok(())
    }

    /// Ends threads and session; to begin anew, if they were lost.
    fn end_threads(&mut self, lost: Option<&Status>) {
        match lost {
            Some(status) => self.coord.request_stop_because(status.clone()),
            None => self.coord.request_stop(),
        }
        if let Some(session) = self.session.take() {
            // Closing wakes threads that wait in the session.
            let _ = session.close();
        }
        let _ = self.coord.join(self.run.stop_grace);
        self.coord = Coordinator::new();
    }

    /// Ends the training: hooks have their last turn, threads end, files and session are closed. Closing again does
    /// nothing.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let one = g.constant(1f32);
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).open()?;
    /// session.close()?;
    /// assert_eq!(session.eval::<f32, _>(&one).unwrap_err().code(), Code::FailedPrecondition);
    /// # Ok::<(), Status>(())
    /// ```
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
        outcome = outcome.and(self.coord.join(self.run.stop_grace));
        if let Some(writer) = &self.run.writer {
            outcome = outcome.and(writer.close());
        }
        if let Err(status) = session.close() {
            tracing::warn!(%status, "cannot close the session");
        }
        outcome
    }

    /// Ends without the hooks' last turn, after an error.
    fn abandon(&mut self) {
        self.end_threads(None);
        if let Some(writer) = &self.run.writer {
            let _ = writer.close();
        }
    }
}

impl RunStep for &mut MonitoredSession {
    fn run_step(self, request: RunRequest) -> Result<RunResult> {
        self.run(request)
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
mod tests;
