//! What only a [`Supervisor`] is told before it begins.

use std::time::Duration;

use graph::Graph;
use parking_lot::Mutex;
use tensor::{Result, bail};

use super::Supervisor;
use crate::coordinator::Coordinator;
use crate::global_step::get_global_step;
use crate::hooks::{Every, StepReader};
use crate::run::RunBuilder;
use crate::variable::Variable;

/// A [`Supervisor`] in the making.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let step = get_or_create_global_step(&g);
/// let sv = Supervisor::new(&g).is_chief(true).global_step(&step).save_on_stop(false).build()?;
/// assert!(sv.is_chief());
/// # Ok::<(), Status>(())
/// ```
pub type SupervisorBuilder = RunBuilder<SupervisorOptions>;

/// The settings of a [`Supervisor`] that a monitored session does not have.
///
/// They are set by the methods of [`SupervisorBuilder`], such as [`save_on_stop`](SupervisorBuilder::save_on_stop):
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Every;
/// # let folder = std::env::temp_dir().join(format!("sv-options-doctest-{}", std::process::id()));
/// let g = Graph::new();
/// get_or_create_global_step(&g);
/// let sv = Supervisor::new(&g).logdir(&folder).save_checkpoint_every(Every::Never).save_on_stop(false).build()?;
/// sv.managed_session(&LocalSessions::default(), |_session| Ok(()))?;
/// assert!(!folder.join("model.ckpt-0.index").exists());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Status>(())
/// ```
pub struct SupervisorOptions {
    global_step: Option<Variable>,
    save_on_stop: bool,
    asked: Coordinator,
}

impl Supervisor {
    /// Begins a supervisor for a graph whose model is complete.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(3f32));
    /// let sv = Supervisor::new(&g).build()?;
    /// sv.managed_session(&LocalSessions::default(), |session| {
    ///     assert_eq!(session.eval::<f32, _>(&w)?, 3.0); // initialised
    ///     Ok(())
    /// })?;
    /// # Ok::<(), Status>(())
    /// ```
    #[allow(clippy::new_ret_no_self)] // `Supervisor::new(&g)...build()` reads as TensorFlow's constructor does.
    pub fn new(graph: &Graph) -> SupervisorBuilder {
        let own = SupervisorOptions { global_step: None, save_on_stop: true, asked: Coordinator::new() };
        RunBuilder::begin(graph, Every::Time(Duration::from_secs(120)), own)
    }
}

impl SupervisorBuilder {
    /// Ends the training, or the wait for it to begin, when this coordinator is asked to stop, from whatever thread.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let asked = Coordinator::new();
    /// let sv = Supervisor::new(&g).stop_with(&asked).build()?;
    /// assert!(!sv.should_stop());
    /// asked.request_stop();
    /// assert!(sv.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn stop_with(mut self, asked: &Coordinator) -> Self {
        self.own.asked = asked.clone();
        self
    }

    /// The counter of steps: the graph's global step unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let count = Variable::untrained("count", g.constant(0i64));
    /// let sv = Supervisor::new(&g).global_step(&count).build()?;
    /// assert!(!sv.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn global_step(mut self, step: &Variable) -> Self {
        self.own.global_step = Some(step.clone());
        self
    }

    /// Whether the chief writes a last checkpoint when training ends without an error. It does unless told otherwise.
    pub fn save_on_stop(mut self, save: bool) -> Self {
        self.own.save_on_stop = save;
        self
    }

    /// Makes the nodes that are missing, and the event file of the chief.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.constant([1f32, 2.0]).matmul(&g.constant([1f32])); // vectors are no matrices
    /// assert!(Supervisor::new(&g).build().is_err());
    /// ```
    ///
    /// # Errors
    /// The graph's first mistake; the code of the operating system's error if `logdir` cannot be written; `InvalidArgument` for
    /// something to be done every so many steps: a supervisor does not see the steps that are run.
    #[track_caller]
    pub fn build(mut self) -> Result<Supervisor> {
        for (what, every) in [("checkpoints", self.save_checkpoint), ("summaries", self.save_summaries)] {
            if let Every::Steps(steps @ 1..) = every {
                bail!(InvalidArgument, "a supervisor saves {what} by time, not every {steps} steps");
            }
        }
        let writer = self.prepare()?;
        let asked = self.own.asked.clone();
        let (run, own) = self.into_run(writer, asked)?;
        let step = own.global_step.or_else(|| get_global_step(&run.graph));
        let step = step.as_ref().map(StepReader::of).transpose()?;
        let (coord, session) = (Coordinator::new(), Mutex::new(None));
        Ok(Supervisor { run, coord, step, save_on_stop: own.save_on_stop, session })
    }
}
