//! A whole cluster in one process, on free ports of this machine.

use std::net::TcpListener;
use std::sync::Arc;

use graph::op::Registry;
use runtime::ClusterSpec;
use tensor::{Code, Result, err};

use crate::peer::Transport;
use crate::server::{Server, ServerOptions};

/// Servers for all tasks of a cluster. Dropping it stops them.
///
/// ```
/// use tensorfleet_cluster::LocalCluster;
/// # fn main() -> tensor::Result<()> {
/// let registry = ops::registry();
/// let mut cluster = LocalCluster::start(&[("ps", 1), ("worker", 2)], &registry)?;
/// assert!(cluster.target("worker", 1)?.starts_with("grpc://"));
/// cluster.stop("ps", 0);
/// assert!(cluster.target("ps", 0).is_err());
/// cluster.restart("ps", 0, &registry)?;
/// assert_eq!(cluster.sessions("ps", 0), 0);
/// # Ok(())
/// # }
/// ```
pub struct LocalCluster {
    spec: ClusterSpec,
    options: ServerOptions,
    servers: Vec<((String, u32), Server)>,
}

impl LocalCluster {
    /// Starts so many tasks of each job.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = LocalCluster::start(&[("worker", 2)], Graph::new().registry())?;
    /// assert_eq!(cluster.spec().num_tasks("worker"), 2);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `Unavailable` if no free ports can be had.
    pub fn start(jobs: &[(&str, u32)], registry: &Arc<Registry>) -> Result<LocalCluster> {
        LocalCluster::start_with(jobs, registry, ServerOptions::default())
    }

    /// As [`start`](LocalCluster::start), with the same options for all servers.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::cluster::{ServerOptions, Transport};
    /// let options = ServerOptions { transport: Transport::Grpc, ..Default::default() };
    /// let cluster = LocalCluster::start_with(&[("worker", 1)], Graph::new().registry(), options)?;
    /// assert_eq!(cluster.transport(), Transport::Grpc);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`start`](LocalCluster::start).
    pub fn start_with(jobs: &[(&str, u32)], registry: &Arc<Registry>, options: ServerOptions) -> Result<LocalCluster> {
        // A port that was free a moment ago may be taken by someone else, so a few tries are made.
        let mut last = err!(Unavailable, "no free ports");
        for _ in 0..10 {
            match LocalCluster::try_start(jobs, registry, &options) {
                Err(status) if status.code() == Code::Unavailable => last = status,
                outcome => return outcome,
            }
        }
        Err(last)
    }

    fn try_start(jobs: &[(&str, u32)], registry: &Arc<Registry>, options: &ServerOptions) -> Result<LocalCluster> {
        let mut held = Vec::new();
        let mut spec = ClusterSpec::default();
        for (job, tasks) in jobs {
            for task in 0..*tasks {
                let listener = TcpListener::bind("127.0.0.1:0")?;
                spec.add(job, task, format!("127.0.0.1:{}", listener.local_addr()?.port()))?;
                held.push(listener);
            }
        }
        drop(held);
        let mut servers = Vec::new();
        for (job, task) in spec.tasks() {
            let server = Server::start(&spec, job, task, registry.clone(), options.clone())?;
            servers.push(((job.to_owned(), task), server));
        }
        Ok(LocalCluster { spec, options: options.clone(), servers })
    }

    /// Returns the description of the cluster.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = LocalCluster::new(&[("ps", 1), ("worker", 2)])?;
    /// assert_eq!((cluster.spec().num_tasks("ps"), cluster.spec().num_tasks("worker")), (1, 2));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn spec(&self) -> &ClusterSpec {
        &self.spec
    }

    /// Returns how its tasks reach each other.
    pub fn transport(&self) -> Transport {
        self.options.transport
    }

    /// Returns what sessions on a task connect to.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = LocalCluster::new(&[("worker", 1)])?;
    /// assert!(cluster.target("worker", 0)?.starts_with("grpc://"));
    /// assert_eq!(cluster.target("worker", 1).unwrap_err().code(), Code::InvalidArgument);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such task.
    pub fn target(&self, job: &str, task: u32) -> Result<&str> {
        let found = self.servers.iter().find(|((name, number), _)| name == job && *number == task);
        found
            .map(|(_, server)| server.target())
            .ok_or_else(|| err!(InvalidArgument, "there is no running /job:{job}/task:{task}"))
    }

    /// Returns how many sessions a task knows: its own master's and those of others.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = LocalCluster::new(&[("worker", 1)])?;
    /// let session = RemoteSession::new(cluster.target("worker", 0)?, &Graph::new())?;
    /// assert!(cluster.sessions("worker", 0) > 0);
    /// # drop(session);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn sessions(&self, job: &str, task: u32) -> usize {
        let found = self.servers.iter().find(|((name, number), _)| name == job && *number == task);
        found.map_or(0, |(_, server)| server.sessions())
    }

    /// Stops one task, as if its process had ended.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let mut cluster = LocalCluster::new(&[("ps", 1), ("worker", 1)])?;
    /// let g = Graph::new();
    /// let there = g.with_device("/job:ps/task:0", |g| Variable::new("w", g.constant(1f32)));
    /// let session = RemoteSession::new(cluster.target("worker", 0)?, &g)?;
    /// session.eval(there.initializer())?;
    /// cluster.stop("ps", 0);
    /// assert_eq!(session.eval::<f32, _>(&there).unwrap_err().code(), Code::Unavailable);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn stop(&mut self, job: &str, task: u32) {
        self.servers.retain(|((name, number), _)| !(name == job && *number == task));
    }

    /// Starts a stopped task again, at its old address.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let mut cluster = LocalCluster::new(&[("worker", 1)])?;
    /// cluster.stop("worker", 0);
    /// cluster.restart("worker", 0, Graph::new().registry())?;
    /// assert!(RemoteSession::new(cluster.target("worker", 0)?, &Graph::new()).is_ok());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `Unavailable` if the address is taken meanwhile.
    pub fn restart(&mut self, job: &str, task: u32, registry: &Arc<Registry>) -> Result<()> {
        self.stop(job, task);
        let server = Server::start(&self.spec, job, task, registry.clone(), self.options.clone())?;
        self.servers.push(((job.to_owned(), task), server));
        Ok(())
    }
}
