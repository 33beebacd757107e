//! The steps that a worker knows: their rendezvous, which outlives the execution, and how to stop them.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use graph::op::{Cancellation, Parcel, Rendezvous, RendezvousKey, StepId};
use parking_lot::Mutex;
use runtime::LocalRendezvous;
use tensor::{Result, Status, Tensor, ensure, err};
use tokio::sync::oneshot;

use super::partial::PartialRun;
use super::session::RegisteredGraph;
use crate::call::{CreditGuard, Recent, TaskName};

/// A step whose master never cleans up, because it is gone, is forgotten after this time.
const ABANDONED: Duration = Duration::from_secs(600);
/// A step of which tensors arrive, but which does not begin here, is forgotten after this time.
const NEVER_BEGUN: Duration = Duration::from_secs(120);

/// The meeting places of all steps, made by whoever comes first: the execution, or a peer in need of a tensor.
#[derive(Default)]
pub(super) struct Steps {
    table: Mutex<Table>,
    /// Steps that were forgotten lately: what still arrives for them is late.
    ended: Recent<StepId>,
}

/// So many steps may be known of which tensors arrive, or are asked for, but which have not begun here.
const MOST_UNBEGUN: usize = 10_000;

/// The steps, and how much waits for those that have not begun.
#[derive(Default)]
struct Table {
    entries: HashMap<StepId, StepEntry>,
    unbegun: usize,
    unbegun_bytes: u64,
}

impl Table {
    /// Takes a step out.
    fn remove(&mut self, step: StepId) -> Option<StepEntry> {
        let removed = self.entries.remove(&step)?;
        self.settle(&removed);
        Some(removed)
    }

    /// What waits for a step that has not begun waits no more.
    fn settle(&mut self, entry: &StepEntry) {
        if entry.graph.is_none() {
            self.unbegun -= 1;
            self.unbegun_bytes -= entry.bytes;
        }
    }

    /// A step, made if it is not known.
    fn entry(&mut self, step: StepId) -> &mut StepEntry {
        self.entries.entry(step).or_insert_with(|| {
            self.unbegun += 1;
            StepEntry::default()
        })
    }

    /// A step that somebody else speaks of, with so many bytes for it.
    ///
    /// # Errors
    /// `ResourceExhausted` if it has not begun, and too much waits for such steps.
    fn visit(&mut self, step: StepId, bytes: usize) -> Result<&mut StepEntry> {
        let known = self.entries.get(&step);
        if known.is_none_or(|entry| entry.graph.is_none()) {
            ensure!(
                known.is_some() || self.unbegun < MOST_UNBEGUN,
                ResourceExhausted,
                "tensors of {} steps wait here that have not begun; step {step} is one too many",
                self.unbegun
            );
            let all = self.unbegun_bytes.saturating_add(bytes as u64);
            // What has arrived is counted already.
            tensor::memory::ensure_possible(all, format_args!("what waits for steps that have not begun"))?;
            self.unbegun_bytes = all;
            self.entry(step).bytes += bytes as u64;
        }
        Ok(self.entry(step))
    }
}

/// What is known of a step.
struct StepEntry {
    rendezvous: Arc<LocalRendezvous>,
    /// When something last happened, unless the step is being executed.
    idle_since: Option<Instant>,
    partial: Option<PartialRun>,
    /// When it began here.
    begun: Option<Instant>,
    /// While it is executed: how to stop it.
    cancellation: Option<Cancellation>,
    /// What is executed; it ends with its session.
    graph: Option<Weak<RegisteredGraph>>,
    /// The tasks that push tensors of the step to each other.
    linked: Arc<[TaskName]>,
    /// Of tensors that were pushed here and not yet claimed.
    credits: HashMap<String, CreditGuard>,
    /// How to ask for tensors that exist elsewhere and were not pushed.
    held: HashMap<String, Want>,
    /// Of tensors that came before it began.
    bytes: u64,
}

impl Default for StepEntry {
    fn default() -> StepEntry {
        StepEntry {
            rendezvous: Arc::default(),
            idle_since: Some(Instant::now()),
            partial: None,
            begun: None,
            cancellation: None,
            graph: None,
            linked: [].into(),
            credits: HashMap::new(),
            held: HashMap::new(),
            bytes: 0,
        }
    }
}

impl StepEntry {
    /// Returns whether nobody will clean it up: its session is gone, or nothing has happened for long.
    fn is_abandoned(&self) -> bool {
        let waits = self.idle_since.is_some() || self.partial.is_some();
        let over = self.graph.as_ref().is_some_and(|graph| graph.strong_count() == 0);
        let limit = if self.graph.is_none() { NEVER_BEGUN } else { ABANDONED };
        (waits && over) || self.idle_since.is_some_and(|since| since.elapsed() >= limit)
    }
}

type Want = Box<dyn FnOnce() + Send>;

impl Steps {
    /// Returns the rendezvous of a step that begins to execute here, with the client's values in it.
    ///
    /// # Errors
    /// `Aborted` if the step was called off before it came.
    pub fn begin(
        &self,
        step: StepId,
        values: Vec<(RendezvousKey, Tensor)>,
        graph: &Arc<RegisteredGraph>,
        cancellation: &Cancellation,
    ) -> Result<Arc<LocalRendezvous>> {
        ensure!(!self.ended.contains(step), Aborted, "step {step} was called off before it began");
        let rendezvous = {
            let mut table = self.table.lock();
            let mut entry = table.remove(step).unwrap_or_default();
            entry.idle_since = None;
            entry.linked = graph.routes.linked().clone();
            entry.graph = Some(Arc::downgrade(graph));
            entry.cancellation = Some(cancellation.clone());
            entry.begun.get_or_insert_with(Instant::now);
            let rendezvous = entry.rendezvous.clone();
            table.entries.insert(step, entry);
            rendezvous
        };
        for (key, tensor) in values {
            rendezvous.send(&key, Parcel::Tensor(tensor))?;
        }
        Ok(rendezvous)
    }

    fn entry<R>(&self, step: StepId, look: impl FnOnce(&mut StepEntry) -> R) -> R {
        look(self.table.lock().entry(step))
    }

    /// Forgets the steps that nobody will clean up any more.
    pub fn collect(&self) {
        let abandoned: Vec<StepId> = {
            let table = self.table.lock();
            table.entries.iter().filter(|(_, entry)| entry.is_abandoned()).map(|(step, _)| *step).collect()
        };
        for step in abandoned {
            self.remove(step, err!(Aborted, "step {step} was abandoned").derived());
        }
    }

    /// Returns the steps that are executed, for how long, and what of.
    pub fn running(&self) -> Vec<(StepId, Duration, Weak<RegisteredGraph>)> {
        let table = self.table.lock();
        let running = table.entries.iter().filter(|(_, entry)| entry.cancellation.is_some());
        let told = running.filter_map(|(step, entry)| Some((*step, entry.begun?.elapsed(), entry.graph.clone()?)));
        told.collect()
    }

    /// Returns the steps whose execution here has ended, while their master has not cleaned them up, and what was executed.
    pub fn over(&self) -> Vec<(StepId, Weak<RegisteredGraph>)> {
        let table = self.table.lock();
        let over = table.entries.iter().filter(|(_, entry)| entry.begun.is_some() && entry.cancellation.is_none());
        over.filter_map(|(step, entry)| Some((*step, entry.graph.clone()?))).collect()
    }

    /// Returns how many steps are known.
    pub fn len(&self) -> usize {
        self.table.lock().entries.len()
    }

    /// Returns how to stop a step that is executed.
    pub fn cancellation(&self, step: StepId) -> Option<Cancellation> {
        self.table.lock().entries.get(&step)?.cancellation.clone()
    }

    /// Returns how to stop a step that runs in several calls.
    pub fn partial_cancellation(&self, step: StepId) -> Cancellation {
        let known =
            self.table.lock().entries.get(&step).and_then(|entry| Some(entry.partial.as_ref()?.cancellation.clone()));
        known.unwrap_or_default()
    }

    /// Returns the partial run of a step; `make` returns a new one and how to start it.
    pub fn partial_run<S: FnOnce()>(&self, step: StepId, make: impl FnOnce() -> (PartialRun, S)) -> PartialRun {
        if let Some(run) = self.entry(step, |entry| entry.partial.clone()) {
            return run;
        }
        let (run, start) = make();
        self.entry(step, |entry| entry.partial = Some(run.clone()));
        start();
        run
    }

    /// Notes that the execution of a step has ended.
    pub fn executed(&self, step: StepId) {
        if let Some(entry) = self.table.lock().entries.get_mut(&step) {
            entry.idle_since = Some(Instant::now());
            entry.cancellation = None;
        }
    }

    /// Puts a tensor that was pushed here; for a step that is over it is dropped.
    ///
    /// # Errors
    /// `ResourceExhausted` if the step has not begun, and too much waits for such steps.
    pub fn deliver(&self, step: StepId, key: &RendezvousKey, parcel: Parcel, guard: Option<CreditGuard>) -> Result<()> {
        if self.ended.contains(step) {
            return Ok(());
        }
        let bytes = if let Parcel::Tensor(tensor) = &parcel { tensor.byte_size() } else { 0 };
        let rendezvous = {
            let mut table = self.table.lock();
            let entry = table.visit(step, bytes + key.as_str().len())?;
            if let Some(guard) = guard {
                entry.credits.insert(key.as_str().to_owned(), guard);
            }
            entry.rendezvous.clone()
        };
        if let Err(status) = rendezvous.send(key, parcel) {
            tracing::debug!(%step, %key, %status, "a pushed tensor was refused");
        }
        Ok(())
    }

    /// Notes how to ask for a tensor, and asks if somebody waits for it.
    ///
    /// # Errors
    /// As [`deliver`](Steps::deliver).
    pub fn announce(&self, step: StepId, key: &str, want: Want) -> Result<()> {
        if self.ended.contains(step) {
            return Ok(());
        }
        let rendezvous = {
            let mut table = self.table.lock();
            let entry = table.visit(step, size_of::<Want>() + key.len())?;
            entry.held.insert(key.to_owned(), want);
            entry.rendezvous.clone()
        };
        if rendezvous.is_awaited(key) {
            self.ask(step, key);
        }
        Ok(())
    }

    /// Asks for a tensor that another task pushes, if it was announced and not pushed, because somebody waits for it.
    pub fn ask(&self, step: StepId, key: &str) {
        let want = self.table.lock().entries.get_mut(&step).and_then(|entry| entry.held.remove(key));
        if let Some(want) = want {
            want();
        }
    }

    /// Gives back the credits of a pushed tensor that was claimed.
    pub fn claimed(&self, step: StepId, key: &str) {
        let guard = self.table.lock().entries.get_mut(&step).and_then(|entry| entry.credits.remove(key));
        drop(guard);
    }

    /// Stops the steps in which a task pushes or is pushed to.
    pub fn fail_with(&self, task: &TaskName, status: &Status) {
        let concerned: Vec<Cancellation> = {
            let table = self.table.lock();
            let linked = table.entries.values().filter(|entry| entry.linked.iter().any(|linked| linked == task));
            linked.filter_map(|entry| entry.cancellation.clone()).collect()
        };
        for cancellation in concerned {
            cancellation.cancel(status.clone());
        }
    }

    /// Waits for a tensor of a step.
    ///
    /// # Errors
    /// `Aborted` if the step is over; what the step failed with.
    pub async fn receive(&self, step: StepId, key: &RendezvousKey) -> Result<Parcel> {
        if self.ended.contains(step) {
            return Err(err!(Aborted, "step {step} has ended, {key} is not sent any more"));
        }
        let (send, arrival) = oneshot::channel();
        let rendezvous = self.table.lock().visit(step, key.as_str().len())?.rendezvous.clone();
        let _waiting = Waiting { steps: self, step };
        rendezvous.recv(key, Box::new(move |outcome| drop(send.send(outcome))));
        arrival.await.unwrap_or_else(|_| Err(err!(Aborted, "step {step} was forgotten before {key} was sent")))
    }

    /// Forgets a step; returns the tasks that were linked in it.
    pub fn remove(&self, step: StepId, reason: Status) -> Arc<[TaskName]> {
        self.ended.insert(step);
        let removed = self.table.lock().remove(step);
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
    step: StepId,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut table = self.steps.table.lock();
        if table.entries.get(&self.step).is_some_and(|entry| entry.graph.is_none()) {
            let entry = table.remove(self.step);
            drop(table);
            drop(entry);
        }
    }
}
