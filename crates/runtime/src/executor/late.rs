//! Nodes that end later: kernels that wait for files or for others, and changes of variables that wait for their time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use graph::op::{AsyncContext, Compute, ComputeAsync, Outputs, guarded, panicked};
use parking_lot::Mutex;
use tensor::{Result, Status, err};

use super::execute::compute_now;
use super::forward::empty;
use super::lent;
use super::run::{Finished, Run};
use super::state::Ready;
use super::straight::Inputs;
use super::waiting::Waiting;
use crate::pool::Pool;

impl Run {
    /// Runs a kernel that waits for files on a thread that may have to be given up: if the step is cancelled first, the node ends
    /// with it, and what the thread brings later is nobody's concern.
    pub(super) fn start_on_files(
        self: &Arc<Self>,
        pool: &Pool,
        compute: &Arc<dyn Compute>,
        ready: Ready,
        frame: (u64, i64),
        mut inputs: Inputs,
    ) -> Waiting {
        let handover = Arc::new(Mutex::new(Handover::Detached));
        // Whoever is first, the kernel or the cancellation, ends the node.
        let ended = Arc::new(AtomicBool::new(false));
        let registration = Arc::new(Mutex::new(None));
        let lost = pool.spawn_to_lose({
            let (run, compute, handover) = (self.clone(), compute.clone(), handover.clone());
            let (ended, registration) = (ended.clone(), registration.clone());
            move || {
                let node = &run.plan.nodes[ready.node as usize];
                let mut outputs = Outputs::new();
                empty(&mut outputs, node.num_outputs);
                let outcome = run.traced(node, &mut outputs, |outputs| {
                    compute_now(&compute, node, &run.step, frame, &mut inputs, outputs)
                });
                drop(registration.lock().take());
                if !ended.swap(true, Ordering::AcqRel) {
                    *handover.lock() = Handover::Over;
                    run.resume(Finished { ready, outcome: outcome.map(|()| outputs) });
                }
            }
        });
        let (run, over) = (self.clone(), handover.clone());
        let registered = self.step.cancellation.on_cancel(move |reason| {
            if !ended.swap(true, Ordering::AcqRel) {
                lost.give_up();
                *over.lock() = Handover::Over;
                run.resume_elsewhere(Finished { ready, outcome: Err(reason.clone()) });
            }
        });
        *registration.lock() = Some(registered);
        Waiting { node: ready.node, since: Instant::now(), blocking: true, handover }
    }

    /// Lets a node change variables. `None` if it must wait and will run elsewhere; `Some(None)` if it may go on.
    pub(super) fn enter_update(
        self: &Arc<Self>,
        ready: Ready,
        frame: (u64, i64),
        inputs: &mut Inputs,
    ) -> Option<Option<Status>> {
        let updates = self.step.resources.updates();
        if let Err(status) = updates.check(self.step.id, self.step.epoch) {
            return Some(Some(status));
        }
        if self.entered.load(Ordering::Relaxed) {
            return Some(None);
        }
        let held = Arc::new(Mutex::new(std::mem::take(inputs)));
        let (run, waiting) = (self.clone(), held.clone());
        let resume = move || {
            let again = run.clone();
            run.threads.spawn(move || again.execute_later(ready, frame, &mut waiting.lock()));
        };
        if !updates.enter(self.step.id, resume) {
            return None;
        }
        *inputs = std::mem::take(&mut *held.lock());
        self.entered.store(true, Ordering::Relaxed);
        Some(None)
    }

    /// Runs a node that has waited for its time.
    fn execute_later(self: &Arc<Self>, ready: Ready, frame: (u64, i64), inputs: &mut Inputs) {
        let (mut outputs, mut waits) = (Outputs::new(), None);
        let outcome = match self.step.cancellation.check() {
            Ok(()) => self.execute(ready, frame, inputs, &mut outputs, &mut waits),
            Err(status) => Some(Err(status)),
        };
        if let Some(waiting) = waits {
            self.note(&mut self.state.lock(), waiting);
        }
        if let Some(outcome) = outcome {
            self.resume(Finished { ready, outcome: outcome.map(|()| outputs) });
        }
    }

    /// Starts a kernel that waits; `None` if it has not ended yet.
    pub(super) fn start_waiting(
        self: &Arc<Self>,
        compute: &Arc<dyn ComputeAsync>,
        ready: Ready,
        frame: (u64, i64),
        inputs: &mut Inputs,
        outputs: &mut Outputs,
        waits: &mut Option<Waiting>,
    ) -> Option<Result<()>> {
        let node = &self.plan.nodes[ready.node as usize];
        let handover = Arc::new(Mutex::new(Handover::Starting));
        let context = AsyncContext {
            node: node.node.clone(),
            step: self.step.clone(),
            frame,
            inputs: std::mem::take(inputs),
            blocking: self.threads.to_spawn(),
        };
        let begin = self.trace.as_ref().map(|_| (SystemTime::now(), Instant::now()));
        let end = WaitingEnd { run: self.clone(), ready, handover: handover.clone(), begin, has_ended: false };
        let started = guarded(format_args!("the kernel of op {}", node.node.op), || {
            compute.start(context, Box::new(move |outcome| end.arrive(outcome)));
            Ok(())
        });
        let mut state = handover.lock();
        if let Err(status) = started {
            // Whatever it has announced or still announces, it has failed.
            *state = Handover::Over;
            return Some(Err(status));
        }
        match std::mem::replace(&mut *state, Handover::Detached) {
            Handover::Finished(outcome) => {
                *state = Handover::Over;
                Some(outcome.map(|values| *outputs = values))
            }
            _ => {
                drop(state);
                *waits = Some(Waiting { node: ready.node, since: Instant::now(), blocking: false, handover });
                None
            }
        }
    }

    pub(super) fn resume(self: &Arc<Self>, finished: Finished) {
        self.work(Vec::new(), Some(finished));
    }

    /// Goes on after nodes that have ended together, on this thread.
    pub(super) fn resume_all(self: &Arc<Self>, mut finished: Vec<Finished>) {
        let last = finished.pop();
        let mut local = Vec::new();
        let booked = catch_unwind(AssertUnwindSafe(|| {
            for Finished { ready, outcome } in finished {
                let (outcome, mut outputs) = match outcome {
                    Ok(outputs) => (Ok(()), outputs),
                    Err(status) => (Err(status), Outputs::new()),
                };
                // Not the last one of the step, because `last` is under way.
                self.complete(&mut self.state.lock(), ready, outcome, &mut outputs, &mut local);
            }
        }));
        match booked {
            Ok(()) => self.work(local, last),
            Err(panic) => self.give_up(panicked(format_args!("executing a step"), &*panic)),
        }
    }

    /// Goes on after a node that has ended, on a thread of the pool.
    pub(super) fn resume_elsewhere(self: &Arc<Self>, finished: Finished) {
        let run = self.clone();
        self.threads.spawn(move || run.resume(finished));
    }
}

/// How far a kernel that waits has come. Of its starting and its ending, whoever comes second goes on with the step.
#[allow(clippy::large_enum_variant)]
pub(super) enum Handover {
    Starting,
    /// It has ended before it was started altogether.
    Finished(Result<Outputs>),
    /// It was started and has not ended.
    Detached,
    /// It has ended, so nothing that it says has an effect any more.
    Over,
}

/// Waits with a kernel for its end. A kernel that forgets to end, because a callback of it panicked, ends with an error.
struct WaitingEnd {
    run: Arc<Run>,
    ready: Ready,
    handover: Arc<Mutex<Handover>>,
    /// If times are collected.
    begin: Option<(SystemTime, Instant)>,
    has_ended: bool,
}

impl WaitingEnd {
    fn arrive(mut self, outcome: Result<Outputs>) {
        self.end(outcome);
    }

    fn end(&mut self, outcome: Result<Outputs>) {
        self.has_ended = true;
        if let Some((start, begin)) = self.begin {
            let (node, nothing) = (&self.run.plan.nodes[self.ready.node as usize], Outputs::new());
            self.run.record(node, start, begin.elapsed(), outcome.as_ref().unwrap_or(&nothing));
        }
        let mut handover = self.handover.lock();
        match *handover {
            Handover::Starting => *handover = Handover::Finished(outcome),
            Handover::Detached => {
                *handover = Handover::Over;
                drop(handover);
                let mut finished = Some(Finished { ready: self.ready, outcome });
                if self.run.threads.may_lend() {
                    finished = finished.and_then(|finished| lent::resume_soon(&self.run, finished));
                }
                if let Some(finished) = finished {
                    self.run.resume_elsewhere(finished);
                }
            }
            Handover::Finished(_) | Handover::Over => {}
        }
    }
}

impl Drop for WaitingEnd {
    fn drop(&mut self) {
        if !self.has_ended {
            let op = &self.run.plan.nodes[self.ready.node as usize].node.op;
            let status = err!(Internal, "the kernel of op {op} ended without an outcome");
            self.end(Err(status));
        }
    }
}
