//! Which nodes of steps under way have begun and not ended, for operators.
//!
//! A node that waits is noted under the lock that the step takes anyway, and nothing is done when it ends: whoever looks sees
//! which of the notes still hold. Steps in which nothing waits pay nothing.

use std::sync::{Arc, Weak};
use std::time::Instant;

use graph::Node;
use graph::op::StepId;
use parking_lot::Mutex;

use super::late::Handover;
use super::run::Run;

/// A step under way on one device, in which nodes wait.
pub struct UnderWay {
    /// The step.
    pub step: StepId,
    /// Its nodes that have begun and not ended.
    pub nodes: Vec<WaitingNode>,
    /// Whether others of it are ready or run.
    pub computes: bool,
}

/// A node that has begun and not ended.
pub struct WaitingNode {
    /// The node.
    pub node: Arc<Node>,
    /// Since when.
    pub since: Instant,
    /// Whether it has a thread for work that may block, as with files.
    pub blocking: bool,
}

/// A note that a node has begun to wait.
pub(super) struct Waiting {
    pub node: u32,
    pub since: Instant,
    pub blocking: bool,
    pub handover: Arc<Mutex<Handover>>,
}

impl Waiting {
    pub fn holds(&self) -> bool {
        matches!(*self.handover.lock(), Handover::Detached)
    }
}

/// The notes of a step.
#[derive(Default)]
pub(super) struct Notes {
    pub notes: Vec<Waiting>,
    /// When so many have come, those that no longer hold are dropped.
    limit: usize,
    /// Whether the step is listed where others find it.
    pub listed: bool,
}

impl Notes {
    pub fn add(&mut self, waiting: Waiting) {
        if self.notes.len() >= self.limit {
            self.notes.retain(Waiting::holds);
            self.limit = (2 * self.notes.len()).max(32);
        }
        self.notes.push(waiting);
    }
}

/// The steps of a prepared graph in which a node has waited.
#[derive(Default)]
pub(super) struct WaitingRuns(Mutex<Vec<Weak<Run>>>);

impl WaitingRuns {
    pub fn list(&self, run: &Arc<Run>) {
        self.0.lock().push(Arc::downgrade(run));
    }

    pub fn strike_out(&self, ended: &Run) {
        self.0.lock().retain(|run| run.strong_count() > 0 && !std::ptr::eq(run.as_ptr(), ended));
    }

    pub fn all(&self) -> Vec<Arc<Run>> {
        self.0.lock().iter().filter_map(Weak::upgrade).collect()
    }
}
