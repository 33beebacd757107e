//! The other tasks of the cluster, as this one knows them.

use std::collections::HashMap;
use std::sync::Arc;

use graph::DeviceName;
use runtime::ClusterSpec;
use tensor::{Result, err};

use crate::rpc::Peer;

/// All tasks but this one, by name.
pub(crate) struct Peers {
    cluster: ClusterSpec,
    own: String,
    others: HashMap<String, Arc<Peer>>,
    /// Whether a client described this cluster for its session, instead of those who started the servers.
    by_client: bool,
    transport: Transport,
}

/// How our tasks reach each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// Over framed connections of our own with our tasks, over gRPC with TensorFlow's.
    #[default]
    Auto,
    /// As `Auto`, but a client connects also to a server of its own process, instead of calling it directly.
    Links,
    /// Over gRPC with everyone: through proxies that know nothing else, or for comparison.
    Grpc,
}

impl Peers {
    /// # Errors
    /// `InvalidArgument` if an address is malformed.
    pub fn new(cluster: &ClusterSpec, job: &str, task: u32, transport: Transport) -> Result<Peers> {
        let own = task_name(job, task);
        let mut others = HashMap::new();
        for (job, task) in cluster.tasks() {
            let name = task_name(job, task);
            if name != own {
                let peer = Peer::new(&own, name.clone(), cluster.address(job, task)?.to_owned())?;
                others.insert(name, Arc::new(peer));
            }
        }
        Ok(Peers { cluster: cluster.clone(), own, others, by_client: false, transport })
    }

    /// The cluster of one session, as its client describes it.
    ///
    /// # Errors
    /// `InvalidArgument` if an address is malformed.
    pub fn by_client(cluster: &ClusterSpec, job: &str, task: u32) -> Result<Peers> {
        Ok(Peers { by_client: true, ..Peers::new(cluster, job, task, Transport::Grpc)? })
    }

    /// The cluster, if a client described it.
    pub fn described_by_client(&self) -> Option<&ClusterSpec> {
        self.by_client.then_some(&self.cluster)
    }

    /// Whether this task has links with others of ours.
    pub fn may_link(&self) -> bool {
        self.transport != Transport::Grpc
    }

    /// Whether tensors and steps reach this task over a link. Tasks in a client's own cluster go by other names than they
    /// were started with, and are reached over gRPC.
    pub fn is_linked(&self, peer: &Peer) -> bool {
        self.may_link() && peer.is_ours()
    }

    pub fn all(&self) -> impl Iterator<Item = &Arc<Peer>> {
        self.others.values()
    }

    /// The name of this task.
    pub fn own(&self) -> &str {
        &self.own
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.others.keys().map(String::as_str)
    }

    /// # Errors
    /// `InvalidArgument` if the cluster has no such task.
    pub fn get(&self, name: &str) -> Result<&Arc<Peer>> {
        self.others
            .get(name)
            .ok_or_else(|| err!(InvalidArgument, "there is no task {name} in the cluster of {}", self.own))
    }
}

/// A task's full name, as in `/job:ps/replica:0/task:1`.
pub(crate) fn task_name(job: &str, task: u32) -> String {
    format!("/job:{job}/replica:0/task:{task}")
}

/// The task of a full device name: everything before the device itself.
pub(crate) fn task_of(device: &str) -> &str {
    device.find("/device:").map_or(device, |at| &device[..at])
}

/// The tasks that a device constraint can mean, of those that exist; the first one is where a node would go.
pub(crate) fn tasks_of<'a>(constraint: &DeviceName, all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = constraint.task_name();
    let mut tasks: Vec<(DeviceName, &str)> =
        all.filter_map(|name| Some((name.parse().ok()?, name))).filter(|(name, _)| wanted.matches(name)).collect();
    tasks.sort();
    tasks.into_iter().map(|(_, name)| name).collect()
}
