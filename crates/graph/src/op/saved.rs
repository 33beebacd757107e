//! Checkpoints that kernels of this process have written, counted for operators.

use std::time::{Duration, SystemTime};

use parking_lot::Mutex;

/// What was written so far.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet::graph::op::SavedSoFar;
/// let before = SavedSoFar::now().count;
/// SavedSoFar::note("/tmp/model.ckpt-1", 400, Duration::from_millis(3));
/// assert!(SavedSoFar::now().count > before);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SavedSoFar {
    /// How many checkpoints, or parts of one that several tasks write.
    pub count: u64,
    /// The bytes of their tensors.
    pub bytes: u64,
    /// How long writing took in all.
    pub took: Duration,
    /// The last one's path and when it was complete.
    pub last: Option<(String, SystemTime)>,
}

static SAVED: Mutex<SavedSoFar> = Mutex::new(SavedSoFar { count: 0, bytes: 0, took: Duration::ZERO, last: None });

impl SavedSoFar {
    /// Returns what was written until now.
    pub fn now() -> SavedSoFar {
        SAVED.lock().clone()
    }

    /// Notes that a checkpoint was written.
    pub fn note(path: &str, bytes: u64, took: Duration) {
        let mut saved = SAVED.lock();
        saved.count += 1;
        saved.bytes += bytes;
        saved.took += took;
        saved.last = Some((path.to_owned(), SystemTime::now()));
    }
}
