//! The processes of a local cluster: started, listened to, and never left behind.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use runtime::ClusterSpec;
use tensor::{Code, Result, Status, err};

use super::logs::TaskLog;
use super::report::Report;
use super::{Model, Train};
use crate::run::free_ports;
use crate::signals::on_signals;

/// How long a task that was asked to stop may take.
const GRACE: Duration = Duration::from_secs(15);
/// How often tasks that were killed are started again.
const RESTARTS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskId {
    Ps(u32),
    Worker(u32),
}

impl TaskId {
    /// Returns the job and the number of the task in it.
    pub fn job(self) -> (&'static str, u32) {
        match self {
            TaskId::Ps(number) => ("ps", number),
            TaskId::Worker(number) => ("worker", number),
        }
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (job, number) = self.job();
        write!(f, "{job} {number}")
    }
}

pub enum Event {
    Report(TaskId, Report),
    Ended(TaskId, Ending),
    /// The user wants an end.
    Interrupted,
    /// Nothing for as long as one would wait.
    Silence,
}

pub struct Ending(ExitStatus);

impl Ending {
    pub fn is_success(&self) -> bool {
        self.0.success()
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.signal(), self.0.code()) {
            (Some(signal), _) => write!(f, "was killed by signal {signal}"),
            (None, code) => write!(f, "ended with exit code {}", code.unwrap_or(-1)),
        }
    }
}

pub struct Children {
    arguments: Vec<String>,
    cluster: ClusterSpec,
    /// Where tasks log.
    logs: PathBuf,
    children: Vec<Running>,
    events: Receiver<Event>,
    send: Sender<Event>,
    restarts: usize,
    /// When tasks were asked to stop.
    asked: Option<Instant>,
}

struct Running {
    task: TaskId,
    child: Child,
    log: TaskLog,
    /// Closing it asks the task to stop.
    stdin: Option<ChildStdin>,
    ended: bool,
}

impl Children {
    /// Starts all tasks on free ports. They log into files in `logdir`, if that is a folder of this machine.
    pub fn start(train: &Train, data_dir: &Path, logdir: &Path) -> Result<Children> {
        let mut ports =
            free_ports((train.servers() + train.workers) as usize)?.into_iter().map(|port| format!("127.0.0.1:{port}"));
        let mut hosts = |count: u32| ports.by_ref().take(count as usize).collect::<Vec<_>>();
        let (ps, workers) = (hosts(train.servers()), hosts(train.workers));
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).ok_or_else(|| err!(InvalidArgument, "{} is not UTF-8", path.display()))
        };
        let mut arguments = vec![
            format!("--ps_hosts={}", ps.join(",")),
            format!("--worker_hosts={}", workers.join(",")),
            format!("--model={}", train.model.name()),
            format!("--steps={}", train.steps()),
            format!("--batch_size={}", train.batch_size()),
            format!("--learning_rate={}", train.learning_rate()),
            format!("--data_dir={}", text(data_dir)?),
            format!("--logdir={}", text(logdir)?),
        ];
        if train.model == Model::Mlp {
            arguments.push(format!("--hidden_units={}", train.hidden_units()));
        }
        if train.sync {
            arguments.push("--sync".to_owned());
        }
        if train.all_reduce {
            arguments.push("--all_reduce".to_owned());
        }
        if train.save_through_chief {
            arguments.push("--save_through_chief".to_owned());
        }
        let (send, events) = channel();
        let interrupted = send.clone();
        on_signals(move || interrupted.send(Event::Interrupted).is_ok())?;
        let logs = super::folder_of_logs(train.model, logdir)?;
        let jobs = [("ps", ps), ("worker", workers)];
        let cluster = ClusterSpec::new(jobs.into_iter().filter(|(_, hosts)| !hosts.is_empty()))?;
        let mut children =
            Children { arguments, cluster, logs, children: Vec::new(), events, send, restarts: 0, asked: None };
        let tasks = (0..train.servers()).map(TaskId::Ps).chain((0..train.workers).map(TaskId::Worker));
        for task in tasks {
            let running = children.spawn(task)?;
            children.children.push(running);
        }
        Ok(children)
    }

    fn spawn(&self, task: TaskId) -> Result<Running> {
        let program =
            std::env::current_exe().map_err(|error| Status::from(error).context("the path of this program"))?;
        let (job, number) = task.job();
        let mut command = Command::new(program);
        command.arg("train-task").args(&self.arguments);
        command.arg(format!("--job_name={job}")).arg(format!("--task_index={number}"));
        let (log, mut file) = TaskLog::open(&self.logs, task)?;
        // In a group of its own: Ctrl-C is for us, and we tell them.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file.try_clone()?);
        let mut child =
            command.spawn().map_err(|error| Status::from(error).context(format_args!("starting {task}")))?;
        let stdin = child.stdin.take();
        if let Some(out) = child.stdout.take() {
            let send = self.send.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(out).lines().map_while(std::io::Result::ok) {
                    match Report::parse(&line) {
                        Some(report) => drop(send.send(Event::Report(task, report))),
                        // A line of some library belongs to the log.
                        None => drop(writeln!(file, "{line}")),
                    }
                }
            });
        }
        Ok(Running { task, child, log, stdin, ended: false })
    }

    /// Returns where the tasks listen.
    pub fn cluster(&self) -> &ClusterSpec {
        &self.cluster
    }

    /// Returns the last lines of a task's log.
    pub fn last_lines(&self, task: TaskId) -> Option<String> {
        self.children.iter().find(|running| running.task == task)?.log.last_lines()
    }

    pub fn workers_left(&self) -> usize {
        self.children.iter().filter(|child| !child.ended && matches!(child.task, TaskId::Worker(_))).count()
    }

    /// What happens next; what a task said comes before its end.
    pub fn next_event(&mut self, limit: Duration) -> Event {
        let deadline = Instant::now() + limit;
        loop {
            if let Ok(event) = self.events.recv_timeout(Duration::from_millis(50)) {
                return event;
            }
            let overdue = self.asked.is_some_and(|asked| asked.elapsed() > GRACE);
            for running in self.children.iter_mut().filter(|running| !running.ended) {
                if overdue && matches!(running.task, TaskId::Worker(_)) {
                    let _ = running.child.kill();
                }
                if let Ok(Some(status)) = running.child.try_wait() {
                    running.ended = true;
                    return Event::Ended(running.task, Ending(status));
                }
            }
            if Instant::now() > deadline {
                return Event::Silence;
            }
        }
    }

    /// Asks all workers to stop; the chief writes a checkpoint. Those that take too long are killed.
    pub fn ask_workers_to_stop(&mut self) {
        self.asked.get_or_insert_with(Instant::now);
        for running in self.children.iter_mut().filter(|running| matches!(running.task, TaskId::Worker(_))) {
            running.stdin = None;
        }
    }

    /// Whether a task that ended so may be started again: something killed it, and that was not often so.
    pub fn may_restart(&self, ending: &Ending) -> bool {
        ending.0.signal().is_some() && self.restarts < RESTARTS && self.asked.is_none()
    }

    pub fn restart(&mut self, task: TaskId) -> Result<()> {
        self.restarts += 1;
        let again = self.spawn(task)?;
        if let Some(running) = self.children.iter_mut().find(|running| running.task == task) {
            *running = again;
        }
        Ok(())
    }

    /// Ends the parameter servers, when nobody needs them any more.
    pub fn stop_ps(&mut self) {
        for running in &mut self.children {
            running.stdin = None;
        }
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline
            && self.children.iter_mut().any(|running| matches!(running.child.try_wait(), Ok(None)))
        {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        for running in &mut self.children {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

/// Whether tasks failed because a port was taken since it was found free.
pub fn is_port_taken(status: &Status) -> bool {
    status.code() == Code::Unavailable && status.message().contains("the port is taken")
}
