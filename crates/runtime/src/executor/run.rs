//! Running a step: threads take ready nodes, run their kernels, and hand the outputs on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use graph::op::{Kernel, Outputs, Step, Value, panicked};
use math::flush::Flushed;
use parking_lot::Mutex;
use tensor::{Result, Status};

use super::StepDone;
use super::execute::{dereference, expected};
use super::forward::forward;
use super::lent;
use super::prepare::{ExecNode, Prepared};
use super::state::{Looping, Ready, StepState};
use super::straight::{Failed, Inputs};
use super::threads::Threads;
use super::waiting::{Notes, UnderWay, Waiting, WaitingNode};
use crate::stats::{NodeStats, StepStats};

/// Kernels that take longer than this are worth another thread, if one is free and they do not share their work with all
/// threads themselves: two kernels that each use the whole machine are faster one after the other.
const WORTH_A_THREAD: u64 = 20_000;

/// What the kernels of a loop cost is known after so many iterations.
const SETTLED: u64 = 4;

/// Behind so many cheap nodes in a row, costly ones do not wait for the thread that runs these.
const MOST_WAITED: u32 = 8;

/// After so many nodes a thread looks whether others wait for it.
const TURN: u32 = 4096;

/// One execution of a prepared graph.
pub(super) struct Run {
    pub(super) plan: Arc<Prepared>,
    pub(super) step: Arc<Step>,
    pub(super) threads: Threads,
    pub(super) cancels: bool,
    /// Whether the step may change variables: nobody holds the updates, or not its.
    pub(super) entered: AtomicBool,
    pub(super) state: Mutex<Progress>,
    pub(super) trace: Option<Mutex<Vec<NodeStats>>>,
}

pub(super) struct Progress {
    state: StepState,
    /// Nodes that are ready or running.
    under_way: usize,
    failure: Option<Status>,
    done: Option<StepDone>,
    /// Nodes that have begun to wait.
    waiting: Notes,
}

/// A node that has finished, with what it gave.
pub(super) struct Finished {
    pub(super) ready: Ready,
    pub(super) outcome: Result<Outputs>,
}

/// What a thread has done last.
enum Last {
    /// A node; what it gave is in the thread's outputs.
    Node(Ready, Result<()>),
    /// Some iterations of a loop that runs in a row.
    Loop(Looping, Result<Pace, Failed>),
}

/// How a loop that runs in a row goes on.
enum Pace {
    /// Not at all: it has ended.
    Ended,
    /// After those that wait for their turn.
    Paused,
    /// Node by node, because some of them are worth a thread.
    NodeByNode,
}

/// What a thread knows of the ready nodes that it might share out.
#[derive(Default)]
struct Shared {
    /// So many of them, from the first, are not worth it.
    looked_at: usize,
    /// So many cheap nodes ran since it last looked.
    waited: u32,
}

/// What a run of a prepared graph is given.
pub(super) struct Setup {
    pub threads: Threads,
    pub step: Arc<Step>,
    /// Collect what ran when.
    pub trace: bool,
    /// A failure cancels the step, so that nothing of it waits any longer.
    pub cancels: bool,
}

pub(super) fn start(plan: &Arc<Prepared>, setup: Setup, done: StepDone) {
    let Setup { threads, step, trace, cancels } = setup;
    if plan.roots.is_empty() {
        done(Ok(trace.then(StepStats::default)));
        return;
    }
    let mut state = plan.take_state();
    state.begin(plan.roots.len(), trace);
    let run = Arc::new(Run {
        plan: plan.clone(),
        step,
        threads,
        cancels,
        entered: AtomicBool::new(false),
        state: Mutex::new(Progress {
            state,
            under_way: plan.roots.len(),
            failure: None,
            done: Some(done),
            waiting: Notes::default(),
        }),
        trace: trace.then(Mutex::default),
    });
    let roots = plan.roots.iter().map(|node| Ready { node: *node, frame: 0, iteration: 0, dead: false });
    let mut local: Vec<Ready> = roots.collect();
    // The list is worked off from its end.
    local.reverse();
    run.work(local, None);
}

impl Run {
    /// Works until nothing is ready on this thread.
    pub(super) fn work(self: &Arc<Self>, local: Vec<Ready>, finished: Option<Finished>) {
        // Whatever thread this is, its kernels take denormals for zero.
        let _flushed = Flushed::new();
        // Kernels are guarded one by one; values run code of ops too, when they are dropped.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.work_off(local, finished))) {
            self.give_up(panicked(format_args!("executing a step"), &*panic));
        }
    }

    fn work_off(self: &Arc<Self>, mut local: Vec<Ready>, finished: Option<Finished>) {
        let mut inputs = Inputs::new();
        let mut outputs = Outputs::new();
        let mut last = finished.map(|finished| match finished.outcome {
            Ok(values) => {
                outputs = values;
                Last::Node(finished.ready, Ok(()))
            }
            Err(status) => Last::Node(finished.ready, Err(status)),
        });
        let (mut nodes, mut shared, mut has_paused) = (0u32, Shared::default(), false);
        let mut waits: Option<Waiting> = None;
        let lent = self.threads.may_lend() && lent::is_lent();
        loop {
            let (next, frame, looping) = {
                let mut progress = self.state.lock();
                if let Some(waiting) = waits.take() {
                    self.note(&mut progress, waiting);
                }
                let is_over = match last.take() {
                    Some(Last::Node(ready, outcome)) => {
                        self.complete(&mut progress, ready, outcome, &mut outputs, &mut local)
                    }
                    Some(Last::Loop(looping, outcome)) => {
                        self.complete_loop(&mut progress, looping, outcome, &mut local)
                    }
                    None => false,
                };
                if is_over {
                    return self.finish(progress);
                }
                if std::mem::take(&mut has_paused) && self.threads.has_waiting() {
                    drop(progress);
                    let run = self.clone();
                    return self.threads.spawn(move || run.work(local, None));
                }
                loop {
                    let Some(next) = local.pop() else {
                        drop(progress);
                        return self.step.rendezvous.flush();
                    };
                    if next.loop_plan().is_some() {
                        if lent {
                            // It may run for ever.
                            local.push(next);
                            drop(progress);
                            return self.hand_over(local);
                        }
                        match progress.state.take_loop(next.frame) {
                            Some(looping) => break (next, (0, 0), Some(looping)),
                            None => continue,
                        }
                    }
                    let node = &self.plan.nodes[next.node as usize];
                    nodes = nodes.wrapping_add(1);
                    // A node that does nothing, or only passes values on, needs no kernel. Now and then one goes the long
                    // way all the same, where others get their turn.
                    let short = self.trace.is_none() && !nodes.is_multiple_of(TURN);
                    let slots = progress.state.inputs(node, next);
                    if lent && !lent::may_spend(if next.dead { 0 } else { expected(node, slots) }) {
                        local.push(next);
                        drop(progress);
                        return self.hand_over(local);
                    }
                    if !short || !forward(node, next.dead, slots, &mut outputs) {
                        inputs.clear();
                        inputs.extend(slots.iter_mut().map(std::mem::take));
                        break (next, progress.state.frame_key(next), None);
                    }
                    if self.complete(&mut progress, next, Ok(()), &mut outputs, &mut local) {
                        return self.finish(progress);
                    }
                }
            };
            self.share(next, &mut local, &mut shared);
            if let Some(mut looping) = looping {
                self.step.rendezvous.flush();
                let outcome = self.go_around(&mut looping);
                has_paused = matches!(outcome, Ok(Pace::Paused));
                last = Some(Last::Loop(looping, outcome));
                continue;
            }
            let outcome = self.execute(next, frame, &mut inputs, &mut outputs, &mut waits);
            if nodes.is_multiple_of(TURN) && self.threads.has_waiting() {
                // A loop may run for ever; it goes on behind those that wait.
                if let Some(waiting) = waits.take() {
                    self.note(&mut self.state.lock(), waiting);
                }
                let finish = |outcome: Result<()>| Finished { ready: next, outcome: outcome.map(|()| outputs) };
                let (run, finished) = (self.clone(), outcome.map(finish));
                return self.threads.spawn(move || run.work(local, finished));
            }
            last = outcome.map(|outcome| Last::Node(next, outcome));
        }
    }

    /// Lets a thread of the pool go on with nodes that are ready.
    fn hand_over(self: &Arc<Self>, local: Vec<Ready>) {
        self.step.rendezvous.flush();
        let run = self.clone();
        self.threads.spawn(move || run.work(local, None));
    }

    /// Runs iterations of a loop in a row, for the length of a turn.
    fn go_around(&self, looping: &mut Looping) -> Result<Pace, Failed> {
        let plan = &self.plan.frames[looping.plan as usize];
        let Some(straight) = &plan.straight else { return Ok(Pace::Ended) };
        let (begin, shared) = (Instant::now(), math::threads::time_shared());
        let mut pace = Pace::Paused;
        for _ in 0..(TURN as usize).div_ceil(straight.len().max(1)) {
            let iteration = looping.registers.iteration;
            let frame = (looping.id, iteration as i64);
            // What kernels take that leave the other threads alone, of all that kernels take.
            let (mut alone, mut all) = (0, 0);
            let goes_on = straight.pass(&self.plan.nodes, &mut looping.registers, |node, inputs, outputs| {
                dereference(node, inputs)?;
                self.compute(node, frame, iteration, inputs, outputs)?;
                let cost = node.cost.load(Ordering::Relaxed);
                all += cost;
                if cost > WORTH_A_THREAD && node.is_alone() {
                    alone += cost;
                }
                Ok(())
            })?;
            if !goes_on {
                pace = Pace::Ended;
                break;
            }
            // Another thread can only take from the first, and booking each node costs something too.
            if alone * 2 > all && iteration >= SETTLED && self.threads.blocking().is_some() {
                plan.is_costly.store(true, Ordering::Relaxed);
                pace = Pace::NodeByNode;
                break;
            }
            if self.step.cancellation.is_cancelled() {
                break;
            }
        }
        let alone = begin.elapsed().saturating_sub(math::threads::time_shared() - shared);
        plan.cost.store(alone.as_nanos() as u64, Ordering::Relaxed);
        Ok(pace)
    }

    /// Books iterations of a loop that runs in a row; whether they were the last of the step.
    fn complete_loop(
        &self,
        progress: &mut Progress,
        looping: Looping,
        outcome: Result<Pace, Failed>,
        local: &mut Vec<Ready>,
    ) -> bool {
        progress.under_way -= 1;
        let before = local.len();
        match outcome {
            Ok(_) if progress.failure.is_some() => {}
            Ok(Pace::Ended) => progress.state.end_loop(&self.plan, looping, local),
            Ok(Pace::Paused) => progress.state.put_back(looping, local),
            Ok(Pace::NodeByNode) => progress.state.go_on(&self.plan, looping, local),
            Err((node, status)) => {
                self.fail(progress, Ready { node, frame: looping.frame, iteration: 0, dead: false }, status)
            }
        }
        progress.under_way += local.len() - before;
        self.is_over(progress, local)
    }

    /// Books a finished node; whether it was the last one.
    pub(super) fn complete(
        &self,
        progress: &mut Progress,
        ready: Ready,
        outcome: Result<()>,
        outputs: &mut [Value],
        local: &mut Vec<Ready>,
    ) -> bool {
        progress.under_way -= 1;
        match outcome {
            Ok(()) if progress.failure.is_none() => {
                let before = local.len();
                progress.state.complete(&self.plan, ready, outputs, local);
                progress.under_way += local.len() - before;
            }
            Ok(()) => {}
            Err(status) => self.fail(progress, ready, status),
        }
        self.is_over(progress, local)
    }

    /// Whether nothing of the step is under way any more. Once it has failed, nothing more of it begins.
    fn is_over(&self, progress: &mut Progress, local: &mut Vec<Ready>) -> bool {
        if progress.failure.is_none() && self.step.cancellation.is_cancelled() {
            // A loop of cheap nodes never waits, so nobody else would tell it to stop.
            progress.failure = self.step.cancellation.reason();
        }
        if progress.failure.is_some() {
            // What is ready but has not begun will not run.
            progress.under_way -= local.len();
            local.clear();
        }
        progress.under_way == 0
    }

    fn fail(&self, progress: &mut Progress, ready: Ready, status: Status) {
        let node = &self.plan.nodes[ready.node as usize].node;
        let status = status.at_node(&node.name);
        if progress.failure.as_ref().is_none_or(|first| first.is_derived() && !status.is_derived()) {
            progress.failure = Some(status.clone());
        }
        if self.cancels {
            // Others of the step that wait must not wait any longer. They may call back here, so not under the lock.
            let step = self.step.clone();
            self.threads.spawn(move || step.cancellation.cancel(status.derived()));
        }
    }

    fn finish(&self, mut progress: parking_lot::MutexGuard<'_, Progress>) {
        let done = progress.done.take();
        let failure = progress.failure.take();
        if failure.is_none() {
            self.plan.give_state(std::mem::take(&mut progress.state));
        }
        let waiting = std::mem::take(&mut progress.waiting);
        drop(progress);
        if waiting.listed {
            self.plan.waiting.strike_out(self);
        }
        self.step.rendezvous.flush();
        let stats = self.trace.as_ref().map(|trace| StepStats { nodes: std::mem::take(&mut *trace.lock()) });
        if let Some(done) = done {
            done(failure.map_or(Ok(stats), Err));
        }
    }

    /// Notes that a node has begun to wait.
    pub(super) fn note(self: &Arc<Self>, progress: &mut Progress, waiting: Waiting) {
        if progress.done.is_none() {
            return;
        }
        progress.waiting.add(waiting);
        if !std::mem::replace(&mut progress.waiting.listed, true) {
            self.plan.waiting.list(self);
        }
    }

    /// Which nodes wait; nothing if the step has ended.
    pub(super) fn look(&self) -> Option<UnderWay> {
        let progress = self.state.lock();
        progress.done.as_ref()?;
        let describe = |waiting: &Waiting| WaitingNode {
            node: self.plan.nodes[waiting.node as usize].node.clone(),
            since: waiting.since,
            blocking: waiting.blocking,
        };
        let nodes: Vec<WaitingNode> =
            progress.waiting.notes.iter().filter(|waiting| waiting.holds()).map(describe).collect();
        Some(UnderWay { step: self.step.id, computes: progress.under_way > nodes.len(), nodes })
    }

    /// Ends the step although nobody knows any more which of its nodes are under way: what still runs finds it failed.
    pub(super) fn give_up(&self, status: Status) {
        let done = {
            let mut progress = self.state.lock();
            progress.failure.get_or_insert(status.clone());
            progress.done.take()
        };
        if self.cancels {
            self.step.cancellation.cancel(status.clone().derived());
        }
        if let Some(done) = done {
            done(Err(status));
        }
    }

    /// Gives ready nodes that are costly to other threads, if some are free, while `next` runs here. If that is cheap, the
    /// others wait: one of them may be the only costly one, and then waking a thread for it gains nothing. The first nodes
    /// are known not to be worth it, so that a step of many ready nodes does not look at all of them for each.
    fn share(self: &Arc<Self>, next: Ready, local: &mut Vec<Ready>, shared: &mut Shared) {
        let node = |ready: &Ready| {
            let node = (!ready.dead).then(|| self.plan.nodes.get(ready.node as usize))?;
            node.filter(|node| matches!(node.kernel, Kernel::Compute(_)))
        };
        let takes_long = |ready: &Ready| {
            let frame = |plan: u32| &self.plan.frames[plan as usize].cost;
            let cost = ready.loop_plan().map(frame).or_else(|| node(ready).map(|node| &node.cost));
            cost.is_some_and(|cost| cost.load(Ordering::Relaxed) > WORTH_A_THREAD)
        };
        let costly = |ready: &Ready| takes_long(ready) && node(ready).is_none_or(ExecNode::is_alone);
        shared.waited = if takes_long(&next) { MOST_WAITED } else { shared.waited + 1 };
        if shared.waited < MOST_WAITED {
            return;
        }
        shared.waited = 0;
        let looked_at = &mut shared.looked_at;
        *looked_at = (*looked_at).min(local.len());
        while *looked_at < local.len() && self.threads.has_room() {
            graph::work::count();
            if !costly(&local[*looked_at]) {
                *looked_at += 1;
                continue;
            }
            let ready = local.remove(*looked_at);
            let run = self.clone();
            self.threads.spawn(move || run.work(vec![ready], None));
        }
    }
}
