//! `replica_device_setter`: variables to the ps tasks, everything else to the worker.

use std::sync::Arc;

use graph::{DeviceName, DeviceScope, Node, ReadAttrs};
use parking_lot::Mutex;
use runtime::ClusterSpec;

/// The ops that go to ps tasks: what holds state that workers share.
///
/// ```
/// use tensorfleet::train::STANDARD_PS_OPS;
/// assert!(STANDARD_PS_OPS.contains(&"VariableV2") && !STANDARD_PS_OPS.contains(&"MatMul"));
/// ```
pub const STANDARD_PS_OPS: &[&str] = &[
    "Variable",
    "VariableV2",
    "AutoReloadVariable",
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    "VarHandleOp",
    "BoostedTreesEnsembleResourceHandleOp",
    "BoostedTreesQuantileStreamResourceHandleOp",
    "ResourceConditionalAccumulator",
    "DecisionTreeResource",
];

/// A device function for [`Graph::with_device`](graph::Graph::with_device): the ops of [`STANDARD_PS_OPS`] go to the ps tasks
/// in turn, all others to the worker. What a device scope inside says counts more.
///
/// Without ps tasks it says nothing.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// g.with_device(ReplicaDeviceSetter::new(2).worker_device("/job:worker/task:1"), |g| {
///     let a = Variable::new("a", g.constant(1f32));
///     let b = Variable::new("b", g.constant(2f32));
///     let sum = &a + &b;
///     assert_eq!(a.device(), "/job:ps/task:0");
///     assert_eq!(b.device(), "/job:ps/task:1");
///     assert_eq!(sum.operation().device(), "/job:worker/task:1");
/// });
/// ```
#[derive(Clone)]
pub struct ReplicaDeviceSetter {
    ps_tasks: u32,
    ps_device: String,
    worker_device: String,
    merge_devices: bool,
    ps_ops: Vec<String>,
    strategy: PsStrategy,
}

/// Which ps task a node goes to.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::PsStrategy;
/// let g = Graph::new();
/// let last = PsStrategy::Function(Arc::new(|_node| 1));
/// g.with_device(ReplicaDeviceSetter::new(2).strategy(last), |g| {
///     assert_eq!(Variable::new("w", g.constant(1f32)).device(), "/job:ps/task:1");
/// });
/// ```
#[derive(Clone, Default)]
pub enum PsStrategy {
    /// One after the other.
    #[default]
    RoundRobin,
    /// To the task that has the fewest bytes of variables so far, the first of several.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::PsStrategy;
    /// let g = Graph::new();
    /// g.with_device(ReplicaDeviceSetter::new(2).strategy(PsStrategy::GreedyBySize), |g| {
    ///     let variable = |name: &str, size: i64| Variable::new(name, g.zeros(&[size], DType::Float));
    ///     let devices = [("large", 100), ("small", 10), ("more", 20), ("last", 90)].map(|(name, size)| variable(name, size).device());
    ///     // 400 bytes to the first task; 40, 80 and then 360 to the other.
    ///     assert_eq!(devices, ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:1", "/job:ps/task:1"]);
    ///     assert_eq!(variable("next", 1).device(), "/job:ps/task:0");
    /// });
    /// ```
    GreedyBySize,
    /// As a function says.
    Function(Arc<dyn Fn(&Node) -> u32 + Send + Sync>),
}

impl ReplicaDeviceSetter {
    /// For a job `ps` of this many tasks and a job `worker`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.with_device(ReplicaDeviceSetter::new(1), |g| {
    ///     assert_eq!(Variable::new("w", g.constant(1f32)).device(), "/job:ps/task:0");
    ///     assert_eq!(g.constant(1f32).operation().device(), "/job:worker");
    /// });
    /// ```
    pub fn new(ps_tasks: u32) -> ReplicaDeviceSetter {
        ReplicaDeviceSetter {
            ps_tasks,
            ps_device: "/job:ps".to_owned(),
            worker_device: "/job:worker".to_owned(),
            merge_devices: true,
            ps_ops: STANDARD_PS_OPS.iter().map(|op| (*op).to_owned()).collect(),
            strategy: PsStrategy::RoundRobin,
        }
    }

    /// For as many ps tasks as the cluster has in its job `ps`, or in the job of a [`ps_device`](Self::ps_device) named later.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = ClusterSpec::new([("ps", vec!["host0:2222"]), ("worker", vec!["host1:2222"])])?;
    /// let g = Graph::new();
    /// g.with_device(ReplicaDeviceSetter::for_cluster(&cluster), |g| {
    ///     assert_eq!(Variable::new("w", g.constant(1f32)).device(), "/job:ps/task:0");
    /// });
    /// # Ok::<(), Status>(())
    /// ```
    pub fn for_cluster(cluster: &ClusterSpec) -> ReplicaDeviceSetter {
        ReplicaDeviceSetter::new(cluster.num_tasks("ps") as u32)
    }

    /// As [`for_cluster`](Self::for_cluster), with the ps tasks in the job of this device.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = ClusterSpec::new([("store", vec!["host0:2222"]), ("worker", vec!["host1:2222"])])?;
    /// let g = Graph::new();
    /// g.with_device(ReplicaDeviceSetter::for_cluster_with_ps(&cluster, "/job:store"), |g| {
    ///     assert_eq!(Variable::new("w", g.constant(1f32)).device(), "/job:store/task:0");
    /// });
    /// # Ok::<(), Status>(())
    /// ```
    pub fn for_cluster_with_ps(cluster: &ClusterSpec, ps_device: &str) -> ReplicaDeviceSetter {
        let job = ps_device.parse::<DeviceName>().ok().and_then(|device| device.job);
        let tasks = job.map_or(0, |job| cluster.num_tasks(&job));
        ReplicaDeviceSetter::new(tasks as u32).ps_device(ps_device)
    }

    /// The device of all nodes that are no variables: `/job:worker` unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.with_device(ReplicaDeviceSetter::new(1).worker_device("/job:worker/task:3"), |g| {
    ///     assert_eq!(g.constant(1f32).operation().device(), "/job:worker/task:3");
    /// });
    /// ```
    #[must_use]
    pub fn worker_device(mut self, device: &str) -> Self {
        self.worker_device = device.to_owned();
        self
    }

    /// The job of variables: `/job:ps` unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.with_device(ReplicaDeviceSetter::new(1).ps_device("/job:store"), |g| {
    ///     assert_eq!(Variable::new("w", g.constant(1f32)).device(), "/job:store/task:0");
    /// });
    /// ```
    #[must_use]
    pub fn ps_device(mut self, device: &str) -> Self {
        self.ps_device = device.to_owned();
        self
    }

    /// Whether a node that has a device of its own gets the missing parts of it too; it does unless told otherwise.
    #[must_use]
    pub fn merge_devices(mut self, merge: bool) -> Self {
        self.merge_devices = merge;
        self
    }

    /// The ops that go to the ps tasks, instead of the standard ones.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.with_device(ReplicaDeviceSetter::new(1).ps_ops(["Const"]), |g| {
    ///     assert_eq!(g.constant(1f32).operation().device(), "/job:ps/task:0");
    /// });
    /// ```
    #[must_use]
    pub fn ps_ops<S: Into<String>>(mut self, ops: impl IntoIterator<Item = S>) -> Self {
        self.ps_ops = ops.into_iter().map(Into::into).collect();
        self
    }

    /// How variables are spread over the parameter servers: in turn unless told otherwise.
    #[must_use]
    pub fn strategy(mut self, strategy: PsStrategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// The device for a node that so far has the one it says; `loads` is what each ps task got before.
    fn device(&self, node: &Node, loads: &Mutex<Loads>) -> String {
        let Ok(own) = node.device.parse::<DeviceName>() else { return node.device.clone() };
        if !self.merge_devices && !own.is_empty() {
            return node.device.clone();
        }
        let parse = |text: &str| text.parse::<DeviceName>().unwrap_or_default();
        if self.ps_ops.contains(&node.op) && !self.ps_device.is_empty() {
            let mut ps = parse(&self.ps_device);
            if ps.job.is_some() && (own.job.is_none() || own.job == ps.job) {
                ps.task = Some(match &self.strategy {
                    PsStrategy::RoundRobin => loads.lock().next(),
                    PsStrategy::GreedyBySize => loads.lock().lightest(byte_size(node)),
                    PsStrategy::Function(choose) => choose(node),
                });
            }
            return ps.overlaid(own).to_string();
        }
        parse(&self.worker_device).overlaid(own).to_string()
    }
}

impl From<ReplicaDeviceSetter> for DeviceScope {
    fn from(setter: ReplicaDeviceSetter) -> DeviceScope {
        if setter.ps_tasks == 0 {
            return DeviceScope::Name(String::new());
        }
        let loads = Mutex::new(Loads { bytes: vec![0; setter.ps_tasks as usize], turn: 0 });
        DeviceScope::Function(Arc::new(move |node: &Node| setter.device(node, &loads)))
    }
}

/// What each ps task got so far.
struct Loads {
    bytes: Vec<u64>,
    turn: usize,
}

impl Loads {
    fn next(&mut self) -> u32 {
        let task = self.turn;
        self.turn = (task + 1) % self.bytes.len();
        task as u32
    }

    fn lightest(&mut self, bytes: u64) -> u32 {
        let (task, load) = match self.bytes.iter_mut().enumerate().min_by_key(|(_, load)| **load) {
            Some(lightest) => lightest,
            None => return 0,
        };
        *load = load.saturating_add(bytes);
        task as u32
    }
}

/// The bytes of a variable, as far as its node tells.
fn byte_size(node: &Node) -> u64 {
    let elements = node.attr_shape("shape").ok().and_then(|shape| shape.num_elements()).unwrap_or(1).max(0) as u64;
    elements.saturating_mul(node.attr_type("dtype").map_or(1, |dtype| dtype.size().max(1)) as u64)
}
