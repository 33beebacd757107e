//! The chain from a step that waits to who should do something: over tensors, queues, gradients and collectives, across tasks.

use wire::operator::{Accumulator, Helper, Queue, StatusResponse, StepUnderWay, WaitingNode, WorkerGradients};

use super::model::{Moment, reason};
use super::{Answer, words};

/// No chain is followed further.
const DEEPEST: usize = 12;

/// Parts of a step, with their tasks.
pub type PartsOfStep<'a> = Vec<(&'a str, &'a StepUnderWay)>;

/// What a step waits for, down to who should do something.
pub struct Chain {
    pub step: i64,
    pub session: String,
    pub age_millis: u64,
    /// How deep each link is, and what it says.
    pub links: Vec<(usize, String)>,
    /// The links at which a chain ends.
    pub culprits: Vec<String>,
    /// Steps and nodes that were looked at already.
    seen: Vec<(i64, String)>,
    /// Those on the way to the one that is looked at.
    path: Vec<(i64, String)>,
}

impl Chain {
    pub fn of(now: &Moment, parts: &PartsOfStep<'_>) -> Chain {
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
        } else if chain.culprits.is_empty() {
            let text = "its parts wait for tensors of each other: one is lost, or they were asked at different moments";
            chain.end(1, text.to_owned());
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
        if let Some(begin) = self.path.iter().position(|other| *other == mark) {
            // Within one step nothing goes round: the sender waits for this node and for others, and only those hold it up.
            if self.path[begin..].iter().any(|(other, _)| *other != step) {
                self.end(depth, format!("node '{}' again: the steps wait for each other", node.node));
            }
            return;
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
                format!(
                    "{task} reads or writes a file that does not answer: look at its disk, or at the store that has it"
                ),
            );
        }
        if !node.from_device.is_empty() {
            return self.follow_tensor(now, task, step, node, depth + 1);
        }
        if node.op.starts_with("Collective") {
            return self.follow_collective(now, task, node, depth + 1);
        }
        let Some(status) = now.of(task).and_then(|(_, answer)| answer.ours()) else { return };
        let queue = status.queues.iter().find(|queue| queue.name == node.resource);
        let accumulator = status.accumulators.iter().find(|accumulator| accumulator.name == node.resource);
        match (queue, accumulator) {
            (Some(queue), _) => self.follow_queue(now, status, task, node, queue, depth + 1),
            (_, Some(accumulator)) => self.follow_gradients(now, task, accumulator, depth + 1),
            _ if node.op.contains("tage") && !node.resource.is_empty() => {
                self.follow_staging(now, status, task, node, depth + 1)
            }
            _ if node.resource.is_empty() => {
                self.end(depth + 1, format!("{} on {task} ends by itself, or waits outside", node.op))
            }
            _ => self.end(depth + 1, format!("'{}' on {task} has nothing for it", node.resource)),
        }
    }

    /// A tensor comes from another device: what does that task do for the step?
    fn follow_tensor(&mut self, now: &Moment, task: &str, step: i64, node: &WaitingNode, depth: usize) {
        let sender = words::task(&node.from_device);
        let tensor = produced(&node.tensor);
        if node.from_client {
            return self.end(
                depth,
                format!(
                    "the client should feed '{tensor}': it runs this step in several calls, and the next has not come"
                ),
            );
        }
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
                None => {
                    let over = status.parts_over.iter().find(|part| part.step == step);
                    let text = match over.map(|part| part.sent.contains(&node.tensor)) {
                        Some(true) => format!(
                            "{sender} has sent '{tensor}', which does not arrive: look at the network from {sender} to {task}"
                        ),
                        Some(false) => {
                            format!("{sender} has done its part of the step, and nothing in it sends '{tensor}'")
                        }
                        None => format!(
                            "{sender} should send '{tensor}', but has no part in the step: was it restarted, or does nothing send it?"
                        ),
                    };
                    self.end(depth, text);
                }
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

    /// All members of a group take part in a collective; who has not come is waited for.
    fn follow_collective(&mut self, now: &Moment, task: &str, node: &WaitingNode, depth: usize) {
        let job = |name: &str| name.split("/task:").next().unwrap_or(name).to_owned();
        let own = job(task);
        let is_in = |status: &StatusResponse| {
            let mut nodes = status.under_way.iter().flat_map(|part| &part.nodes);
            nodes.any(|other| other.op == node.op)
        };
        let mut absent = 0;
        for (other, answer) in now.all().filter(|(other, _)| job(&other.name) == own) {
            let text = match answer {
                Answer::Ours(status) if is_in(status) => continue,
                Answer::Ours(_) => format!("{} has not come to the collective: no step of it is in one", other.name),
                Answer::Gone(status) => {
                    format!("{} has not come to the collective and does not answer: {}", other.name, reason(status))
                }
                Answer::Foreign(_) => {
                    format!("{} is TensorFlow's server, which knows no collectives of ours", other.name)
                }
            };
            absent += 1;
            self.end(depth, text);
        }
        if absent == 0 {
            self.end(
                depth,
                format!("all tasks of {own} are in a collective: they may be in different ones, or exchange tensors"),
            );
        }
    }

    fn follow_staging(&mut self, now: &Moment, status: &StatusResponse, task: &str, node: &WaitingNode, depth: usize) {
        let fills = node.op.ends_with("Stage");
        let state = match (fills, node.memory_limit, node.capacity) {
            (false, ..) => "has nothing for it".to_owned(),
            (true, 0, capacity) => format!("is full: it may hold {capacity} elements"),
            (true, bytes, 0) => format!("is out of memory: it may hold {}", words::bytes(bytes)),
            (true, bytes, capacity) => {
                format!("is full or out of memory: it may hold {capacity} elements of {} together", words::bytes(bytes))
            }
        };
        self.link(depth, format!("staging area '{}' on {task} {state}", node.resource));
        let verb = if fills { "takes from" } else { "puts into" };
        self.follow_helpers(now, status, task, node, &format!("{verb} '{}'", node.resource), depth + 1);
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
        let absent: Vec<&WorkerGradients> = accumulator.workers.iter().filter(|worker| !worker.present).collect();
        let missing = accumulator.required.saturating_sub(accumulator.accumulated);
        if absent.is_empty() {
            let seen: Vec<String> = accumulator.workers.iter().map(|worker| words::task(&worker.worker)).collect();
            let seen = if seen.is_empty() { "nobody".to_owned() } else { seen.join(", ") };
            return self.end(
                depth + 1,
                format!(
                    "a worker is missing: {seen} brought gradients so far, and {missing} more are needed; is every worker \
                     started?"
                ),
            );
        }
        for worker in absent {
            let name = words::task(&worker.worker);
            let state = match now.of(&name) {
                Some((_, Answer::Gone(_))) => "and does not answer",
                _ => "for this step yet",
            };
            self.end(depth + 1, format!("{name} has brought none {state}; {missing} more are needed"));
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

#[cfg(test)]
mod tests;
