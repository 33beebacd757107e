//! `tensorfleet top`: who works, task by task, and which variables are hot; again and again.

use std::time::Duration;

use clap::Args;
use tensor::Result;
use wire::operator::StatusRequest;

use super::model::{Moment, moved, parts, rate, reason, state, steps};
use super::table::{Look, Table, colours};
use super::{Answer, ClusterFlags, ensure_tasks, seconds, words};
use crate::output;

#[derive(Args)]
pub struct TopCommand {
    #[command(flatten)]
    cluster: ClusterFlags,
    /// So many seconds between two looks.
    #[arg(long, default_value_t = 2.0, value_parser = seconds)]
    interval: f64,
    /// Look so many times; 0 is until Ctrl-C.
    #[arg(long, short = 'n', default_value_t = 0)]
    iterations: u64,
}

/// So many hot variables are shown.
const MOST: usize = 10;

impl TopCommand {
    /// Returns whether all tasks answered the last time.
    pub fn run(self) -> Result<bool> {
        let tasks = self.cluster.tasks()?;
        ensure_tasks(&tasks)?;
        let look = || Moment::now(&tasks, StatusRequest { resources: true, waits: false }, self.cluster.limit());
        let (mut before, mut looks) = (look(), 0);
        loop {
            std::thread::sleep(Duration::from_secs_f64(self.interval));
            let now = look();
            let clear = if colours() { "\x1b[H\x1b[2J" } else { "" };
            let (tasks, hot) = (tasks_table(&before, &now), hot_table(&before, &now));
            output::text(format_args!("{clear}{}\n{}", tasks.text(colours()), hot.text(colours())));
            looks += 1;
            if looks == self.iterations {
                return Ok(now.is_complete());
            }
            before = now;
        }
    }
}

fn tasks_table(before: &Moment, now: &Moment) -> Table {
    let mut table =
        Table::new(&["TASK", "STATE", "CPU", "STEPS/S", "PARTS/S", "MOVED/S", "UNDER WAY", "MEMORY", "THREADS"]);
    let mut all: Vec<_> = now.all().collect();
    let cpu = |name: &str| rate(before, now, name, |status| status.cpu_millis) / 10.0;
    all.sort_by(|(one, _), (other, _)| cpu(&other.name).total_cmp(&cpu(&one.name)));
    for (task, answer) in all {
        let (word, look) = state(answer);
        let mut cells = vec![(task.name.clone(), Look::Plain)];
        match answer {
            Answer::Gone(status) => cells.push((format!("{word}: {}", reason(status)), look)),
            Answer::Foreign(_) => cells.push((word, look)),
            Answer::Ours(status) => {
                cells.push((word, look));
                let per_second = |of: fn(&wire::operator::StatusResponse) -> u64| rate(before, now, &task.name, of);
                let more = [
                    format!("{:.0} %", cpu(&task.name)),
                    words::rate(per_second(steps)),
                    words::rate(per_second(parts)),
                    words::bytes(per_second(moved) as u64),
                    status.parts.as_ref().map_or(0, |parts| parts.under_way).to_string(),
                    words::bytes(status.memory.unwrap_or_default().resident),
                    status.threads.to_string(),
                ];
                cells.extend(more.map(|cell| (cell, Look::Plain)));
            }
        }
        table.looking(cells);
    }
    table
}

fn hot_table(before: &Moment, now: &Moment) -> Table {
    let mut table = Table::new(&["HOT VARIABLE", "TASK", "USES/S", "BYTES"]);
    let mut hot: Vec<(f64, &str, &str, u64)> = Vec::new();
    for (task, status) in now.ours() {
        for variable in &status.variables {
            let uses = |status: &wire::operator::StatusResponse| {
                status.variables.iter().find(|one| one.name == variable.name).map_or(0, |one| one.uses)
            };
            hot.push((rate(before, now, &task.name, uses), &variable.name, &task.name, variable.bytes));
        }
    }
    hot.sort_by(|one, other| other.0.total_cmp(&one.0));
    for (uses, name, task, bytes) in hot.into_iter().take(MOST) {
        table.row([name.to_owned(), task.to_owned(), words::rate(uses), words::bytes(bytes)]);
    }
    table
}
