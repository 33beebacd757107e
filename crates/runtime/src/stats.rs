//! What a step did and how long it took, for those who ask.

use std::time::{Duration, SystemTime};

/// The times of one step.
#[derive(Clone, Debug, Default)]
pub struct StepStats {
    pub nodes: Vec<NodeStats>,
}

/// One execution of one node.
#[derive(Clone, Debug)]
pub struct NodeStats {
    pub device: String,
    pub node: String,
    pub op: String,
    pub start: SystemTime,
    pub duration: Duration,
    /// A number for the thread, small and stable.
    pub thread: u64,
}
