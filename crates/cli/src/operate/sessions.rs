//! `tensorfleet sessions`: the sessions of all masters.

use clap::Args;
use tensor::Result;
use wire::operator::StatusRequest;

use super::model::{Moment, sessions_table, to_json};
use super::table::colours;
use super::{ClusterFlags, ensure_tasks};
use crate::output;

#[derive(Args)]
pub struct SessionsCommand {
    #[command(flatten)]
    cluster: ClusterFlags,
    /// As JSON: a list of sessions.
    #[arg(long)]
    json: bool,
}

impl SessionsCommand {
    /// Returns whether all tasks answered.
    pub fn run(self) -> Result<bool> {
        let tasks = self.cluster.tasks()?;
        ensure_tasks(&tasks)?;
        let now = Moment::now(&tasks, StatusRequest::default(), self.cluster.limit());
        if self.json {
            let whole = to_json(&now, &now);
            let tasks = whole["tasks"].as_array().cloned().unwrap_or_default();
            let of = |task: &serde_json::Value| -> Vec<serde_json::Value> {
                let sessions = task["sessions"].as_array().cloned().unwrap_or_default().into_iter();
                let with_master = sessions.map(|mut session| {
                    session["master"] = task["task"].clone();
                    session
                });
                with_master.collect()
            };
            output::line(serde_json::Value::Array(tasks.iter().flat_map(of).collect()));
        } else {
            output::text(sessions_table(&now).text(colours()));
        }
        // Those that could not be asked may have more.
        for text in super::why::silent(&now) {
            output::error_line(&text);
        }
        Ok(now.is_complete())
    }
}
