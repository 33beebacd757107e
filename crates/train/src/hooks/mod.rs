//! Hooks: what happens around the steps of a [`MonitoredSession`](crate::MonitoredSession). One file each.

mod checkpoint_saver;
mod logging_tensor;
mod nan_tensor;
mod step_counter;
mod stop_at_step;
mod summary_saver;
mod timer;

use std::sync::Arc;

pub use checkpoint_saver::CheckpointSaverHook;
use graph::{Graph, Output};
pub use logging_tensor::LoggingTensorHook;
pub use nan_tensor::NanTensorHook;
use runtime::{AsTensor, RunRequest, Session};
pub use step_counter::StepCounterHook;
pub use stop_at_step::StopAtStepHook;
pub use summary_saver::SummarySaverHook;
use tensor::{Result, Tensor, err};
pub use timer::{Every, StepTimer};

use crate::coordinator::Coordinator;
use crate::session_manager::Prepared;
use crate::variable::Variable;

/// Something that happens around steps. All methods do nothing unless they are written.
///
/// A hook that stops when the loss is small enough:
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::RunContext;
/// /// Stops training when a loss is below a limit.
/// struct Enough {
///     loss: Output,
///     limit: f32,
/// }
///
/// impl SessionRunHook for Enough {
///     fn before_run(&mut self, _context: &RunContext) -> Result<RunRequest> {
///         Ok(RunRequest::new().fetch(&self.loss))
///     }
///
///     fn after_run(&mut self, context: &mut RunContext, values: &[Tensor]) -> Result<()> {
///         if values[0].to_scalar::<f32>()? < self.limit {
///             context.request_stop();
///         }
///         Ok(())
///     }
/// }
///
/// let g = Graph::new();
/// let loss = g.placeholder(DType::Float, ());
/// let hook = Enough { loss: loss.clone(), limit: 0.1 };
/// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(hook).open()?;
/// session.run(RunRequest::new().feed(&loss, 0.5f32))?;
/// assert!(!session.should_stop());
/// session.run(RunRequest::new().feed(&loss, 0.05f32))?;
/// assert!(session.should_stop());
/// # Ok::<(), Status>(())
/// ```
pub trait SessionRunHook: Send {
    /// Before the first session is opened; nodes may still be added.
    ///
    /// # Errors
    /// Ends the training.
    fn begin(&mut self, _graph: &Graph) -> Result<()> {
        Ok(())
    }

    /// After a session was opened and the model is ready: at the start, and after each recovery.
    ///
    /// # Errors
    /// Ends the training, except `Aborted` and `Unavailable`, which lead to another recovery.
    fn after_create_session(&mut self, _session: &Arc<dyn Session>, _coord: &Coordinator) -> Result<()> {
        Ok(())
    }

    /// Just before [`after_create_session`](SessionRunHook::after_create_session): how the model became ready.
    fn model_ready(&mut self, _prepared: &Prepared) {}

    /// Before a step: what else to fetch and feed with it.
    ///
    /// # Errors
    /// Ends the training.
    fn before_run(&mut self, _context: &RunContext) -> Result<RunRequest> {
        Ok(RunRequest::new())
    }

    /// After a step, with what [`before_run`](SessionRunHook::before_run) asked for, in that order.
    ///
    /// # Errors
    /// Ends the training.
    fn after_run(&mut self, _context: &mut RunContext, _values: &[Tensor]) -> Result<()> {
        Ok(())
    }

    /// When the training has ended without an error.
    ///
    /// # Errors
    /// Is reported after the other hooks had their turn.
    fn end(&mut self, _session: &Arc<dyn Session>) -> Result<()> {
        Ok(())
    }
}

/// What a hook may know and do around a step.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::RunContext;
/// struct OneStep;
///
/// impl SessionRunHook for OneStep {
///     fn after_run(&mut self, context: &mut RunContext, _values: &[Tensor]) -> Result<()> {
///         context.request_stop();
///         assert!(context.stop_requested());
///         Ok(())
///     }
/// }
///
/// let g = Graph::new();
/// let one = g.constant(1f32);
/// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(OneStep).open()?;
/// session.run(RunRequest::new().fetch(&one))?;
/// assert!(session.should_stop());
/// # Ok::<(), Status>(())
/// ```
pub struct RunContext {
    session: Arc<dyn Session>,
    stop: bool,
}

impl RunContext {
    pub(crate) fn new(session: Arc<dyn Session>) -> RunContext {
        RunContext { session, stop: false }
    }

    /// The session under the monitored one: steps run with it come without hooks.
    pub fn session(&self) -> &Arc<dyn Session> {
        &self.session
    }

    /// Lets this step be the last.
    pub fn request_stop(&mut self) {
        self.stop = true;
    }

    /// Returns whether a hook asked for this step to be the last.
    pub fn stop_requested(&self) -> bool {
        self.stop
    }
}

/// The global step, as hooks read it.
#[derive(Clone)]
pub(crate) struct StepReader(String);

impl StepReader {
    /// Reads this counter.
    pub fn of(step: &Variable) -> Result<StepReader> {
        Ok(StepReader(step.value().tensor_name()?))
    }

    /// # Errors
    /// `FailedPrecondition` if the graph has no global step.
    pub fn find(graph: &Graph) -> Result<StepReader> {
        let step = crate::global_step::get_global_step(graph);
        let missing =
            || err!(FailedPrecondition, "Global step should be created: the graph has no variable global_step");
        StepReader::of(&step.ok_or_else(missing)?)
    }

    /// A request for the value, to be read by [`value`](StepReader::value).
    pub fn request(&self) -> RunRequest {
        RunRequest::new().fetch(&self.0)
    }

    /// The value now.
    pub fn read(&self, session: &dyn Session) -> Result<i64> {
        StepReader::value(&session.fetch(self.request())?)
    }

    /// The value among fetched tensors, where it comes first.
    pub fn value(values: &[Tensor]) -> Result<i64> {
        let first = values.first().map(Tensor::to_i64_vec).transpose()?;
        let number = first.and_then(|numbers| numbers.first().copied());
        number.ok_or_else(|| err!(InvalidArgument, "the global step has no value"))
    }
}

/// The name under which an output is fetched.
pub(crate) fn fetch_name(output: &Output) -> Result<String> {
    output.tensor_name()
}
