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
    /// Threads that wait for what nobody waits for any more; others have their places.
    lost: AtomicUsize,
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
                lost: counter(),
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

    /// As [`spawn`](Pool::spawn), for a job that may wait for ever.
    pub(crate) fn spawn_to_lose(&self, job: impl FnOnce() + Send + 'static) -> LostThread {
        let state = Arc::new(AtomicUsize::new(QUEUED));
        let (shared, seen) = (self.shared.clone(), state.clone());
        self.spawn(move || {
            if seen.compare_exchange(QUEUED, RUNS, Ordering::AcqRel, Ordering::Acquire).is_err() {
                return;
            }
            job();
            // Its place was given to another thread meanwhile.
            if seen.swap(ENDED, Ordering::AcqRel) == LOST {
                shared.lost.fetch_sub(1, Ordering::AcqRel);
                LEAVES.set(true);
            }
        });
        LostThread { pool: self.clone(), state }
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

/// A job that nobody may wait for any more.
pub(crate) struct LostThread {
    pool: Pool,
    state: Arc<AtomicUsize>,
}

/// Where such a job is: it waits for a thread, has one, has ended, or was given up.
const QUEUED: usize = 0;
const RUNS: usize = 1;
const ENDED: usize = 2;
const LOST: usize = 3;
/// So many threads may wait for what does not come, besides those that the pool may have.
const MOST_LOST: usize = 500;

thread_local! {
    /// Another thread has this one's place.
    static LEAVES: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

impl LostThread {
    /// Gives the job up: it does not begin if it has not, and its thread is replaced if it has one.
    pub fn give_up(&self) {
        if self.state.compare_exchange(QUEUED, ENDED, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            return;
        }
        let shared = &self.pool.shared;
        let one_more = |count: usize| (count < MOST_LOST).then_some(count + 1);
        if shared.lost.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).is_err() {
            return;
        }
        if self.state.compare_exchange(RUNS, LOST, Ordering::AcqRel, Ordering::Acquire).is_err() {
            shared.lost.fetch_sub(1, Ordering::AcqRel);
            return;
        }
        shared.threads.fetch_sub(1, Ordering::AcqRel);
        if shared.queued.load(Ordering::Acquire) > shared.idle.load(Ordering::Acquire) {
            self.pool.grow();
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
                    if LEAVES.take() && !self.count_in() {
                        return;
                    }
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

    /// A disk that does not answer takes no threads from others, and gives them back when it does.
    #[test]
    fn threads_that_are_given_up_are_replaced() {
        let pool = Pool::new("test", 2);
        let (gate, (send, results)) = (Arc::new(parking_lot::Mutex::new(())), mpsc::channel());
        let closed = gate.lock();
        let stuck: Vec<LostThread> = (0..6)
            .map(|number| {
                let (gate, send) = (gate.clone(), send.clone());
                let lost = pool.spawn_to_lose(move || {
                    send.send(number).unwrap();
                    drop(gate.lock());
                    send.send(100).unwrap();
                });
                // Each takes the place of one that was given up.
                assert_eq!(results.recv().unwrap(), number);
                lost.give_up();
                lost
            })
            .collect();
        pool.spawn({
            let send = send.clone();
            move || send.send(50).unwrap()
        });
        assert_eq!(results.recv().unwrap(), 50);
        drop(closed);
        assert_eq!((0..6).map(|_| results.recv().unwrap()).sum::<i32>(), 600);
        drop(stuck);
        // Those that are too many leave.
        while pool.shared.lost.load(Ordering::Acquire) > 0 || pool.shared.threads.load(Ordering::Acquire) > 2 {
            std::thread::yield_now();
        }
    }

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
