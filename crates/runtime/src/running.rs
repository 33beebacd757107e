//! The steps of a session that run, until it is closed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

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
    /// By the step's number, so that steps on several threads hardly meet.
    tables: [Mutex<StepTable>; TABLES],
    running: AtomicUsize,
    /// Whether somebody waits for the last one to end.
    awaited: AtomicBool,
    idle: (Mutex<()>, Condvar),
}

const TABLES: usize = 16;

#[derive(Default)]
#[repr(align(64))]
struct StepTable {
    closed: bool,
    steps: HashMap<StepId, (Cancellation, Instant)>,
}

impl RunningSteps {
    fn table(&self, step: StepId) -> &Mutex<StepTable> {
        &self.tables[step.0.rem_euclid(TABLES as i64) as usize]
    }

    /// Notes that a step begins.
    ///
    /// # Errors
    /// `FailedPrecondition` if the session is closed.
    pub fn begin(&self, step: StepId, cancellation: &Cancellation) -> Result<()> {
        let mut table = self.table(step).lock();
        ensure!(!table.closed, FailedPrecondition, "Session is closed.");
        if table.steps.insert(step, (cancellation.clone(), Instant::now())).is_none() {
            self.running.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Notes that a step has ended; returns whether none runs any more.
    pub fn end(&self, step: StepId) -> bool {
        let ended = self.table(step).lock().steps.remove(&step);
        if ended.is_none() || self.running.fetch_sub(1, Ordering::SeqCst) > 1 {
            return self.is_empty();
        }
        if self.awaited.load(Ordering::SeqCst) {
            let _waiting = self.idle.0.lock();
            self.idle.1.notify_all();
        }
        true
    }

    /// Cancels the steps that run and lets no more begin.
    pub fn close(&self, reason: &Status) {
        let mut steps: Vec<Cancellation> = Vec::new();
        for table in &self.tables {
            let mut table = table.lock();
            table.closed = true;
            steps.extend(table.steps.values().map(|(step, _)| step.clone()));
        }
        for step in steps {
            step.cancel(reason.clone());
        }
    }

    /// Returns which steps run, and since when.
    pub fn list(&self) -> Vec<(StepId, Instant)> {
        let table = |table: &Mutex<StepTable>| -> Vec<(StepId, Instant)> {
            table.lock().steps.iter().map(|(step, (_, since))| (*step, *since)).collect()
        };
        self.tables.iter().flat_map(table).collect()
    }

    /// Returns how many steps run.
    pub fn len(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    /// Returns whether no step runs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Blocks until no step runs.
    pub fn wait_until_idle(&self) {
        let mut waiting = self.idle.0.lock();
        self.awaited.store(true, Ordering::SeqCst);
        while !self.is_empty() {
            self.idle.1.wait(&mut waiting);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tensor::err;

    #[test]
    fn whoever_waits_is_told_by_the_last_step_that_ends() {
        let running = Arc::new(RunningSteps::default());
        for id in 0..100 {
            running.begin(StepId(id), &Cancellation::new()).unwrap();
        }
        running.close(&err!(Cancelled, "closed"));
        assert_eq!((running.len(), running.begin(StepId(100), &Cancellation::new()).is_err()), (100, true));
        let enders: Vec<_> = (0..4)
            .map(|thread| {
                let running = running.clone();
                std::thread::spawn(move || (0..25).filter(|n| running.end(StepId(n * 4 + thread))).count())
            })
            .collect();
        running.wait_until_idle();
        let told: usize = enders.into_iter().map(|ender| ender.join().unwrap()).sum();
        assert!(told >= 1 && running.is_empty());
    }
}
