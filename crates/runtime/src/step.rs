//! One step of a graph that was split by device: all parts run, and their outcomes become one.

use std::sync::Arc;

use graph::op::{CallFrame, Cancellation, Registration, Rendezvous, Step, StepId};
use parking_lot::Mutex;
use tensor::{Result, Status};

use crate::executor::StepDone;
use crate::stats::StepStats;
use crate::{Device, Executor, ResourceManager};

/// The parts of a graph that is ready to run, each with its device.
pub type Parts = Vec<(Executor, Arc<Device>)>;

/// What all parts of a step share.
pub struct StepSetup {
    pub id: i64,
    pub rendezvous: Arc<dyn Rendezvous>,
    pub cancellation: Cancellation,
    pub frame: Arc<CallFrame>,
    pub trace: bool,
}

/// Runs all parts of a step; the last one on this thread, as far as it does not wait. When one fails the others are
/// cancelled, which calls `on_cancel` too. `done` is called once, after all have ended, with the first cause of failure.
pub fn run_parts(parts: &Parts, setup: StepSetup, on_cancel: impl FnOnce(&Status) + Send + 'static, done: StepDone) {
    let step_resources = Arc::new(ResourceManager::new("step"));
    let registration = setup.cancellation.on_cancel(on_cancel);
    let gathering = Arc::new(Gathering {
        cancellation: setup.cancellation.clone(),
        step_resources: step_resources.clone(),
        state: Mutex::new(Gathered {
            missing: parts.len(),
            failure: None,
            stats: None,
            done: Some(done),
            registration: Some(registration),
        }),
    });
    for (index, (executor, device)) in parts.iter().enumerate() {
        let step = Arc::new(Step {
            id: StepId(setup.id),
            device: device.full_name.clone(),
            resources: device.resources.clone(),
            step_resources: step_resources.clone(),
            rendezvous: setup.rendezvous.clone(),
            cancellation: setup.cancellation.clone(),
            frame: setup.frame.clone(),
        });
        let gathering = gathering.clone();
        let arrive: StepDone = Box::new(move |outcome| gathering.arrive(outcome));
        if index + 1 == parts.len() {
            executor.run(step, setup.trace, arrive);
        } else {
            executor.spawn(step, setup.trace, arrive);
        }
    }
}

/// Where the outcomes of all parts come together.
struct Gathering {
    cancellation: Cancellation,
    step_resources: Arc<ResourceManager>,
    state: Mutex<Gathered>,
}

struct Gathered {
    missing: usize,
    failure: Option<Status>,
    stats: Option<StepStats>,
    done: Option<StepDone>,
    registration: Option<Registration>,
}

impl Gathering {
    fn arrive(&self, outcome: Result<Option<StepStats>>) {
        if let Err(status) = &outcome {
            self.cancellation.cancel(status.clone().derived());
        }
        let mut state = self.state.lock();
        state.missing -= 1;
        match outcome {
            Ok(Some(stats)) => state.stats.get_or_insert_default().nodes.extend(stats.nodes),
            Ok(None) => {}
            // The first cause counts, not what followed from it.
            Err(status) if state.failure.as_ref().is_none_or(|first| first.is_derived() && !status.is_derived()) => {
                state.failure = Some(status);
            }
            Err(_) => {}
        }
        if state.missing > 0 {
            return;
        }
        let (failure, stats, done, registration) =
            (state.failure.take(), state.stats.take(), state.done.take(), state.registration.take());
        drop(state);
        drop(registration);
        self.step_resources.clear_all();
        if let Some(done) = done {
            done(match failure {
                None => Ok(stats),
                Some(status) => Err(self.cause(status)),
            });
        }
    }

    /// A failure that follows from the step being cancelled is reported as the reason for that.
    fn cause(&self, status: Status) -> Status {
        match self.cancellation.reason() {
            Some(reason) if !reason.is_derived() => reason,
            _ => status,
        }
    }
}
