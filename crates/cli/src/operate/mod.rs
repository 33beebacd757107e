//! What operators do with a cluster that runs: look at it, ask why it waits, steer it. One file a command.
//!
//! Every task is asked by itself, all at once and within a bound, so that one that is gone keeps nobody from hearing of the
//! others. A server of TensorFlow is told apart by not knowing our service.

mod between;
mod chain;
pub mod completions;
pub mod dashboard;
pub mod doctor;
pub mod drain;
mod examine;
pub mod metrics;
mod model;
pub mod placement;
pub mod reset;
pub mod sessions;
pub mod status;
mod table;
pub mod top;
pub mod trace;
pub mod why;
mod words;

use std::time::Duration;

use clap::Args;
use cluster::{Operator, Security};
use runtime::ClusterSpec;
use tensor::{Code, Result, Status, ensure, err};
use wire::operator::{StatusRequest, StatusResponse};

use crate::key_flags::KeyFlags;
use crate::serve::{cluster_from_tf_config, parse_cluster, parse_json};

/// Which cluster is meant.
#[derive(Args, Clone)]
pub struct ClusterFlags {
    /// Any task of the cluster, as host:port; it tells where the others are.
    #[arg(long, value_name = "HOST:PORT", conflicts_with_all = ["cluster", "ps_hosts", "worker_hosts"])]
    target: Option<String>,
    /// The cluster, as JSON: '{"ps": ["host:2222"], "worker": ["host:2223"]}'.
    #[arg(long, conflicts_with_all = ["ps_hosts", "worker_hosts"])]
    cluster: Option<String>,
    /// The addresses of the job `ps`, separated by commas.
    #[arg(long = "ps_hosts", alias = "ps-hosts", value_delimiter = ',')]
    ps_hosts: Vec<String>,
    /// The addresses of the job `worker`, separated by commas. Without any of these flags TF_CONFIG says which cluster.
    #[arg(long = "worker_hosts", alias = "worker-hosts", value_delimiter = ',')]
    worker_hosts: Vec<String>,
    /// Wait so many seconds for a task to answer.
    #[arg(long = "timeout_secs", alias = "timeout-secs", default_value_t = 5.0, value_parser = seconds)]
    timeout_secs: f64,
    #[command(flatten)]
    keys: KeyFlags,
}

/// Reads a number of seconds that somebody may wait for.
pub fn seconds(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected seconds, from 0 to 86400".to_owned()),
    }
}

/// A task that can be asked.
#[derive(Clone)]
pub struct Task {
    /// As in `/job:ps/task:0`.
    pub name: String,
    pub address: String,
    pub operator: Operator,
}

/// What came of asking a task.
pub enum Answer {
    Ours(Box<StatusResponse>),
    /// A server of TensorFlow's protocol that is not ours; the task that it says it is.
    Foreign(String),
    /// It did not answer, or not as a server does.
    Gone(Status),
}

impl Answer {
    pub fn ours(&self) -> Option<&StatusResponse> {
        if let Answer::Ours(status) = self { Some(status) } else { None }
    }
}

impl ClusterFlags {
    /// How long a task may take to answer.
    pub fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.timeout_secs.max(0.05))
    }

    /// How this process proves who it is.
    ///
    /// # Errors
    /// `InvalidArgument` for certificates without a key.
    pub fn security(&self) -> Result<Security> {
        self.keys.clone().security()
    }

    /// Returns the tasks of the cluster, in the order of their names.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed cluster, or if none is given; `Unavailable` if the target does not answer.
    pub fn tasks(&self) -> Result<Vec<Task>> {
        if let Some(target) = &self.target {
            return self.around(target);
        }
        let cluster = self.described(std::env::var("TF_CONFIG").ok().as_deref())?;
        let security = self.keys.clone().security()?;
        cluster.tasks().map(|(job, task)| Task::new(job, task, cluster.address(job, task)?, &security)).collect()
    }

    /// The cluster as flags or the environment describe it.
    pub fn described(&self, tf_config: Option<&str>) -> Result<ClusterSpec> {
        if let Some(text) = &self.cluster {
            return parse_cluster(&parse_json("--cluster", text)?);
        }
        let jobs = [("ps", self.ps_hosts.clone()), ("worker", self.worker_hosts.clone())];
        let jobs: Vec<_> = jobs.into_iter().filter(|(_, hosts)| !hosts.is_empty()).collect();
        if !jobs.is_empty() {
            return ClusterSpec::new(jobs);
        }
        let config = tf_config.ok_or_else(|| {
            err!(
                InvalidArgument,
                "no cluster is given: use --target, or --cluster, or --ps_hosts and --worker_hosts, or set TF_CONFIG"
            )
        })?;
        cluster_from_tf_config(config)
    }

    /// The cluster that a task knows.
    fn around(&self, target: &str) -> Result<Vec<Task>> {
        let address = target.strip_prefix("grpc://").unwrap_or(target);
        let has_port =
            address.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
        ensure!(has_port, InvalidArgument, "--target is '{target}': expected host:port, as in localhost:2222");
        let security = self.keys.clone().security()?;
        let operator = Operator::new("the server", address, &security)?;
        let status = operator.status(StatusRequest::default(), self.limit()).map_err(|status| match status.code() {
            Code::Unimplemented => err!(
                FailedPrecondition,
                "what answers at {address} is not a task of tensorfleet, so it does not tell where the others are: use --cluster"
            ),
            _ => status,
        })?;
        let mut tasks = vec![Task { name: words::task(&status.task), address: address.to_owned(), operator }];
        for peer in &status.traffic {
            let name = words::task(&peer.task);
            let operator = Operator::new(&name, &peer.address, &security)?;
            tasks.push(Task { name, address: peer.address.clone(), operator });
        }
        tasks.sort_by(|one, other| words::in_order(&one.name, &other.name));
        Ok(tasks)
    }
}

impl Task {
    pub fn new(job: &str, task: u32, address: &str, security: &Security) -> Result<Task> {
        let name = format!("/job:{job}/task:{task}");
        let operator = Operator::new(&name, address, security)?;
        Ok(Task { name, address: address.to_owned(), operator })
    }

    /// Asks the task how it is.
    pub fn ask(&self, wanted: StatusRequest, limit: Duration) -> Answer {
        match self.operator.status(wanted, limit) {
            Ok(status) => Answer::Ours(Box::new(status)),
            Err(status) if status.code() == Code::Unimplemented => match self.operator.devices(limit) {
                Ok(devices) => {
                    let name = devices.first().map(|device| device.name.as_str()).unwrap_or_default();
                    Answer::Foreign(words::task(name))
                }
                Err(status) => Answer::Gone(status),
            },
            Err(status) => Answer::Gone(status),
        }
    }
}

/// Does something with all tasks at once; returns what came of it in their order.
pub fn with_all<R: Send>(tasks: &[Task], work: impl Fn(&Task) -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = tasks.iter().map(|task| scope.spawn(|| work(task))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Asks all tasks at once.
pub fn ask_all(tasks: &[Task], wanted: StatusRequest, limit: Duration) -> Vec<Answer> {
    with_all(tasks, |task| task.ask(wanted, limit))
}

/// Returns the task of this name, as in `/job:ps/task:0`, `ps:0` or `ps/0`.
///
/// # Errors
/// `NotFound`, with the tasks there are.
pub fn find_task<'a>(tasks: &'a [Task], name: &str) -> Result<&'a Task> {
    let found = tasks.iter().find(|task| words::means(name, &task.name));
    found.ok_or_else(|| {
        let all: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
        err!(NotFound, "there is no task '{name}' in the cluster, which has {}", all.join(", "))
    })
}

/// Refuses a cluster without tasks.
pub fn ensure_tasks(tasks: &[Task]) -> Result<()> {
    ensure!(!tasks.is_empty(), InvalidArgument, "the cluster has no tasks");
    Ok(())
}
