//! `tensorfleet reset`: closes a task's sessions and empties containers of the whole cluster.

use std::time::Duration;

use clap::Args;
use tensor::Result;

use super::{ClusterFlags, ensure_tasks, find_task};
use crate::output;

#[derive(Args)]
pub struct ResetCommand {
    /// The containers to empty, as in `worker`: variables and queues of no other container are in the one named after the
    /// job of their task.
    #[arg(required = true, value_name = "CONTAINER")]
    containers: Vec<String>,
    #[command(flatten)]
    cluster: ClusterFlags,
    /// The task to ask, whose clients' sessions are closed; the first one if none is named.
    #[arg(long)]
    task: Option<String>,
}

/// A task gives each of the others ten seconds.
const RESET: Duration = Duration::from_secs(30);

impl ResetCommand {
    pub fn run(self) -> Result<bool> {
        let tasks = self.cluster.tasks()?;
        ensure_tasks(&tasks)?;
        let task = match &self.task {
            Some(name) => find_task(&tasks, name)?,
            None => &tasks[0],
        };
        task.operator.reset(self.containers.clone(), RESET)?;
        output::line(format_args!("reset by {}: emptied {}", task.name, self.containers.join(", ")));
        Ok(true)
    }
}
