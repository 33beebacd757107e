//! The steps of a worker: their rendezvous, which outlives the execution, and the execution itself.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::op::{Cancellation, Parcel, Rendezvous, RendezvousKey};
use parking_lot::Mutex;
use runtime::{LocalRendezvous, Parts, StepSetup, StepStats, run_parts};
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

/// Starts a step. What it sends to other tasks waits in its rendezvous until the step is forgotten.
pub(super) fn start(worker: &Worker, parts: &Parts, call: StepCall, cancellation: &Cancellation, answer: Answer) {
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
    let setup = StepSetup {
        id: call.id,
        rendezvous,
        cancellation: cancellation.clone(),
        frame: Arc::default(),
        trace: call.trace,
    };
    let (aborted, receives, steps, id) = (local.clone(), call.receives, worker.steps.clone(), call.id);
    let done = Box::new(move |outcome: Result<Option<StepStats>>| {
        steps.executed(id);
        answer(match outcome {
            Ok(stats) => fetch(&local, &receives).map(|tensors| StepAnswer { tensors, stats }),
            Err(status) => {
                // Peers that wait for a tensor of this step must not wait for ever.
                local.abort(status.clone());
                Err(status)
            }
        });
    });
    run_parts(parts, setup, move |status| aborted.abort(status.clone()), done);
}

fn fetch(local: &LocalRendezvous, receives: &[RendezvousKey]) -> Result<Vec<Tensor>> {
    let take = |key: &RendezvousKey| match local.take(key.as_str()) {
        Some(Parcel::Tensor(tensor)) => Ok(tensor),
        _ => Err(err!(Internal, "Failed to fetch outputs: the tensor returned for {} was not valid.", key.name())),
    };
    receives.iter().map(take).collect()
}
