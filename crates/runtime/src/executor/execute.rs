//! Running the kernel of a node: here and now if it does not wait, else by whoever waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use graph::op::{Compute, Kernel, OpContext, Outputs, Step, Value, guarded};
use parking_lot::Mutex;
use tensor::{Result, err};

use super::forward::empty;
use super::late::Handover;
use super::prepare::{ExecNode, NodeKind};
use super::run::{Finished, Run};
use super::state::Ready;
use super::straight::Inputs;
use super::waiting::Waiting;
use crate::session::shared_saving_pool;
use crate::stats::{NodeStats, OutputStats};

/// Kernels in loops that take less than this are measured now and then only.
const CHEAP: u64 = 2_000;

impl Run {
    /// Runs a node, its outputs go to `outputs`; `None` if it will finish elsewhere, with a note in `waits`.
    pub(super) fn execute(
        self: &Arc<Self>,
        ready: Ready,
        frame: (u64, i64),
        inputs: &mut Inputs,
        outputs: &mut Outputs,
        waits: &mut Option<Waiting>,
    ) -> Option<Result<()>> {
        let node = &self.plan.nodes[ready.node as usize];
        if ready.dead && !matches!(node.kind, NodeKind::Transfer) {
            inputs.clear();
            empty(outputs, node.num_outputs);
            return Some(Ok(()));
        }
        if node.changes
            && self.cancels
            && let Some(refused) = self.enter_update(ready, frame, inputs)?
        {
            return Some(Err(refused));
        }
        if let Err(status) = dereference(node, inputs) {
            return Some(Err(status));
        }
        match &node.kernel {
            Kernel::Cheap(_) | Kernel::Compute(_) => {
                empty(outputs, node.num_outputs);
                Some(self.compute(node, frame, ready.iteration, inputs, outputs))
            }
            Kernel::Blocking(compute) => {
                let Some(blocking) = self.threads.blocking() else {
                    empty(outputs, node.num_outputs);
                    return Some(self.traced(node, outputs, |outputs| {
                        compute_now(compute, node, &self.step, frame, inputs, outputs)
                    }));
                };
                let (run, compute, mut inputs) = (self.clone(), compute.clone(), std::mem::take(inputs));
                let handover = Arc::new(Mutex::new(Handover::Detached));
                let since = Instant::now();
                *waits = Some(Waiting { node: ready.node, since, blocking: true, handover: handover.clone() });
                blocking.spawn(move || {
                    let node = &run.plan.nodes[ready.node as usize];
                    let mut outputs = Outputs::new();
                    empty(&mut outputs, node.num_outputs);
                    let outcome = run.traced(node, &mut outputs, |outputs| {
                        compute_now(&compute, node, &run.step, frame, &mut inputs, outputs)
                    });
                    *handover.lock() = Handover::Over;
                    run.resume(Finished { ready, outcome: outcome.map(|()| outputs) });
                });
                None
            }
            Kernel::Files { compute, saves } => {
                let Some(blocking) = self.threads.blocking() else {
                    empty(outputs, node.num_outputs);
                    return Some(self.traced(node, outputs, |outputs| {
                        compute_now(compute, node, &self.step, frame, inputs, outputs)
                    }));
                };
                let pool = if *saves { shared_saving_pool() } else { blocking.clone() };
                *waits = Some(self.start_on_files(&pool, compute, ready, frame, std::mem::take(inputs)));
                None
            }
            Kernel::Async(compute) => self.start_waiting(compute, ready, frame, inputs, outputs, waits),
        }
    }

    /// Runs a kernel that does not wait, and notes how long it takes.
    pub(super) fn compute(
        &self,
        node: &ExecNode,
        frame: (u64, i64),
        iteration: u64,
        inputs: &mut Inputs,
        outputs: &mut [Value],
    ) -> Result<()> {
        let compute = match &node.kernel {
            Kernel::Cheap(compute) => {
                return self
                    .traced(node, outputs, |outputs| compute_now(compute, node, &self.step, frame, inputs, outputs));
            }
            Kernel::Compute(compute) => compute,
            Kernel::Blocking(_) | Kernel::Files { .. } | Kernel::Async(_) => {
                return Err(err!(Internal, "the kernel of op {} waits", node.node.op));
            }
        };
        let before = node.cost.load(Ordering::Relaxed);
        if before > CHEAP {
            self.step.rendezvous.pause(before);
        }
        // Looking at the clock takes longer than a small kernel, so that is not done each time.
        let measures = iteration.is_multiple_of(16) && self.threads.blocking().is_some();
        if before < CHEAP && !measures {
            return self
                .traced(node, outputs, |outputs| compute_now(compute, node, &self.step, frame, inputs, outputs));
        }
        let bytes = input_bytes(inputs);
        let (begin, shared) = (Instant::now(), math::threads::time_shared());
        let outcome =
            self.traced(node, outputs, |outputs| compute_now(compute, node, &self.step, frame, inputs, outputs));
        let nanos = begin.elapsed().as_nanos() as u64;
        let alone = nanos.saturating_sub((math::threads::time_shared() - shared).as_nanos() as u64);
        // Once in a while a kernel is measured together with whatever else its processor had to do.
        let forgets = before == 0 || before > nanos.saturating_mul(8);
        let settle = |cost: &AtomicU64, now: u64| {
            let settled = if forgets { now } else { (cost.load(Ordering::Relaxed) * 7 + now) / 8 };
            cost.store(settled, Ordering::Relaxed);
        };
        settle(&node.cost, nanos);
        settle(&node.alone, alone);
        node.bytes.store(bytes, Ordering::Relaxed);
        outcome
    }

    pub(super) fn traced(
        &self,
        node: &ExecNode,
        outputs: &mut [Value],
        compute: impl FnOnce(&mut [Value]) -> Result<()>,
    ) -> Result<()> {
        if self.trace.is_none() {
            return compute(outputs);
        }
        let (start, begin) = (SystemTime::now(), Instant::now());
        let outcome = compute(outputs);
        self.record(node, start, begin.elapsed(), outputs);
        outcome
    }

    pub(super) fn record(&self, node: &ExecNode, start: SystemTime, duration: Duration, outputs: &[Value]) {
        if let Some(trace) = &self.trace {
            trace.lock().push(NodeStats {
                device: self.step.device.clone(),
                node: node.node.name.clone(),
                op: node.node.op.clone(),
                start,
                duration,
                thread: thread_number(),
                outputs: outputs.iter().enumerate().filter_map(|(slot, value)| OutputStats::of(slot, value)).collect(),
            });
        }
    }
}

/// Returns how many nanoseconds a node is likely to take; the greatest number if nobody knows.
pub(super) fn expected(node: &ExecNode, inputs: &[Value]) -> u64 {
    if !matches!(node.kernel, Kernel::Compute(_)) {
        return 0;
    }
    let known = node.cost.load(Ordering::Relaxed);
    // With inputs of other sizes it takes another time.
    if known == 0 || input_bytes(inputs) / 2 > node.bytes.load(Ordering::Relaxed) { u64::MAX } else { known }
}

/// Returns the size of the tensors among these values.
fn input_bytes(inputs: &[Value]) -> u64 {
    let bytes = |value: &Value| if let Value::Tensor(tensor) = value { tensor.byte_size() as u64 } else { 0 };
    inputs.iter().map(bytes).sum()
}

/// Reads variables whose value, not reference, is wanted, and refuses those without one.
pub(super) fn dereference(node: &ExecNode, inputs: &mut [Value]) -> Result<()> {
    for (index, input) in inputs.iter_mut().enumerate() {
        let Value::Ref(variable) = input else { continue };
        let viewed = node.views && index == 0;
        let by_value = node.reads && !viewed && node.node.input_types.get(index).is_some_and(|wanted| !wanted.is_ref);
        if by_value {
            *input = Value::Tensor(variable.read()?);
        } else if !node.allows_uninitialized && !variable.is_initialized() {
            return Err(variable.uninitialized());
        }
    }
    Ok(())
}

pub(super) fn compute_now(
    compute: &Arc<dyn Compute>,
    node: &ExecNode,
    step: &Step,
    frame: (u64, i64),
    inputs: &mut Inputs,
    outputs: &mut [Value],
) -> Result<()> {
    let mut context = OpContext::new(&node.node, step, frame, inputs, outputs);
    // A panic in a kernel is our mistake; it fails the step instead of the process.
    guarded(format_args!("the kernel of op {}", node.node.op), || compute.compute(&mut context))?;
    inputs.clear();
    let may_be_empty = matches!(node.kind, NodeKind::Switch | NodeKind::Transfer | NodeKind::Merge);
    if !may_be_empty && outputs.iter().any(|value| matches!(value, Value::Empty)) {
        return Err(err!(Internal, "the kernel of op {} did not set all its outputs", node.node.op));
    }
    Ok(())
}

fn thread_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    thread_local! { static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed); }
    NUMBER.with(|number| *number)
}
