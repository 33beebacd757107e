//! `tensorfleet why`: what steps that take long wait for, as a chain that ends at who should do something.
//!
//! A step is known by the same number on all its tasks, so what one task waits for is looked for at the others: a tensor at the
//! task that sends it, an element at the steps that enqueue, a gradient at the workers that have not brought theirs.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::json;
use tensor::{Result, ensure};
use wire::operator::StatusRequest;

use super::chain::{Chain, PartsOfStep};
use super::model::{Moment, reason};
use super::table::{Look, colours, painted};
use super::{Answer, ClusterFlags, ensure_tasks, find_task, seconds};
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
        let silent = silent(&now);
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

/// The tasks that do not answer, each with the reason.
pub fn silent(now: &Moment) -> Vec<String> {
    let gone = now.all().filter_map(|(task, answer)| match answer {
        Answer::Gone(status) => Some(format!("{} does not answer: {}", task.name, reason(status))),
        _ => None,
    });
    gone.collect()
}

/// The chains of all steps that have been under way for so long, longest first, and no more than so many of them.
pub fn chains(now: &Moment, longer_than_millis: u64, most: usize) -> Vec<Chain> {
    let stuck = stuck_steps(now, longer_than_millis);
    let mut stuck: Vec<_> = stuck.values().collect();
    stuck.sort_by_key(|parts| std::cmp::Reverse(parts.iter().map(|(_, step)| step.age_millis).max()));
    stuck.into_iter().take(most).map(|parts| Chain::of(now, parts)).collect()
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
