//! `tensorfleet status`: every task, its sessions, what flows, and what lies where.

use std::time::Duration;

use clap::Args;
use tensor::Result;
use wire::operator::StatusRequest;

use super::model::{Moment, pairs, rate, reason, sessions_table, state, steps, to_json};
use super::table::{Look, Table, colours};
use super::{Answer, ClusterFlags, Task, ensure_tasks, seconds, words};
use crate::output;

#[derive(Args)]
pub struct StatusCommand {
    #[command(flatten)]
    cluster: ClusterFlags,
    /// Show it again and again, until Ctrl-C.
    #[arg(long)]
    watch: bool,
    /// So many seconds between two looks; rates are measured over the last one.
    #[arg(long, default_value_t = 0.5, value_parser = seconds)]
    interval: f64,
    /// As JSON, one line a look.
    #[arg(long)]
    json: bool,
}

/// So many of the largest variables, and of each kind of thing, are shown.
const MOST: usize = 15;

impl StatusCommand {
    /// Returns whether all tasks answered.
    pub fn run(self) -> Result<bool> {
        let tasks = self.cluster.tasks()?;
        ensure_tasks(&tasks)?;
        let mut before = self.look(&tasks);
        loop {
            std::thread::sleep(Duration::from_secs_f64(self.interval));
            let now = self.look(&tasks);
            if self.json {
                output::line(to_json(&before, &now));
            } else {
                let clear = if self.watch && colours() { "\x1b[H\x1b[2J" } else { "" };
                output::text(format_args!("{clear}{}", text(&before, &now)));
            }
            if !self.watch {
                return Ok(now.is_complete());
            }
            before = now;
        }
    }

    fn look(&self, tasks: &[Task]) -> Moment {
        Moment::now(tasks, StatusRequest { resources: true, waits: false }, self.cluster.limit())
    }
}

fn text(before: &Moment, now: &Moment) -> String {
    let mut sections = vec![("", tasks_table(before, now))];
    sections.push(("Sessions", sessions_table(now)));
    sections.push(("Traffic", traffic_table(now)));
    sections.push(("Variables", variables_table(now)));
    sections.push(("Queues", queues_table(now)));
    sections.push(("Accumulators", accumulators_table(now)));
    let mut text = String::new();
    for (title, table) in sections.iter().filter(|(_, table)| !table.is_empty()) {
        if !title.is_empty() {
            text.push_str(&format!("\n{title}\n"));
        }
        text.push_str(&table.text(colours()));
    }
    text
}

fn tasks_table(before: &Moment, now: &Moment) -> Table {
    let mut table = Table::new(&[
        "TASK",
        "ADDRESS",
        "STATE",
        "VERSION",
        "UP",
        "STEPS",
        "STEPS/S",
        "PARTS",
        "UNDER WAY",
        "VARIABLES",
        "MEMORY",
        "CHECKPOINT",
    ]);
    for (task, answer) in now.all() {
        let plain = |cell: String| (cell, Look::Plain);
        let (word, look) = state(answer);
        let mut cells = vec![plain(task.name.clone()), plain(task.address.clone())];
        match answer {
            Answer::Gone(status) => cells.push((format!("{word}: {}", reason(status)), look)),
            Answer::Foreign(name) => cells.push((format!("{word} ({name})"), look)),
            Answer::Ours(status) => {
                let memory = status.memory.unwrap_or_default();
                let parts = status.parts.clone().unwrap_or_default();
                let variables: u64 = status.variables.iter().map(|variable| variable.bytes).sum();
                cells.push((word, look));
                cells.extend([
                    plain(status.version.clone()),
                    plain(words::duration(status.uptime_millis)),
                    plain(steps(status).to_string()),
                    plain(words::rate(rate(before, now, &task.name, steps))),
                    plain(parts.begun.to_string()),
                    plain(parts.under_way.to_string()),
                    plain(format!("{} in {}", words::bytes(variables), status.variables.len())),
                    plain(format!("{} of {}", words::bytes(memory.resident), words::bytes(memory.limit))),
                    plain(checkpoint(status)),
                ]);
            }
        }
        table.looking(cells);
    }
    table
}

fn checkpoint(status: &wire::operator::StatusResponse) -> String {
    let saved = status.saved.clone().unwrap_or_default();
    if saved.count == 0 {
        return "none".to_owned();
    }
    let age = (status.unix_nanos - saved.last_unix_nanos).max(0) as u64 / 1_000_000;
    format!("{} ago: {}", words::duration(age), saved.last)
}

fn traffic_table(now: &Moment) -> Table {
    let mut table = Table::new(&["FROM", "TO", "TENSORS", "BYTES"]);
    for (from, to, bytes, tensors) in pairs(now) {
        table.row([from, to, tensors.to_string(), words::bytes(bytes)]);
    }
    table
}

fn variables_table(now: &Moment) -> Table {
    let mut table = Table::new(&["VARIABLE", "TASK", "TYPE", "SHAPE", "BYTES", "USES"]);
    let mut all: Vec<_> =
        now.ours().flat_map(|(task, status)| status.variables.iter().map(move |variable| (task, variable))).collect();
    all.sort_by_key(|(_, variable)| std::cmp::Reverse(variable.bytes));
    for (task, variable) in all.iter().take(MOST) {
        table.row([
            variable.name.clone(),
            task.name.clone(),
            variable.dtype.clone(),
            variable.shape.clone(),
            if variable.initialized { words::bytes(variable.bytes) } else { "uninitialized".to_owned() },
            variable.uses.to_string(),
        ]);
    }
    if all.len() > MOST {
        table.row([format!("and {} more", all.len() - MOST)]);
    }
    table
}

fn queues_table(now: &Moment) -> Table {
    let mut table =
        Table::new(&["QUEUE", "TASK", "KIND", "LENGTH", "CAPACITY", "ENQUEUES WAIT", "DEQUEUES WAIT", "CLOSED"]);
    for (task, queue) in now.ours().flat_map(|(task, status)| status.queues.iter().map(move |queue| (task, queue))) {
        table.row([
            queue.name.clone(),
            task.name.clone(),
            queue.kind.clone(),
            queue.length.to_string(),
            if queue.capacity > i32::MAX as u64 { "none".to_owned() } else { queue.capacity.to_string() },
            queue.enqueues_waiting.to_string(),
            queue.dequeues_waiting.to_string(),
            if queue.closed { "yes" } else { "no" }.to_owned(),
        ]);
    }
    table
}

fn accumulators_table(now: &Moment) -> Table {
    let mut table = Table::new(&["ACCUMULATOR", "TASK", "GRADIENTS", "WANTED", "ACCEPTED", "DROPPED", "BY WORKER"]);
    let all = now.ours().flat_map(|(task, status)| status.accumulators.iter().map(move |one| (task, one)));
    for (task, accumulator) in all.take(MOST) {
        let workers = accumulator.workers.iter();
        let workers = workers.map(|one| format!("{}: {}+{}", words::task(&one.worker), one.accepted, one.dropped));
        table.row([
            accumulator.name.clone(),
            task.name.clone(),
            accumulator.accumulated.to_string(),
            accumulator.required.to_string(),
            accumulator.accepted.to_string(),
            accumulator.dropped.to_string(),
            workers.collect::<Vec<_>>().join(", "),
        ]);
    }
    table
}
