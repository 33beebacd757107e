//! A session on a server: graph and steps go there, values come back.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use graph::{Graph, GraphData, graph_to_proto, node_to_proto};
use parking_lot::Mutex;
use runtime::{Improvements, RunRequest, RunResult, Session};
use tensor::{Result, ensure};

use crate::call::messages::improvements_to_proto;
use crate::call::{GraphVersion, NewSession, SessionHandle, StepOptions, StepRequest};
use crate::peer::{MasterPeer, Transport};
use crate::trust::Security;

/// How a session on a server shall be opened.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet_cluster::RemoteOptions;
///
/// let options = RemoteOptions {
///     device_filters: vec!["/job:ps".to_owned(), "/job:worker/task:0".to_owned()],
///     operation_timeout: Some(Duration::from_secs(60)),
///     ..Default::default()
/// };
/// assert!(!options.soft_placement);
/// ```
#[derive(Clone, Debug, Default)]
pub struct RemoteOptions {
    /// Where a kind of device does not exist, take one that does.
    pub soft_placement: bool,
    /// Log where each node is placed.
    pub log_placement: bool,
    /// Only tasks that match one of these (and the server itself) take part; empty means all.
    pub device_filters: Vec<String>,
    /// Share no variables or queues with other sessions.
    pub isolate: bool,
    /// The timeout of calls that have none of their own.
    pub operation_timeout: Option<Duration>,
    /// How the server improves graphs before it runs them.
    pub improvements: Improvements,
    /// How the server is reached.
    pub transport: Transport,
    /// How this client proves who it is; by default as the environment says.
    pub security: Security,
}

/// How long closing a session may take.
const CLOSE: Duration = Duration::from_secs(10);

/// A session on the master at `grpc://host:port`. It may be used from many threads, also inside a tokio runtime. Dropping
/// it closes it.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet_cluster::{RemoteSession, Server};
/// # fn main() -> tensorfleet::Result<()> {
/// let server = Server::local(ops::registry())?;
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None]);
/// let doubled = &x + &x;
/// let session = RemoteSession::new(server.target(), &g)?;
/// let request = RunRequest::new().feed(&x, [1f32, 2.0]).fetch(&doubled);
/// assert_eq!(session.fetch(request)?[0], Tensor::from([2f32, 4.0]));
/// session.close()?;
/// # Ok(())
/// # }
/// ```
pub struct RemoteSession {
    master: MasterPeer,
    handle: SessionHandle,
    source: Option<Graph>,
    known: Mutex<KnownGraph>,
    timeout: Option<Duration>,
    closed: AtomicBool,
}

/// What the server knows of the graph.
struct KnownGraph {
    nodes: usize,
    version: GraphVersion,
}

impl RemoteSession {
    /// Opens a session on a graph; nodes added later are taken along.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(3f32));
    /// let session = RemoteSession::new(server.target(), &g)?;
    /// session.eval(w.initializer())?;
    /// // Sessions on one server share its variables.
    /// assert_eq!(RemoteSession::new(server.target(), &g)?.eval::<f32, _>(&w)?, 3.0);
    /// assert_eq!(RemoteSession::new("no target", &g).err().unwrap().code(), Code::InvalidArgument);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed target or a graph that cannot be placed; `Unavailable` if the server is out of
    /// reach; the graph's first mistake.
    pub fn new(target: &str, graph: &Graph) -> Result<RemoteSession> {
        RemoteSession::with_options(target, graph, RemoteOptions::default())
    }

    /// As [`new`](RemoteSession::new), with options.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(3f32));
    /// let options = RemoteOptions { isolate: true, ..Default::default() };
    /// let session = RemoteSession::with_options(server.target(), &g, options)?;
    /// session.eval(w.initializer())?;
    /// assert!(RemoteSession::new(server.target(), &g)?.eval::<f32, _>(&w).is_err()); // its variables are its own
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](RemoteSession::new).
    pub fn with_options(target: &str, graph: &Graph, options: RemoteOptions) -> Result<RemoteSession> {
        let mut session = RemoteSession::from_data(target, &graph.snapshot()?, options)?;
        session.source = Some(graph.clone());
        Ok(session)
    }

    /// Opens a session on a finished graph.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// let g = Graph::new();
    /// g.constant(7f32);
    /// let session = RemoteSession::from_data(server.target(), &g.snapshot()?, RemoteOptions::default())?;
    /// assert_eq!(session.eval::<f32, _>("Const:0")?, 7.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](RemoteSession::new).
    pub fn from_data(target: &str, graph: &GraphData, options: RemoteOptions) -> Result<RemoteSession> {
        let config = wire::ConfigProto {
            allow_soft_placement: options.soft_placement,
            log_device_placement: options.log_placement,
            device_filters: options.device_filters,
            isolate_session_state: options.isolate,
            graph_options: improvements_to_proto(&options.improvements),
            operation_timeout_in_ms: options.operation_timeout.map_or(0, |timeout| timeout.as_millis() as i64),
            ..Default::default()
        };
        let new = NewSession { graph: graph_to_proto(graph)?, config };
        let master = MasterPeer::new(target, options.transport, &options.security)?;
        let (handle, version) = master.create_session(target, new, options.operation_timeout)?;
        Ok(RemoteSession {
            master,
            handle,
            source: None,
            known: Mutex::new(KnownGraph { nodes: graph.len(), version }),
            timeout: options.operation_timeout,
            closed: AtomicBool::new(false),
        })
    }

    /// Closes all sessions of a server and empties these containers (the default ones, if none is named) on all tasks.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(3f32));
    /// let session = RemoteSession::new(server.target(), &g)?;
    /// session.eval(w.initializer())?;
    /// RemoteSession::reset(server.target(), &[])?;
    /// assert!(RemoteSession::new(server.target(), &g)?.eval::<f32, _>(&w).is_err()); // it has no value any more
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed target; `Unavailable` if the server is out of reach.
    pub fn reset(target: &str, containers: &[String]) -> Result<()> {
        RemoteSession::reset_with(target, containers, &Security::default())
    }

    /// As [`reset`](RemoteSession::reset), with other keys than those of the environment. Where tasks have certificates, this
    /// takes an operator's: a client may only name containers, which are emptied, and closes no session.
    ///
    /// # Errors
    /// `PermissionDenied` if the certificate is not an operator's; `Unavailable` if the server is out of reach.
    pub fn reset_with(target: &str, containers: &[String], security: &Security) -> Result<()> {
        MasterPeer::new(target, Transport::Grpc, security)?.reset(containers)
    }

    /// Returns the names of the devices that a server knows, of all tasks of its cluster.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// let devices = RemoteSession::devices(server.target())?;
    /// assert_eq!(devices, ["/job:local/replica:0/task:0/device:CPU:0"]);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed target; `Unavailable` if the server or a task is out of reach.
    pub fn devices(target: &str) -> Result<Vec<String>> {
        MasterPeer::new(target, Transport::Grpc, &Security::default())?.devices()
    }

    /// Hangs up without closing the session, as a process that dies does. The server forgets it in time.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// let session = RemoteSession::new(server.target(), &Graph::new())?;
    /// session.leave();
    /// # Ok::<(), Status>(())
    /// ```
    pub fn leave(mut self) {
        self.closed = AtomicBool::new(true);
    }

    fn follow_source(&self) -> Result<()> {
        let Some(source) = &self.source else { return Ok(()) };
        source.check()?;
        // The graph is looked at by the thread whose turn it is, so that nobody comes with an older version after a newer one.
        let mut known = self.known.lock();
        if source.num_nodes() <= known.nodes {
            return Ok(());
        }
        self.send_grown(&mut known, source.snapshot()?)
    }

    fn send_grown(&self, known: &mut KnownGraph, graph: GraphData) -> Result<()> {
        ensure!(
            graph.len() >= known.nodes,
            InvalidArgument,
            "the extended graph has {} nodes, fewer than the {} before",
            graph.len(),
            known.nodes
        );
        let mut delta = graph_to_proto(&graph.emptied())?;
        for node in &graph.nodes()[known.nodes..] {
            delta.node.push(node_to_proto(&graph, node)?);
        }
        let version = self.master.extend_session(&self.handle, delta, known.version, self.timeout)?;
        *known = KnownGraph { nodes: graph.len(), version };
        Ok(())
    }
}

impl Session for RemoteSession {
    fn run(&self, request: RunRequest) -> Result<RunResult> {
        request.check()?;
        self.follow_source()?;
        let options = request.options;
        let (fetches, places) = without_repeats(request.fetches);
        let step = StepRequest {
            feeds: request.feeds,
            fetches,
            targets: request.targets,
            options: StepOptions { trace: options.trace, timeout: options.timeout, ..Default::default() },
        };
        let answer = self.master.run_step(&self.handle, step, self.timeout, options.cancellation.as_ref())?;
        let tensors = match places {
            None => answer.tensors,
            Some(places) => places.iter().filter_map(|place| answer.tensors.get(*place).cloned()).collect(),
        };
        Ok(RunResult { tensors, stats: answer.stats.filter(|_| options.trace) })
    }

    fn extend(&self, graph: GraphData) -> Result<()> {
        self.send_grown(&mut self.known.lock(), graph)
    }

    fn close(&self) -> Result<()> {
        self.closed.store(true, Ordering::Relaxed);
        self.master.close_session(&self.handle, Some(CLOSE))
    }
}

impl Drop for RemoteSession {
    /// Closes the session, without waiting for it.
    fn drop(&mut self) {
        if !self.closed.load(Ordering::Relaxed) {
            self.master.close_session_later(&self.handle);
        }
    }
}

/// Masters refuse a step in which a tensor is named twice. Returns each name once and, if one came more often, where among
/// these each of the given names is.
fn without_repeats(names: Vec<String>) -> (Vec<String>, Option<Vec<usize>>) {
    let mut seen = HashMap::with_capacity(names.len());
    let places: Vec<usize> = names
        .iter()
        .map(|name| {
            let next = seen.len();
            *seen.entry(name.as_str()).or_insert(next)
        })
        .collect();
    if seen.len() == names.len() {
        return (names, None);
    }
    let mut once = vec![String::new(); seen.len()];
    for (name, place) in seen {
        once[place] = name.to_owned();
    }
    (once, Some(places))
}
