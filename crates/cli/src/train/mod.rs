//! `tensorfleet train`: MNIST on a cluster of this machine, with real processes and real sockets.
//!
//! This process reads the flags, starts a process for each task and shows what they report. Tasks end with it, in whatever way it
//! ends: each has a pipe on its standard input, and stops when that is closed.

mod children;
mod model;
mod progress;
mod report;
mod task;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, ValueEnum};
use tensor::{Code, Result, Status, ensure, err};
use tensorfleet::datasets::mnist::Mnist;
use tensorfleet::{Graph, global_variables, latest_checkpoint};

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
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    ps: u32,
    /// How many workers.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    workers: u32,
    /// Train synchronously: a step is made of the mean of all workers' gradients.
    #[arg(long, alias = "sync_replicas")]
    sync: bool,
    /// Train until the global step is so high [default: 3000 for softmax, 6000 for mlp, 600 for cnn].
    #[arg(long, alias = "train_steps", alias = "train-steps", value_parser = clap::value_parser!(i64).range(1..))]
    steps: Option<i64>,
    /// How many images each worker uses in a step [default: 100; 50 for cnn].
    #[arg(long = "batch_size", alias = "batch-size")]
    batch_size: Option<usize>,
    /// The learning rate of Adam at the beginning; in the end it is a tenth [default: 0.003 for softmax and mlp, 0.002 for cnn].
    #[arg(long = "learning_rate", alias = "learning-rate")]
    learning_rate: Option<f32>,
    /// The units of the hidden layer, for mlp alone [default: 100].
    #[arg(long = "hidden_units", alias = "hidden-units", value_parser = clap::value_parser!(i64).range(1..=100_000))]
    hidden_units: Option<i64>,
    /// The folder of the four MNIST files.
    #[arg(long = "data_dir", alias = "data-dir", default_value = "data/mnist")]
    data_dir: PathBuf,
    /// Where checkpoints and event files go. Training goes on from a checkpoint that is there [default: a new folder].
    #[arg(long)]
    logdir: Option<PathBuf>,
    /// Begin anew: fail if the folder has a checkpoint already.
    #[arg(long, requires = "logdir")]
    fresh: bool,
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

impl Default for Train {
    fn default() -> Train {
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            train: Train,
        }
        Line::parse_from(["train"]).train
    }
}

impl Train {
    pub fn run(self) -> Result<()> {
        self.check()?;
        let mnist = Mnist::read(&self.data_dir)?;
        ensure!(
            self.batch_size() <= mnist.train.len(),
            InvalidArgument,
            "--batch_size {} is more than the {} training images",
            self.batch_size(),
            mnist.train.len()
        );
        println!(
            "MNIST: {} training, {} validation and {} test images",
            mnist.train.len(),
            mnist.validation.len(),
            mnist.test.len()
        );
        drop(mnist);
        let logdir = self.logdir.clone().unwrap_or_else(|| new_folder(self.model));
        check_writable(&logdir)?;
        self.check_checkpoint(&logdir)?;
        println!(
            "{}: {} ps and {} workers on this machine, {}, {} steps, batches of {}",
            self.model.name(),
            self.ps,
            self.workers,
            if self.sync { "synchronous" } else { "asynchronous" },
            self.steps(),
            self.batch_size()
        );
        // Ports that were free a moment ago may be taken by the time that a task wants them.
        let mut tries = 5;
        loop {
            match self.train(&logdir) {
                Err(status) if children::is_port_taken(&status) && tries > 1 => tries -= 1,
                outcome => return outcome,
            }
        }
    }

    fn check(&self) -> Result<()> {
        ensure!(
            self.hidden_units.is_none() || self.model == Model::Mlp,
            InvalidArgument,
            "--hidden_units is for --model mlp, but the model is {}",
            self.model.name()
        );
        ensure!(self.batch_size() > 0, InvalidArgument, "--batch_size must be at least 1");
        let rate = self.learning_rate();
        ensure!(rate > 0.0 && rate.is_finite(), InvalidArgument, "--learning_rate must be above 0, not {rate}");
        Ok(())
    }

    /// A checkpoint in the folder must be of this model.
    fn check_checkpoint(&self, logdir: &Path) -> Result<()> {
        let Some(prefix) = latest_checkpoint(logdir)? else { return Ok(()) };
        ensure!(
            !self.fresh,
            AlreadyExists,
            "--fresh: there is a checkpoint already, {}; choose another --logdir or move it away",
            prefix.display()
        );
        let reader = files::BundleReader::open(&prefix)?;
        let graph = Graph::new();
        let model = model::build(&graph, self.model, self.hidden_units())?;
        for variable in global_variables(&graph) {
            let entry = reader.entry(variable.name()).map_err(|status| match status.code() {
                Code::NotFound => err!(
                    InvalidArgument,
                    "{} is a checkpoint of another model than {}: it has no variable '{}'; choose another --logdir",
                    prefix.display(),
                    self.model.name(),
                    variable.name()
                ),
                _ => status,
            })?;
            ensure!(
                variable.shape().is_compatible_with(&entry.shape),
                InvalidArgument,
                "{} is a checkpoint of another model: its '{}' is {}, that of {} is {}; choose another --logdir",
                prefix.display(),
                variable.name(),
                entry.shape,
                self.model.name(),
                variable.shape()
            );
        }
        let step = reader.lookup(model.global_step.name())?.to_scalar::<i64>()?;
        println!("going on from {} at step {step}", prefix.display());
        if step >= self.steps() {
            println!("it has all of the {} steps: give more --steps to train further", self.steps());
        }
        Ok(())
    }

    /// Starts all tasks, shows what they report, and waits for their end.
    fn train(&self, logdir: &Path) -> Result<()> {
        let mut children = Children::start(self, logdir)?;
        let mut progress = Progress::new(self.workers, self.steps());
        let mut stopping = false;
        let mut outcome = Ok(());
        let (mut result, mut trained) = (None, false);
        while children.workers_left() > 0 {
            match children.next_event(Duration::from_secs(3600)) {
                Event::Report(TaskId::Worker(worker), Report::Progress { step, local_step, loss }) => {
                    trained = true;
                    progress.update(worker, step, local_step, loss);
                }
                Event::Report(_, Report::Result(found)) => result = Some(found),
                Event::Report(task, Report::Failure { code, message }) => {
                    if outcome.is_ok() && !stopping {
                        outcome = Err(Status::new(code, message).context(task));
                    }
                }
                Event::Report(..) => {}
                Event::Said(task, line) => progress.say(&format!("{task}: {line}")),
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
                    } else if let (Ok(()), true) = (&outcome, children.may_restart(&ending)) {
                        progress.say(&format!("{task} {ending}; starting it again"));
                        children.restart(task)?;
                    } else {
                        if outcome.is_ok() {
                            outcome = Err(err!(Aborted, "{task} {ending}"));
                        }
                        // Only a chief that has trained has something to save.
                        if !trained || task == TaskId::Worker(0) {
                            progress.finish();
                            return outcome;
                        }
                        children.ask_workers_to_stop();
                    }
                }
                Event::Silence => {}
            }
        }
        progress.finish();
        children.stop_ps();
        outcome?;
        self.summarize(logdir, result, stopping)
    }

    fn summarize(&self, logdir: &Path, result: Option<report::Outcome>, stopped: bool) -> Result<()> {
        if let Some(result) = &result {
            let rate = result.steps as f64 / result.seconds.max(1e-9);
            if result.steps > 0 {
                println!("{} steps in {:.1} s ({rate:.0} steps/s)", result.steps, result.seconds);
            }
            if let Some(accuracy) = result.accuracy {
                println!("test accuracy: {accuracy:.4}");
            }
        }
        let checkpoint = latest_checkpoint(logdir)?;
        if let Some(prefix) = &checkpoint {
            println!("checkpoint: {}", prefix.display());
        }
        if let Some(events) = newest_events(logdir) {
            println!("events: {}", events.display());
        }
        println!("look at them with: tensorboard --logdir {}", logdir.display());
        if stopped {
            if checkpoint.is_some() {
                println!("go on with: tensorfleet train --model {} --logdir {}", self.model.name(), logdir.display());
            }
            return Err(err!(Cancelled, "stopped"));
        }
        ensure!(result.is_some(), Internal, "the chief ended without a result");
        Ok(())
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

/// A folder of this run's own.
fn new_folder(model: Model) -> PathBuf {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_millis());
    std::env::temp_dir().join(format!("tensorfleet-{}-{now}", model.name()))
}

/// Tries the folder before a minute of work depends on it.
fn check_writable(folder: &Path) -> Result<()> {
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    let tried = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&probe, b"x"));
    let _ = std::fs::remove_file(&probe);
    tried.map_err(|error| Status::from(error).context(format_args!("cannot write to --logdir {}", folder.display())))
}

fn newest_events(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let events = paths.filter(|path| path.to_string_lossy().contains("events.out.tfevents"));
    events.max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
}
