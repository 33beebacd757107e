//! Threads for work that should not run where it is asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};
use graph::op::{Spawn, THREAD_STACK, begin_thread};
use math::flush::Flushed;

type Job = Box<dyn FnOnce() + Send>;

/// A pool that grows to a number of threads as work comes and shrinks when idle. Its threads take denormal numbers for zero.
///
/// ```
/// use tensorfleet_runtime::Pool;
///
/// let pool = Pool::new("example", 2);
/// let (send, receive) = std::sync::mpsc::channel();
/// for number in 1..=3 {
///     let send = send.clone();
///     pool.spawn(move || send.send(number).unwrap());
/// }
/// drop(send);
/// assert_eq!(receive.iter().sum::<i32>(), 6);
/// ```
#[derive(Clone)]
pub struct Pool {
    shared: Arc<PoolThreads>,
}

struct PoolThreads {
    name: &'static str,
    limit: usize,
    threads: AtomicUsize,
    idle: AtomicUsize,
    queued: AtomicUsize,
    send: Sender<Job>,
    receive: Receiver<Job>,
}

impl Spawn for PoolThreads {
    fn spawn(self: Arc<Self>, job: Job) {
        Pool { shared: self }.spawn(job);
    }
}

const IDLE_TIME: Duration = Duration::from_secs(20);

impl Pool {
    /// A pool of at most `limit` threads of this name.
    pub fn new(name: &'static str, limit: usize) -> Pool {
        let (send, receive) = crossbeam_channel::unbounded();
        let counter = || AtomicUsize::new(0);
        Pool {
            shared: Arc::new(PoolThreads {
                name,
                limit: limit.max(1),
                threads: counter(),
                idle: counter(),
                queued: counter(),
                send,
                receive,
            }),
        }
    }

    /// One thread a core, for kernels.
    pub fn for_kernels() -> Pool {
        Pool::new("kernel", std::thread::available_parallelism().map_or(2, usize::from))
    }

    /// Many threads, for work that blocks on files.
    pub fn for_blocking() -> Pool {
        Pool::new("blocking", 64)
    }

    /// Runs a job on some thread of the pool.
    pub fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        let shared = &self.shared;
        shared.queued.fetch_add(1, Ordering::AcqRel);
        // The receiver lives as long as `shared`, so the channel is open.
        let _ = shared.send.send(Box::new(job));
        if shared.queued.load(Ordering::Acquire) > shared.idle.load(Ordering::Acquire) {
            self.grow();
        }
    }

    /// This pool as kernels know it.
    pub fn to_spawn(&self) -> Arc<dyn Spawn> {
        self.shared.clone()
    }

    /// Whether a thread is free right now (or could be started) for more work.
    pub fn has_room(&self) -> bool {
        let shared = &self.shared;
        let busy = shared.threads.load(Ordering::Relaxed).saturating_sub(shared.idle.load(Ordering::Relaxed));
        busy + shared.queued.load(Ordering::Relaxed) < shared.limit
    }

    /// Whether work waits for a thread.
    pub fn has_waiting(&self) -> bool {
        self.shared.queued.load(Ordering::Relaxed) > 0
    }

    fn grow(&self) {
        let shared = self.shared.clone();
        if !shared.count_in() {
            return;
        }
        let worker = shared.clone();
        let thread = std::thread::Builder::new().name(shared.name.to_owned()).stack_size(THREAD_STACK);
        let spawned = thread.spawn(move || worker.work());
        if spawned.is_err() {
            shared.threads.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl PoolThreads {
    /// Counts one more thread, if there may be one.
    fn count_in(&self) -> bool {
        let one_more = |count: usize| (count < self.limit).then_some(count + 1);
        self.threads.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).is_ok()
    }

    fn work(self: Arc<Self>) {
        begin_thread();
        let _flushed = Flushed::new();
        loop {
            self.idle.fetch_add(1, Ordering::AcqRel);
            let job = self.receive.recv_timeout(IDLE_TIME);
            self.idle.fetch_sub(1, Ordering::AcqRel);
            match job {
                Ok(job) => {
                    self.queued.fetch_sub(1, Ordering::AcqRel);
                    // A job that panics must not take its thread along; jobs report their own failures.
                    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                }
                Err(_) => {
                    self.threads.fetch_sub(1, Ordering::AcqRel);
                    // A job may have been queued just before this thread left the count of idle ones.
                    if self.queued.load(Ordering::Acquire) == 0 || !self.count_in() {
                        return;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn jobs_run_even_after_one_panics() {
        let pool = Pool::new("test", 2);
        let (send, results) = mpsc::channel();
        pool.spawn(|| panic!("on purpose"));
        for i in 0..100 {
            let send = send.clone();
            pool.spawn(move || send.send(i).unwrap());
        }
        let mut seen: Vec<i32> = (0..100).map(|_| results.recv().unwrap()).collect();
        seen.sort();
        assert_eq!(seen, (0..100).collect::<Vec<_>>());
    }
}
