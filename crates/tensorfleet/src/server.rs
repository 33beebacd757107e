//! The server of a task, with all ops.

use std::ops::Deref;

use cluster::ServerOptions;
use runtime::ClusterSpec;
use tensor::Result;

/// A running server: one task of a cluster. It dereferences to [`cluster::Server`], which has the methods. Dropping it stops
/// it.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let c = g.constant("Hello, distributed TensorFlow!");
/// let server = Server::create_local_server()?;
/// let sess = RemoteSession::new(server.target(), &g, RemoteOptions::default())?;
/// assert_eq!(sess.fetch(RunRequest::new().fetch(&c))?[0], Tensor::from("Hello, distributed TensorFlow!"));
/// # Ok(())
/// # }
/// ```
pub struct Server(cluster::Server);

impl Server {
    /// Starts the server of a task of a cluster.
    ///
    /// # Errors
    /// As [`cluster::Server::new`].
    pub fn new(cluster: &ClusterSpec, job_name: &str, task_index: u32) -> Result<Server> {
        Server::with_options(cluster, job_name, task_index, ServerOptions::default())
    }

    /// As [`new`](Server::new), with options.
    ///
    /// # Errors
    /// As [`cluster::Server::new`].
    pub fn with_options(
        cluster: &ClusterSpec,
        job_name: &str,
        task_index: u32,
        options: ServerOptions,
    ) -> Result<Server> {
        Ok(Server(cluster::Server::new(cluster, job_name, task_index, ops::registry(), options)?))
    }

    /// A single-process cluster on a free port of this machine.
    ///
    /// # Errors
    /// As [`cluster::Server::new`].
    pub fn create_local_server() -> Result<Server> {
        Ok(Server(cluster::Server::local(ops::registry())?))
    }
}

impl Deref for Server {
    type Target = cluster::Server;

    fn deref(&self) -> &cluster::Server {
        &self.0
    }
}
