//! The steps of a worker: their rendezvous, which outlives the execution, and the execution itself.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::op::{CallFrame, Cancellation, Parcel, Registration, Rendezvous, RendezvousKey, Step, StepId};
use parking_lot::Mutex;
use runtime::{Device, Executor, LocalRendezvous, ResourceManager, StepStats};
use tensor::{Result, Status, Tensor, err};
use tokio::sync::oneshot;

use super::rendezvous::TaskRendezvous;
use super::{Answer, StepAnswer, StepCall, Worker};

/// A step whose master never cleans up, because it is gone, is forgotten after this time.
const ABANDONED: Duration = Duration::from_secs(600);

/// The meeting places of all steps, made by whoever comes first: the execution, or a peer in need of a tensor.
#[derive(Default)]
pub(super) struct Steps {
    table: Mutex<HashMap<i64, Entry>>,
}

struct Entry {
    rendezvous: Arc<LocalRendezvous>,
    /// When something last happened, unless the step is being executed.
    idle_since: Option<Instant>,
}

impl Steps {
    fn rendezvous(&self, step: i64, executing: bool) -> Arc<LocalRendezvous> {
        let mut table = self.table.lock();
        if table.len() > 64 {
            table.retain(|_, entry| entry.idle_since.is_none_or(|since| since.elapsed() < ABANDONED));
        }
        let entry =
            table.entry(step).or_insert_with(|| Entry { rendezvous: Arc::default(), idle_since: Some(Instant::now()) });
        if executing {
            entry.idle_since = None;
        }
        entry.rendezvous.clone()
    }

    fn executed(&self, step: i64) {
        if let Some(entry) = self.table.lock().get_mut(&step) {
            entry.idle_since = Some(Instant::now());
        }
    }

    pub async fn receive(&self, step: i64, key: &RendezvousKey) -> Result<Parcel> {
        let (send, arrival) = oneshot::channel();
        self.rendezvous(step, false).recv(key, Box::new(move |outcome| drop(send.send(outcome))));
        arrival.await.unwrap_or_else(|_| Err(err!(Aborted, "step {step} was forgotten before {key} was sent")))
    }

    pub fn remove(&self, step: i64, reason: Status) {
        let removed = self.table.lock().remove(&step);
        if let Some(entry) = removed {
            entry.rendezvous.abort(reason);
        }
    }
}

/// Starts the executors of a step.
pub(super) fn start(
    worker: &Worker,
    parts: &[(Executor, Arc<Device>)],
    call: StepCall,
    cancellation: &Cancellation,
    answer: Answer,
) {
    let local = worker.steps.rendezvous(call.id, true);
    for (key, tensor) in call.sends {
        if let Err(status) = local.send(&key, Parcel::Tensor(tensor)) {
            return answer(Err(status));
        }
    }
    let rendezvous = Arc::new(TaskRendezvous {
        step: call.id,
        local: local.clone(),
        peers: worker.peers.clone(),
        network: worker.network.clone(),
        cancellation: cancellation.clone(),
    });
    let on_cancel = {
        let local = local.clone();
        cancellation.on_cancel(move |status| local.abort(status.clone()))
    };
    let step_resources = Arc::new(ResourceManager::new("step"));
    let gathered =
        Gathered { missing: parts.len(), failure: None, stats: None, answer: Some(answer), on_cancel: Some(on_cancel) };
    let gathering = Arc::new(Gathering {
        state: Mutex::new(gathered),
        local,
        receives: call.receives,
        step_resources: step_resources.clone(),
        cancellation: cancellation.clone(),
    });
    for (index, (executor, device)) in parts.iter().enumerate() {
        let step = Arc::new(Step {
            id: StepId(call.id),
            device: device.full_name.clone(),
            resources: device.resources.clone(),
            step_resources: step_resources.clone(),
            rendezvous: rendezvous.clone(),
            cancellation: cancellation.clone(),
            frame: Arc::new(CallFrame::default()),
        });
        let gathering = gathering.clone();
        let done = Box::new(move |outcome| gathering.arrive(outcome));
        if index + 1 == parts.len() {
            executor.run(step, call.trace, done);
        } else {
            executor.spawn(step, call.trace, done);
        }
    }
    worker.steps.executed(call.id);
}

/// Waits for all parts of a step, then answers.
struct Gathering {
    state: Mutex<Gathered>,
    local: Arc<LocalRendezvous>,
    receives: Vec<RendezvousKey>,
    step_resources: Arc<ResourceManager>,
    cancellation: Cancellation,
}

struct Gathered {
    missing: usize,
    failure: Option<Status>,
    stats: Option<StepStats>,
    answer: Option<Answer>,
    on_cancel: Option<Registration>,
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
        let (failure, stats, answer, on_cancel) =
            (state.failure.take(), state.stats.take(), state.answer.take(), state.on_cancel.take());
        drop(state);
        drop(on_cancel);
        self.step_resources.clear_all();
        let outcome = match failure {
            Some(status) => {
                let cause = match self.cancellation.reason() {
                    Some(reason) if !reason.is_derived() => reason,
                    _ => status,
                };
                // Peers that wait for a tensor of this step must not wait for ever.
                self.local.abort(cause.clone());
                Err(cause)
            }
            None => self.fetch().map(|tensors| StepAnswer { tensors, stats }),
        };
        if let Some(answer) = answer {
            answer(outcome);
        }
    }

    fn fetch(&self) -> Result<Vec<Tensor>> {
        let take = |key: &RendezvousKey| match self.local.take(key.as_str()) {
            Some(Parcel::Tensor(tensor)) => Ok(tensor),
            _ => Err(err!(Internal, "Failed to fetch outputs: the tensor returned for {} was not valid.", key.name())),
        };
        self.receives.iter().map(take).collect()
    }
}
