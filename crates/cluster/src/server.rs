//! A task's server: master and worker service on one port.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use graph::op::{Registry, shielded};
use parking_lot::{Condvar, Mutex};
use runtime::{ClusterSpec, Device, FileRoots, Pool};
use tensor::{Result, Status, err, memory};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::watch;

use crate::entrance::{self, check_reachable, listen};
use crate::journal::Journal;
use crate::master::{Master, MasterSetup};
use crate::peer::link::listen_on_this_host;
use crate::peer::{InProcess, LetterPost, Peers, Transport, device_attributes};
use crate::signals;
use crate::trust::{Keys, Security};
use crate::worker::Worker;

/// How a server shall run.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet_cluster::ServerOptions;
///
/// let options = ServerOptions { start_up: Duration::from_secs(30), ..Default::default() };
/// assert_eq!((options.cpu_devices, options.stop_when_done), (1, false));
/// ```
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
    /// How the other tasks are reached.
    pub transport: Transport,
    /// The folders that ops may read and write files in. Without any, those of the environment variable
    /// `TENSORFLEET_FILE_ROOT` (separated by colons); without that, everywhere that the server's user may, or nowhere if
    /// strangers are let in.
    pub file_roots: Vec<PathBuf>,
    /// Addresses, besides those of the cluster, that clients' own descriptions of it (`cluster_def`) may name: `host:port` or
    /// `host`, in which `*` stands for any text.
    pub allow_cluster_def: Vec<String>,
    /// How many sessions the task takes part in at most, its own clients' and those of other tasks.
    pub max_sessions: usize,
    /// How many bytes the process takes at most, all of its servers together: what leads beyond is `ResourceExhausted`. Without it,
    /// as the environment variable `TENSORFLEET_MEMORY_LIMIT` says (`8G`), else nine tenths of the machine's or container's memory.
    pub memory_limit: Option<u64>,
    /// The folder of the journal, in which the task's variables are written behind; started again with it, the task has them
    /// still.
    pub journal: Option<PathBuf>,
    /// Who may come in; by default as the environment says, and without that everyone on this machine and nobody else.
    pub security: Security,
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
            file_roots: Vec::new(),
            allow_cluster_def: Vec::new(),
            max_sessions: 1000,
            memory_limit: None,
            journal: None,
            security: Security::default(),
        }
    }
}

/// A running server. Dropping it stops it.
///
/// ```
/// # fn main() -> tensor::Result<()> {
/// use tensorfleet_cluster::Server;
///
/// let server = Server::local(ops::registry())?;
/// assert!(server.target().starts_with("grpc://localhost:"));
/// server.stop();
/// # Ok(())
/// # }
/// ```
pub struct Server {
    target: String,
    /// Whether other machines reach it.
    exposed: bool,
    stop: watch::Sender<bool>,
    ended: Arc<Ended>,
    runtime: Option<tokio::runtime::Runtime>,
    master: Arc<Master>,
    worker: Arc<Worker>,
    keys: Arc<Keys>,
    /// Lets clients of this process find the master.
    in_process: Option<InProcess>,
    journal: Option<Journal>,
}

impl Server {
    /// Starts the server of a task of a cluster.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::cluster::ServerOptions;
    /// let cluster = ClusterSpec::new([("worker", vec!["localhost:0"])])?;
    /// let registry = Graph::new().registry().clone(); // `Server::new` takes all ops by itself
    /// let error = Server::start(&cluster, "ps", 0, registry, ServerOptions::default()).err().unwrap();
    /// assert_eq!(error.code(), Code::InvalidArgument); // there is no such task
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the task is not in the cluster, or its address cannot be resolved or cannot be reached by the
    /// other hosts, or a token or certificates cannot be used; `Unavailable` if the address is taken or not of this machine;
    /// `FailedPrecondition` if other machines reach the address and [`Security`] does not say who may come in.
    pub fn start(
        cluster: &ClusterSpec,
        job: &str,
        task: u32,
        registry: Arc<Registry>,
        options: ServerOptions,
    ) -> Result<Server> {
        let address = cluster.address(job, task)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8))
            .thread_name("network")
            .thread_stack_size(graph::op::THREAD_STACK)
            .on_thread_start(graph::op::begin_thread)
            .enable_all()
            .build()
            .map_err(|error| err!(ResourceExhausted, "cannot start network threads: {error}"))?;
        if options.bind.is_none() {
            check_reachable(cluster, address)
                .map_err(|status| status.context(format_args!("/job:{job}/task:{task}")))?;
        }
        limit_memory(options.memory_limit)?;
        let keys = Arc::new(Keys::new(&options.security)?);
        keys.check_server()?;
        let bind = options.bind.as_deref().unwrap_or(address);
        let listeners =
            runtime.block_on(listen(bind)).map_err(|status| status.context(format_args!("/job:{job}/task:{task}")))?;
        let exposed = exposed(&listeners);
        if let Some(address) = exposed.filter(|_| !keys.ask() && !keys.allow_strangers()) {
            return Err(unprotected(job, task, address));
        }
        let port =
            listeners.first().and_then(|listener| listener.local_addr().ok()).map_or(0, |address| address.port());
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        let (master, worker) =
            services(&runtime, cluster, job, task, registry, &options, &keys, exposed.is_some() && !keys.ask())?;
        // Before anybody can ask for what it holds.
        let journal = match &options.journal {
            Some(folder) => Some(Journal::start(&folder.join(format!("{job}-{task}")), worker.resources())?),
            None => None,
        };
        let door = open_door(&runtime, options.transport);
        let (stop, stopped) = watch::channel(false);
        let ended: Arc<Ended> = Arc::default();
        runtime.spawn(keep_house(master.clone(), worker.clone(), options, stop.clone()));
        let target = format!("grpc://{host}:{port}");
        let stopper = stop.clone();
        let _ = worker.desk.stop.set(Box::new(move || {
            stopper.send_replace(true);
        }));
        let in_process = Some(InProcess::announce(&target, master.clone()));
        runtime.spawn(serve(listeners, door, master.clone(), worker.clone(), keys.clone(), stopped, ended.clone()));
        tracing::info!(job, task, %target, "server started");
        let exposed = exposed.is_some();
        Ok(Server { target, exposed, stop, ended, runtime: Some(runtime), master, worker, keys, in_process, journal })
    }

    /// Starts a single-process cluster on a free port of this machine.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::local(Graph::new().registry().clone())?;
    /// let g = Graph::new();
    /// let one = g.constant(1f32);
    /// assert_eq!(RemoteSession::new(server.target(), &g)?.eval::<f32, _>(&one)?, 1.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn local(registry: Arc<Registry>) -> Result<Server> {
        Server::start(
            &ClusterSpec::new([("local", vec!["localhost:0"])])?,
            "local",
            0,
            registry,
            ServerOptions::default(),
        )
    }

    /// Returns what sessions connect to, as in `grpc://localhost:2222`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// assert!(server.target().starts_with("grpc://localhost:"));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Returns whether it listens where other machines reach it, not on loopback only.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert!(!Server::create_local_server()?.is_exposed());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn is_exposed(&self) -> bool {
        self.exposed
    }

    /// Returns how many sessions use this task: of its own master, and of others.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// assert_eq!(server.sessions(), 0);
    /// let session = RemoteSession::new(server.target(), &Graph::new())?;
    /// assert!(server.sessions() > 0);
    /// # drop(session);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn sessions(&self) -> usize {
        self.worker.session_count()
    }

    /// Returns how the task is, as its operators are told.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// assert_eq!(server.status(&Default::default()).task, "/job:local/replica:0/task:0");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn status(&self, wanted: &wire::operator::StatusRequest) -> wire::operator::StatusResponse {
        entrance::status(&self.master, &self.worker, wanted)
    }

    /// Returns what tells another thread how the task is.
    pub fn reporter(
        &self,
    ) -> impl Fn(&wire::operator::StatusRequest) -> wire::operator::StatusResponse + Send + Sync + 'static {
        let (master, worker) = (self.master.clone(), self.worker.clone());
        move |wanted| entrance::status(&master, &worker, wanted)
    }

    /// Waits until the server has stopped. While it waits, SIGTERM and SIGINT stop the server, so that a program which ends
    /// with this call ends cleanly, with exit code 0; [`stop_on_signals`](Server::stop_on_signals) has the details.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// let stop = server.stopper();
    /// std::thread::spawn(stop);
    /// server.join(); // until then
    /// # Ok::<(), Status>(())
    /// ```
    pub fn join(&self) {
        self.stop_on_signals();
        self.ended.wait();
    }

    /// Waits until the server is stopped, and no longer than this; returns whether it is. Signals are left to the caller.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// assert!(!server.wait(Duration::from_millis(1)));
    /// server.stop();
    /// assert!(server.wait(Duration::ZERO));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn wait(&self, limit: Duration) -> bool {
        self.ended.wait_for(limit)
    }

    /// Lets SIGTERM and SIGINT stop this server instead of killing the process, from now on and for as long as it serves.
    /// Programs that never call this or [`join`](Server::join) keep the system's way. When a signal comes and all servers
    /// that were to be stopped have stopped, the process ends at once with exit code 128 and the signal's number, as the
    /// system's way would end it. SIGHUP lets a server whose token or certificates are in files read them again.
    pub fn stop_on_signals(&self) {
        let ended = Arc::downgrade(&self.ended);
        let serves = move || ended.upgrade().is_some_and(|ended| !ended.is_set());
        if let Err(status) = signals::stop_on_signals(self.stop.clone(), serves) {
            tracing::warn!(%status, "signals do not stop the server");
        }
        if self.keys.have_files()
            && let Err(status) = signals::read_again_on_hangup(&self.keys)
        {
            tracing::warn!(%status, "SIGHUP does not change tokens and certificates");
        }
    }

    /// Reads the files of tokens and certificates again, as SIGHUP does while the server [`join`](Server::join)s. Sessions and
    /// connections that are open stay.
    ///
    /// # Errors
    /// `InvalidArgument` or `NotFound` if one cannot be used; then all stay as they were.
    pub fn read_keys_again(&self) -> Result<()> {
        self.keys.read_again()
    }

    /// Stops serving and frees the port.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// server.stop();
    /// assert!(RemoteSession::new(server.target(), &Graph::new()).is_err());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn stop(&self) {
        self.stop.send_replace(true);
        self.ended.wait();
    }

    /// Returns what lets another thread stop the server.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let server = Server::create_local_server()?;
    /// let stop = server.stopper();
    /// std::thread::spawn(stop).join().unwrap();
    /// server.join();
    /// # Ok::<(), Status>(())
    /// ```
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
        // What was trained last is written down.
        self.journal = None;
        self.in_process = None;
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The first of the addresses that other machines can reach.
fn exposed(listeners: &[TcpListener]) -> Option<SocketAddr> {
    let addresses = listeners.iter().filter_map(|listener| listener.local_addr().ok());
    addresses.into_iter().find(|address| !address.ip().to_canonical().is_loopback())
}

/// Two lines: what is wrong, and what helps.
fn unprotected(job: &str, task: u32, address: SocketAddr) -> Status {
    err!(
        FailedPrecondition,
        "/job:{job}/task:{task} would listen on {address}, where other machines reach it, and nothing says who may come in\n\
         set TENSORFLEET_TOKEN to one secret (openssl rand -hex 32) for all tasks and clients, or let everyone in with \
         --insecure (TENSORFLEET_INSECURE=1)"
    )
}

/// A Unix socket and its name.
type Door = (UnixListener, String);

/// Opens a way in for processes of this machine. Without one they use the network as others do.
fn open_door(runtime: &tokio::runtime::Runtime, transport: Transport) -> Option<Door> {
    if !transport.uses_same_host() {
        return None;
    }
    let _inside = runtime.enter();
    let door = listen_on_this_host();
    if let Err(error) = &door {
        tracing::debug!(%error, "no Unix socket for processes of this machine");
    }
    door.ok()
}

/// Sets the limit of the process: that of the options, else of the environment, else most of what there is.
fn limit_memory(wanted: Option<u64>) -> Result<()> {
    const NAME: &str = "TENSORFLEET_MEMORY_LIMIT";
    let told = std::env::var(NAME).ok().filter(|text| !text.is_empty());
    let told = told.map(|text| memory::parse_size(&text).map_err(|status| status.context(NAME))).transpose()?;
    match wanted.or(told) {
        Some(limit) => memory::set_limit(limit),
        // Another server of this process may have been told.
        None if memory::limit().is_none() => memory::set_limit(memory::default_limit()),
        None => {}
    }
    Ok(())
}

/// The folders of the options, else those of the environment; without any, strangers get none.
fn file_roots(options: &ServerOptions, open_to_strangers: bool) -> Result<FileRoots> {
    if !options.file_roots.is_empty() {
        return FileRoots::new(&options.file_roots);
    }
    let listed = std::env::var_os("TENSORFLEET_FILE_ROOT").unwrap_or_default();
    if listed.is_empty() && open_to_strangers {
        return Ok(FileRoots::none(
            "this server lets strangers in (--insecure), so --file_root must say which files they may use",
        ));
    }
    FileRoots::new(split_roots(&listed.to_string_lossy()))
}

/// Folders between colons, of which those of a URL's scheme divide nothing.
fn split_roots(listed: &str) -> Vec<String> {
    let mut roots: Vec<String> = Vec::new();
    for part in listed.split(':') {
        match roots.last_mut() {
            Some(scheme) if part.starts_with("//") && !scheme.contains('/') => {
                scheme.push(':');
                scheme.push_str(part);
            }
            _ => roots.push(part.to_owned()),
        }
    }
    roots.retain(|root| !root.is_empty());
    roots
}

/// Makes the master and the worker of a task.
fn services(
    runtime: &tokio::runtime::Runtime,
    cluster: &ClusterSpec,
    job: &str,
    task: u32,
    registry: Arc<Registry>,
    options: &ServerOptions,
    keys: &Arc<Keys>,
    open_to_strangers: bool,
) -> Result<(Arc<Master>, Arc<Worker>)> {
    // Connections to other tasks belong to the network threads.
    let _inside = runtime.enter();
    let peers = Peers::new(cluster, job, task, options.transport, keys)?.allowing(&options.allow_cluster_def);
    let peers = Arc::new(peers);
    let files = Arc::new(file_roots(options, open_to_strangers)?);
    let device = |index| Arc::new(Device::cpu(job, task, index).with_files(files.clone()));
    let devices: Vec<Arc<Device>> = (0..options.cpu_devices).map(device).collect();
    let described = devices.iter().map(|device| device_attributes(device, &peers)).collect();
    let (pool, network) = (Pool::for_kernels(), runtime.handle().clone());
    let collectives = LetterPost::hub(&peers, network.clone(), described, options.start_up);
    let worker = Worker::new(peers.clone(), devices, registry.clone(), pool.clone(), network.clone(), collectives);
    let worker = Arc::new(worker.with_max_sessions(options.max_sessions));
    for (name, remote) in peers.all() {
        let (name, worker) = (name.clone(), Arc::downgrade(&worker));
        remote.on_lost(move |status| {
            if let Some(worker) = worker.upgrade() {
                worker.peer_lost(&name, status);
            }
        });
    }
    let (start_up, desk) = (options.start_up, worker.desk.clone());
    let setup = MasterSetup { own: worker.clone(), registry, pool, network, start_up, desk };
    Ok((Arc::new(Master::new(setup, peers)), worker))
}

/// Collects abandoned sessions; stops the server when its job is done, if that is wanted.
async fn keep_house(master: Arc<Master>, worker: Arc<Worker>, options: ServerOptions, stop: watch::Sender<bool>) {
    let every = (options.session_lease / 4).clamp(Duration::from_millis(50), Duration::from_secs(5));
    let (mut unused_rounds, mut told) = (0, (0, 0));
    loop {
        tokio::time::sleep(every.min(Duration::from_secs(1))).await;
        master.collect_sessions(options.session_lease).await;
        tensor::free_idle_memory();
        memory::look();
        // What a session leaves behind runs code of ops when it is dropped.
        shielded(|| worker.collect_sessions(options.session_lease));
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

/// Serves until the server is told to stop, then ends what runs and tells those who wait.
async fn serve(
    listeners: Vec<TcpListener>,
    door: Option<Door>,
    master: Arc<Master>,
    worker: Arc<Worker>,
    keys: Arc<Keys>,
    stopped: watch::Receiver<bool>,
    ended: Arc<Ended>,
) {
    entrance::serve(listeners, door, master.clone(), worker, keys, stopped).await;
    master.stop();
    ended.set();
}

/// Whether a server has stopped, for those who wait for it.
#[derive(Default)]
struct Ended {
    over: Mutex<bool>,
    changed: Condvar,
}

impl Ended {
    fn set(&self) {
        *self.over.lock() = true;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let mut over = self.over.lock();
        while !*over {
            self.changed.wait(&mut over);
        }
    }

    fn wait_for(&self, limit: Duration) -> bool {
        let mut over = self.over.lock();
        self.changed.wait_while_for(&mut over, |over| !*over, limit);
        *over
    }

    fn is_set(&self) -> bool {
        *self.over.lock()
    }
}
