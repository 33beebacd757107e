//! A small pool of threads for pure arithmetic.
//!
//! A few loops at a time are shared among the helper threads; the caller always takes part, so a
//! loop never waits for a helper to wake up. Callers and helpers together are no more than the threads that were
//! asked for: a helper leaves a loop when another caller comes, and comes back when one has ended. Small loops, those
//! in loops, and those for which there is no place run on the calling thread. The work given here must be arithmetic
//! on memory only: it must not take locks or wait. Helpers compute as the caller does: they flush
//! denormals if and only if it does.

use crate::flush::Mode;
use std::any::Any;
use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// Rounds a helper spins (a few microseconds) before it sleeps.
const SPINS: u32 = 300;
/// When the last loop came within `CLOSE`, a helper stays awake for so long: waking it takes half of that.
const AWAKE: Duration = Duration::from_micros(60);
/// Loops that follow each other within this time are close.
const CLOSE: Duration = Duration::from_micros(150);
/// A helper that loses its core for so long while it spins is in the way of others.
const LOST: Duration = Duration::from_micros(300);
/// For so many loops after it was in the way of others, a helper does not stay awake.
const CROWDED: u32 = 200;
/// A loop is cut into this many chunks per thread, so that a slow thread does not hold up the end.
const CHUNKS_PER_THREAD: usize = 4;
/// Loops that are shared at a time.
const PLACES: usize = 8;

thread_local! {
    /// Whether this thread is in a loop that is shared.
    static IN_A_LOOP: Cell<bool> = const { Cell::new(false) };
    /// How long this thread's loops have taken that all threads could share.
    static SHARED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

static WANTED: OnceLock<usize> = OnceLock::new();
static POOL: OnceLock<Pool> = OnceLock::new();

/// Fixes the number of threads (the caller of a loop included). Returns false when the number
/// was already fixed, by an earlier call or because a loop has run.
pub fn set_threads(threads: usize) -> bool {
    WANTED.set(threads.max(1)).is_ok()
}

/// The number of threads a loop may use, the caller included.
pub fn threads() -> usize {
    *WANTED.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

/// How long the loops of the calling thread have taken so far of which there was enough for all threads. A kernel that
/// spends its time in these uses the machine whether or not another one runs beside it.
pub fn time_shared() -> Duration {
    SHARED.get()
}

/// Calls `f` on disjoint ranges that together make up `0..total`, on several threads when
/// `total` holds at least two pieces of `min_chunk`. A panic in `f` is raised again in the caller
/// after all threads have left the loop.
pub fn parallel_for(total: usize, min_chunk: usize, f: impl Fn(Range<usize>) + Sync) {
    let min_chunk = min_chunk.max(1);
    if total == 0 {
        return;
    }
    let pieces = (total / min_chunk).min(threads() * CHUNKS_PER_THREAD);
    if pieces <= 1 || threads() == 1 || IN_A_LOOP.get() {
        return f(0..total);
    }
    let pool = POOL.get_or_init(Pool::start);
    let free = |place: &&Place| !place.taken.load(Ordering::Relaxed) && !place.taken.swap(true, Ordering::Acquire);
    match pool.places.iter().find(free) {
        Some(place) => {
            let begin = Instant::now();
            pool.run(place, total, total.div_ceil(pieces), &f);
            if pieces >= threads() {
                SHARED.set(SHARED.get() + begin.elapsed());
            }
        }
        None => f(0..total),
    }
}

/// Cuts `out` into runs of whole units (`unit` elements each) and calls `f(first_unit, run)` on
/// them in parallel. The length of `out` must be a multiple of `unit`.
pub fn parallel_units<T: Send>(out: &mut [T], unit: usize, min_units: usize, f: impl Fn(usize, &mut [T]) + Sync) {
    if out.is_empty() {
        return;
    }
    assert!(unit > 0 && out.len().is_multiple_of(unit), "{} elements in units of {unit}", out.len());
    let units = out.len() / unit;
    let shared = SharedMut::new(out);
    parallel_for(units, min_units, |range| {
        // SAFETY: parallel_for hands out disjoint ranges, so no two runs overlap.
        let run = unsafe { shared.slice(range.start * unit..range.end * unit) };
        f(range.start, run);
    });
}

/// A mutable slice that several threads may take disjoint parts of.
pub(crate) struct SharedMut<T> {
    start: *mut T,
    len: usize,
}

// SAFETY: only disjoint parts are handed out (the contract of `slice`), so sharing the pointer
// is the same as sending each part to one thread.
unsafe impl<T: Send> Sync for SharedMut<T> {}

impl<T> SharedMut<T> {
    pub(crate) fn new(slice: &mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len() }
    }

    /// The address of the first element.
    pub(crate) fn start(&self) -> *mut T {
        self.start
    }

    /// # Safety
    /// Parts alive at the same time must not overlap, and the slice given to `new` must outlive
    /// them and not be used meanwhile.
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn slice(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the range is inside the slice; disjointness is the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

struct Pool {
    places: [Place; PLACES],
    /// Threads whose loops are being run.
    callers: AtomicUsize,
    /// Helpers that take part.
    helping: AtomicUsize,
    /// Counts what helpers wait for: loops that begin, and those that leave room for helpers of others.
    epoch: AtomicUsize,
    helpers: Vec<Helper>,
}

/// Where one loop is shared.
#[derive(Default)]
struct Place {
    /// Whether it is a thread's, whose loop is being run.
    taken: AtomicBool,
    /// The loop to help with, or null.
    job: AtomicPtr<Job>,
    /// Helpers that may be looking at `job`.
    inside: AtomicUsize,
}

#[derive(Default)]
struct Helper {
    sleeping: AtomicBool,
    thread: OnceLock<Thread>,
}

/// How long a helper waits awake, by what it has seen lately.
#[derive(Default)]
struct Habit {
    patience: Duration,
    /// Others need the core: for so many loops more that is assumed.
    crowded: u32,
}

struct Job {
    body: *const (dyn Fn(Range<usize>) + Sync),
    mode: Mode,
    next: AtomicUsize,
    total: usize,
    chunk: usize,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Pool {
    fn start() -> Self {
        let helpers = (1..threads()).map(|_| Helper::default()).collect::<Vec<_>>();
        for index in 0..helpers.len() {
            // A thread that cannot be started is only a helper less.
            let _ = std::thread::Builder::new().name(format!("math-{index}")).spawn(move || {
                let pool = POOL.wait();
                pool.help(index);
            });
        }
        Self {
            places: std::array::from_fn(|_| Place::default()),
            callers: AtomicUsize::new(0),
            helping: AtomicUsize::new(0),
            epoch: AtomicUsize::new(0),
            helpers,
        }
    }

    /// Runs one loop in a place that the caller has taken.
    fn run(&self, place: &Place, total: usize, chunk: usize, body: &(dyn Fn(Range<usize>) + Sync)) {
        // SAFETY: only the lifetime is changed; `job` is taken back below, and no helper looks at
        // it any more, before `body` goes out of scope.
        let body: &'static (dyn Fn(Range<usize>) + Sync) = unsafe { std::mem::transmute(body) };
        let mut job =
            Job { body, mode: Mode::current(), next: AtomicUsize::new(0), total, chunk, panic: Mutex::new(None) };
        place.job.store(&mut job, Ordering::SeqCst);
        let callers = self.callers.fetch_add(1, Ordering::SeqCst) + 1;
        if callers < threads() {
            self.call(if callers == 1 { total.div_ceil(chunk) - 1 } else { self.helpers.len() });
        }
        // SAFETY: the job lives on this stack frame until the end of this function.
        let job = unsafe { &*place.job.load(Ordering::SeqCst) };
        job.work(|| true);
        place.job.store(std::ptr::null_mut(), Ordering::SeqCst);
        let mut rounds = 0u32;
        while place.inside.load(Ordering::SeqCst) != 0 {
            rounds += 1;
            if rounds < 10 * SPINS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        let panic = job.panic.lock().unwrap_or_else(|e| e.into_inner()).take();
        place.taken.store(false, Ordering::Release);
        let others = self.callers.fetch_sub(1, Ordering::SeqCst) - 1;
        if (1..threads()).contains(&others) {
            self.call(self.helpers.len());
        }
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
    }

    /// Lets helpers look for work, and wakes up to so many of them.
    fn call(&self, many: usize) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
        for helper in self.helpers.iter().take(many) {
            if helper.sleeping.swap(false, Ordering::SeqCst)
                && let Some(thread) = helper.thread.get()
            {
                thread.unpark();
            }
        }
    }

    /// Waits for the next loop after `seen`.
    fn wait(&self, me: &Helper, seen: usize, habit: &mut Habit) {
        let begin = Instant::now();
        let (mut spins, mut looked) = (0, Duration::ZERO);
        while self.epoch.load(Ordering::SeqCst) == seen {
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
                continue;
            }
            let now = begin.elapsed();
            if looked > Duration::ZERO && now > looked + LOST {
                habit.crowded = CROWDED;
            }
            looked = now;
            if now < habit.patience {
                std::hint::spin_loop();
                continue;
            }
            // The flag is raised before the last look at the epoch and the caller changes the
            // epoch before it looks at the flag, so one of the two notices the other.
            me.sleeping.store(true, Ordering::SeqCst);
            while self.epoch.load(Ordering::SeqCst) == seen {
                std::thread::park();
            }
            me.sleeping.store(false, Ordering::SeqCst);
        }
        habit.crowded = habit.crowded.saturating_sub(1);
        let pays = habit.crowded == 0 && begin.elapsed() < CLOSE;
        habit.patience = if pays { AWAKE } else { Duration::ZERO };
    }

    /// The life of a helper thread.
    fn help(&self, index: usize) {
        let me = &self.helpers[index];
        let _ = me.thread.set(std::thread::current());
        let (mut seen, mut habit) = (0, Habit::default());
        loop {
            self.wait(me, seen, &mut habit);
            seen = self.epoch.load(Ordering::SeqCst);
            while self.places.iter().filter(|place| self.help_in(place)).count() > 0 {}
        }
    }

    /// Takes part in the loop of a place while there is room for a helper; whether there was anything to do.
    fn help_in(&self, place: &Place) -> bool {
        if place.job.load(Ordering::SeqCst).is_null() {
            return false;
        }
        let one_more = |helping| (self.callers.load(Ordering::SeqCst) + helping < threads()).then_some(helping + 1);
        if self.helping.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more).is_err() {
            return false;
        }
        let has_room = || self.callers.load(Ordering::Relaxed) + self.helping.load(Ordering::Relaxed) <= threads();
        place.inside.fetch_add(1, Ordering::SeqCst);
        let job = place.job.load(Ordering::SeqCst);
        let mut helped = false;
        if !job.is_null() {
            // SAFETY: `inside` was raised before `job` was read, so the caller, who clears
            // `job` and then waits for `inside` to be zero, keeps it alive until we leave.
            let job = unsafe { &*job };
            let _adopted = job.mode.adopt();
            helped = job.work(has_room);
        }
        place.inside.fetch_sub(1, Ordering::SeqCst);
        self.helping.fetch_sub(1, Ordering::SeqCst);
        helped
    }
}

impl Job {
    /// Takes chunks until none is left, or it is not to go on; whether there was any.
    fn work(&self, goes_on: impl Fn() -> bool) -> bool {
        let outside = IN_A_LOOP.replace(true);
        let mut worked = false;
        while goes_on() && self.work_one() {
            worked = true;
        }
        IN_A_LOOP.set(outside);
        worked
    }

    /// Takes a chunk, if one is left.
    fn work_one(&self) -> bool {
        let start = self.next.fetch_add(self.chunk, Ordering::Relaxed);
        if start >= self.total {
            return false;
        }
        let range = start..(start + self.chunk).min(self.total);
        // SAFETY: the body outlives the job, see `Pool::run`.
        let body = unsafe { &*self.body };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| body(range))) {
            self.next.store(self.total, Ordering::Relaxed);
            let mut slot = self.panic.lock().unwrap_or_else(|e| e.into_inner());
            slot.get_or_insert(payload);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_is_visited_once() {
        for total in [0, 1, 7, 1000, 10_007] {
            let counts = (0..total).map(|_| AtomicUsize::new(0)).collect::<Vec<_>>();
            parallel_for(total, 3, |range| {
                for i in range {
                    counts[i].fetch_add(1, Ordering::Relaxed);
                }
            });
            assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 1), "total {total}");
        }
    }

    #[test]
    fn time_in_loops_for_all_threads_is_counted() {
        let spend = |_: Range<usize>| std::thread::sleep(Duration::from_millis(1));
        let before = time_shared();
        parallel_for(1, 1, spend);
        assert_eq!(time_shared(), before, "there was nothing to share");
        parallel_for(4 * threads(), 1, spend);
        assert_eq!(time_shared() > before, threads() > 1);
    }

    #[test]
    fn loops_may_nest_and_come_from_many_threads() {
        let sum = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        parallel_for(8, 1, |outer| {
                            for _ in outer {
                                parallel_for(10, 1, |inner| {
                                    sum.fetch_add(inner.len(), Ordering::Relaxed);
                                });
                            }
                        });
                    }
                });
            }
        });
        assert_eq!(sum.load(Ordering::Relaxed), 4 * 50 * 8 * 10);
    }

    /// A loop that began while all threads had loops of their own is helped with when these have ended.
    #[test]
    fn helpers_come_when_there_is_room() {
        if threads() < 2 {
            return;
        }
        let (mine, begun, ended) = (std::thread::current().id(), AtomicUsize::new(0), AtomicBool::new(false));
        let helped = AtomicBool::new(false);
        let wait = |flag: &dyn Fn() -> bool| {
            let begin = Instant::now();
            while !flag() && begin.elapsed() < Duration::from_secs(20) {
                std::thread::yield_now();
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads() {
                scope.spawn(|| {
                    parallel_for(2, 1, |_| {
                        begun.fetch_add(1, Ordering::SeqCst);
                        wait(&|| ended.load(Ordering::SeqCst));
                    });
                });
            }
            wait(&|| begun.load(Ordering::SeqCst) >= threads() - 1);
            parallel_for(1 << 20, 1, |range| {
                if std::thread::current().id() != mine {
                    return helped.store(true, Ordering::SeqCst);
                }
                if range.start == 0 {
                    ended.store(true, Ordering::SeqCst);
                    wait(&|| helped.load(Ordering::SeqCst));
                }
            });
        });
        assert!(helped.into_inner());
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_pool_survives() {
        let caught = catch_unwind(|| {
            parallel_for(100, 1, |range| assert!(!range.contains(&57), "fifty-seven"));
        });
        assert_eq!(*caught.unwrap_err().downcast::<&str>().unwrap(), "fifty-seven");
        let count = AtomicUsize::new(0);
        parallel_for(100, 1, |range| {
            count.fetch_add(range.len(), Ordering::Relaxed);
        });
        assert_eq!(count.load(Ordering::Relaxed), 100);
    }

    #[test]
    fn units_stay_whole() {
        let mut data = vec![0usize; 35];
        parallel_units(&mut data, 5, 1, |first, run| {
            for (i, unit) in run.chunks_mut(5).enumerate() {
                unit.fill(first + i);
            }
        });
        assert_eq!(data, (0..35).map(|i| i / 5).collect::<Vec<_>>());
    }
}
