//! A task's server: master and worker service on one port.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use graph::op::Registry;
use parking_lot::{Condvar, Mutex};
use runtime::ClusterSpec;
use tensor::{Result, ensure, err};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;

use crate::connection::ServerStream;
use crate::in_process;
use crate::link::{self, PREFACE};
use crate::master::Master;
use crate::peers::{Peers, Transport};
use crate::rpc::{MasterService, WorkerService};
use crate::worker::Worker;

#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// How many CPU devices the task has.
    pub cpu_devices: u32,
    /// The address to listen on, instead of the task's own.
    pub bind: Option<String>,
    /// How long the other tasks of a session may take to come up.
    pub start_up: Duration,
    /// How long a session outlives the last connection of its client.
    pub session_lease: Duration,
    /// Stop by itself when all sessions that used this task have been closed.
    pub stop_when_done: bool,
    pub transport: Transport,
}

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions {
            cpu_devices: 1,
            bind: None,
            // For clusters that are started by hand.
            start_up: Duration::from_secs(300),
            session_lease: Duration::from_secs(3600),
            stop_when_done: false,
            transport: Transport::Auto,
        }
    }
}

/// A running server. Dropping it stops it.
pub struct Server {
    target: String,
    stop: watch::Sender<bool>,
    ended: Arc<(Mutex<bool>, Condvar)>,
    runtime: Option<tokio::runtime::Runtime>,
    worker: Arc<Worker>,
}

impl Server {
    /// Starts the server of a task of a cluster.
    ///
    /// # Errors
    /// `InvalidArgument` if the task is not in the cluster, or its address cannot be resolved or cannot be reached by the
    /// other hosts; `Unavailable` if the address is taken or not of this machine.
    pub fn new(
        cluster: &ClusterSpec,
        job: &str,
        task: u32,
        registry: Arc<Registry>,
        options: ServerOptions,
    ) -> Result<Server> {
        let address = cluster.address(job, task)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("network")
            .enable_all()
            .build()
            .map_err(|error| err!(ResourceExhausted, "cannot start network threads: {error}"))?;
        if options.bind.is_none() {
            check_reachable(cluster, address)
                .map_err(|status| status.context(format_args!("/job:{job}/task:{task}")))?;
        }
        let bind = options.bind.as_deref().unwrap_or(address);
        let listeners =
            runtime.block_on(listen(bind)).map_err(|status| status.context(format_args!("/job:{job}/task:{task}")))?;
        let port =
            listeners.first().and_then(|listener| listener.local_addr().ok()).map_or(0, |address| address.port());
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        // Connections to other tasks belong to the network threads.
        let inside = runtime.enter();
        let peers = Arc::new(Peers::new(cluster, job, task, options.transport)?);
        let worker =
            Arc::new(Worker::new(peers.clone(), job, task, options.cpu_devices, registry, runtime.handle().clone()));
        for peer in peers.all() {
            let worker = Arc::downgrade(&worker);
            peer.link().on_lost(move |task, status| {
                if let Some(worker) = worker.upgrade() {
                    worker.peer_lost(task, status);
                }
            });
        }
        let master = Arc::new(Master::new(worker.clone(), peers, options.start_up));
        drop(inside);
        let (stop, stopped) = watch::channel(false);
        let ended: Arc<(Mutex<bool>, Condvar)> = Arc::default();
        runtime.spawn(keep_house(master.clone(), worker.clone(), options, stop.clone()));
        let target = format!("grpc://{host}:{port}");
        in_process::add(&target, &master);
        runtime.spawn(serve(listeners, master, worker.clone(), stopped, ended.clone()));
        tracing::info!(job, task, %target, "server started");
        Ok(Server { target, stop, ended, runtime: Some(runtime), worker })
    }

    /// A single-process cluster on a free port of this machine.
    ///
    /// # Errors
    /// As [`Server::new`].
    pub fn local(registry: Arc<Registry>) -> Result<Server> {
        Server::new(
            &ClusterSpec::new([("local", vec!["localhost:0"])])?,
            "local",
            0,
            registry,
            ServerOptions::default(),
        )
    }

    /// What sessions connect to, as in `grpc://localhost:2222`.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// How many sessions use this task: of its own master, and of others.
    pub fn sessions(&self) -> usize {
        self.worker.session_count()
    }

    /// Waits until the server has stopped.
    pub fn join(&self) {
        let (ended, changed) = &*self.ended;
        let mut ended = ended.lock();
        while !*ended {
            changed.wait(&mut ended);
        }
    }

    /// Stops serving and frees the port.
    pub fn stop(&self) {
        self.stop.send_replace(true);
        self.join();
    }

    /// Lets another thread, such as a signal handler, stop the server.
    pub fn stopper(&self) -> impl Fn() + Send + Sync + 'static {
        let stop = self.stop.clone();
        move || {
            stop.send_replace(true);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
        in_process::remove(&self.target);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// An own name that means only this machine is of no use to tasks on others.
fn check_reachable(cluster: &ClusterSpec, own: &str) -> Result<()> {
    let host_of = |address: &str| address.rsplit_once(':').map_or(address, |(host, _)| host).to_owned();
    let loopback = |address: &str| {
        let mut resolved = address.to_socket_addrs().into_iter().flatten().peekable();
        resolved.peek().is_some() && resolved.all(|address| address.ip().is_loopback())
    };
    let says_loopback = |host: &str| {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    };
    let others: Vec<String> =
        cluster.tasks().filter_map(|(job, task)| Some(host_of(cluster.address(job, task).ok()?))).collect();
    let elsewhere = others.iter().find(|host| **host != host_of(own) && !says_loopback(host));
    if let Some(elsewhere) = elsewhere {
        ensure!(
            !loopback(own),
            InvalidArgument,
            "{own} is an address of this machine alone, but the cluster has tasks on other hosts, such as {elsewhere}, which could not reach it: give a name that they can, or say with --bind what to listen on"
        );
    }
    Ok(())
}

/// Listens on an address; on `localhost`, on both of its addresses, as far as the machine has them.
async fn listen(address: &str) -> Result<Vec<TcpListener>> {
    let resolved: Vec<SocketAddr> = address
        .to_socket_addrs()
        .map_err(|error| err!(InvalidArgument, "the address {address} cannot be resolved: {error}"))?
        .collect();
    ensure!(!resolved.is_empty(), InvalidArgument, "the address {address} resolves to nothing");
    let all = address.starts_with("localhost:");
    let mut listeners: Vec<TcpListener> = Vec::new();
    let mut port = None;
    let mut ordered = resolved;
    ordered.sort_by_key(SocketAddr::is_ipv6);
    for mut candidate in ordered {
        candidate.set_port(port.unwrap_or(candidate.port()));
        match TcpListener::bind(candidate).await {
            Ok(listener) => {
                port = listener.local_addr().ok().map(|address| address.port());
                listeners.push(listener);
            }
            // A machine without IPv6 still serves localhost.
            Err(_) if !listeners.is_empty() && candidate.is_ipv6() => {}
            Err(error) => return Err(cannot_listen(address, candidate, &error)),
        }
        if !all {
            break;
        }
    }
    Ok(listeners)
}

fn cannot_listen(address: &str, candidate: SocketAddr, error: &std::io::Error) -> tensor::Status {
    let hint = match error.kind() {
        std::io::ErrorKind::AddrInUse => "the port is taken by another process",
        std::io::ErrorKind::AddrNotAvailable => "it is not an address of this machine",
        std::io::ErrorKind::PermissionDenied => "ports below 1024 need privileges",
        _ => "the system refused",
    };
    err!(Unavailable, "cannot listen on {address} ({candidate}): {hint} ({error})")
}

/// Collects abandoned sessions; stops the server when its job is done, if that is wanted.
async fn keep_house(master: Arc<Master>, worker: Arc<Worker>, options: ServerOptions, stop: watch::Sender<bool>) {
    let every = (options.session_lease / 4).clamp(Duration::from_millis(50), Duration::from_secs(5));
    let (mut unused_rounds, mut told) = (0, (0, 0));
    loop {
        tokio::time::sleep(every.min(Duration::from_secs(1))).await;
        master.collect_sessions(options.session_lease).await;
        worker.collect_sessions(options.session_lease);
        let (sessions, steps) = (worker.session_count(), worker.step_count());
        if told != (sessions, steps) {
            told = (sessions, steps);
            tracing::debug!(sessions, steps, "in use");
        }
        unused_rounds = if sessions == 0 { unused_rounds + 1 } else { 0 };
        // A few quiet rounds, because clients often close one session and open the next.
        if options.stop_when_done && worker.was_used() && unused_rounds >= 5 {
            tracing::info!("all sessions have been closed: the job is done");
            stop.send_replace(true);
            return;
        }
    }
}

async fn serve(
    listeners: Vec<TcpListener>,
    master: Arc<Master>,
    worker: Arc<Worker>,
    mut stopped: watch::Receiver<bool>,
    ended: Arc<(Mutex<bool>, Condvar)>,
) {
    let (send, connections) = mpsc::channel(64);
    let mut accepting = tokio::task::JoinSet::new();
    let entrance = Entrance { master: master.clone(), worker: worker.clone(), grpc: send, stopped: stopped.clone() };
    for listener in listeners {
        accepting.spawn(entrance.clone().accept(listener));
    }
    drop(entrance);
    let routes = tonic::service::Routes::new(MasterService(master.clone())).add_service(WorkerService(worker));
    let server = tonic::transport::Server::builder()
        .initial_stream_window_size(4 << 20)
        .initial_connection_window_size(16 << 20)
        .add_routes(routes)
        .serve_with_incoming(ReceiverStream::new(connections));
    tokio::select! {
        outcome = server => {
            if let Err(error) = outcome {
                tracing::error!(%error, "the server ended");
            }
        }
        _ = stopped.wait_for(|stop| *stop) => {}
    }
    // Listeners are closed here, so that the port is free when `stop` returns.
    accepting.shutdown().await;
    master.stop();
    *ended.0.lock() = true;
    ended.1.notify_all();
}

/// Where connections come in. Those that are open when the server stops break off, so that clients get an error at once.
#[derive(Clone)]
struct Entrance {
    master: Arc<Master>,
    worker: Arc<Worker>,
    grpc: mpsc::Sender<std::io::Result<ServerStream>>,
    stopped: watch::Receiver<bool>,
}

/// How long a connection may stay silent before it has said what it speaks.
const SILENCE: Duration = Duration::from_secs(10);

impl Entrance {
    async fn accept(self, listener: TcpListener) {
        // Dropped, and thereby ended, together with this task.
        let mut connections = tokio::task::JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(self.clone().admit(stream));
                    }
                    Err(error) => {
                        // Out of descriptors, for instance: those who are connected go on, others may try again.
                        tracing::warn!(%error, "cannot accept a connection");
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                },
                Some(_) = connections.join_next() => {}
            }
        }
    }

    /// Tells a link of ours from gRPC by the first byte.
    async fn admit(mut self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let mut first = [0];
        match tokio::time::timeout(SILENCE, stream.peek(&mut first)).await {
            Ok(Ok(1)) if first[0] == PREFACE[0] => link::serve(stream, self.master, self.worker).await,
            Ok(Ok(1)) => {
                let stopped = async move { drop(self.stopped.wait_for(|stop| *stop).await) };
                let _ = self.grpc.send(Ok(ServerStream::new(stream, stopped))).await;
            }
            _ => {}
        }
    }
}
