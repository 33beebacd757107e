//! The threads that one execution of a graph uses.

use std::collections::VecDeque;
use std::sync::Arc;

use graph::op::Spawn;
use parking_lot::{Condvar, Mutex};
use tensor::Result;

use crate::Pool;

type Job = Box<dyn FnOnce() + Send>;

/// Where the nodes of a run may run.
#[derive(Clone)]
pub(super) enum Threads {
    /// On the threads of the process: kernels that take long are shared out, those that wait for files have their own.
    Pools { kernels: Pool, blocking: Pool },
    /// On the thread that waits for the end, and nowhere else: a thread that holds up others must not wait for a turn of
    /// theirs.
    Caller(Arc<CallerThread>),
}

impl Threads {
    /// Runs a job later.
    pub fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        match self {
            Threads::Pools { kernels, .. } => kernels.spawn(job),
            Threads::Caller(caller) => caller.push(Box::new(job)),
        }
    }

    /// Whether a thread is free for a kernel that takes long.
    pub fn has_room(&self) -> bool {
        match self {
            Threads::Pools { kernels, .. } => kernels.has_room(),
            Threads::Caller(_) => false,
        }
    }

    /// Whether others wait for this thread.
    pub fn has_waiting(&self) -> bool {
        match self {
            Threads::Pools { kernels, .. } => kernels.has_waiting(),
            Threads::Caller(caller) => !caller.inbox.lock().jobs.is_empty(),
        }
    }

    /// Whether a thread that is lent for a short while may run some of the nodes.
    pub fn may_lend(&self) -> bool {
        matches!(self, Threads::Pools { .. })
    }

    /// The threads for kernels that wait for files; `None` if they run where they are.
    pub fn blocking(&self) -> Option<&Pool> {
        match self {
            Threads::Pools { blocking, .. } => Some(blocking),
            Threads::Caller(_) => None,
        }
    }

    /// Threads for what a waiting kernel does after its waiting.
    pub fn to_spawn(&self) -> Arc<dyn Spawn> {
        match self {
            Threads::Pools { blocking, .. } => blocking.to_spawn(),
            Threads::Caller(caller) => caller.clone(),
        }
    }
}

/// A thread that runs the jobs of a run until the run has ended.
#[derive(Default)]
pub(super) struct CallerThread {
    inbox: Mutex<Inbox>,
    arrived: Condvar,
}

#[derive(Default)]
struct Inbox {
    jobs: VecDeque<Job>,
    outcome: Option<Result<()>>,
}

impl CallerThread {
    fn push(&self, job: Job) {
        self.inbox.lock().jobs.push_back(job);
        self.arrived.notify_one();
    }

    /// The run has ended: nothing more is to be done.
    pub fn end(&self, outcome: Result<()>) {
        self.inbox.lock().outcome = Some(outcome);
        self.arrived.notify_one();
    }

    /// Runs jobs, and waits for more of them, until the run has ended.
    ///
    /// # Errors
    /// What the run ended with.
    pub fn work(&self) -> Result<()> {
        let mut inbox = self.inbox.lock();
        loop {
            if let Some(outcome) = inbox.outcome.take() {
                return outcome;
            }
            match inbox.jobs.pop_front() {
                Some(job) => {
                    drop(inbox);
                    // A job that panics must not take the thread along; whoever waits for it learns of it by itself.
                    graph::op::shielded(job);
                    inbox = self.inbox.lock();
                }
                None => self.arrived.wait(&mut inbox),
            }
        }
    }
}

impl Spawn for CallerThread {
    fn spawn(self: Arc<Self>, job: Job) {
        self.push(job);
    }
}
