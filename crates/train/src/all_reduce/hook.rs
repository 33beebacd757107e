//! The hook that starts and ends a worker whose model is its own.

use std::sync::Arc;

use graph::Operation;
use runtime::{RunRequest, Session};
use tensor::{Result, ensure};

use crate::coordinator::Coordinator;
use crate::hooks::SessionRunHook;

/// Gives a worker the values of worker 0 when a session begins, and lets it wait for the others before it ends.
/// [`AllReduce::make_session_run_hook`](crate::AllReduce::make_session_run_hook) makes it.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let step = get_or_create_global_step(&g);
/// let optimizer = AllReduce::new(GradientDescent::new(0.25), 1, 0); // worker 0 of 1
/// let train = optimizer.minimize(&(&w * &w), Some(&step))?; // the gradient of w^2 at 1 is 2
/// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default())
///     .hook(optimizer.make_session_run_hook()?)
///     .hook(StopAtStepHook::last_step(1))
///     .open()?;
/// while !session.should_stop() {
///     session.eval(&train)?;
/// }
/// let value: f32 = session.raw_session()?.eval(&w)?;
/// assert_eq!(value, 0.5);
/// session.close()?;
/// # Ok(())
/// # }
/// ```
pub struct AllReduceHook {
    pub(super) start: Operation,
    pub(super) finish: Operation,
    /// A second session means that a worker was lost, and that is the end.
    pub(super) ends_on_loss: bool,
    /// Whether there was a session in which all workers met.
    pub(super) began: bool,
}

impl SessionRunHook for AllReduceHook {
    fn after_create_session(&mut self, session: &Arc<dyn Session>, _: &Coordinator) -> Result<()> {
        ensure!(!(self.ends_on_loss && self.began), FailedPrecondition, "a worker was lost, which ends the training");
        session.run(RunRequest::new().target(&self.start))?;
        self.began = true;
        Ok(())
    }

    /// A worker that went away at once would take along what others still need of it for their last step.
    fn end(&mut self, session: &Arc<dyn Session>) -> Result<()> {
        if let Err(status) = session.run(RunRequest::new().target(&self.finish)) {
            tracing::debug!(%status, "the workers do not end together");
        }
        Ok(())
    }
}
