//! One step of a graph that was split by device: all parts run, and their outcomes become one.

use std::sync::Arc;

use graph::op::{CallFrame, Cancellation, Collectives, Rendezvous, Resources, Step, StepId};
use tensor::{Result, Status};

use crate::executor::{ProcessHost, StepDone};
use crate::gathering::Gathering;
use crate::stats::StepStats;
use crate::{Device, Executor, ResourceManager};

/// The parts of a graph that is ready to run, each with its device.
pub type Parts = Vec<(Executor, Arc<Device>)>;

/// What all parts of a step share.
pub struct StepSetup {
    /// The step's number.
    pub id: StepId,
    /// Where its parts exchange tensors.
    pub rendezvous: Arc<dyn Rendezvous>,
    /// Where the members of collective groups find each other.
    pub collectives: Arc<dyn Collectives>,
    /// Ends the step before its time.
    pub cancellation: Cancellation,
    /// Its arguments and results.
    pub frame: Arc<CallFrame>,
    /// Collect what ran when.
    pub trace: bool,
}

/// Runs all parts of a step; the last one on this thread, as far as it does not wait. When one fails the others are
/// cancelled, which calls `on_cancel` too. `done` is called once, after all have ended, with the first cause of failure.
pub fn run_parts(parts: &Parts, setup: StepSetup, on_cancel: impl FnOnce(&Status) + Send + 'static, done: StepDone) {
    let step_resources = Arc::new(ResourceManager::new("step"));
    let host = ProcessHost::shared();
    let registration = setup.cancellation.on_cancel(on_cancel);
    let ended_resources = step_resources.clone();
    let updated: Vec<Arc<ResourceManager>> = parts
        .iter()
        .filter_map(|(executor, device)| {
            device.resources.updates().begin(setup.id, executor.updates()?);
            Some(device.resources.clone())
        })
        .collect();
    let (id, cancellation) = (setup.id, setup.cancellation.clone());
    let end = move |outcome: Result<Option<StepStats>>| {
        drop(registration);
        cancellation.unshield();
        updated.iter().for_each(|resources| resources.updates().end(id));
        ended_resources.clear_all();
        done(outcome);
    };
    let gathering = Arc::new(Gathering::new(parts.len(), setup.cancellation.clone(), end));
    for (index, (executor, device)) in parts.iter().enumerate() {
        let step = Arc::new(Step {
            id: setup.id,
            device: device.full_name.clone(),
            resources: device.resources.clone(),
            step_resources: step_resources.clone(),
            rendezvous: setup.rendezvous.clone(),
            collectives: setup.collectives.clone(),
            cancellation: setup.cancellation.clone(),
            frame: setup.frame.clone(),
            host: host.clone(),
            files: device.files.clone(),
            epoch: device.resources.updates().epoch(),
        });
        let gathering = gathering.clone();
        let arrive: StepDone = Box::new(move |outcome| gathering.arrive(outcome, add_stats));
        if index + 1 == parts.len() {
            executor.run(step, setup.trace, arrive);
        } else {
            executor.spawn(step, setup.trace, arrive);
        }
    }
}

/// Adds the statistics of a part to those of the step.
fn add_stats(sum: &mut Option<StepStats>, part: Option<StepStats>) {
    if let Some(part) = part {
        sum.get_or_insert_default().nodes.extend(part.nodes);
    }
}
