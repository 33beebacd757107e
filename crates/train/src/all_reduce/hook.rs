//! The hook that starts and ends a worker whose model is its own.

use std::sync::Arc;

use graph::Operation;
use runtime::{RunRequest, Session};
use tensor::Result;

use crate::coordinator::Coordinator;
use crate::hooks::SessionRunHook;

/// Gives a worker the values of worker 0 when a session begins, and lets it wait for the others before it ends.
pub struct AllReduceHook {
    pub(super) start: Operation,
    pub(super) finish: Operation,
}

impl SessionRunHook for AllReduceHook {
    fn after_create_session(&mut self, session: &Arc<dyn Session>, _: &Coordinator) -> Result<()> {
        session.run(RunRequest::new().target(&self.start)).map(drop)
    }

    /// A worker that went away at once would take along what others still need of it for their last step.
    fn end(&mut self, session: &Arc<dyn Session>) -> Result<()> {
        if let Err(status) = session.run(RunRequest::new().target(&self.finish)) {
            tracing::debug!(%status, "the workers do not end together");
        }
        Ok(())
    }
}
