//! `tensorfleet why`: what steps that take long wait for, as a chain that ends at who should do something.
//!
//! A step is known by the same number on all its tasks, so what one task waits for is looked for at the others: a tensor at the
//! task that sends it, an element at the steps that enqueue, a gradient at the workers that have not brought theirs.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::json;
use tensor::{Result, ensure};
use wire::operator::{Accumulator, Helper, Queue, StatusRequest, StatusResponse, StepUnderWay, WaitingNode};

use super::model::{Moment, reason};
use super::table::{Look, colours, painted};
use super::{Answer, ClusterFlags, ensure_tasks, find_task, seconds, words};
use crate::output;

#[derive(Args)]
pub struct WhyCommand {
    /// Only steps of this session (the beginning of its handle) or with a part on this task (as in worker:0).
    #[arg(value_name = "SESSION|TASK")]
    whose: Option<String>,
    #[command(flatten)]
    cluster: ClusterFlags,
    /// Only steps that have been under way for so many seconds.
    #[arg(long = "longer_than", alias = "longer-than", default_value_t = 1.0, value_parser = seconds)]
    longer_than: f64,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// No chain is followed further.
const DEEPEST: usize = 12;

impl WhyCommand {
    /// Returns whether nothing waits and every task answers.
    pub fn run(self) -> Result<bool> {
        let tasks = self.cluster.tasks()?;
        ensure_tasks(&tasks)?;
        let now = Moment::now(&tasks, StatusRequest { resources: true, waits: true }, self.cluster.limit());
        let on_task = self.whose.as_deref().and_then(|name| find_task(&tasks, name).ok());
        if let (Some(name), None) = (&self.whose, on_task) {
            let mut known = now.ours().flat_map(|(_, status)| &status.sessions).map(|session| session.handle.as_str());
            let mut steps = now.ours().flat_map(|(_, status)| &status.under_way).map(|step| step.session.as_str());
            let is_session =
                known.any(|handle| handle.starts_with(name)) || steps.any(|handle| handle.starts_with(name));
            ensure!(
                is_session,
                NotFound,
                "'{name}' is neither a task of the cluster nor the beginning of a session's handle"
            );
        }
        let mut stuck = stuck_steps(&now, (self.longer_than * 1000.0) as u64);
        stuck.retain(|_, parts| match (on_task, &self.whose) {
            (Some(task), _) => parts.iter().any(|(name, _)| *name == task.name),
            (None, Some(session)) => parts.iter().any(|(_, step)| step.session.starts_with(session)),
            (None, None) => true,
        });
        let chains: Vec<Chain> = stuck.values().map(|parts| Chain::of(&now, parts)).collect();
        let silent: Vec<String> = now
            .all()
            .filter_map(|(task, answer)| match answer {
                Answer::Gone(status) => Some(format!("{} does not answer: {}", task.name, reason(status))),
                _ => None,
            })
            .collect();
        if self.json {
            let steps = chains.iter().map(|chain| {
                json!({
                    "step": chain.step.to_string(), "session": chain.session, "age_millis": chain.age_millis,
                    "chain": chain.links.iter().map(|(_, text)| text).collect::<Vec<_>>(), "culprits": chain.culprits,
                })
            });
            output::line(json!({"stuck": steps.collect::<Vec<_>>(), "silent": silent}));
        } else {
            tell(&chains, &silent, self.longer_than);
        }
        Ok(chains.is_empty() && silent.is_empty())
    }
}

fn tell(chains: &[Chain], silent: &[String], longer_than: f64) {
    for chain in chains {
        for (depth, text) in &chain.links {
            let look = if chain.culprits.contains(text) { Look::Bad } else { Look::Plain };
            let text = painted(text, look, colours());
            match depth {
                0 => output::line(text),
                depth => output::line(format_args!("{}└ {text}", "  ".repeat(depth - 1))),
            }
        }
    }
    for text in silent {
        output::line(painted(text, Look::Bad, colours()));
    }
    if chains.is_empty() {
        output::line(format_args!("no step has been under way for longer than {longer_than} s"));
    }
}

/// Parts of a step, with their tasks.
type PartsOfStep<'a> = Vec<(&'a str, &'a StepUnderWay)>;

/// Steps under way for so long, with their parts on all tasks.
fn stuck_steps(now: &Moment, longer_than: u64) -> BTreeMap<i64, PartsOfStep<'_>> {
    let mut steps: BTreeMap<i64, PartsOfStep<'_>> = BTreeMap::new();
    for (task, status) in now.ours() {
        for step in &status.under_way {
            steps.entry(step.step).or_default().push((&task.name, step));
        }
    }
    steps.retain(|_, parts| parts.iter().any(|(_, step)| step.age_millis >= longer_than));
    steps
}

/// What a step waits for, down to who should do something.
struct Chain {
    step: i64,
    session: String,
    age_millis: u64,
    /// How deep each link is, and what it says.
    links: Vec<(usize, String)>,
    /// The links at which a chain ends.
    culprits: Vec<String>,
    /// Steps and nodes that were looked at already.
    seen: Vec<(i64, String)>,
    /// Those on the way to the one that is looked at.
    path: Vec<(i64, String)>,
}

impl Chain {
    fn of(now: &Moment, parts: &PartsOfStep<'_>) -> Chain {
        let age_millis = parts.iter().map(|(_, step)| step.age_millis).max().unwrap_or(0);
        let (step, session) = parts.first().map_or((0, String::new()), |(_, part)| (part.step, part.session.clone()));
        let mut chain = Chain {
            step,
            session,
            age_millis,
            links: Vec::new(),
            culprits: Vec::new(),
            seen: Vec::new(),
            path: Vec::new(),
        };
        let on: Vec<&str> = parts.iter().map(|(task, _)| *task).collect();
        let whose = master_of(now, &chain.session);
        let head = format!(
            "step {step} of session {} ({whose}) has been under way for {} on {}",
            words::session(&chain.session),
            words::duration(age_millis),
            on.join(", ")
        );
        chain.links.push((0, head));
        // Whoever only waits for another part of the step is found again from there.
        let (transfers, ends): (Vec<_>, Vec<_>) = parts
            .iter()
            .flat_map(|(task, part)| part.nodes.iter().map(move |node| (*task, node)))
            .partition(|(_, node)| !node.from_device.is_empty());
        for (task, node) in transfers.into_iter().chain(ends) {
            chain.follow(now, task, step, node, 1);
        }
        if parts.iter().all(|(_, part)| part.nodes.is_empty()) {
            let text = format!("nothing of it waits: it computes on {}", on.join(", "));
            chain.end(1, text);
        }
        chain
    }

    fn link(&mut self, depth: usize, text: String) {
        self.links.push((depth, text));
    }

    fn end(&mut self, depth: usize, text: String) {
        self.links.push((depth, text.clone()));
        if !self.culprits.contains(&text) {
            self.culprits.push(text);
        }
    }

    fn follow(&mut self, now: &Moment, task: &str, step: i64, node: &WaitingNode, depth: usize) {
        let mark = (step, format!("{task} {}", node.node));
        if self.path.contains(&mark) {
            return self.end(depth, format!("node '{}' again: the steps wait for each other", node.node));
        }
        if depth > DEEPEST || self.seen.contains(&mark) {
            return;
        }
        self.seen.push(mark.clone());
        self.path.push(mark);
        self.follow_on(now, task, step, node, depth);
        self.path.pop();
    }

    fn follow_on(&mut self, now: &Moment, task: &str, step: i64, node: &WaitingNode, depth: usize) {
        let since = words::duration(node.age_millis);
        let what = if node.blocking { "has been at work on files" } else { "has waited" };
        self.link(depth, format!("node '{}' ({}) on {task} {what} for {since}", node.node, node.op));
        if node.blocking {
            return self.end(
                depth + 1,
                format!("{task} reads or writes a file that does not answer: look at its disk or pipe"),
            );
        }
        if !node.from_device.is_empty() {
            return self.follow_tensor(now, step, node, depth + 1);
        }
        let Some(status) = now.of(task).and_then(|(_, answer)| answer.ours()) else { return };
        let queue = status.queues.iter().find(|queue| queue.name == node.resource);
        let accumulator = status.accumulators.iter().find(|accumulator| accumulator.name == node.resource);
        match (queue, accumulator) {
            (Some(queue), _) => self.follow_queue(now, status, task, node, queue, depth + 1),
            (_, Some(accumulator)) => self.follow_gradients(now, task, accumulator, depth + 1),
            _ if node.resource.is_empty() => {
                self.end(depth + 1, format!("{} on {task} ends by itself, or waits outside", node.op))
            }
            _ => self.end(depth + 1, format!("'{}' on {task} has nothing for it", node.resource)),
        }
    }

    /// A tensor comes from another device: what does that task do for the step?
    fn follow_tensor(&mut self, now: &Moment, step: i64, node: &WaitingNode, depth: usize) {
        let sender = words::task(&node.from_device);
        let tensor = produced(&node.tensor);
        match now.of(&sender) {
            None => self.end(depth, format!("{sender} should send '{tensor}', but is no task of this cluster")),
            Some((_, Answer::Gone(status))) => {
                self.end(depth, format!("{sender} should send '{tensor}' and does not answer: {}", reason(status)));
            }
            Some((_, Answer::Foreign(_))) => {
                self.end(
                    depth,
                    format!("{sender} should send '{tensor}'; it is TensorFlow's server, which tells nothing"),
                );
            }
            Some((_, Answer::Ours(status))) => match status.under_way.iter().find(|part| part.step == step) {
                None => self.end(
                    depth,
                    format!(
                        "{sender} should send '{tensor}', but has no part in the step under way: was it restarted?"
                    ),
                ),
                Some(part) if part.nodes.is_empty() => {
                    self.end(depth, format!("{sender} should send '{tensor}' and still computes"))
                }
                Some(part) => {
                    self.link(depth, format!("{sender} should send '{tensor}' and waits itself"));
                    for next in &part.nodes {
                        self.follow(now, &sender, step, next, depth + 1);
                    }
                }
            },
        }
    }

    fn follow_queue(
        &mut self,
        now: &Moment,
        status: &StatusResponse,
        task: &str,
        node: &WaitingNode,
        queue: &Queue,
        depth: usize,
    ) {
        let fills = node.op.contains("Enqueue");
        let capacity =
            if queue.capacity > i32::MAX as u64 { "any number".to_owned() } else { queue.capacity.to_string() };
        let state = match (fills, queue.length) {
            (true, _) => "is full",
            (false, 0) => "is empty",
            (false, _) => "has too few elements",
        };
        self.link(
            depth,
            format!(
                "queue '{}' on {task} {state}: {} of {capacity}, {} wait to enqueue, {} to dequeue",
                queue.name, queue.length, queue.enqueues_waiting, queue.dequeues_waiting
            ),
        );
        let verb = if fills { "dequeues from" } else { "enqueues into" };
        self.follow_helpers(now, status, task, node, &format!("{verb} '{}'", queue.name), depth + 1);
    }

    fn follow_helpers(
        &mut self,
        now: &Moment,
        status: &StatusResponse,
        task: &str,
        node: &WaitingNode,
        does: &str,
        depth: usize,
    ) {
        if node.helpers.is_empty() {
            return self.end(depth, format!("nobody {does}: no step that does has ever been asked for on {task}"));
        }
        let (busy, idle): (Vec<&Helper>, Vec<&Helper>) =
            node.helpers.iter().partition(|helper| !helper.steps.is_empty());
        for helper in &busy {
            for number in &helper.steps {
                let Some(step) = status.under_way.iter().find(|step| step.step == *number) else { continue };
                self.link(
                    depth,
                    format!(
                        "node '{}' of session {} {does} and is under way in step {number}",
                        helper.node,
                        words::session(&helper.session)
                    ),
                );
                for (name, status) in now.ours() {
                    let parts = status.under_way.iter().filter(|part| part.step == step.step);
                    for next in parts.flat_map(|part| &part.nodes).filter(|next| next.node != node.node) {
                        self.follow(now, &name.name, step.step, next, depth + 1);
                    }
                }
            }
        }
        if busy.is_empty() {
            for helper in idle {
                let whose = master_of(now, &helper.session);
                self.end(
                    depth,
                    format!(
                        "node '{}' {does}, but no step runs it now: session {} ({whose}) should",
                        helper.node,
                        words::session(&helper.session)
                    ),
                );
            }
        }
    }

    fn follow_gradients(&mut self, now: &Moment, task: &str, accumulator: &Accumulator, depth: usize) {
        self.link(
            depth,
            format!(
                "accumulator '{}' on {task} has {} of {} gradients",
                accumulator.name, accumulator.accumulated, accumulator.required
            ),
        );
        let most = accumulator.workers.iter().map(|worker| worker.accepted + worker.dropped).max().unwrap_or(0);
        let mut behind = accumulator.workers.iter().filter(|worker| worker.accepted + worker.dropped < most).peekable();
        if behind.peek().is_none() {
            let seen: Vec<String> = accumulator.workers.iter().map(|worker| words::task(&worker.worker)).collect();
            let seen = if seen.is_empty() { "nobody".to_owned() } else { seen.join(", ") };
            return self.end(depth + 1, format!(
                "a worker is missing: {seen} brought gradients so far, and {} more are needed; is every worker started?",
                accumulator.required.saturating_sub(accumulator.accumulated)
            ));
        }
        for worker in behind {
            let name = words::task(&worker.worker);
            let silent = matches!(now.of(&name), Some((_, Answer::Gone(_))));
            let state = if silent { " and does not answer" } else { "" };
            self.end(
                depth + 1,
                format!(
                    "{name} is behind{state}: it brought {} gradients, others {most}",
                    worker.accepted + worker.dropped
                ),
            );
        }
    }
}

/// The node that makes a tensor, of the name that it travels by.
fn produced(tensor: &str) -> &str {
    let rest = tensor.strip_prefix("edge_").and_then(|rest| rest.split_once('_'));
    rest.map_or(tensor, |(_, producer)| producer)
}

/// Who is the master of a session, and where its clients are.
fn master_of(now: &Moment, handle: &str) -> String {
    let found = now.ours().find_map(|(task, status)| {
        let session = status.sessions.iter().find(|session| session.handle == handle)?;
        Some(match session.clients.is_empty() {
            true => format!("of {}, its client is gone", task.name),
            false => format!("of {}, client at {}", task.name, session.clients.join(", ")),
        })
    });
    found.unwrap_or_else(|| "whose master does not answer".to_owned())
}
