//! `tensorfleet train`: MNIST on a cluster of this machine, with real processes and real sockets.
//!
//! This process reads the flags, starts a process for each task and shows what they report. What they log goes to files in the
//! logdir. Tasks end with it, in whatever way it ends: each has a pipe on its standard input, and stops when that is closed.

mod checks;
mod children;
mod logs;
mod model;
mod progress;
mod report;
mod task;

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use cluster::Security;
use runtime::ClusterSpec;
use tensor::{Result, Status, ensure, err};
use tensorfleet::datasets::mnist::{self, Mnist};
use tensorfleet::train::latest_checkpoint;

use crate::operate::dashboard::{self, Served, Shown};
use crate::output;
use children::{Children, Event, TaskId};
use progress::Progress;
use report::Report;
pub use task::TrainTask;

#[derive(Args, Clone)]
pub struct Train {
    /// What to train.
    #[arg(long, value_enum, default_value = "mlp")]
    model: Model,
    /// How many parameter servers.
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=64))]
    ps: u32,
    /// How many workers.
    #[arg(long, default_value_t = 2, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=64))]
    workers: u32,
    /// Train synchronously: a step is made of the mean of all workers' gradients.
    #[arg(long, alias = "sync_replicas")]
    sync: bool,
    /// With --sync: without parameter servers. Each worker has the whole model, and the workers average their gradients among
    /// themselves.
    #[arg(long = "all_reduce", alias = "all-reduce", requires = "sync", conflicts_with = "ps")]
    all_reduce: bool,
    /// Train until the global step is so high [default: 3000 for softmax, 6000 for mlp, 600 for cnn].
    #[arg(long, alias = "train_steps", alias = "train-steps", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(1..))]
    steps: Option<i64>,
    /// How many images each worker uses in a step [default: 100; 50 for cnn].
    #[arg(long = "batch_size", alias = "batch-size", allow_negative_numbers = true)]
    batch_size: Option<usize>,
    /// The learning rate of Adam at the beginning; in the end it is a tenth [default: 0.003 for softmax and mlp, 0.002 for cnn].
    #[arg(long = "learning_rate", alias = "learning-rate", allow_negative_numbers = true)]
    learning_rate: Option<f32>,
    /// The units of the hidden layer, for mlp alone [default: 100].
    #[arg(long = "hidden_units", alias = "hidden-units", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    hidden_units: Option<i64>,
    /// The folder of the four MNIST files [default: $TENSORFLEET_MNIST, or data/mnist here or beside this program, or
    /// tensorfleet/mnist in the user's cache].
    #[arg(long = "data_dir", alias = "data-dir")]
    data_dir: Option<PathBuf>,
    /// Where checkpoints, event files and the logs of tasks go; also s3://, gs:// or az:// (the logs then stay in a new folder
    /// here). Training goes on from a checkpoint that is there [default: a new folder].
    #[arg(long)]
    logdir: Option<PathBuf>,
    /// Let the chief write all of a checkpoint, and read it: parameter servers then need no place that they share with it.
    #[arg(long = "save_through_chief", alias = "save-through-chief", conflicts_with = "all_reduce")]
    save_through_chief: bool,
    /// Begin anew: fail if the folder has a checkpoint already.
    #[arg(long, requires = "logdir")]
    fresh: bool,
    /// Show the training in a browser, and go on showing it after its end until Ctrl-C.
    #[arg(long)]
    open: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// Softmax regression.
    Softmax,
    /// A network with one hidden layer.
    Mlp,
    /// Two convolutions (5x5x32, 5x5x64) and two dense layers (512, 10).
    Cnn,
}

impl Train {
    pub fn run(self) -> Result<()> {
        self.check_flags()?;
        let data_dir = mnist::folder(self.data_dir.as_deref())
            .map_err(|status| status.context("there is no --data_dir to read from"))?;
        let mnist = Mnist::read(&data_dir)?;
        ensure!(
            self.batch_size() <= mnist.train.len(),
            InvalidArgument,
            "--batch_size {} is more than the {} training images",
            self.batch_size(),
            mnist.train.len()
        );
        output::line(format_args!(
            "MNIST: {} training, {} validation and {} test images",
            mnist.train.len(),
            mnist.validation.len(),
            mnist.test.len()
        ));
        drop(mnist);
        let logdir = self.logdir.clone().unwrap_or_else(|| new_folder(self.model));
        let logdir = if files::place::is_url(&logdir) { logdir } else { std::path::absolute(logdir)? };
        checks::check_writable(&logdir)?;
        self.check_checkpoint(&logdir)?;
        let servers = if self.all_reduce { String::new() } else { format!("{} ps and ", self.ps) };
        output::line(format_args!(
            "{}: {servers}{} {} on this machine, {}, {} steps, batches of {}",
            self.model.name(),
            self.workers,
            if self.workers == 1 { "worker" } else { "workers" },
            match (self.sync, self.all_reduce) {
                (false, _) => "asynchronous",
                (true, false) => "synchronous",
                (true, true) => "synchronous by all-reduce",
            },
            self.steps(),
            self.batch_size()
        ));
        // Ports that were free a moment ago may be taken by the time that a task wants them.
        let mut tries = 5;
        loop {
            match self.train(&data_dir, &logdir) {
                Err(status) if children::is_port_taken(&status) && tries > 1 => tries -= 1,
                outcome => return outcome,
            }
        }
    }

    /// Starts all tasks, shows what they report, and waits for their end.
    fn train(&self, data_dir: &Path, logdir: &Path) -> Result<()> {
        let mut children = Children::start(self, data_dir, logdir)?;
        let page = self.open.then(|| show_page(children.cluster(), logdir)).transpose()?;
        let mut progress = Progress::new(self.workers, self.steps());
        let mut stopping = false;
        let mut failure = None;
        let (mut result, mut trained) = (None, false);
        while children.workers_left() > 0 {
            match children.next_event(Duration::from_secs(3600)) {
                Event::Report(TaskId::Worker(worker), Report::Progress { step, local_step, loss }) => {
                    trained = true;
                    progress.update(worker, step, local_step, loss);
                }
                Event::Report(_, Report::Result(found)) => result = Some(found),
                Event::Report(task, Report::Failure { code, message }) => {
                    if failure.is_none() && !stopping {
                        failure = Some((task, Status::new(code, message).context(task)));
                    }
                }
                Event::Report(..) => {}
                Event::Interrupted if !stopping => {
                    stopping = true;
                    progress.say("stopping; the chief writes a checkpoint (again Ctrl-C: at once)");
                    children.ask_workers_to_stop();
                }
                Event::Interrupted => return Err(err!(Cancelled, "stopped at once, without a checkpoint")),
                Event::Ended(task, ending) => {
                    if ending.is_success() || stopping {
                        // The rest of a job is over soon after its chief.
                        if task == TaskId::Worker(0) {
                            children.ask_workers_to_stop();
                        }
                    } else if failure.is_none() && children.may_restart(&ending) {
                        progress.say(&format!("{task} {ending}; starting it again"));
                        children.restart(task)?;
                    } else {
                        failure.get_or_insert_with(|| (task, err!(Aborted, "{task} {ending}")));
                        // Only a chief that has trained has something to save.
                        if !trained || task == TaskId::Worker(0) {
                            break;
                        }
                        children.ask_workers_to_stop();
                    }
                }
                Event::Silence => {}
            }
        }
        progress.finish();
        if let Some((task, status)) = failure {
            if let (false, Some(lines)) = (children::is_port_taken(&status), children.last_lines(task)) {
                output::error_line(lines);
            }
            return Err(status);
        }
        children.stop_ps();
        self.summarize(logdir, result, stopping)?;
        if page.is_some() {
            output::line("the page stays until Ctrl-C");
            while !matches!(children.next_event(Duration::from_secs(3600)), Event::Interrupted) {}
        }
        Ok(())
    }

    fn summarize(&self, logdir: &Path, result: Option<report::Outcome>, stopped: bool) -> Result<()> {
        if let Some(result) = &result {
            let rate = result.steps as f64 / result.seconds.max(1e-9);
            if result.steps > 0 {
                output::line(format_args!("{} steps in {:.1} s ({rate:.0} steps/s)", result.steps, result.seconds));
            }
            if let Some(accuracy) = result.accuracy {
                output::line(format_args!("test accuracy: {accuracy:.4}"));
            }
        }
        let checkpoint = latest_checkpoint(logdir)?;
        if let Some(prefix) = &checkpoint {
            output::line(format_args!("checkpoint: {}", prefix.display()));
        }
        if let Some(events) = newest_events(logdir) {
            output::line(format_args!("events: {}", events.display()));
        }
        output::line(format_args!("look at them with: tensorboard --logdir {}", logdir.display()));
        if stopped {
            if checkpoint.is_some() {
                output::line(format_args!(
                    "go on with: tensorfleet train --model {} --logdir {}",
                    self.model.name(),
                    logdir.display()
                ));
            }
            return Err(err!(Cancelled, "stopped"));
        }
        ensure!(result.is_some(), Internal, "the chief ended without a result");
        Ok(())
    }

    /// Returns how many parameter servers there are.
    fn servers(&self) -> u32 {
        if self.all_reduce { 0 } else { self.ps }
    }

    fn steps(&self) -> i64 {
        let usual = match self.model {
            Model::Softmax => 3000,
            Model::Mlp => 6000,
            Model::Cnn => 600,
        };
        self.steps.unwrap_or(usual)
    }

    fn batch_size(&self) -> usize {
        self.batch_size.unwrap_or(if self.model == Model::Cnn { 50 } else { 100 })
    }

    fn learning_rate(&self) -> f32 {
        self.learning_rate.unwrap_or(if self.model == Model::Cnn { 0.002 } else { 0.003 })
    }

    fn hidden_units(&self) -> i64 {
        self.hidden_units.unwrap_or(100)
    }
}

impl Model {
    fn name(self) -> &'static str {
        match self {
            Model::Softmax => "softmax",
            Model::Mlp => "mlp",
            Model::Cnn => "cnn",
        }
    }
}

/// Serves the page of a training, prints its address and lets the desktop open it.
fn show_page(cluster: &ClusterSpec, logdir: &Path) -> Result<Served> {
    let security = Security::default();
    let tasks = dashboard::tasks_of(cluster, ("", 0), "", &security)?;
    let shown = Shown { tasks, logdir: Some(logdir.to_owned()), security };
    let page = dashboard::start(Ipv4Addr::LOCALHOST.into(), None, shown)?;
    output::line(format_args!("Dashboard: {}", page.url));
    dashboard::open_in_browser(&page.url);
    Ok(page)
}

/// A folder of this run's own.
fn new_folder(model: Model) -> PathBuf {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_millis());
    std::env::temp_dir().join(format!("tensorfleet-{}-{now}", model.name()))
}

/// Where tasks log: lines are added to a log, which a store cannot do.
fn folder_of_logs(model: Model, logdir: &Path) -> Result<PathBuf> {
    if !files::place::is_url(logdir) {
        return Ok(logdir.to_owned());
    }
    let folder = new_folder(model);
    std::fs::create_dir_all(&folder).map_err(|error| Status::from(error).context(folder.display()))?;
    output::line(format_args!("logs of the tasks: {}", folder.display()));
    Ok(folder)
}

fn newest_events(folder: &Path) -> Option<PathBuf> {
    let entries = files::place::read_folder(folder).ok()?;
    let events = entries.into_iter().filter(|entry| entry.name.to_string_lossy().contains("events.out.tfevents"));
    events.max_by_key(|entry| entry.modified).map(|entry| entry.path)
}
