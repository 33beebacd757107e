//! `tensorfleet trace`: what the next steps do on all tasks, as a file for chrome://tracing or Perfetto.
//!
//! Tasks are asked at once; their clocks are set against this machine's by the quickest of some round trips. Every tensor
//! that goes from one device to another is drawn as an arrow.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Args;
use files::atomic::{AtomicFile, write_file};
use serde_json::{Value, json};
use tensor::{Result, ensure};
use wire::operator::{TraceResponse, TracedNode};

use super::{ClusterFlags, Task, ensure_tasks, seconds, with_all};
use crate::output;

#[derive(Args)]
pub struct TraceCommand {
    #[command(flatten)]
    cluster: ClusterFlags,
    /// Trace so many steps of each task.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: u32,
    /// Where to write it.
    #[arg(long, short = 'o', default_value = "trace.json")]
    out: PathBuf,
    /// Wait so many seconds for steps at most.
    #[arg(long = "wait_secs", alias = "wait-secs", default_value_t = 30.0, value_parser = seconds)]
    wait_secs: f64,
}

impl TraceCommand {
    /// Returns whether every task was traced.
    pub fn run(self) -> Result<bool> {
        let tasks = self.cluster.tasks()?;
        ensure_tasks(&tasks)?;
        // Begun once, so that nobody waits for steps of which no file can be made.
        drop(AtomicFile::create(&self.out)?);
        let (limit, wait) = (self.cluster.limit(), Duration::from_secs_f64(self.wait_secs));
        let Recording { events, steps, nodes, arrows, silent } = record(&tasks, self.steps, wait, limit, usize::MAX)?;
        for line in &silent {
            output::error_line(line);
        }
        write_file(&self.out, json!({"traceEvents": events, "displayTimeUnit": "ms"}).to_string().as_bytes())?;
        output::line(format_args!(
            "{}: {steps} steps, {nodes} nodes and {arrows} tensors between devices, of {} tasks",
            self.out.display(),
            tasks.len() - silent.len()
        ));
        Ok(silent.is_empty())
    }
}

/// What tasks did in some steps.
pub struct Recording {
    /// As chrome://tracing reads them.
    pub events: Vec<Value>,
    pub steps: usize,
    pub nodes: usize,
    pub arrows: usize,
    /// Tasks that could not be traced, each with the reason.
    pub silent: Vec<String>,
}

/// Records the next steps on all tasks at once, and no more nodes of each task than so many.
///
/// # Errors
/// `DeadlineExceeded` if no step begins.
pub fn record(tasks: &[Task], steps: u32, wait: Duration, limit: Duration, most: usize) -> Result<Recording> {
    let mut traced: Vec<Result<(i64, TraceResponse)>> = with_all(tasks, |task| {
        let ahead = clock(task, limit)?;
        Ok((ahead, task.operator.trace(steps, wait)?))
    });
    for (_, trace) in traced.iter_mut().flatten() {
        let mut left = most;
        for step in &mut trace.steps {
            step.nodes.truncate(left);
            left -= step.nodes.len();
        }
    }
    let mut events = Vec::new();
    let (mut nodes, mut seen, mut silent) = (0, std::collections::BTreeSet::new(), Vec::new());
    for (pid, (task, traced)) in tasks.iter().zip(&traced).enumerate() {
        match traced {
            Err(status) => silent.push(format!("{}: {}", task.name, status.message())),
            Ok((ahead, trace)) => {
                events.push(json!({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": task.name}}));
                for step in &trace.steps {
                    seen.insert(step.step);
                    nodes += step.nodes.len();
                    events.extend(step.nodes.iter().map(|node| event(node, pid, step.step, *ahead)));
                }
            }
        }
    }
    let flows = flows(&traced);
    let arrows = flows.len() / 2;
    events.extend(flows);
    ensure!(
        !seen.is_empty(),
        DeadlineExceeded,
        "no step began on any task within {} s: is anybody training?{}",
        wait.as_secs_f64(),
        silent.first().map(|line| format!(" ({line})")).unwrap_or_default()
    );
    Ok(Recording { events, steps: seen.len(), nodes, arrows, silent })
}

/// Nanoseconds that a task's clock is ahead of ours.
fn clock(task: &Task, limit: Duration) -> Result<i64> {
    let mut best: Option<(Duration, i64)> = None;
    for _ in 0..5 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let sent = Instant::now();
        let theirs = task.operator.echo(Vec::new(), 0, limit)?.unix_nanos;
        let took = sent.elapsed();
        let ours = (now + took / 2).as_nanos() as i64;
        if best.is_none_or(|(quickest, _)| took < quickest) {
            best = Some((took, theirs - ours));
        }
    }
    Ok(best.map_or(0, |(_, ahead)| ahead))
}

fn event(node: &TracedNode, pid: usize, step: i64, ahead: i64) -> Value {
    json!({
        "ph": "X",
        "name": node.op,
        "cat": "op",
        "pid": pid,
        "tid": node.thread,
        "ts": micros(node.start_unix_nanos - ahead),
        "dur": node.nanos as f64 / 1e3,
        "args": {"node": node.node, "device": node.device, "step": step.to_string()},
    })
}

fn micros(nanos: i64) -> f64 {
    nanos as f64 / 1e3
}

/// An arrow for every tensor of which both ends were seen: the end of its sending, the end of its receiving.
fn flows(traced: &[Result<(i64, TraceResponse)>]) -> Vec<Value> {
    type Place = (f64, usize, u64);
    let mut sent: HashMap<(i64, &str), Place> = HashMap::new();
    let mut received: Vec<((i64, &str), Place)> = Vec::new();
    for (pid, traced) in traced.iter().enumerate() {
        let Ok((ahead, trace)) = traced else { continue };
        for step in &trace.steps {
            for node in step.nodes.iter().filter(|node| !node.key.is_empty()) {
                let end = micros(node.start_unix_nanos - ahead) + node.nanos as f64 / 1e3;
                let (key, place) = ((step.step, node.key.as_str()), (end, pid, node.thread));
                if node.op.contains("Send") {
                    sent.insert(key, place);
                } else {
                    received.push((key, place));
                }
            }
        }
    }
    let mut flows = Vec::new();
    for (key, (arrived, pid, thread)) in received {
        let Some((left, from, of)) = sent.get(&key) else { continue };
        let id = flows.len();
        let name = key.1.rsplit(':').next().unwrap_or_default();
        flows.push(json!({"ph": "s", "cat": "tensor", "name": name, "id": id, "pid": from, "tid": of, "ts": left}));
        flows.push(json!({
            "ph": "f", "bp": "e", "cat": "tensor", "name": name, "id": id, "pid": pid, "tid": thread, "ts": arrived
        }));
    }
    flows
}
