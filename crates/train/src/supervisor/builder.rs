//! What a [`Supervisor`] is told before it begins.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use graph::{Graph, Operation, Output};
use parking_lot::Mutex;
use runtime::Session;
use tensor::{Result, Tensor};

use super::Supervisor;
use crate::coordinator::Coordinator;
use crate::global_step::get_global_step;
use crate::hooks::{StepReader, fetch_name};
use crate::saver::Saver;
use crate::scaffold::{InitFn, Scaffold};
use crate::summary::FileWriter;
use crate::variable::Variable;

/// A [`Supervisor`] in the making. What is not said is as in TensorFlow.
pub struct SupervisorBuilder {
    pub(super) graph: Graph,
    pub(super) is_chief: bool,
    pub(super) scaffold: Scaffold,
    pub(super) use_saver: bool,
    pub(super) use_summaries: bool,
    pub(super) logdir: Option<PathBuf>,
    pub(super) global_step: Option<Variable>,
    pub(super) checkpoint_basename: String,
    pub(super) save_model: Duration,
    pub(super) save_summaries: Duration,
    pub(super) recovery_wait: Duration,
    pub(super) stop_grace: Duration,
    pub(super) max_wait: Duration,
    pub(super) save_on_stop: bool,
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

    /// The node that gives all summaries, or what [`summary::merge_all`](crate::summary::merge_all) found.
    #[must_use]
    pub fn summary_op<'a>(mut self, output: impl Into<Option<&'a Output>>) -> Self {
        self.scaffold.summary_op = output.into().cloned();
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
