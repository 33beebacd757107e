//! Functions that kernels call: a body is prepared once, and each call is an execution of it on the calling thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use graph::GraphData;
use graph::op::{
    CallFrame, Cancellation, Function, Host, Kernel, ResourceManager, Role, Step, THREAD_STACK, Value, begin_thread,
    within_stack,
};
use math::flush::Flushed;
use tensor::{Result, Tensor, err};

use super::execute::{compute_now, dereference};
use super::prepare::{NodeKind, Prepared};
use super::run::{self, Setup};
use super::straight::Straight;
use super::threads::{CallerThread, Threads};
use crate::{KernelCache, Timer};

/// What this process offers to kernels.
pub(crate) struct ProcessHost;

impl ProcessHost {
    pub fn shared() -> Arc<dyn Host> {
        static HOST: LazyLock<Arc<dyn Host>> = LazyLock::new(|| Arc::new(ProcessHost));
        HOST.clone()
    }
}

/// Threads for work between steps, in the whole process. Whoever gets none must do without.
const MAX_THREADS: usize = 256;
static THREADS: AtomicUsize = AtomicUsize::new(0);

impl Host for ProcessHost {
    fn prepare(&self, body: &GraphData) -> Result<Arc<dyn Function>> {
        let prepared = Arc::new(Prepared::new(body, &KernelCache::default())?);
        let waits = prepared.nodes.iter().any(|node| matches!(node.kernel, Kernel::Async(_)));
        let results = body.nodes().iter().filter(|node| node.role() == Role::Returned).count();
        let keeps = body.nodes().iter().any(|node| node.is_stateful() && node.role() == Role::Plain);
        let transfers = prepared.nodes.iter().any(|node| node.kind == NodeKind::Transfer);
        let straight = match prepared.frames.len() == 1 && !waits && !transfers {
            true => Straight::new(body, &prepared.nodes, &body.topological_order()?, &[]),
            false => None,
        };
        Ok(Arc::new(PreparedFunction { prepared, straight, results, waits, keeps }))
    }

    fn after(&self, delay: Duration, callback: Box<dyn FnOnce() + Send>) -> Box<dyn Send> {
        Box::new(Timer::global().after(delay, callback))
    }

    fn spawn(&self, name: &str, job: Box<dyn FnOnce() + Send>) -> bool {
        let one_more = |count: usize| (count < MAX_THREADS).then_some(count + 1);
        if THREADS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_err() {
            return false;
        }
        let counted = move || {
            begin_thread();
            let _flushed = Flushed::new();
            graph::op::shielded(job);
            THREADS.fetch_sub(1, Ordering::Relaxed);
        };
        let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(THREAD_STACK);
        let spawned = thread.spawn(counted).is_ok();
        if !spawned {
            THREADS.fetch_sub(1, Ordering::Relaxed);
        }
        spawned
    }
}

struct PreparedFunction {
    prepared: Arc<Prepared>,
    /// The body's nodes in a row, if it has no loops and none of them waits.
    straight: Option<Straight>,
    results: usize,
    /// Whether a kernel of the body waits without a thread.
    waits: bool,
    /// Whether a kernel of the body may keep something for the time of the call: an array, a stack.
    keeps: bool,
}

impl Function for PreparedFunction {
    fn call(&self, step: &Step, args: Vec<Tensor>) -> Result<Vec<Tensor>> {
        // A body may come back here in circles that no library shows: through the iterators that it is given.
        within_stack(|| self.call_now(step, args))
    }
}

impl PreparedFunction {
    fn call_now(&self, step: &Step, args: Vec<Tensor>) -> Result<Vec<Tensor>> {
        step.cancellation.check()?;
        if let Some(straight) = &self.straight {
            return self.call_straight(straight, step, args);
        }
        // A failure in the body lets go what waits there, but nothing else of the step: whoever calls may go on.
        let own = self.waits.then(Cancellation::new);
        let _registration =
            own.clone().map(|own| step.cancellation.on_cancel(move |reason| own.cancel(reason.clone())));
        let cancels = own.is_some();
        let frame = Arc::new(CallFrame::new(args, self.results));
        let mut nested = step.nested(frame.clone(), own.unwrap_or_else(|| step.cancellation.clone()));
        // A step may call a function any number of times, so what a call keeps must not wait for the end of the step.
        let kept = self.keeps.then(|| Kept(Arc::new(ResourceManager::new("step"))));
        if let Some(kept) = &kept {
            nested.step_resources = kept.0.clone();
        }
        let caller = Arc::new(CallerThread::default());
        let (ended, threads) = (caller.clone(), Threads::Caller(caller.clone()));
        let done = Box::new(move |outcome: Result<_>| ended.end(outcome.map(drop)));
        run::start(&self.prepared, Setup { threads, step: Arc::new(nested), trace: false, cancels }, done);
        let outcome = caller.work();
        drop(kept);
        outcome?;
        all_there(frame.take_results())
    }

    /// Runs the nodes one after the other. Nothing of them outlives the call, so they share the caller's step.
    fn call_straight(&self, straight: &Straight, step: &Step, args: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let mut registers = straight.registers();
        registers.args.extend(args.into_iter().map(Value::Tensor));
        registers.results = vec![None; self.results];
        let kept = self.keeps.then(|| Kept(Arc::new(ResourceManager::new("step"))));
        let nested = kept.as_ref().map(|kept| Step {
            step_resources: kept.0.clone(),
            ..step.nested(step.frame.clone(), step.cancellation.clone())
        });
        let step = nested.as_ref().unwrap_or(step);
        let outcome = straight.pass(&self.prepared.nodes, &mut registers, |node, inputs, outputs| {
            step.cancellation.check()?;
            dereference(node, inputs)?;
            match &node.kernel {
                Kernel::Cheap(compute)
                | Kernel::Compute(compute)
                | Kernel::Blocking(compute)
                | Kernel::Files { compute, .. } => compute_now(compute, node, step, (0, 0), inputs, outputs),
                Kernel::Async(_) => Err(err!(Internal, "the kernel of op {} waits", node.node.op)),
            }
        });
        outcome.map_err(|(node, status)| status.at_node(&self.prepared.nodes[node as usize].node.name))?;
        let results = std::mem::take(&mut registers.results);
        straight.give_back(registers);
        all_there(results)
    }
}

fn all_there(results: Vec<Option<Tensor>>) -> Result<Vec<Tensor>> {
    let missing = || err!(InvalidArgument, "a function has no value for a result: it lies on a branch not taken");
    results.into_iter().map(|result| result.ok_or_else(missing)).collect()
}

/// What a call keeps, which ends with it.
struct Kept(Arc<ResourceManager>);

impl Drop for Kept {
    fn drop(&mut self) {
        self.0.clear_all();
    }
}
