//! How much is done with graphs, counted where the compiler keeps assertions: tests hold the planning of large graphs to what
//! is linear in their size without looking at a clock.

use std::sync::atomic::{AtomicU64, Ordering};

static WORK: AtomicU64 = AtomicU64::new(0);

/// Notes that something was looked at: a node, an edge, a name.
#[inline]
pub fn count() {
    if cfg!(debug_assertions) {
        WORK.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns how much this process has looked at; nothing where the compiler leaves assertions out.
///
/// ```
/// use tensorfleet_graph::{GraphData, work};
///
/// let before = work::counted();
/// GraphData::default().find("x");
/// assert_eq!(work::counted() > before, cfg!(debug_assertions));
/// ```
pub fn counted() -> u64 {
    WORK.load(Ordering::Relaxed)
}
