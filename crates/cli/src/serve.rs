//! `tensorfleet serve`: the server of one task.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use cluster::{Security, Server, ServerOptions, Transport};
use runtime::ClusterSpec;
use tensor::{Result, ensure, err};

use crate::key_flags::KeyFlags;
use crate::operate::dashboard::{self, Shown};
use crate::operate::metrics;
use crate::run::{Launcher, rank_of};

#[derive(Args)]
pub struct Serve {
    /// The cluster, as JSON: '{"ps": ["host:2222"], "worker": ["host:2223"]}'. A job may also map task numbers to
    /// addresses: '{"worker": {"1": "host:2223"}}'.
    #[arg(long, conflicts_with_all = ["ps_hosts", "worker_hosts"])]
    cluster: Option<String>,
    /// The addresses of the job `ps`, separated by commas.
    #[arg(long = "ps_hosts", alias = "ps-hosts", value_delimiter = ',')]
    ps_hosts: Vec<String>,
    /// The addresses of the job `worker`, separated by commas.
    #[arg(long = "worker_hosts", alias = "worker-hosts", value_delimiter = ',')]
    worker_hosts: Vec<String>,
    /// The job of this task.
    #[arg(long = "job_name", alias = "job-name")]
    job_name: Option<String>,
    /// The number of this task in its job.
    #[arg(long = "task_index", alias = "task-index")]
    task_index: Option<u32>,
    /// Take the cluster and this task from what has started this process: task after task are parameter servers, then workers.
    #[arg(long = "cluster_from", alias = "cluster-from", value_enum, conflicts_with_all = ["cluster", "ps_hosts", "worker_hosts", "job_name", "task_index"])]
    cluster_from: Option<Launcher>,
    /// How many of the tasks of --cluster_from are parameter servers.
    #[arg(long, requires = "cluster_from", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=1000))]
    ps: u32,
    /// The machines of mpirun's ranks where they are several, as in its own --host: a:2,b:2.
    #[arg(long, requires = "cluster_from", value_delimiter = ',')]
    hosts: Vec<String>,
    /// The first port on each machine with --cluster_from [default: the job's own under Slurm, else 2222].
    #[arg(long = "base_port", alias = "base-port", requires = "cluster_from", value_parser = clap::value_parser!(u16).range(1024..=64000))]
    base_port: Option<u16>,
    /// Listen on this host:port instead of the task's own address.
    #[arg(long)]
    bind: Option<String>,
    /// How many CPU devices the task has.
    #[arg(long = "cpu_devices", alias = "cpu-devices", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    cpu_devices: u32,
    /// Give up on tasks of a session that have not come up after so many seconds.
    #[arg(long = "startup_timeout_secs", alias = "startup-timeout-secs", default_value_t = 300)]
    startup_timeout_secs: u64,
    /// Forget a session so many seconds after its client's last connection was closed.
    #[arg(long = "session_lease_secs", alias = "session-lease-secs", default_value_t = 3600)]
    session_lease_secs: u64,
    /// Exit when all sessions that used this task have been closed.
    #[arg(long = "exit_when_done", alias = "exit-when-done")]
    exit_when_done: bool,
    /// How tasks reach each other: `auto` is over framed connections with our own, which avoid the network between tasks of
    /// one machine, and over gRPC with TensorFlow's; `tcp` is the same over the network with all; `grpc` is over gRPC with all.
    #[arg(long, value_enum, default_value = "auto")]
    transport: TransportFlag,
    /// Let ops read and write files in this folder only, or below this URL; repeat it for more. The environment variable
    /// TENSORFLEET_FILE_ROOT, folders separated by colons, stands for flags that are not given.
    #[arg(long = "file_root", alias = "file-root", value_name = "FOLDER")]
    file_roots: Vec<PathBuf>,
    /// Let clients' own descriptions of the cluster name this address besides those of --cluster: host:port or host, in which
    /// `*` stands for any text; repeat it for more.
    #[arg(long = "allow_cluster_def", alias = "allow-cluster-def", value_name = "ADDRESS")]
    allow_cluster_def: Vec<String>,
    /// Refuse sessions beyond so many at once.
    #[arg(long = "max_sessions", alias = "max-sessions", default_value_t = 1000)]
    max_sessions: usize,
    /// Take at most so much memory, as 8G or 512M: who asks for more gets ResourceExhausted, and the steps of others go on. Without
    /// it, TENSORFLEET_MEMORY_LIMIT; without that, nine tenths of the machine's or the container's.
    #[arg(long = "memory_limit", alias = "memory-limit", value_name = "SIZE", value_parser = memory_size)]
    memory_limit: Option<u64>,
    /// Write the task's variables to this folder while training goes on, about every second, and begin with what is there: a
    /// task that was killed and started again has them still.
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,
    #[command(flatten)]
    keys: KeyFlags,
    /// Let everyone in who reaches this server, also from other machines. Ops then use no files but those of --file_root.
    #[arg(long)]
    insecure: bool,
    /// Serve /metrics for Prometheus, /healthz and /readyz on this port, 0 for any free one: on loopback if the task itself
    /// listens there, else on all addresses.
    #[arg(long = "metrics_port", alias = "metrics-port", value_name = "PORT")]
    metrics_port: Option<u16>,
    /// Serve a page that shows the cluster in a browser on this port, 0 for any free one.
    #[arg(long = "dashboard_port", alias = "dashboard-port", value_name = "PORT")]
    dashboard_port: Option<u16>,
    /// Serve the page on this address. Beyond loopback whoever looks needs the key that is printed.
    #[arg(long = "dashboard_host", alias = "dashboard-host", value_name = "ADDRESS", requires = "dashboard_port", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    dashboard_host: IpAddr,
    /// The folder whose event files and checkpoints the page shows.
    #[arg(long, value_name = "FOLDER", requires = "dashboard_port")]
    logdir: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum TransportFlag {
    Auto,
    Tcp,
    Grpc,
}

impl Serve {
    pub fn run(self) -> Result<()> {
        let (cluster, job, task) = self.task(std::env::var("TF_CONFIG").ok().as_deref())?;
        let security = Security { insecure: self.insecure, ..self.keys.security()? };
        let options = ServerOptions {
            cpu_devices: self.cpu_devices,
            bind: self.bind,
            start_up: Duration::from_secs(self.startup_timeout_secs),
            session_lease: Duration::from_secs(self.session_lease_secs),
            stop_when_done: self.exit_when_done,
            transport: match self.transport {
                TransportFlag::Auto => Transport::Auto,
                TransportFlag::Tcp => Transport::Tcp,
                TransportFlag::Grpc => Transport::Grpc,
            },
            file_roots: self.file_roots,
            allow_cluster_def: self.allow_cluster_def,
            max_sessions: self.max_sessions,
            memory_limit: self.memory_limit,
            journal: self.journal,
            security: security.clone(),
        };
        let server = Server::start(&cluster, &job, task, ops::registry(), options)?;
        // Before anybody knows that it serves.
        server.stop_on_signals();
        let serve_metrics = |port| metrics::start(port, server.is_exposed(), Arc::new(server.reporter()));
        let metrics = self.metrics_port.map(serve_metrics).transpose()?;
        let page = match self.dashboard_port {
            Some(port) => {
                let tasks = dashboard::tasks_of(&cluster, (&job, task), server.target(), &security)?;
                let shown = Shown { tasks, logdir: self.logdir, security };
                Some(dashboard::start(self.dashboard_host, Some(port), shown)?)
            }
            None => None,
        };
        let mut out = std::io::stdout();
        // Whoever started us may wait for this line; if nobody reads it, that is fine too.
        let _ = writeln!(out, "Server started: /job:{job}/task:{task} at {}", server.target());
        if let Some(address) = metrics {
            let _ = writeln!(out, "Metrics: http://localhost:{}/metrics", address.port());
        }
        if let Some(page) = &page {
            let _ = writeln!(out, "Dashboard: {}", page.url);
        }
        let _ = out.flush();
        server.join();
        tracing::info!("stopped");
        Ok(())
    }

    /// The cluster and this task in it, from flags, from what started this process, or else from the environment variable `TF_CONFIG`.
    fn task(&self, tf_config: Option<&str>) -> Result<(ClusterSpec, String, u32)> {
        if let Some(launcher) = self.cluster_from {
            let rank = rank_of(launcher, &self.hosts)?;
            let (plan, task) = rank.plan(self.ps, None, &self.hosts, self.base_port)?;
            return Ok((plan.cluster()?, task.job.to_owned(), task.index));
        }
        let described = self.cluster.is_some() || !self.ps_hosts.is_empty() || !self.worker_hosts.is_empty();
        if let (false, Some(config)) = (described, tf_config) {
            return from_tf_config(config);
        }
        let cluster = match &self.cluster {
            Some(text) => parse_cluster(&parse_json("--cluster", text)?)?,
            None => {
                ensure!(
                    described,
                    InvalidArgument,
                    "no cluster is given: use --cluster, --ps_hosts and --worker_hosts, or --cluster_from, or set TF_CONFIG"
                );
                let jobs = [("ps", self.ps_hosts.clone()), ("worker", self.worker_hosts.clone())];
                ClusterSpec::new(jobs.into_iter().filter(|(_, hosts)| !hosts.is_empty()))?
            }
        };
        let job = self.job_name.clone().ok_or_else(|| err!(InvalidArgument, "Must specify an explicit `job_name`"))?;
        let task = self.task_index.ok_or_else(|| err!(InvalidArgument, "Must specify an explicit `task_index`"))?;
        Ok((cluster, job, task))
    }
}

/// A size on the command line.
fn memory_size(text: &str) -> Result<u64, String> {
    tensor::memory::parse_size(text).map_err(|status| status.message().to_owned())
}

/// `{"cluster": {...}, "task": {"type": "worker", "index": 0}}`
fn from_tf_config(text: &str) -> Result<(ClusterSpec, String, u32)> {
    let malformed = |what: &str| err!(InvalidArgument, "TF_CONFIG: {what}");
    let (cluster, value) = (cluster_from_tf_config(text)?, parse_json("TF_CONFIG", text)?);
    let task = value.get("task").ok_or_else(|| malformed("there is no \"task\""))?;
    let job = task.get("type").and_then(|job| job.as_str()).ok_or_else(|| malformed("the task has no \"type\""))?;
    let index = task.get("index").ok_or_else(|| malformed("the task has no \"index\""))?;
    let number = index.as_u64().or_else(|| index.as_str()?.parse().ok()).and_then(|index| u32::try_from(index).ok());
    let number = number.ok_or_else(|| malformed(&format!("the task's \"index\" is {index}, not a task number")))?;
    Ok((cluster, job.to_owned(), number))
}

/// The cluster of a `TF_CONFIG`.
pub fn cluster_from_tf_config(text: &str) -> Result<ClusterSpec> {
    let value = parse_json("TF_CONFIG", text)?;
    parse_cluster(value.get("cluster").ok_or_else(|| err!(InvalidArgument, "TF_CONFIG: there is no \"cluster\""))?)
}

/// Reads JSON that a user wrote; `what` names it.
pub fn parse_json(what: &str, text: &str) -> Result<serde_json::Value> {
    serde_json::from_str(text).map_err(|error| err!(InvalidArgument, "{what} is '{text}', which is not JSON: {error}"))
}

/// Reads a cluster: jobs, and their addresses as a list or by task number.
pub fn parse_cluster(value: &serde_json::Value) -> Result<ClusterSpec> {
    let malformed = |what: &str| {
        err!(
            InvalidArgument,
            "cluster: {what}; expected JSON such as {{\"ps\": [\"host:2222\"], \"worker\": [\"host:2223\"]}}"
        )
    };
    let jobs = value.as_object().ok_or_else(|| malformed("not an object"))?;
    let mut cluster = ClusterSpec::default();
    for (job, tasks) in jobs {
        let address = |value: &serde_json::Value| {
            value.as_str().map(str::to_owned).ok_or_else(|| malformed("an address is not a string"))
        };
        match tasks {
            serde_json::Value::Array(list) => {
                for (task, value) in list.iter().enumerate() {
                    cluster.add(job, task as u32, address(value)?)?;
                }
            }
            serde_json::Value::Object(map) => {
                for (task, value) in map {
                    let task = task.parse().map_err(|_| malformed(&format!("'{task}' is not a task number")))?;
                    cluster.add(job, task, address(value)?)?;
                }
            }
            _ => return Err(malformed(&format!("job '{job}' is neither a list nor an object"))),
        }
    }
    Ok(cluster)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        serve: Serve,
    }

    fn task(arguments: &[&str], tf_config: Option<&str>) -> Result<(ClusterSpec, String, u32)> {
        let line = Line::try_parse_from(std::iter::once("serve").chain(arguments.iter().copied()));
        line.map_err(|error| err!(InvalidArgument, "{error}"))?.serve.task(tf_config)
    }

    #[test]
    fn a_cluster_comes_as_json_as_hosts_or_from_the_environment() {
        let lists = r#"{"ps": ["a:1"], "worker": {"3": "b:2"}}"#;
        let (cluster, job, index) = task(&["--cluster", lists, "--job_name", "ps", "--task_index", "0"], None).unwrap();
        assert_eq!((cluster.address("worker", 3).unwrap(), job.as_str(), index), ("b:2", "ps", 0));
        let hosts = ["--ps_hosts=a:1,b:2", "--worker_hosts=c:3", "--job_name=ps", "--task_index=1"];
        assert_eq!(task(&hosts, None).unwrap().0.address("ps", 1).unwrap(), "b:2");
        let config = r#"{"cluster": {"worker": ["c:3"]}, "task": {"type": "worker", "index": 0}}"#;
        assert_eq!(task(&[], Some(config)).unwrap().1, "worker");
        // Flags win.
        assert_eq!(task(&hosts, Some(config)).unwrap().1, "ps");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for bad in ["", "[]", r#"{"ps": 1}"#, r#"{"ps": [1]}"#, r#"{"ps": {"x": "a:1"}}"#, r#"{"ps": ["nowhere"]}"#] {
            assert!(task(&["--cluster", bad, "--job_name", "ps", "--task_index", "0"], None).is_err(), "{bad}");
        }
        let message = |arguments: &[&str]| task(arguments, None).unwrap_err().message().to_owned();
        assert_eq!(message(&["--ps_hosts=a:1", "--task_index=0"]), "Must specify an explicit `job_name`");
        assert_eq!(message(&["--ps_hosts=a:1", "--job_name=ps"]), "Must specify an explicit `task_index`");
        assert!(message(&["--job_name=ps", "--task_index=0"]).starts_with("no cluster is given"));
        let message = |config: &str| task(&[], Some(config)).unwrap_err().message().to_owned();
        assert_eq!(message("{}"), "TF_CONFIG: there is no \"cluster\"");
        assert!(message("x").starts_with("TF_CONFIG is 'x', which is not JSON: "));
        let index = |index: &str| message(&format!(r#"{{"cluster": {{}}, "task": {{"type": "ps"{index}}}}}"#));
        assert_eq!(index(""), "TF_CONFIG: the task has no \"index\"");
        assert_eq!(index(r#", "index": -1"#), "TF_CONFIG: the task's \"index\" is -1, not a task number");
    }

    #[test]
    fn damaged_configurations_are_refused() {
        let seeds = [
            r#"{"cluster": {"ps": ["a:1"], "worker": {"3": "b:2"}}, "task": {"type": "worker", "index": 3}}"#,
            r#"{"cluster": {"chief": ["[::1]:1"]}, "task": {"type": "chief", "index": "0"}, "environment": "cloud"}"#,
        ];
        testkit::fuzz("tf_config", &seeds.map(|seed| seed.as_bytes().to_vec()), |bytes| {
            let outcome = task(&[], Some(&String::from_utf8_lossy(bytes)));
            outcome.map_or_else(|status| status.to_string(), |(_, job, index)| format!("{job} {index}"))
        });
    }
}
