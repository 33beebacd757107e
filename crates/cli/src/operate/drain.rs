//! `tensorfleet drain`: no new steps on a task, then it stops.

use std::time::{Duration, Instant};

use clap::Args;
use tensor::Result;
use wire::operator::StatusRequest;

use super::{Answer, ClusterFlags, find_task, seconds};
use crate::output;

#[derive(Args)]
pub struct DrainCommand {
    /// The task, as in /job:worker/task:1 or worker:1.
    task: String,
    #[command(flatten)]
    cluster: ClusterFlags,
    /// Give steps under way so many seconds to end.
    #[arg(long = "grace_secs", alias = "grace-secs", default_value_t = 60.0, value_parser = seconds)]
    grace_secs: f64,
}

/// How long a task that was told to stop may take to be gone.
const GONE: Duration = Duration::from_secs(20);

impl DrainCommand {
    /// Returns whether all steps ended and the task is gone.
    pub fn run(self) -> Result<bool> {
        let tasks = self.cluster.tasks()?;
        let task = find_task(&tasks, &self.task)?;
        let left = task.operator.drain(Duration::from_secs_f64(self.grace_secs))?.steps_left;
        let deadline = Instant::now() + GONE;
        let gone = loop {
            match task.ask(StatusRequest::default(), Duration::from_millis(500)) {
                Answer::Gone(_) => break true,
                _ if Instant::now() > deadline => break false,
                _ => std::thread::sleep(Duration::from_millis(50)),
            }
        };
        match (left, gone) {
            (0, true) => output::line(format_args!("{} was drained and has stopped", task.name)),
            (left, true) => output::line(format_args!("{} has stopped; {left} steps did not end in time", task.name)),
            (_, false) => output::line(format_args!("{} was told to stop and still answers", task.name)),
        }
        Ok(left == 0 && gone)
    }
}
