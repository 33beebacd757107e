//! The executor: runs the nodes of one device, each when its inputs are there.
//!
//! A graph is prepared once: compact arrays of nodes, edges and counts. A step then costs one short lock per node and no
//! look-ups. Loops and conditions are TensorFlow 1.x's: frames, iterations and dead tensors; a graph without them is one
//! frame with one iteration, on the same code.

mod execute;
mod forward;
mod function;
mod late;
mod lent;
mod loops;
mod prepare;
mod run;
mod state;
mod straight;
mod threads;
mod waiting;

use std::sync::Arc;

use graph::GraphData;
use graph::op::{Kernel, Step};
use tensor::Result;

use crate::stats::StepStats;
use crate::{KernelCache, Pool};
pub(crate) use function::ProcessHost;
pub use lent::{is_lent, lend_thread};
use prepare::Prepared;
use run::Setup;
use threads::Threads;
pub use waiting::{UnderWay, WaitingNode};

/// A graph that is ready to run on one device, by any number of steps at once.
pub struct Executor {
    prepared: Arc<Prepared>,
    threads: Threads,
}

/// Called once when all nodes have run, or the step has failed and nothing of it runs any more.
pub type StepDone = Box<dyn FnOnce(Result<Option<StepStats>>) + Send>;

impl Executor {
    /// Makes the kernels and arrays for a graph whose nodes are all on one device.
    ///
    /// # Errors
    /// `NotFound` for an op or types without a kernel; `InvalidArgument` for malformed attributes or frames.
    pub fn new(graph: &GraphData, cache: &KernelCache, kernels: Pool, blocking: Pool) -> Result<Executor> {
        Ok(Executor { prepared: Arc::new(Prepared::new(graph, cache)?), threads: Threads::Pools { kernels, blocking } })
    }

    /// Runs a step. Nodes run on this thread as long as they do not wait; the rest goes to the pools.
    pub fn run(&self, step: Arc<Step>, trace: bool, done: StepDone) {
        run::start(&self.prepared, Setup { threads: self.threads.clone(), step, trace, cancels: true }, done);
    }

    /// As [`run`](Executor::run), but nothing runs on this thread.
    pub fn spawn(&self, step: Arc<Step>, trace: bool, done: StepDone) {
        let (prepared, threads) = (self.prepared.clone(), self.threads.clone());
        self.threads.spawn(move || run::start(&prepared, Setup { threads, step, trace, cancels: true }, done));
    }

    /// Whether no kernel takes a thread for long, so that any thread may run it.
    pub fn is_cheap(&self) -> bool {
        let cheap = |node: &prepare::ExecNode| matches!(node.kernel, Kernel::Cheap(_) | Kernel::Async(_));
        // A loop of cheap nodes may run for ever.
        self.prepared.nodes.iter().all(|node| cheap(node) && node.kind != prepare::NodeKind::NextIteration)
    }

    /// Where its step changes variables, if it does so here, or holds the changes of others.
    pub(crate) fn updates(&self) -> Option<&Arc<[i64]>> {
        self.prepared.updates.then_some(&self.prepared.spans)
    }

    /// The steps under way in which nodes wait. No step waits for this.
    pub fn under_way(&self) -> Vec<UnderWay> {
        self.prepared.waiting.all().iter().filter_map(|run| run.look()).collect()
    }

    /// How many nodes its graph has.
    pub fn num_nodes(&self) -> usize {
        self.prepared.nodes.len()
    }
}
