//! What all tasks answered, twice, so that rates can be told; as tables and as JSON.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tensor::Status;
use wire::operator::{StatusRequest, StatusResponse};

use super::table::{Look, Table};
use super::{Answer, Task, ask_all, words};

/// A cluster at a moment.
pub struct Moment {
    pub tasks: Vec<Task>,
    pub answers: Vec<Answer>,
    pub when: Instant,
}

impl Moment {
    pub fn now(tasks: &[Task], wanted: StatusRequest, limit: Duration) -> Moment {
        let answers = ask_all(tasks, wanted, limit);
        Moment { tasks: tasks.to_vec(), answers, when: Instant::now() }
    }

    pub fn all(&self) -> impl Iterator<Item = (&Task, &Answer)> {
        self.tasks.iter().zip(&self.answers)
    }

    /// Tasks that are ours and answered.
    pub fn ours(&self) -> impl Iterator<Item = (&Task, &StatusResponse)> {
        self.all().filter_map(|(task, answer)| Some((task, answer.ours()?)))
    }

    pub fn of(&self, name: &str) -> Option<(&Task, &Answer)> {
        self.all().find(|(task, _)| task.name == name)
    }

    /// Whether every task answered.
    pub fn is_complete(&self) -> bool {
        !self.answers.iter().any(|answer| matches!(answer, Answer::Gone(_)))
    }
}

/// How something grew between two moments, a second.
pub fn rate(before: &Moment, now: &Moment, task: &str, of: impl Fn(&StatusResponse) -> u64) -> f64 {
    let value = |moment: &Moment| moment.of(task).and_then(|(_, answer)| answer.ours().map(&of));
    let seconds = now.when.duration_since(before.when).as_secs_f64();
    match (value(before), value(now)) {
        (Some(before), Some(now)) if seconds > 0.0 => now.saturating_sub(before) as f64 / seconds,
        _ => 0.0,
    }
}

/// Steps of clients that began.
pub fn steps(status: &StatusResponse) -> u64 {
    status.steps.as_ref().map_or(0, |steps| steps.begun)
}

/// Parts of steps that began.
pub fn parts(status: &StatusResponse) -> u64 {
    status.parts.as_ref().map_or(0, |parts| parts.begun)
}

/// Bytes of tensors that left a task or were asked for by it.
pub fn moved(status: &StatusResponse) -> u64 {
    status.traffic.iter().map(|peer| peer.sent_bytes + peer.received_bytes).sum()
}

/// Why a task does not answer, short.
pub fn reason(status: &Status) -> String {
    let message = status.message();
    message.split(" is out of reach: ").nth(1).unwrap_or(message).to_owned()
}

/// The state of a task in a word.
pub fn state(answer: &Answer) -> (String, Look) {
    match answer {
        Answer::Ours(status) if status.draining => ("draining".to_owned(), Look::Doubtful),
        Answer::Ours(_) => ("up".to_owned(), Look::Good),
        Answer::Foreign(_) => ("TensorFlow's server".to_owned(), Look::Doubtful),
        Answer::Gone(_) => ("down".to_owned(), Look::Bad),
    }
}

pub fn sessions_table(now: &Moment) -> Table {
    let mut table =
        Table::new(&["SESSION", "MASTER", "AGE", "CLIENTS", "STEPS", "UNDER WAY", "LONGEST", "IDLE", "NODES", "TASKS"]);
    for (task, status) in now.ours() {
        for session in &status.sessions {
            table.row([
                words::session(&session.handle),
                task.name.clone(),
                words::duration(session.age_millis),
                if session.clients.is_empty() { "gone".to_owned() } else { session.clients.join(",") },
                session.steps.to_string(),
                session.under_way.to_string(),
                words::duration(session.longest_millis),
                words::duration(session.idle_millis),
                session.nodes.to_string(),
                session.tasks.len().to_string(),
            ]);
        }
    }
    table
}

/// Bytes from each task to each other: what was pushed there, and what was asked for from there.
pub fn pairs(now: &Moment) -> Vec<(String, String, u64, u64)> {
    let mut counts: HashMap<(String, String), (u64, u64)> = HashMap::new();
    let mut add = |from: String, to: String, bytes: u64, tensors: u64| {
        if tensors > 0 {
            let pair = counts.entry((from, to)).or_default();
            *pair = (pair.0 + bytes, pair.1 + tensors);
        }
    };
    for (task, status) in now.ours() {
        for peer in &status.traffic {
            let other = words::task(&peer.task);
            add(task.name.clone(), other.clone(), peer.sent_bytes, peer.sent_tensors);
            add(other, task.name.clone(), peer.received_bytes, peer.received_tensors);
        }
    }
    let mut pairs: Vec<_> =
        counts.into_iter().map(|((from, to), (bytes, tensors))| (from, to, bytes, tensors)).collect();
    pairs.sort_by(|one, other| words::in_order(&one.0, &other.0).then(words::in_order(&one.1, &other.1)));
    pairs
}

/// Everything as JSON.
pub fn to_json(before: &Moment, now: &Moment) -> Value {
    let tasks: Vec<Value> = now.all().map(|(task, answer)| task_json(before, now, task, answer)).collect();
    let traffic = pairs(now)
        .into_iter()
        .map(|(from, to, bytes, tensors)| json!({"from": from, "to": to, "bytes": bytes, "tensors": tensors}));
    json!({"complete": now.is_complete(), "tasks": tasks, "traffic": traffic.collect::<Vec<_>>()})
}

fn task_json(before: &Moment, now: &Moment, task: &Task, answer: &Answer) -> Value {
    let mut value = json!({"task": task.name, "address": task.address, "state": state(answer).0});
    let more = match answer {
        Answer::Gone(status) => json!({"error": reason(status)}),
        Answer::Foreign(name) => json!({"answers_as": name}),
        Answer::Ours(status) => ours_json(before, now, &task.name, status),
    };
    if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
        value.extend(more);
    }
    value
}

fn ours_json(before: &Moment, now: &Moment, name: &str, status: &StatusResponse) -> Value {
    let memory = status.memory.unwrap_or_default();
    let saved = status.saved.clone().unwrap_or_default();
    let counts = |steps: &Option<wire::operator::Steps>| {
        let steps = steps.clone().unwrap_or_default();
        let ended: serde_json::Map<String, Value> =
            steps.ended.iter().map(|(code, count)| (words::code(*code), json!(count))).collect();
        json!({"begun": steps.begun, "under_way": steps.under_way, "ended": ended, "total_micros": steps.total_micros})
    };
    json!({
        "version": status.version,
        "pid": status.pid,
        "uptime_millis": status.uptime_millis,
        "memory": {"resident": memory.resident, "available": memory.available, "limit": memory.limit, "held": memory.held},
        "worker_sessions": status.worker_sessions,
        "steps": counts(&status.steps),
        "parts": counts(&status.parts),
        "steps_per_second": rate(before, now, name, steps),
        "parts_per_second": rate(before, now, name, parts),
        "sessions": status.sessions.iter().map(|session| json!({
            "session": session.handle, "age_millis": session.age_millis, "clients": session.clients,
            "steps": session.steps, "under_way": session.under_way, "longest_millis": session.longest_millis,
            "idle_millis": session.idle_millis, "nodes": session.nodes,
            "tasks": session.tasks.iter().map(|task| words::task(task)).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "variables": status.variables.iter().map(|variable| json!({
            "name": variable.name, "dtype": variable.dtype, "shape": variable.shape, "bytes": variable.bytes,
            "initialized": variable.initialized, "uses": variable.uses,
        })).collect::<Vec<_>>(),
        "queues": status.queues.iter().map(|queue| json!({
            "name": queue.name, "kind": queue.kind, "length": queue.length, "capacity": queue.capacity,
            "enqueues_waiting": queue.enqueues_waiting, "dequeues_waiting": queue.dequeues_waiting, "closed": queue.closed,
        })).collect::<Vec<_>>(),
        "accumulators": status.accumulators.iter().map(|accumulator| json!({
            "name": accumulator.name, "accumulated": accumulator.accumulated, "required": accumulator.required,
            "accepted": accumulator.accepted, "dropped": accumulator.dropped,
            "workers": accumulator.workers.iter().map(|worker| json!({
                "worker": worker.worker, "accepted": worker.accepted, "dropped": worker.dropped,
                "steps_late": worker.steps_late,
            })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "checkpoints": {"count": saved.count, "bytes": saved.bytes, "last": saved.last,
            "last_unix_seconds": saved.last_unix_nanos / 1_000_000_000},
    })
}
