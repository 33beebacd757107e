//! What a step did and how long it took, for those who ask.

use std::time::{Duration, SystemTime};

/// The times of one step.
#[derive(Clone, Debug, Default)]
pub struct StepStats {
    /// In the order in which they ended, device by device.
    pub nodes: Vec<NodeStats>,
}

/// One execution of one node.
#[derive(Clone, Debug)]
pub struct NodeStats {
    /// The full name of the device that it ran on.
    pub device: String,
    /// The node's name.
    pub node: String,
    /// The op's name.
    pub op: String,
    /// When its kernel was started.
    pub start: SystemTime,
    /// How long its kernel took, waiting included.
    pub duration: Duration,
    /// A number for the thread, small and stable.
    pub thread: u64,
}
