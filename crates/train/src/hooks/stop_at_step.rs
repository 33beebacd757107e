//! Ends training at a step.

use std::sync::Arc;

use graph::Graph;
use runtime::{RunRequest, Session};
use tensor::{Result, Tensor};

use super::{RunContext, SessionRunHook, StepReader};
use crate::coordinator::Coordinator;

/// Asks for a stop when the global step reaches a number, or has grown by one.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let count = get_or_create_global_step(&g).assign_add(1);
/// let session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(StopAtStepHook::last_step(3)).open()?;
/// let mut steps = 0;
/// session.run_until_stop(|session| {
///     steps += 1;
///     session.run(RunRequest::new().target(&count)).map(drop)
/// })?;
/// assert_eq!(steps, 3);
/// # Ok(())
/// # }
/// ```
pub struct StopAtStepHook {
    last_step: Option<i64>,
    num_steps: i64,
    step: Option<StepReader>,
}

impl StopAtStepHook {
    /// Stops at this global step.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let count = get_or_create_global_step(&g).assign_add(1);
    /// let hook = StopAtStepHook::last_step(1);
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(hook).open()?;
    /// session.run(RunRequest::new().target(&count))?;
    /// assert!(session.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn last_step(last_step: i64) -> StopAtStepHook {
        StopAtStepHook { last_step: Some(last_step), num_steps: 0, step: None }
    }

    /// Stops so many steps after the first session began.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let step = Variable::untrained("global_step", g.constant(1000i64));
    /// let count = step.assign_add(1);
    /// let hook = StopAtStepHook::num_steps(1); // at step 1001
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(hook).open()?;
    /// session.run(RunRequest::new().target(&count))?;
    /// assert!(session.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn num_steps(num_steps: i64) -> StopAtStepHook {
        StopAtStepHook { last_step: None, num_steps, step: None }
    }
}

impl SessionRunHook for StopAtStepHook {
    fn begin(&mut self, graph: &Graph) -> Result<()> {
        self.step = Some(StepReader::find(graph)?);
        Ok(())
    }

    fn after_create_session(&mut self, session: &Arc<dyn Session>, _: &Coordinator) -> Result<()> {
        if let (None, Some(step)) = (self.last_step, &self.step) {
            self.last_step = Some(step.read(session)?.saturating_add(self.num_steps));
        }
        Ok(())
    }

    fn before_run(&mut self, _: &RunContext) -> Result<RunRequest> {
        Ok(self.step.as_ref().map_or_else(RunRequest::new, StepReader::request))
    }

    fn after_run(&mut self, context: &mut RunContext, values: &[Tensor]) -> Result<()> {
        let (Some(step), Some(last)) = (&self.step, self.last_step) else { return Ok(()) };
        // The fetched value may be from before the step's own addition.
        if StepReader::value(values)? + 1 >= last && step.read(context.session())? >= last {
            context.request_stop();
        }
        Ok(())
    }
}
