//! Threads that are lent to steps for a short while: those of the network, which have others to serve.
//!
//! What arrives wakes a thread of the network. If the nodes that wait for it are known to take little time, they run right
//! there, because waking another thread often takes longer than they do; what takes longer, or has never been measured, is
//! handed to the pool.

use std::cell::RefCell;
use std::sync::Arc;

use super::run::{Finished, Run};

/// So many nanoseconds of known work a thread does each time it is lent.
const ALLOWANCE: u64 = 2_000_000;
/// A node that takes longer does not begin on a thread that is lent.
const LONGEST: u64 = 1_000_000;
/// What a node counts at least, so that loops of nodes that do nothing come to an end here.
const LEAST: u64 = 200;

thread_local! {
    static LENT: RefCell<Option<Lent>> = const { RefCell::new(None) };
}

/// What a thread that is lent still may do, and what goes on when everything that arrived has been handed over.
struct Lent {
    allowance: u64,
    resumed: Vec<(Arc<Run>, Finished)>,
}

/// Lends this thread to steps: what `deliver` starts, or what waits for what it brings, runs here as far as it is known to
/// take little time. It goes on after `deliver`, so that everything which arrives together counts at once.
///
/// ```
/// assert_eq!(tensorfleet_runtime::lend_thread(|| 6 * 7), 42);
/// ```
pub fn lend_thread<R>(deliver: impl FnOnce() -> R) -> R {
    if is_lent() {
        return deliver();
    }
    LENT.with(|lent| *lent.borrow_mut() = Some(Lent { allowance: ALLOWANCE, resumed: Vec::new() }));
    // Also if it panics, what waits goes on.
    let _end = EndOfLoan;
    let outcome = deliver();
    while let Some((run, finished)) = next_group() {
        run.resume_all(finished);
    }
    outcome
}

/// Returns whether this thread is lent to steps for a short while.
pub fn is_lent() -> bool {
    LENT.with(|lent| lent.borrow().is_some())
}

/// Takes a node whose waiting has ended, to go on with its run soon; gives it back if this thread is not lent.
pub(super) fn resume_soon(run: &Arc<Run>, finished: Finished) -> Option<Finished> {
    LENT.with(|lent| match &mut *lent.borrow_mut() {
        Some(lent) => {
            lent.resumed.push((run.clone(), finished));
            None
        }
        None => Some(finished),
    })
}

/// Counts work of so many nanoseconds; returns whether this thread may do it.
pub(super) fn may_spend(nanos: u64) -> bool {
    LENT.with(|lent| match &mut *lent.borrow_mut() {
        Some(lent) if nanos <= LONGEST && nanos <= lent.allowance => {
            lent.allowance = lent.allowance.saturating_sub(nanos.max(LEAST));
            true
        }
        _ => false,
    })
}

/// Takes everything that goes on in the run that waits longest.
fn next_group() -> Option<(Arc<Run>, Vec<Finished>)> {
    LENT.with(|lent| {
        let mut lent = lent.borrow_mut();
        let resumed = &mut lent.as_mut()?.resumed;
        let run = resumed.first()?.0.clone();
        let (group, rest): (Vec<_>, Vec<_>) =
            std::mem::take(resumed).into_iter().partition(|(of, _)| Arc::ptr_eq(of, &run));
        *resumed = rest;
        Some((run, group.into_iter().map(|(_, finished)| finished).collect()))
    })
}

struct EndOfLoan;

impl Drop for EndOfLoan {
    fn drop(&mut self) {
        let lent = LENT.with(|lent| lent.borrow_mut().take());
        for (run, finished) in lent.into_iter().flat_map(|lent| lent.resumed) {
            run.resume_elsewhere(finished);
        }
    }
}
