//! What a [`MonitoredSession`] is told before it begins.

use std::path::{Path, PathBuf};
use std::time::Duration;

use graph::Graph;
use runtime::SessionFactory;
use tensor::Result;

use super::MonitoredSession;
use crate::coordinator::{Coordinator, GRACE};
use crate::hooks::{CheckpointSaverHook, SessionRunHook, StepCounterHook, StepTimer, SummarySaverHook};
use crate::scaffold::Scaffold;
use crate::session_manager::MAX_WAIT;
use crate::summary::FileWriter;
use crate::supervisor::Losses;

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
