//! Constructors of graphs, servers and clusters with all ops, as traits: the crates below know no ops.

use cluster::{LocalCluster, ServerOptions};
use graph::Graph;
use runtime::ClusterSpec;
use tensor::Result;

/// `Graph::new()`, in the prelude.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// assert!(g.registry().get("MatMul").is_some());
/// ```
pub trait NewGraph {
    /// Returns an empty graph that can have nodes of all ops.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sum = g.constant(1f32) + 2.0;
    /// assert_eq!(sum.name().unwrap().to_string(), "add:0");
    /// ```
    fn new() -> Self;
}

impl NewGraph for Graph {
    fn new() -> Graph {
        Graph::with_registry(ops::registry())
    }
}

/// `Server::new(..)` and its kin, in the prelude.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let c = g.constant("Hello, distributed TensorFlow!");
/// let server = Server::create_local_server()?;
/// let sess = RemoteSession::new(server.target(), &g)?;
/// assert_eq!(sess.fetch(RunRequest::new().fetch(&c))?[0], Tensor::from("Hello, distributed TensorFlow!"));
/// # Ok(())
/// # }
/// ```
pub trait NewServer: Sized {
    /// Starts the server of a task of a cluster, with kernels for all ops.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = ClusterSpec::new([("worker", vec!["localhost:0"])])?;
    /// assert!(Server::new(&cluster, "ps", 0).is_err()); // there is no such task
    /// let server = Server::new(&cluster, "worker", 0)?;
    /// assert!(server.target().starts_with("grpc://localhost:"));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`cluster::Server::start`].
    fn new(cluster: &ClusterSpec, job_name: &str, task_index: u32) -> Result<Self> {
        Self::with_options(cluster, job_name, task_index, ServerOptions::default())
    }

    /// As [`new`](NewServer::new), with options.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::cluster::ServerOptions;
    /// let cluster = ClusterSpec::new([("worker", vec!["localhost:0"])])?;
    /// let options = ServerOptions { cpu_devices: 2, ..Default::default() };
    /// let server = Server::with_options(&cluster, "worker", 0, options)?;
    /// let g = Graph::new();
    /// let there = g.with_device("/cpu:1", |g| g.constant(1f32));
    /// assert_eq!(RemoteSession::new(server.target(), &g)?.eval::<f32, _>(&there)?, 1.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`cluster::Server::start`].
    fn with_options(cluster: &ClusterSpec, job_name: &str, task_index: u32, options: ServerOptions) -> Result<Self>;

    /// Starts a cluster of a single task on a free port of this machine.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// let g = Graph::new();
    /// let one = g.constant(1f32);
    /// assert_eq!(RemoteSession::new(server.target(), &g)?.eval::<f32, _>(&one)?, 1.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`cluster::Server::start`].
    fn create_local_server() -> Result<Self>;
}

impl NewServer for cluster::Server {
    fn with_options(cluster: &ClusterSpec, job_name: &str, task_index: u32, options: ServerOptions) -> Result<Self> {
        cluster::Server::start(cluster, job_name, task_index, ops::registry(), options)
    }

    fn create_local_server() -> Result<Self> {
        cluster::Server::local(ops::registry())
    }
}

/// `LocalCluster::new(..)`, in the prelude.
///
/// ```
/// use tensorfleet::prelude::*;
/// let cluster = LocalCluster::new(&[("worker", 2)])?;
/// assert!(cluster.target("worker", 1).is_ok());
/// # Ok::<(), Status>(())
/// ```
pub trait NewCluster: Sized {
    /// Starts servers for so many tasks of each job, all in this process, with kernels for all ops.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let cluster = LocalCluster::new(&[("ps", 1), ("worker", 2)])?;
    /// let g = Graph::new();
    /// let there = g.with_device("/job:ps/task:0", |g| g.constant(1f32));
    /// let sum = g.with_device("/job:worker/task:1", |_| &there + 1.0);
    /// let session = RemoteSession::new(cluster.target("worker", 0)?, &g)?;
    /// assert_eq!(session.fetch(RunRequest::new().fetch(&sum))?[0], Tensor::from(2f32));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Unavailable` if no free ports can be had.
    fn new(jobs: &[(&str, u32)]) -> Result<Self>;
}

impl NewCluster for LocalCluster {
    fn new(jobs: &[(&str, u32)]) -> Result<LocalCluster> {
        LocalCluster::start(jobs, &ops::registry())
    }
}
