//! The steps of a worker: their rendezvous, which outlives the execution, and the execution itself.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use graph::graph_to_proto;
use graph::op::{Cancellation, Parcel, Rendezvous, RendezvousKey};
use parking_lot::Mutex;
use runtime::{LocalRendezvous, StepSetup, StepStats, run_parts};
use tensor::{Result, Status, Tensor, ensure, err};
use tokio::sync::oneshot;

use super::partial::PartialRun;
use super::rendezvous::TaskRendezvous;
use super::session::{RegisteredGraph, WorkerSession};
use super::{Answer, StepAnswer, StepCall, Worker};
use crate::link::CreditGuard;
use crate::recent::RecentIds;

/// A step whose master never cleans up, because it is gone, is forgotten after this time.
const ABANDONED: Duration = Duration::from_secs(600);
/// One of which tensors arrive, but which does not begin here, after this.
const NEVER_BEGUN: Duration = Duration::from_secs(120);

/// The meeting places of all steps, made by whoever comes first: the execution, or a peer in need of a tensor.
#[derive(Default)]
pub(super) struct Steps {
    table: Mutex<HashMap<i64, Entry>>,
    /// Steps that were forgotten lately: what still arrives for them is late.
    ended: RecentIds,
}

struct Entry {
    rendezvous: Arc<LocalRendezvous>,
    /// When something last happened, unless the step is being executed.
    idle_since: Option<Instant>,
    partial: Option<PartialRun>,
    /// While it is executed: how to stop it.
    cancellation: Option<Cancellation>,
    /// What is executed; it ends with its session.
    graph: Option<Weak<RegisteredGraph>>,
    /// The tasks that push tensors of the step to each other.
    linked: Arc<[String]>,
    /// Of tensors that were pushed here and not yet claimed.
    credits: HashMap<String, CreditGuard>,
    /// How to ask for tensors that exist elsewhere and were not pushed.
    held: HashMap<String, Want>,
}

impl Entry {
    /// Whether nobody will clean it up: its session is gone, or nothing has happened for long.
    fn is_abandoned(&self) -> bool {
        let waits = self.idle_since.is_some() || self.partial.is_some();
        let over = self.graph.as_ref().is_some_and(|graph| graph.strong_count() == 0);
        let limit = if self.graph.is_none() { NEVER_BEGUN } else { ABANDONED };
        (waits && over) || self.idle_since.is_some_and(|since| since.elapsed() >= limit)
    }
}

type Want = Box<dyn FnOnce() + Send>;

impl Steps {
    /// The rendezvous of a step that begins to execute here, with the client's values in it.
    ///
    /// # Errors
    /// `Aborted` if the step was called off before it came.
    pub fn begin(
        &self,
        step: i64,
        values: Vec<(RendezvousKey, Tensor)>,
        graph: &Arc<RegisteredGraph>,
        cancellation: &Cancellation,
    ) -> Result<Arc<LocalRendezvous>> {
        ensure!(!self.ended.contains(step), Aborted, "step {step} was called off before it began");
        let rendezvous = self.entry(step, |entry| {
            entry.idle_since = None;
            entry.linked = graph.linked.clone();
            entry.graph = Some(Arc::downgrade(graph));
            entry.cancellation = Some(cancellation.clone());
            entry.rendezvous.clone()
        });
        for (key, tensor) in values {
            rendezvous.send(&key, Parcel::Tensor(tensor))?;
        }
        Ok(rendezvous)
    }

    fn entry<R>(&self, step: i64, look: impl FnOnce(&mut Entry) -> R) -> R {
        let mut table = self.table.lock();
        let fresh = || Entry {
            rendezvous: Arc::default(),
            idle_since: Some(Instant::now()),
            partial: None,
            cancellation: None,
            graph: None,
            linked: [].into(),
            credits: HashMap::new(),
            held: HashMap::new(),
        };
        look(table.entry(step).or_insert_with(fresh))
    }

    /// Forgets the steps that nobody will clean up any more.
    pub fn collect(&self) {
        let abandoned: Vec<i64> = {
            let table = self.table.lock();
            table.iter().filter(|(_, entry)| entry.is_abandoned()).map(|(step, _)| *step).collect()
        };
        for step in abandoned {
            self.remove(step, err!(Aborted, "step {step} was abandoned").derived());
        }
    }

    pub fn len(&self) -> usize {
        self.table.lock().len()
    }

    /// How to stop a step that runs in several calls.
    pub fn partial_cancellation(&self, step: i64) -> Cancellation {
        let known = self.table.lock().get(&step).and_then(|entry| Some(entry.partial.as_ref()?.cancellation.clone()));
        known.unwrap_or_default()
    }

    /// The partial run of a step; `make` gives a new one and how to start it.
    pub fn partial_run<S: FnOnce()>(&self, step: i64, make: impl FnOnce() -> (PartialRun, S)) -> PartialRun {
        if let Some(run) = self.entry(step, |entry| entry.partial.clone()) {
            return run;
        }
        let (run, start) = make();
        self.entry(step, |entry| entry.partial = Some(run.clone()));
        start();
        run
    }

    fn executed(&self, step: i64) {
        if let Some(entry) = self.table.lock().get_mut(&step) {
            entry.idle_since = Some(Instant::now());
            entry.cancellation = None;
        }
    }

    /// Puts a tensor that was pushed here; for a step that is over it is dropped.
    pub fn deliver(&self, step: i64, key: &RendezvousKey, parcel: Parcel, guard: Option<CreditGuard>) {
        if self.ended.contains(step) {
            return;
        }
        let rendezvous = self.entry(step, |entry| {
            if let Some(guard) = guard {
                entry.credits.insert(key.as_str().to_owned(), guard);
            }
            entry.rendezvous.clone()
        });
        if let Err(status) = rendezvous.send(key, parcel) {
            tracing::debug!(step, %key, %status, "a pushed tensor was refused");
        }
    }

    /// Notes how to ask for a tensor, and asks if somebody waits for it.
    pub fn announce(&self, step: i64, key: &str, want: Want) {
        if self.ended.contains(step) {
            return;
        }
        let rendezvous = self.entry(step, |entry| {
            entry.held.insert(key.to_owned(), want);
            entry.rendezvous.clone()
        });
        if rendezvous.is_awaited(key) {
            self.ask(step, key);
        }
    }

    /// Somebody waits for a tensor that another task pushes: if it was announced, it is asked for.
    pub fn ask(&self, step: i64, key: &str) {
        let want = self.table.lock().get_mut(&step).and_then(|entry| entry.held.remove(key));
        if let Some(want) = want {
            want();
        }
    }

    /// A pushed tensor was claimed.
    pub fn claimed(&self, step: i64, key: &str) {
        let guard = self.table.lock().get_mut(&step).and_then(|entry| entry.credits.remove(key));
        drop(guard);
    }

    /// Stops the steps in which a task pushes or is pushed to.
    pub fn fail_with(&self, task: &str, status: &Status) {
        let concerned: Vec<Cancellation> = {
            let table = self.table.lock();
            let linked = table.values().filter(|entry| entry.linked.iter().any(|linked| linked == task));
            linked.filter_map(|entry| entry.cancellation.clone()).collect()
        };
        for cancellation in concerned {
            cancellation.cancel(status.clone());
        }
    }

    pub async fn receive(&self, step: i64, key: &RendezvousKey) -> Result<Parcel> {
        if self.ended.contains(step) {
            return Err(err!(Aborted, "step {step} has ended, {key} is not sent any more"));
        }
        let (send, arrival) = oneshot::channel();
        let rendezvous = self.entry(step, |entry| entry.rendezvous.clone());
        let _waiting = Waiting { steps: self, step };
        rendezvous.recv(key, Box::new(move |outcome| drop(send.send(outcome))));
        arrival.await.unwrap_or_else(|_| Err(err!(Aborted, "step {step} was forgotten before {key} was sent")))
    }

    /// Forgets a step; gives the tasks that were linked in it.
    pub fn remove(&self, step: i64, reason: Status) -> Arc<[String]> {
        self.ended.insert(step);
        let removed = self.table.lock().remove(&step);
        let Some(entry) = removed else { return [].into() };
        if let Some(run) = entry.partial {
            run.cancellation.cancel(reason.clone());
        }
        entry.rendezvous.abort(reason);
        entry.linked
    }
}

/// Somebody waits for a tensor. If they give up on a step that has not begun, it never will.
struct Waiting<'a> {
    steps: &'a Steps,
    step: i64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut table = self.steps.table.lock();
        if table.get(&self.step).is_some_and(|entry| entry.graph.is_none()) {
            let entry = table.remove(&self.step);
            drop(table);
            drop(entry);
        }
    }
}

/// What the parts of a step share on this task.
pub(super) fn setup(
    worker: &Worker,
    session: &WorkerSession,
    graph: &RegisteredGraph,
    id: i64,
    local: &Arc<LocalRendezvous>,
    cancellation: &Cancellation,
    trace: bool,
) -> StepSetup {
    let rendezvous = Arc::new(TaskRendezvous {
        step: id,
        local: local.clone(),
        steps: worker.steps.clone(),
        linked: graph.linked.clone(),
        outbox: Mutex::default(),
        peers: session.peers.clone(),
        network: worker.network.clone(),
        cancellation: cancellation.clone(),
    });
    StepSetup { id, rendezvous, cancellation: cancellation.clone(), frame: Arc::default(), trace }
}

/// Starts a step. What it sends to other tasks waits in its rendezvous until the step is forgotten.
pub(super) fn start(
    worker: &Worker,
    session: &WorkerSession,
    graph: Arc<RegisteredGraph>,
    call: StepCall,
    cancellation: &Cancellation,
    answer: Answer,
) {
    let local = match worker.steps.begin(call.id, call.sends, &graph, cancellation) {
        Ok(local) => local,
        Err(status) => return answer(Err(status)),
    };
    let setup = setup(worker, session, &graph, call.id, &local, cancellation, call.trace);
    let (aborted, receives, steps, id) = (local.clone(), call.receives, worker.steps.clone(), call.id);
    let told = call.graphs.then(|| graph.clone());
    let done = Box::new(move |outcome: Result<Option<StepStats>>| {
        steps.executed(id);
        answer(match outcome {
            Ok(stats) => gather(&local, &receives, stats, told.as_deref()),
            Err(status) => {
                // Peers that wait for a tensor of this step must not wait for ever.
                local.abort(status.clone());
                Err(status)
            }
        });
    });
    run_parts(&graph.parts, setup, move |status| aborted.abort(status.clone()), done);
}

fn gather(
    local: &LocalRendezvous,
    receives: &[RendezvousKey],
    stats: Option<StepStats>,
    graph: Option<&RegisteredGraph>,
) -> Result<StepAnswer> {
    let take = |key: &RendezvousKey| match local.take(key.as_str()) {
        Some(Parcel::Tensor(tensor)) => Ok(tensor),
        _ => Err(err!(Internal, "Failed to fetch outputs: the tensor returned for {} was not valid.", key.name())),
    };
    let tensors: Vec<Tensor> = receives.iter().map(take).collect::<Result<_>>()?;
    let graphs = graph.map_or(&[][..], |graph| &graph.graphs).iter().map(graph_to_proto).collect::<Result<_>>()?;
    Ok(StepAnswer { tensors, stats, graphs })
}
