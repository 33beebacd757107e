//! What the page asks for, and what it may do: one function an address below `/api`.

use std::sync::PoisonError;
use std::time::Duration;

use serde_json::{Value, json};
use tensor::{Result, ensure, err};

use super::event_folder::EventFolder;
use super::graphs::{Graphs, sources};
use super::live::Live;
use super::{PATIENCE, checkpoints, cluster_view, graph_view};
use crate::operate::model::Moment;
use crate::operate::{find_task, trace, why, words};

/// So many chains of steps that wait are told.
const MOST_CHAINS: usize = 50;
/// So many nodes of each task are told of a trace.
const MOST_TRACED: usize = 20_000;
/// Steps are waited for so long.
const TRACE_WAIT: Duration = Duration::from_secs(10);
/// A task gives each of the others ten seconds.
const RESET: Duration = Duration::from_secs(30);

/// What is asked for, by name; a name may come several times.
pub struct Asked(pub Vec<(String, String)>);

impl Asked {
    fn one(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn needed(&self, name: &str) -> Result<&str> {
        self.one(name).ok_or_else(|| err!(InvalidArgument, "'{name}' is missing"))
    }

    fn all(&self, name: &str) -> Vec<String> {
        self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.clone()).collect()
    }

    fn number(&self, name: &str, usual: f64, most: f64) -> Result<f64> {
        let Some(text) = self.one(name) else { return Ok(usual) };
        let number = text.parse::<f64>().ok().filter(|number| (0.0..=most).contains(number));
        number.ok_or_else(|| err!(InvalidArgument, "'{name}' is '{text}', not a number from 0 to {most}"))
    }
}

/// What a page shows.
pub struct Sight {
    pub live: Live,
    pub folder: EventFolder,
    pub graphs: Graphs,
}

impl Sight {
    /// Answers what is only asked.
    ///
    /// # Errors
    /// `NotFound` for an address that is none; whatever looking brings.
    pub fn tell(&self, what: &str, asked: &Asked) -> Result<Value> {
        match what {
            "cluster" => self.with_looks(|before, now| Ok(cluster_view::overview(before, now))),
            "task" => {
                let name = asked.needed("name")?;
                self.with_looks(|before, now| cluster_view::task(before, now, name))
            }
            "gradients" => self.with_looks(|_, now| Ok(cluster_view::gradients(now))),
            "why" => self.why(asked.number("longer_than", 1.0, 86_400.0)?),
            "trace" => self.trace(asked.number("steps", 1.0, 20.0)?.max(1.0) as u32),
            "runs" => self.folder.runs(),
            "scalars" => self.folder.scalars(&asked.all("tag")),
            "histograms" => self.folder.histograms(asked.needed("run")?, asked.needed("tag")?),
            "checkpoints" => checkpoints::listed(self.folder.folder()?),
            "checkpoint" => checkpoints::tensors(self.folder.folder()?, asked.needed("name")?),
            "graphs" => Ok(sources(&self.live, &self.folder)),
            "graph" | "node" | "search" => {
                let graph = self.graphs.of(asked.needed("source")?, &self.live, &self.folder)?;
                match what {
                    "graph" => Ok(graph_view::picture(&graph, &asked.all("open"))),
                    "node" => graph_view::node(&graph, asked.needed("name")?),
                    _ => Ok(graph_view::search(&graph, asked.needed("text")?)),
                }
            }
            _ => Err(err!(NotFound, "there is no /api/{what}")),
        }
    }

    fn with_looks(&self, tell: impl FnOnce(Option<&Moment>, &Moment) -> Result<Value>) -> Result<Value> {
        let (before, now) = self.live.look()?;
        tell(before.as_deref(), &now)
    }

    fn why(&self, longer_than: f64) -> Result<Value> {
        let now = self.live.waits()?;
        let chains = why::chains(&now, (longer_than * 1000.0) as u64, MOST_CHAINS);
        let told = chains.iter().map(|chain| {
            let links = chain
                .links
                .iter()
                .map(|(depth, text)| json!({"depth": depth, "text": text, "culprit": chain.culprits.contains(text)}));
            json!({"step": chain.step.to_string(), "session": words::session(&chain.session),
                "age_millis": chain.age_millis, "links": links.collect::<Vec<_>>(), "culprits": chain.culprits})
        });
        Ok(json!({"stuck": told.collect::<Vec<_>>(), "silent": why::silent(&now), "longer_than": longer_than}))
    }

    fn trace(&self, steps: u32) -> Result<Value> {
        let tasks = self.live.tasks()?;
        let _alone = match self.live.tracing.try_lock() {
            Ok(alone) => alone,
            Err(std::sync::TryLockError::Poisoned(broken)) => PoisonError::into_inner(broken),
            Err(std::sync::TryLockError::WouldBlock) => {
                return Err(err!(Unavailable, "another page records steps just now; try again in some seconds"));
            }
        };
        let traced = trace::record(tasks, steps, TRACE_WAIT, PATIENCE, MOST_TRACED)?;
        Ok(json!({"traceEvents": traced.events, "displayTimeUnit": "ms", "steps": traced.steps, "nodes": traced.nodes,
            "arrows": traced.arrows, "silent": traced.silent}))
    }

    /// Does what an operator wants.
    ///
    /// # Errors
    /// `NotFound` for what cannot be done, or a task that is none; whatever the task answers.
    pub fn steer(&self, what: &str, body: &Value) -> Result<Value> {
        let tasks = self.live.tasks()?;
        let task = || {
            let name = body["task"].as_str().ok_or_else(|| err!(InvalidArgument, "no \"task\" is named"))?;
            find_task(tasks, name)
        };
        match what {
            "drain" => {
                let grace = body["grace_secs"].as_f64().unwrap_or(30.0).clamp(0.0, 600.0);
                let task = task()?;
                let left = task.operator.drain(Duration::from_secs_f64(grace))?.steps_left;
                tracing::info!(task = task.name, "drained from the page");
                Ok(json!({"task": task.name, "steps_left": left}))
            }
            "reset" => {
                let names = body["containers"].as_array().cloned().unwrap_or_default();
                let containers: Vec<String> =
                    names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
                ensure!(
                    !containers.is_empty() && containers.len() == names.len(),
                    InvalidArgument,
                    "\"containers\" is not a list of names"
                );
                let task = task()?;
                task.operator.reset(containers.clone(), RESET)?;
                tracing::info!(task = task.name, ?containers, "reset from the page");
                Ok(json!({"task": task.name, "containers": containers}))
            }
            _ => Err(err!(NotFound, "there is nothing to do at /api/{what}")),
        }
    }
}
