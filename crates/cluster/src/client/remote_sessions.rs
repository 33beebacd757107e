//! Where sessions are opened on a server, for supervisors and monitored sessions.

use std::sync::Arc;

use graph::Graph;
use runtime::{Session, SessionFactory};
use tensor::Result;

use super::{RemoteOptions, RemoteSession};

/// Opens sessions on the server at a target, all with the same options.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet_cluster::{RemoteSessions, Server};
/// # fn main() -> tensorfleet::Result<()> {
/// let server = Server::local(ops::registry())?;
/// let g = Graph::new();
/// let answer = g.constant(42i64);
/// let sessions = RemoteSessions::new(server.target()).soft_placement(true);
/// assert_eq!(sessions.open(&g)?.fetch(RunRequest::new().fetch(&answer))?[0], Tensor::from(42i64));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct RemoteSessions {
    target: String,
    options: RemoteOptions,
}

impl RemoteSessions {
    /// Returns where sessions at a target are opened, such as `grpc://host:2222`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(3f32));
    /// let mut session = MonitoredTrainingSession::new(&g, RemoteSessions::new(server.target())).open()?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 3.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn new(target: &str) -> RemoteSessions {
        RemoteSessions { target: target.to_owned(), options: RemoteOptions::default() }
    }

    /// Opens sessions with these options.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// let options = RemoteOptions { isolate: true, ..Default::default() };
    /// assert!(RemoteSessions::new(server.target()).options(options).open(&Graph::new()).is_ok());
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn options(mut self, options: RemoteOptions) -> RemoteSessions {
        self.options = options;
        self
    }

    /// Where a kind of device does not exist, take one that does.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// let g = Graph::new();
    /// let there = g.with_device("/gpu:0", |g| g.constant(1f32)); // there is none
    /// let sessions = RemoteSessions::new(server.target()).soft_placement(true);
    /// assert_eq!(sessions.open(&g)?.eval::<f32, _>(&there)?, 1.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn soft_placement(mut self, allow: bool) -> RemoteSessions {
        self.options.soft_placement = allow;
        self
    }

    /// Only tasks that match one of these, and the server itself, take part.
    ///
    /// A worker whose session needs the parameter servers and no other worker:
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = LocalCluster::new(&[("ps", 1), ("worker", 2)])?;
    /// let filters = ["/job:ps", "/job:worker/task:0"];
    /// let sessions = RemoteSessions::new(cluster.target("worker", 0)?).device_filters(filters);
    /// assert!(sessions.open(&Graph::new()).is_ok());
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn device_filters<S: Into<String>>(mut self, filters: impl IntoIterator<Item = S>) -> RemoteSessions {
        self.options.device_filters = filters.into_iter().map(Into::into).collect();
        self
    }
}

impl SessionFactory for RemoteSessions {
    fn open(&self, graph: &Graph) -> Result<Arc<dyn Session>> {
        Ok(Arc::new(RemoteSession::with_options(&self.target, graph, self.options.clone())?))
    }
}
