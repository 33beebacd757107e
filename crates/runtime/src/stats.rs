//! What a step did and how long it took, for those who ask.

use std::time::{Duration, SystemTime};

use graph::op::Value;
use tensor::{DType, Shape};

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
    /// What came out of it.
    pub outputs: Vec<OutputStats>,
}

/// What came out of a node, but for the values.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let sum = g.constant([1f32, 2.0]) + 1.0;
/// let stats = LocalSession::new(&g)?.run(RunRequest::new().fetch(&sum).trace())?.stats.unwrap();
/// assert!(stats.nodes.iter().flat_map(|node| &node.outputs).any(|output| output.bytes == 8));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputStats {
    /// Which of the node's outputs it is.
    pub slot: usize,
    /// The type of its elements.
    pub dtype: DType,
    /// Its shape.
    pub shape: Shape,
    /// How many bytes its elements take.
    pub bytes: usize,
}

impl OutputStats {
    /// What there is to tell of an output, if it has a value.
    pub(crate) fn of(slot: usize, value: &Value) -> Option<OutputStats> {
        let tensor = match value {
            Value::Empty => return None,
            Value::Tensor(tensor) => tensor.clone(),
            Value::Ref(variable) => variable.read().ok()?,
        };
        Some(OutputStats { slot, dtype: tensor.dtype(), shape: tensor.shape().clone(), bytes: tensor.byte_size() })
    }
}
