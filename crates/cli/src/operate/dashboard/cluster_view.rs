//! What the page shows of a cluster: its tasks and the traffic between them, one task in detail, gradients by worker.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use tensor::{Result, err};
use wire::operator::StatusResponse;

use crate::operate::model::{Moment, moved, pairs, parts, rate, reason, state, steps};
use crate::operate::{Answer, Task, words};

/// The busiest pairs of tasks are drawn, and no more than so many.
const MOST_EDGES: usize = 600;
/// Of each kind of thing so many are listed.
const MOST: usize = 500;
const MOST_SESSIONS: usize = 200;

/// All tasks, and what flows between them.
pub fn overview(before: Option<&Moment>, now: &Moment) -> Value {
    let tasks: Vec<Value> = now.all().map(|(task, answer)| summary(before, now, task, answer)).collect();
    let (edges, pairs) = edges(before, now);
    json!({"tasks": tasks, "edges": edges, "pairs": pairs, "sessions": sessions(now), "measured": before.is_some()})
}

fn per_second(before: Option<&Moment>, now: &Moment, task: &str, of: impl Fn(&StatusResponse) -> u64) -> f64 {
    before.map_or(0.0, |before| rate(before, now, task, of))
}

fn summary(before: Option<&Moment>, now: &Moment, task: &Task, answer: &Answer) -> Value {
    let (job, index) = job_of(&task.name);
    let mut value = json!({"task": task.name, "job": job, "index": index, "address": task.address});
    let more = match answer {
        Answer::Gone(status) => json!({"state": "down", "error": reason(status)}),
        Answer::Foreign(name) => json!({"state": "foreign", "answers_as": name}),
        Answer::Ours(status) => {
            let memory = status.memory.unwrap_or_default();
            let of = |of: fn(&StatusResponse) -> u64| per_second(before, now, &task.name, of);
            let sum = |of: fn(&wire::operator::Variable) -> u64| status.variables.iter().map(of).sum::<u64>();
            let failed: u64 =
                status.steps.iter().flat_map(|s| &s.ended).filter(|(c, _)| **c != 0).map(|(_, n)| n).sum();
            json!({
                "state": state(answer).0, "version": status.version, "uptime_millis": status.uptime_millis,
                "resident": memory.resident, "limit": memory.limit, "available": memory.available,
                "steps": steps(status), "steps_per_second": of(steps), "parts_per_second": of(parts),
                "steps_failed": failed,
                "under_way": status.parts.as_ref().map_or(0, |parts| parts.under_way),
                "cpu": of(|status| status.cpu_millis) / 1000.0,
                "moved_per_second": of(moved),
                "variables": status.variables.len(), "variable_bytes": sum(|variable| variable.bytes),
                "queues": status.queues.len(), "sessions": status.sessions.len(),
            })
        }
    };
    if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
        value.extend(more);
    }
    value
}

/// Of `/job:ps/task:3`, `ps` and 3.
fn job_of(name: &str) -> (&str, u64) {
    let parts = name.strip_prefix("/job:").and_then(|rest| rest.split_once("/task:"));
    parts.map_or((name, 0), |(job, index)| (job, index.parse().unwrap_or(0)))
}

fn edges(before: Option<&Moment>, now: &Moment) -> (Vec<Value>, usize) {
    let earlier: HashMap<(String, String), (u64, u64)> = before
        .map(pairs)
        .unwrap_or_default()
        .into_iter()
        .map(|(from, to, bytes, tensors)| ((from, to), (bytes, tensors)))
        .collect();
    let seconds = before.map_or(0.0, |before| now.when.duration_since(before.when).as_secs_f64());
    let mut all: Vec<(String, String, u64, u64, f64, f64)> = pairs(now)
        .into_iter()
        .map(|(from, to, bytes, tensors)| {
            let key = (from, to);
            let per_second =
                |now: u64, was: u64| if seconds > 0.0 { now.saturating_sub(was) as f64 / seconds } else { 0.0 };
            // A pair that was not seen before has no rate yet.
            let was = earlier.get(&key).copied().unwrap_or((bytes, tensors));
            let rates = (per_second(bytes, was.0), per_second(tensors, was.1));
            (key.0, key.1, bytes, tensors, rates.0, rates.1)
        })
        .collect();
    let pairs = all.len();
    all.sort_by(|one, other| other.4.total_cmp(&one.4).then(other.2.cmp(&one.2)));
    all.truncate(MOST_EDGES);
    let edges = all.into_iter().map(|(from, to, bytes, tensors, bytes_rate, tensors_rate)| {
        json!({"from": from, "to": to, "bytes": bytes, "tensors": tensors,
            "bytes_per_second": bytes_rate, "tensors_per_second": tensors_rate})
    });
    (edges.collect(), pairs)
}

/// The sessions of all masters. Handles are told in part: whole ones let others use the sessions.
fn sessions(now: &Moment) -> Vec<Value> {
    let all = now.ours().flat_map(|(task, status)| status.sessions.iter().map(move |session| (task, session)));
    let told = all.take(MOST_SESSIONS).map(|(task, session)| {
        json!({
            "session": words::session(&session.handle), "master": task.name, "age_millis": session.age_millis,
            "clients": session.clients, "steps": session.steps, "under_way": session.under_way,
            "longest_millis": session.longest_millis, "idle_millis": session.idle_millis, "nodes": session.nodes,
            "tasks": session.tasks.len(),
        })
    });
    told.collect()
}

/// One task, with what lies on it.
///
/// # Errors
/// `NotFound` if there is no such task.
pub fn task(before: Option<&Moment>, now: &Moment, name: &str) -> Result<Value> {
    let (task, answer) = now
        .all()
        .find(|(task, _)| words::means(name, &task.name))
        .ok_or_else(|| err!(NotFound, "there is no task '{name}' in the cluster"))?;
    let mut value = summary(before, now, task, answer);
    let Some(status) = answer.ours() else { return Ok(value) };
    let uses = |status: &StatusResponse| -> HashMap<String, u64> {
        status.variables.iter().map(|variable| (variable.name.clone(), variable.uses)).collect()
    };
    let earlier = before.and_then(|before| before.of(&task.name)?.1.ours().map(uses)).unwrap_or_default();
    let seconds = before.map_or(0.0, |before| now.when.duration_since(before.when).as_secs_f64());
    let mut variables: Vec<&wire::operator::Variable> = status.variables.iter().collect();
    variables.sort_by_key(|variable| std::cmp::Reverse(variable.bytes));
    let listed = variables.iter().take(MOST).map(|variable| {
        let was = earlier.get(&variable.name).copied().unwrap_or(variable.uses);
        let hot = if seconds > 0.0 { variable.uses.saturating_sub(was) as f64 / seconds } else { 0.0 };
        json!({"name": variable.name, "dtype": variable.dtype, "shape": variable.shape, "bytes": variable.bytes,
            "initialized": variable.initialized, "uses": variable.uses, "uses_per_second": hot})
    });
    let queues = status.queues.iter().take(MOST).map(|queue| {
        json!({"name": queue.name, "kind": queue.kind, "length": queue.length,
            "capacity": (queue.capacity <= i32::MAX as u64).then_some(queue.capacity),
            "enqueues_waiting": queue.enqueues_waiting, "dequeues_waiting": queue.dequeues_waiting, "closed": queue.closed})
    });
    let saved = status.saved.clone().unwrap_or_default();
    value["variable_list"] = listed.collect();
    value["queue_list"] = queues.collect();
    value["pid"] = json!(status.pid);
    value["threads"] = json!(status.threads);
    value["open_files"] = json!(status.open_files);
    value["saved"] =
        json!({"count": saved.count, "last": saved.last, "last_unix_seconds": saved.last_unix_nanos / 1_000_000_000});
    let ended: BTreeMap<String, u64> =
        status.steps.iter().flat_map(|steps| &steps.ended).map(|(code, count)| (words::code(*code), *count)).collect();
    value["steps_ended"] = json!(ended);
    Ok(value)
}

/// What became of each worker's gradients, in all and by accumulator.
pub fn gradients(now: &Moment) -> Value {
    let mut workers: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    let mut accumulators = Vec::new();
    for (task, status) in now.ours() {
        for one in &status.accumulators {
            for worker in &one.workers {
                let counts = workers.entry(words::task(&worker.worker)).or_default();
                for (sum, count) in counts.iter_mut().zip([worker.accepted, worker.dropped, worker.steps_late]) {
                    *sum = sum.saturating_add(count);
                }
            }
            if accumulators.len() < MOST {
                accumulators.push(json!({
                    "name": one.name, "task": task.name, "accumulated": one.accumulated, "required": one.required,
                    "accepted": one.accepted, "dropped": one.dropped,
                }));
            }
        }
    }
    let workers = workers.iter().take(MOST).map(|(worker, [accepted, dropped, late])| {
        let staleness = if *dropped > 0 { *late as f64 / *dropped as f64 } else { 0.0 };
        json!({"worker": worker, "accepted": accepted, "dropped": dropped, "steps_late": late, "mean_steps_late": staleness})
    });
    json!({"workers": workers.collect::<Vec<_>>(), "accumulators": accumulators})
}
