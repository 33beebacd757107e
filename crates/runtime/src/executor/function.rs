//! Functions that kernels call: a body is prepared once, and each call is an execution of it on the calling thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use graph::GraphData;
use graph::op::{CallFrame, Cancellation, Function, Host, Kernel, ResourceManager, Role, Step};
use math::flush::Flushed;
use tensor::{Result, Tensor, err};

use super::prepare::Prepared;
use super::run::{self, Setup};
use super::threads::{CallerThread, Threads};
use crate::KernelCache;

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
        Ok(Arc::new(PreparedFunction { prepared, results, waits, keeps }))
    }

    fn spawn(&self, name: &str, job: Box<dyn FnOnce() + Send>) -> bool {
        let one_more = |count: usize| (count < MAX_THREADS).then_some(count + 1);
        if THREADS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_err() {
            return false;
        }
        let counted = move || {
            let _flushed = Flushed::new();
            graph::op::shielded(job);
            THREADS.fetch_sub(1, Ordering::Relaxed);
        };
        let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(counted).is_ok();
        if !spawned {
            THREADS.fetch_sub(1, Ordering::Relaxed);
        }
        spawned
    }
}

struct PreparedFunction {
    prepared: Arc<Prepared>,
    results: usize,
    /// Whether a kernel of the body waits without a thread.
    waits: bool,
    /// Whether a kernel of the body may keep something for the time of the call: an array, a stack.
    keeps: bool,
}

impl Function for PreparedFunction {
    fn call(&self, step: &Step, args: Vec<Tensor>) -> Result<Vec<Tensor>> {
        step.cancellation.check()?;
        // A failure in the body lets go what waits there, but nothing else of the step: whoever calls may go on.
        let own = self.waits.then(Cancellation::new);
        let _registration =
            own.clone().map(|own| step.cancellation.on_cancel(move |reason| own.cancel(reason.clone())));
        let cancels = own.is_some();
        let frame = Arc::new(CallFrame::new(args, self.results));
        let mut nested = step.nested(frame.clone(), own.unwrap_or_else(|| step.cancellation.clone()));
        // A step may call a function any number of times, so what a call keeps must not wait for the end of the step.
        let kept = self.keeps.then(|| Arc::new(ResourceManager::new("step")));
        if let Some(kept) = &kept {
            nested.step_resources = kept.clone();
        }
        let caller = Arc::new(CallerThread::default());
        let (ended, threads) = (caller.clone(), Threads::Caller(caller.clone()));
        let done = Box::new(move |outcome: Result<_>| ended.end(outcome.map(drop)));
        run::start(&self.prepared, Setup { threads, step: Arc::new(nested), trace: false, cancels }, done);
        let outcome = caller.work();
        if let Some(kept) = kept {
            kept.clear_all();
        }
        outcome?;
        let missing = || err!(InvalidArgument, "a function has no value for a result: it lies on a branch not taken");
        frame.take_results().into_iter().map(|result| result.ok_or_else(missing)).collect()
    }
}
