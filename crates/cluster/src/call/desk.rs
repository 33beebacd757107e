//! The operator's desk of a task: what is counted for whoever watches it, and what an operator has asked for.
//!
//! Counting is adding to atomics; nothing here is locked by a step, unless steps are traced.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use graph::op::StepId;
use parking_lot::Mutex;
use runtime::StepStats;
use tensor::{Result, Status, ensure, err};

use super::SessionHandle;

/// What a task counts, and what was asked of it.
pub(crate) struct Desk {
    pub started: Instant,
    /// Steps of this task's clients.
    pub steps: StepCounts,
    /// This task's parts of steps.
    pub parts: StepCounts,
    draining: AtomicBool,
    /// Stops the server.
    pub stop: OnceLock<Box<dyn Fn() + Send + Sync>>,
    traces: AtomicBool,
    trace: Mutex<Trace>,
}

impl Default for Desk {
    fn default() -> Desk {
        Desk {
            started: Instant::now(),
            steps: StepCounts::default(),
            parts: StepCounts::default(),
            draining: AtomicBool::new(false),
            stop: OnceLock::new(),
            traces: AtomicBool::new(false),
            trace: Mutex::default(),
        }
    }
}

/// The upper bounds of the classes of latency, in microseconds; what is longer has a class of its own.
pub(crate) const BOUNDS: [u64; 18] = [
    50,
    100,
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    10_000_000,
    60_000_000,
    600_000_000,
];

/// Codes from 0 to this one are counted apart.
const CODES: usize = 17;

/// Steps that began and ended.
#[derive(Default)]
pub(crate) struct StepCounts {
    begun: AtomicU64,
    ended: [AtomicU64; CODES],
    classes: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

impl StepCounts {
    /// Notes that a step begins.
    pub fn begin(&self) -> Instant {
        self.begun.fetch_add(1, Ordering::Relaxed);
        Instant::now()
    }

    /// Notes that a step has ended, and how.
    pub fn end(&self, begin: Instant, failure: Option<&Status>) {
        let micros = begin.elapsed().as_micros() as u64;
        let code = failure.map_or(0, |status| status.code().number() as usize);
        self.ended[code.min(CODES - 1)].fetch_add(1, Ordering::Relaxed);
        self.classes[BOUNDS.partition_point(|bound| *bound < micros)].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Returns how many steps are under way.
    pub fn under_way(&self) -> u64 {
        let ended: u64 = self.ended.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        self.begun.load(Ordering::Relaxed).saturating_sub(ended)
    }

    /// Returns what was counted, as operators are told.
    pub fn to_proto(&self) -> wire::operator::Steps {
        let load = |counts: &[AtomicU64]| -> Vec<u64> { counts.iter().map(|n| n.load(Ordering::Relaxed)).collect() };
        let ended = load(&self.ended).into_iter().enumerate().filter(|(_, count)| *count > 0);
        wire::operator::Steps {
            begun: self.begun.load(Ordering::Relaxed),
            under_way: self.under_way(),
            ended: ended.map(|(code, count)| (code as i32, count)).collect(),
            bounds_micros: BOUNDS.to_vec(),
            counts: load(&self.classes),
            total_micros: self.micros.load(Ordering::Relaxed),
        }
    }
}

/// A step of a trace: its number, its session, and what ran when.
pub(crate) type TracedStep = (StepId, SessionHandle, StepStats);

/// The nodes of one trace that are kept at most.
const MOST_NODES: usize = 2_000_000;

#[derive(Default)]
struct Trace {
    wanted: usize,
    nodes: usize,
    steps: Vec<TracedStep>,
}

impl Desk {
    /// Lets no more steps begin.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Returns whether no more steps may begin.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// # Errors
    /// `Unavailable` if no more steps may begin.
    pub fn check_open(&self, task: &str) -> Result<()> {
        ensure!(!self.is_draining(), Unavailable, "{task} is being drained: no steps begin there any more");
        Ok(())
    }

    /// Returns whether steps are traced.
    pub fn traces(&self) -> bool {
        self.traces.load(Ordering::Relaxed)
    }

    /// Begins to trace so many steps.
    ///
    /// # Errors
    /// `Unavailable` if somebody else traces now.
    pub fn begin_trace(&self, steps: usize) -> Result<TraceEnd<'_>> {
        let busy = self.traces.swap(true, Ordering::Relaxed);
        ensure!(!busy, Unavailable, "somebody else traces this task now; try again later");
        *self.trace.lock() = Trace { wanted: steps, ..Trace::default() };
        Ok(TraceEnd(self))
    }

    /// Keeps what a step did.
    pub fn traced(&self, step: StepId, session: &SessionHandle, stats: &StepStats) {
        let mut trace = self.trace.lock();
        if trace.steps.len() < trace.wanted && trace.nodes < MOST_NODES {
            trace.nodes += stats.nodes.len();
            trace.steps.push((step, session.clone(), stats.clone()));
        }
    }
}

/// Ends a trace when it is dropped.
pub(crate) struct TraceEnd<'a>(&'a Desk);

impl TraceEnd<'_> {
    /// Returns whether all steps that were wanted are there.
    pub fn is_complete(&self) -> bool {
        let trace = self.0.trace.lock();
        trace.steps.len() >= trace.wanted || trace.nodes >= MOST_NODES
    }

    /// Returns what was traced.
    pub fn take(self) -> Vec<TracedStep> {
        std::mem::take(&mut self.0.trace.lock().steps)
    }
}

impl Drop for TraceEnd<'_> {
    fn drop(&mut self) {
        self.0.traces.store(false, Ordering::Relaxed);
    }
}

/// Returns what a duration is in whole milliseconds.
pub(crate) fn millis(duration: Duration) -> u64 {
    duration.as_millis() as u64
}

/// Returns the time of day, as messages carry it.
pub(crate) fn unix_nanos(time: std::time::SystemTime) -> i64 {
    time.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64)
}

/// The error for a session that nobody knows.
pub(crate) fn no_session(prefix: &str, task: &str) -> Status {
    err!(NotFound, "{task} is not the master of a session that begins with '{prefix}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_by_code_and_class() {
        let counts = StepCounts::default();
        let begin = counts.begin();
        counts.begin();
        counts.end(begin, Some(&err!(Aborted, "lost")));
        let message = counts.to_proto();
        assert_eq!((message.begun, message.under_way, message.ended[&10]), (2, 1, 1));
        assert_eq!(message.counts.iter().sum::<u64>(), 1);
        assert_eq!(message.counts.len(), message.bounds_micros.len() + 1);
    }

    #[test]
    fn one_trace_at_a_time_and_no_more_than_was_asked_for() {
        let desk = Desk::default();
        let trace = desk.begin_trace(1).unwrap();
        assert!(desk.begin_trace(1).is_err());
        for step in [1, 2] {
            desk.traced(StepId(step), &SessionHandle::default(), &StepStats::default());
        }
        assert!(trace.is_complete());
        assert_eq!(trace.take().len(), 1);
        assert!(!desk.traces() && desk.begin_trace(1).is_ok());
    }
}
