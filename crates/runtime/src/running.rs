//! The steps of a session that run, until it is closed.

use std::collections::HashMap;

use graph::op::{Cancellation, StepId};
use parking_lot::{Condvar, Mutex};
use tensor::{Result, Status, ensure};

/// Which steps of a session run, and how to cancel them.
///
/// ```
/// use graph::op::{Cancellation, StepId};
/// use tensorfleet_runtime::RunningSteps;
///
/// let (running, step) = (RunningSteps::default(), Cancellation::new());
/// running.begin(StepId(1), &step).unwrap();
/// running.close(&tensor::err!(Cancelled, "closed"));
/// assert!(step.is_cancelled() && running.begin(StepId(2), &step).is_err());
/// assert!(running.end(StepId(1)));
/// running.wait_until_idle();
/// ```
#[derive(Default)]
pub struct RunningSteps {
    table: Mutex<StepTable>,
    idle: Condvar,
}

#[derive(Default)]
struct StepTable {
    closed: bool,
    steps: HashMap<StepId, Cancellation>,
}

impl RunningSteps {
    /// Notes that a step begins.
    ///
    /// # Errors
    /// `FailedPrecondition` if the session is closed.
    pub fn begin(&self, step: StepId, cancellation: &Cancellation) -> Result<()> {
        let mut table = self.table.lock();
        ensure!(!table.closed, FailedPrecondition, "Session is closed.");
        table.steps.insert(step, cancellation.clone());
        Ok(())
    }

    /// Notes that a step has ended; returns whether none runs any more.
    pub fn end(&self, step: StepId) -> bool {
        let mut table = self.table.lock();
        table.steps.remove(&step);
        if table.steps.is_empty() {
            self.idle.notify_all();
        }
        table.steps.is_empty()
    }

    /// Cancels the steps that run and lets no more begin.
    pub fn close(&self, reason: &Status) {
        let steps: Vec<Cancellation> = {
            let mut table = self.table.lock();
            table.closed = true;
            table.steps.values().cloned().collect()
        };
        for step in steps {
            step.cancel(reason.clone());
        }
    }

    /// Returns how many steps run.
    pub fn len(&self) -> usize {
        self.table.lock().steps.len()
    }

    /// Returns whether no step runs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Blocks until no step runs.
    pub fn wait_until_idle(&self) {
        let mut table = self.table.lock();
        while !table.steps.is_empty() {
            self.idle.wait(&mut table);
        }
    }
}
