//! A task's server: master and worker service on one port.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use graph::op::Registry;
use parking_lot::{Condvar, Mutex};
use runtime::ClusterSpec;
use tensor::{Result, ensure, err};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::TcpListenerStream;

use crate::master::Master;
use crate::peers::Peers;
use crate::rpc::{MasterService, WorkerService};
use crate::worker::Worker;

#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// How many CPU devices the task has.
    pub cpu_devices: u32,
    /// The address to listen on, instead of the task's own.
    pub bind: Option<String>,
}

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions { cpu_devices: 1, bind: None }
    }
}

/// A running server. Dropping it stops it.
pub struct Server {
    target: String,
    stop: watch::Sender<bool>,
    ended: Arc<(Mutex<bool>, Condvar)>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Server {
    /// Starts the server of a task of a cluster.
    ///
    /// # Errors
    /// `InvalidArgument` if the task is not in the cluster or its address cannot be resolved; `Unavailable` if the
    /// address is taken or not of this machine.
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
        let bind = options.bind.as_deref().unwrap_or(address);
        let listeners =
            runtime.block_on(listen(bind)).map_err(|status| status.context(format_args!("/job:{job}/task:{task}")))?;
        let port =
            listeners.first().and_then(|listener| listener.local_addr().ok()).map_or(0, |address| address.port());
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        // Connections to other tasks belong to the network threads.
        let inside = runtime.enter();
        let peers = Arc::new(Peers::new(cluster, job, task)?);
        let worker =
            Arc::new(Worker::new(peers.clone(), job, task, options.cpu_devices, registry, runtime.handle().clone()));
        let master = Arc::new(Master::new(worker.clone(), peers));
        drop(inside);
        let (stop, stopped) = watch::channel(false);
        let ended: Arc<(Mutex<bool>, Condvar)> = Arc::default();
        runtime.spawn(serve(listeners, master, worker, stopped, ended.clone()));
        let target = format!("grpc://{host}:{port}");
        tracing::info!(job, task, %target, "server started");
        Ok(Server { target, stop, ended, runtime: Some(runtime) })
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
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
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

async fn serve(
    listeners: Vec<TcpListener>,
    master: Arc<Master>,
    worker: Arc<Worker>,
    mut stopped: watch::Receiver<bool>,
    ended: Arc<(Mutex<bool>, Condvar)>,
) {
    let connections = listeners.into_iter().map(TcpListenerStream::new).fold(None, |merged: Option<Incoming>, next| {
        Some(match merged {
            None => Box::pin(next),
            Some(merged) => Box::pin(merged.merge(next)),
        })
    });
    if let Some(connections) = connections {
        let connections = connections.map(|connection| connection.inspect(|stream| drop(stream.set_nodelay(true))));
        let routes = tonic::service::Routes::new(MasterService(master)).add_service(WorkerService(worker));
        let server = tonic::transport::Server::builder()
            .initial_stream_window_size(4 << 20)
            .initial_connection_window_size(16 << 20)
            .add_routes(routes)
            .serve_with_incoming(connections);
        // Open connections end with the server: clients get an error at once instead of waiting for one that is gone.
        tokio::select! {
            outcome = server => {
                if let Err(error) = outcome {
                    tracing::error!(%error, "the server ended");
                }
            }
            _ = stopped.wait_for(|stop| *stop) => {}
        }
    }
    *ended.0.lock() = true;
    ended.1.notify_all();
}

type Incoming = std::pin::Pin<Box<dyn tokio_stream::Stream<Item = std::io::Result<tokio::net::TcpStream>> + Send>>;
