//! The other tasks of a cluster, as one of them knows them.

use std::collections::HashMap;
use std::sync::Arc;

use graph::DeviceName;
use runtime::ClusterSpec;
use tensor::{Result, err};

use super::WorkerPeer;
use super::allowed::Allowed;
use super::remote::{Remote, device_description};
use crate::call::{TaskName, task_of};
use crate::trust::Keys;

/// All tasks but the own one, by name.
pub(crate) struct Peers {
    cluster: ClusterSpec,
    own: TaskName,
    others: HashMap<TaskName, Arc<Remote>>,
    /// Whether a client described this cluster for its session, instead of those who started the servers.
    by_client: bool,
    transport: Transport,
    /// What others are shown.
    keys: Arc<Keys>,
    /// Where clients may send this task besides.
    allowed: Allowed,
}

/// How tensorfleet's processes reach each other.
///
/// ```
/// use runtime::ClusterSpec;
/// use tensorfleet_cluster::{Server, ServerOptions, Transport};
/// # fn main() -> tensor::Result<()> {
/// let cluster = ClusterSpec::new([("worker", vec!["localhost:0"])])?;
/// let options = ServerOptions { transport: Transport::Grpc, ..Default::default() };
/// let server = Server::start(&cluster, "worker", 0, ops::registry(), options)?;
/// assert!(server.target().starts_with("grpc://localhost:"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// Over framed connections of our own with our tasks, over gRPC with TensorFlow's; a client calls a server of its own
    /// process directly.
    #[default]
    Auto,
    /// As `Auto`, but a client connects also to a server of its own process, instead of calling it directly.
    Links,
    /// As `Links`, but over the network also between processes of one machine, which otherwise use a Unix socket, and memory
    /// for large tensors.
    Tcp,
    /// Over gRPC with everyone: through proxies that know nothing else, or for comparison.
    Grpc,
}

impl Transport {
    /// Returns whether processes of one machine do without the network.
    pub(crate) fn uses_same_host(self) -> bool {
        matches!(self, Transport::Auto | Transport::Links)
    }
}

impl Peers {
    /// The cluster as those who started its servers describe it. Must be made inside the runtime whose threads shall serve
    /// the connections.
    ///
    /// # Errors
    /// `InvalidArgument` if an address is malformed.
    pub fn new(cluster: &ClusterSpec, job: &str, task: u32, transport: Transport, keys: &Arc<Keys>) -> Result<Peers> {
        let own = TaskName::new(job, task);
        let mut others = HashMap::new();
        for (job, task) in cluster.tasks() {
            let name = TaskName::new(job, task);
            if name != own {
                let remote = Remote::new(Some(&own), name.as_str(), cluster.address(job, task)?, transport, keys)?;
                others.insert(name, Arc::new(remote));
            }
        }
        let allowed = Allowed::default();
        Ok(Peers { cluster: cluster.clone(), own, others, by_client: false, transport, keys: keys.clone(), allowed })
    }

    /// The same cluster, whose clients may describe clusters with addresses of these patterns besides its own.
    pub fn allowing(self, patterns: &[String]) -> Peers {
        Peers { allowed: Allowed::new(patterns), ..self }
    }

    /// The cluster of one session, as its client describes it. Tasks go by other names there than they were started with,
    /// and are reached over gRPC.
    ///
    /// # Errors
    /// `InvalidArgument` if an address is malformed; `PermissionDenied` if it is one that clients may not send this task to.
    pub fn by_client(&self, cluster: &ClusterSpec, job: &str, task: u32) -> Result<Peers> {
        self.allowed.check(&self.cluster, cluster, (job, task))?;
        Ok(Peers { by_client: true, ..Peers::new(cluster, job, task, Transport::Grpc, &self.keys)? })
    }

    /// Returns the cluster.
    pub fn cluster(&self) -> &ClusterSpec {
        &self.cluster
    }

    /// Returns the cluster, if a client described it.
    pub fn described_by_client(&self) -> Option<&ClusterSpec> {
        self.by_client.then_some(&self.cluster)
    }

    /// Returns whether a worker exchanges tensors over links.
    pub fn is_linked(&self, worker: &WorkerPeer) -> bool {
        match worker {
            WorkerPeer::Own(_) => self.transport != Transport::Grpc,
            WorkerPeer::Other(remote) => remote.is_linked(),
        }
    }

    /// Returns how this task describes its devices.
    pub fn device_description(&self) -> &'static str {
        device_description(self.transport)
    }

    /// Returns the second since 1970 until which the certificate of this task holds; `None` without TLS.
    pub fn tls_until(&self) -> Option<i64> {
        self.keys.tls_until()
    }

    /// Returns all tasks but the own one.
    pub fn all(&self) -> impl Iterator<Item = (&TaskName, &Arc<Remote>)> {
        self.others.iter()
    }

    /// Returns the name of this task.
    pub fn own(&self) -> &TaskName {
        &self.own
    }

    /// Returns the names of the other tasks.
    pub fn names(&self) -> impl Iterator<Item = &TaskName> {
        self.others.keys()
    }

    /// Returns another task.
    ///
    /// # Errors
    /// `InvalidArgument` if the cluster has no such task.
    pub fn get(&self, task: &TaskName) -> Result<&Arc<Remote>> {
        self.of_device(task.as_str())
    }

    /// Returns the task of a device, by the device's full name.
    ///
    /// # Errors
    /// `InvalidArgument` if the cluster has no such task.
    pub fn of_device(&self, device: &str) -> Result<&Arc<Remote>> {
        let task = task_of(device);
        let found = self.others.get(task);
        found.ok_or_else(|| err!(InvalidArgument, "there is no task {task} in the cluster of {}", self.own))
    }
}

/// Returns the tasks that a device constraint can mean, of those that exist; the first one is where a node would go.
pub(crate) fn tasks_of<'a>(constraint: &DeviceName, all: impl Iterator<Item = &'a TaskName>) -> Vec<&'a TaskName> {
    let wanted = constraint.task_name();
    let mut tasks: Vec<(DeviceName, &TaskName)> =
        all.filter_map(|name| Some((name.parse().ok()?, name))).filter(|(name, _)| wanted.matches(name)).collect();
    tasks.sort();
    tasks.into_iter().map(|(_, name)| name).collect()
}

/// Describes a device of this task as TensorFlow's messages do.
pub(crate) fn device_attributes(device: &runtime::Device, peers: &Peers) -> wire::DeviceAttributes {
    wire::DeviceAttributes {
        name: device.full_name.clone(),
        device_type: device.name.kind.clone().unwrap_or_default(),
        memory_limit: device.memory_limit,
        incarnation: device.incarnation,
        locality: Some(wire::DeviceLocality::default()),
        physical_device_desc: peers.device_description().to_owned(),
        xla_global_id: -1,
    }
}
