//! The settings of a run, which are the same for both ways to supervise it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use graph::{Graph, Operation, Output};
use runtime::Session;
use tensor::{Result, Tensor};

use super::Run;
use crate::coordinator::{Coordinator, GRACE};
use crate::hooks::{Every, fetch_name};
use crate::saver::Saver;
use crate::scaffold::{InitFn, Scaffold};
use crate::session_manager::MAX_WAIT;
use crate::summary::FileWriter;

/// A run in the making. What is not said is as in TensorFlow.
///
/// [`Supervisor::new`](crate::Supervisor::new) and
/// [`MonitoredTrainingSession::new`](crate::MonitoredTrainingSession::new) begin one; the settings here are those of both.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// get_or_create_global_step(&g);
/// let minute = Duration::from_secs(60);
/// let sv = Supervisor::new(&g).is_chief(true).max_wait(minute).build()?;
/// let session = MonitoredTrainingSession::new(&g, LocalSessions::default()).is_chief(true).max_wait(minute).open()?;
/// # drop((sv, session));
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct RunBuilder<Own> {
    pub(crate) graph: Graph,
    pub(crate) is_chief: bool,
    pub(crate) scaffold: Scaffold,
    use_saver: bool,
    use_summaries: bool,
    pub(crate) logdir: Option<PathBuf>,
    pub(crate) checkpoint_basename: String,
    pub(crate) save_checkpoint: Every,
    pub(crate) save_summaries: Every,
    recovery_wait: Duration,
    stop_grace: Duration,
    max_wait: Duration,
    /// The settings that only one of the two has.
    pub(crate) own: Own,
}

impl<Own> RunBuilder<Own> {
    pub(crate) fn begin(graph: &Graph, save_summaries: Every, own: Own) -> RunBuilder<Own> {
        RunBuilder {
            graph: graph.clone(),
            is_chief: true,
            scaffold: Scaffold::new(),
            use_saver: true,
            use_summaries: true,
            logdir: None,
            checkpoint_basename: "model.ckpt".to_owned(),
            save_checkpoint: Every::Time(Duration::from_secs(600)),
            save_summaries,
            recovery_wait: Duration::from_secs(30),
            stop_grace: GRACE,
            max_wait: MAX_WAIT,
            own,
        }
    }

    /// Whether this task initialises the model and saves it, which it does unless told otherwise. Usually the first worker is
    /// the chief.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// get_or_create_global_step(&g);
    /// assert!(Supervisor::new(&g).build()?.is_chief());
    /// assert!(!Supervisor::new(&g).is_chief(false).build()?.is_chief());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn is_chief(mut self, is_chief: bool) -> Self {
        self.is_chief = is_chief;
        self
    }

    /// Where checkpoints and event files go. Without it there are none.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::latest_checkpoint;
    /// # let folder = std::env::temp_dir().join(format!("logdir-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// let count = get_or_create_global_step(&g).assign_add(1);
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).logdir(&folder).open()?;
    /// session.eval(&count)?;
    /// session.close()?;
    /// assert_eq!(latest_checkpoint(&folder)?, Some(folder.join("model.ckpt-1")));
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    #[doc(alias = "checkpoint_dir")]
    pub fn logdir(mut self, logdir: impl AsRef<Path>) -> Self {
        self.logdir = Some(logdir.as_ref().to_owned());
        self
    }

    /// The name of checkpoints in the folder, before the step: `model.ckpt` unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// # let folder = std::env::temp_dir().join(format!("basename-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// get_or_create_global_step(&g);
    /// let sv = Supervisor::new(&g).logdir(&folder).checkpoint_basename("digits").build()?;
    /// assert_eq!(sv.save_path(), Some(folder.join("digits")));
    /// # drop(sv);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    pub fn checkpoint_basename(mut self, name: &str) -> Self {
        self.checkpoint_basename = name.to_owned();
        self
    }

    /// All nodes of the scaffold at once, instead of those that were given before.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Scaffold;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let scaffold = Scaffold { init_op: Some(w.assign(7.0)), ..Default::default() };
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).scaffold(scaffold).open()?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 7.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn scaffold(mut self, scaffold: Scaffold) -> Self {
        self.scaffold = scaffold;
        self
    }

    /// The node that initialises the model: that of all global variables unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let seven = w.assign(7.0);
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).init_op(&seven).open()?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 7.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn init_op(mut self, operation: &Operation) -> Self {
        self.scaffold.init_op = Some(operation.clone());
        self
    }

    /// A value that the init op is fed.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let start = g.placeholder(DType::Float, [Some(2)]);
    /// let w = Variable::new("w", start.clone());
    /// let builder = MonitoredTrainingSession::new(&g, LocalSessions::default());
    /// let mut session = builder.init_feed(&start, [1f32, 2.0]).open()?;
    /// assert_eq!(session.eval::<Vec<f32>, _>(&w)?, [1.0, 2.0]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn init_feed(mut self, tensor: &Output, value: impl Into<Tensor>) -> Self {
        // The name of a mistaken output is not needed: the graph is refused.
        if let Ok(name) = fetch_name(tensor) {
            self.scaffold.init_feeds.push((name, value.into()));
        }
        self
    }

    /// A function that is called after the init op.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let seven = w.assign(7.0);
    /// let builder = MonitoredTrainingSession::new(&g, LocalSessions::default());
    /// let mut session = builder.init_fn(move |session| session.eval(&seven)).open()?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 7.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn init_fn(mut self, init_fn: impl Fn(&dyn Session) -> Result<()> + Send + Sync + 'static) -> Self {
        let init_fn: InitFn = Arc::new(init_fn);
        self.scaffold.init_fn = Some(init_fn);
        self
    }

    /// The node that initialises what each task has for itself: all local variables unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let seen = Variable::local("seen", g.constant(0f32));
    /// let one = seen.assign(1.0);
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).local_init_op(&one).open()?;
    /// assert_eq!(session.eval::<f32, _>(&seen)?, 1.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn local_init_op(mut self, operation: &Operation) -> Self {
        self.scaffold.local_init_op = Some(operation.clone());
        self
    }

    /// The node that names what has no value yet. The model is ready when it names nothing.
    pub fn ready_op(mut self, output: &Output) -> Self {
        self.scaffold.ready_op = Some(output.clone());
        self
    }

    /// The node that names what must have a value before the local init op runs.
    pub fn ready_for_local_init_op(mut self, output: &Output) -> Self {
        self.scaffold.ready_for_local_init_op = Some(output.clone());
        self
    }

    /// The saver of checkpoints: one of all global variables unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::SaverOptions;
    /// # let folder = std::env::temp_dir().join(format!("run-saver-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// let (w, _step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    /// let saver = Saver::of(&g, &[w], SaverOptions { max_to_keep: 1, ..Default::default() });
    /// let sv = Supervisor::new(&g).logdir(&folder).saver(saver).build()?;
    /// assert_eq!(sv.saver().unwrap().options().max_to_keep, 1);
    /// # drop(sv);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    pub fn saver(mut self, saver: Saver) -> Self {
        self.scaffold.saver = Some(Arc::new(saver));
        self
    }

    /// Neither restores nor saves the model.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// get_or_create_global_step(&g);
    /// assert!(Supervisor::new(&g).without_saver().build()?.saver().is_none());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn without_saver(mut self) -> Self {
        self.use_saver = false;
        self
    }

    /// The node of all summaries: what [`summary::merge_all`](crate::summary::merge_all) finds unless told otherwise.
    pub fn summary_op<'a>(mut self, output: impl Into<Option<&'a Output>>) -> Self {
        self.scaffold.summary_op = output.into().cloned();
        self
    }

    /// Runs no summaries: the program does that itself.
    pub fn without_summary_op(mut self) -> Self {
        self.use_summaries = false;
        self
    }

    /// How often the chief saves the model: every ten minutes unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Every, all_checkpoints};
    /// # let folder = std::env::temp_dir().join(format!("save-every-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// let count = get_or_create_global_step(&g).assign_add(1);
    /// let builder = MonitoredTrainingSession::new(&g, LocalSessions::default()).logdir(&folder);
    /// let mut session = builder.save_checkpoint_every(Every::Steps(2)).open()?;
    /// for _ in 0..3 {
    ///     session.eval(&count)?;
    /// }
    /// assert_eq!(all_checkpoints(&folder)?.last(), Some(&folder.join("model.ckpt-2")));
    /// session.close()?;
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    #[doc(alias("save_model_secs", "save_checkpoint_secs", "save_checkpoint_steps"))]
    pub fn save_checkpoint_every(mut self, every: impl Into<Every>) -> Self {
        self.save_checkpoint = every.into();
        self
    }

    /// How often the chief saves summaries. As in TensorFlow, a supervisor does so every two minutes, and a monitored session
    /// every 100 steps, unless told otherwise.
    #[doc(alias("save_summaries_secs", "save_summaries_steps"))]
    pub fn save_summaries_every(mut self, every: impl Into<Every>) -> Self {
        self.save_summaries = every.into();
        self
    }

    /// The longest pause between two looks whether the model is ready: half a minute unless told otherwise.
    #[doc(alias = "recovery_wait_secs")]
    pub fn recovery_wait(mut self, wait: Duration) -> Self {
        self.recovery_wait = wait;
        self
    }

    /// How long threads may take to end after a stop: two minutes unless told otherwise.
    #[doc(alias("stop_grace_secs", "stop_grace_period_secs"))]
    pub fn stop_grace(mut self, grace: Duration) -> Self {
        self.stop_grace = grace;
        self
    }

    /// How long to wait for the chief, or for lost tasks to come back: two hours unless told otherwise.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let worker = MonitoredTrainingSession::new(&g, LocalSessions::default()).is_chief(false);
    /// let outcome = worker.max_wait(Duration::from_millis(1)).open(); // there is no chief
    /// assert_eq!(outcome.err().unwrap().code(), Code::DeadlineExceeded);
    /// ```
    #[doc(alias = "max_wait_secs")]
    pub fn max_wait(mut self, wait: Duration) -> Self {
        self.max_wait = wait;
        self
    }

    /// Makes the nodes that are missing, and the event file of the chief.
    ///
    /// # Errors
    /// The graph's first mistake; the code of the operating system's error if `logdir` cannot be written.
    #[track_caller]
    pub(crate) fn prepare(&mut self) -> Result<Option<FileWriter>> {
        self.graph.check()?;
        self.scaffold.finalize_with(&self.graph, self.use_summaries, self.use_saver);
        match &self.logdir {
            Some(logdir) if self.is_chief => Ok(Some(FileWriter::new(logdir)?)),
            _ => Ok(None),
        }
    }

    /// The run, once its graph is complete, and the settings that only one of the two has.
    ///
    /// # Errors
    /// The graph's first mistake.
    #[track_caller]
    pub(crate) fn into_run(self, writer: Option<FileWriter>, asked: Coordinator) -> Result<(Run, Own)> {
        let manager = self.scaffold.session_manager(&self.graph).recovery_wait(self.recovery_wait);
        self.graph.check()?;
        let run = Run {
            graph: self.graph,
            is_chief: self.is_chief,
            scaffold: self.scaffold,
            manager,
            logdir: self.logdir,
            checkpoint_basename: self.checkpoint_basename,
            save_checkpoint: self.save_checkpoint,
            save_summaries: self.save_summaries,
            writer,
            stop_grace: self.stop_grace,
            max_wait: self.max_wait,
            asked,
            fence: std::sync::OnceLock::new(),
        };
        Ok((run, self.own))
    }
}
