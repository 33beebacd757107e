//! What a step did and how long it took, for those who ask.

use std::time::{Duration, SystemTime};

/// The times of one step.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let sum = g.constant(1f32) + 1.0;
/// let stats = LocalSession::new(&g)?.run(RunRequest::new().fetch(&sum).trace())?.stats.unwrap();
/// let longest = stats.nodes.iter().max_by_key(|node| node.duration).unwrap();
/// assert!(!longest.node.is_empty());
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct StepStats {
    /// In the order in which they ended, device by device.
    pub nodes: Vec<NodeStats>,
}

/// One execution of one node.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, ());
/// let sum = &x + 1.0;
/// let stats = LocalSession::new(&g)?.run(RunRequest::new().feed(&x, 1f32).fetch(&sum).trace())?.stats.unwrap();
/// let add = stats.nodes.iter().find(|node| node.node == "add").unwrap();
/// assert_eq!((add.op.as_str(), add.device.ends_with("CPU:0")), ("AddV2", true));
/// # Ok::<(), Status>(())
/// ```
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
