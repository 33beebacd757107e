//! What only a [`MonitoredSession`] is told before it begins.

use graph::Graph;
use runtime::SessionFactory;
use tensor::Result;

use super::MonitoredSession;
use crate::coordinator::Coordinator;
use crate::hooks::{CheckpointSaverHook, Every, SessionRunHook, StepCounterHook, SummarySaverHook};
use crate::run::{Losses, RunBuilder};

/// A [`MonitoredSession`] for training in the making.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Every;
/// let g = Graph::new();
/// let count = get_or_create_global_step(&g).assign_add(1);
/// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default())
///     .is_chief(true)
///     .hook(StopAtStepHook::last_step(2))
///     .log_step_count_every(Every::Never)
///     .open()?;
/// while !session.should_stop() {
///     session.eval(&count)?;
/// }
/// session.close()?;
/// # Ok::<(), Status>(())
/// ```
pub type MonitoredTrainingSession = RunBuilder<MonitoringOptions>;

/// The settings of a [`MonitoredSession`] that a supervisor does not have.
///
/// They are set by the methods of [`MonitoredTrainingSession`], such as [`hook`](MonitoredTrainingSession::hook):
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Every, StepCounterHook};
/// let g = Graph::new();
/// let count = get_or_create_global_step(&g).assign_add(1);
/// let builder = MonitoredTrainingSession::new(&g, LocalSessions::default());
/// let count_steps = StepCounterHook::new(Every::Steps(10), None);
/// let mut session = builder.hook(StopAtStepHook::last_step(1)).chief_only_hook(count_steps).open()?;
/// session.eval(&count)?;
/// assert!(session.should_stop());
/// # Ok::<(), Status>(())
/// ```
pub struct MonitoringOptions {
    factory: Box<dyn SessionFactory>,
    hooks: Vec<Box<dyn SessionRunHook>>,
    chief_only_hooks: Vec<Box<dyn SessionRunHook>>,
    log_step_count: Every,
    asked: Coordinator,
}

impl MonitoredTrainingSession {
    /// Begins a session for a graph whose model is complete. The factory opens the sessions under it, one after the other if tasks
    /// are lost.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(3f32));
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).open()?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 3.0); // initialised
    /// # Ok::<(), Status>(())
    /// ```
    pub fn new(graph: &Graph, factory: impl SessionFactory + 'static) -> MonitoredTrainingSession {
        let own = MonitoringOptions {
            factory: Box::new(factory),
            hooks: Vec::new(),
            chief_only_hooks: Vec::new(),
            log_step_count: Every::Steps(100),
            asked: Coordinator::new(),
        };
        RunBuilder::begin(graph, Every::Steps(100), own)
    }

    /// Ends the training, or the wait for it to begin, when this coordinator is asked to stop, from whatever thread.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let asked = Coordinator::new();
    /// let session = MonitoredTrainingSession::new(&g, LocalSessions::default()).stop_with(&asked).open()?;
    /// assert!(!session.should_stop());
    /// asked.request_stop();
    /// assert!(session.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn stop_with(mut self, asked: &Coordinator) -> Self {
        self.own.asked = asked.clone();
        self
    }

    /// A hook around every step. Hooks have their turns in the order in which they were added.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let count = get_or_create_global_step(&g).assign_add(1);
    /// let builder = MonitoredTrainingSession::new(&g, LocalSessions::default());
    /// let mut session = builder.hook(StopAtStepHook::last_step(1)).open()?;
    /// session.eval(&count)?;
    /// assert!(session.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn hook(mut self, hook: impl SessionRunHook + 'static) -> Self {
        self.own.hooks.push(Box::new(hook));
        self
    }

    /// A hook that only the chief has.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let count = get_or_create_global_step(&g).assign_add(1);
    /// let builder = MonitoredTrainingSession::new(&g, LocalSessions::default()).is_chief(true);
    /// let mut session = builder.chief_only_hook(StopAtStepHook::last_step(1)).open()?;
    /// session.eval(&count)?;
    /// assert!(session.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn chief_only_hook(mut self, hook: impl SessionRunHook + 'static) -> Self {
        self.own.chief_only_hooks.push(Box::new(hook));
        self
    }

    /// How often the speed of steps is logged: every 100 steps unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Every;
    /// let g = Graph::new();
    /// get_or_create_global_step(&g);
    /// let builder = MonitoredTrainingSession::new(&g, LocalSessions::default());
    /// assert!(builder.log_step_count_every(Every::Never).open().is_ok());
    /// ```
    #[doc(alias = "log_step_count_steps")]
    pub fn log_step_count_every(mut self, every: impl Into<Every>) -> Self {
        self.own.log_step_count = every.into();
        self
    }

    /// Opens the session: the chief initialises or restores the model, the others wait for it. Starts queue runners.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.constant([1f32, 2.0]).matmul(&g.constant([1f32])); // vectors are no matrices
    /// assert!(MonitoredTrainingSession::new(&g, LocalSessions::default()).open().is_err());
    /// ```
    ///
    /// # Errors
    /// The graph's first mistake; the error of a hook; as
    /// [`SessionManager::prepare_session`](crate::SessionManager::prepare_session) and
    /// [`SessionManager::wait_for_session`](crate::SessionManager::wait_for_session).
    #[track_caller]
    pub fn open(mut self) -> Result<MonitoredSession> {
        let writer = self.prepare()?;
        let mut hooks = std::mem::take(&mut self.own.hooks);
        if let (Some(events), Some(folder)) = (&writer, &self.logdir) {
            if !self.own.log_step_count.is_never() {
                hooks.push(Box::new(StepCounterHook::new(self.own.log_step_count, Some(events.clone()))));
            }
            if let (false, Some(summary)) = (self.save_summaries.is_never(), &self.scaffold.summary_op) {
                hooks.push(Box::new(SummarySaverHook::new(self.save_summaries, events.clone(), summary)));
            }
            if let (false, Some(saver)) = (self.save_checkpoint.is_never(), &self.scaffold.saver) {
                let hook = CheckpointSaverHook::new(self.save_checkpoint, saver.clone(), folder, Some(events.clone()));
                hooks.push(Box::new(hook.checkpoint_basename(&self.checkpoint_basename)));
            }
        }
        if self.is_chief {
            hooks.append(&mut self.own.chief_only_hooks);
        }
        for hook in &mut hooks {
            hook.begin(&self.graph)?;
        }
        let asked = self.own.asked.clone();
        let (run, own) = self.into_run(writer, asked)?;
        if let Some(writer) = &run.writer {
            writer.add_graph(&run.graph)?;
        }
        let losses = Losses::new(run.max_wait);
        let (factory, coord) = (own.factory, Coordinator::new());
        let mut session = MonitoredSession { run, factory, hooks, coord, session: None, losses, stop: false };
        session.create(None)?;
        Ok(session)
    }
}
