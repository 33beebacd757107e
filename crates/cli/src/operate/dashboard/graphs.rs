//! The graphs that can be shown: of sessions, with where their nodes are, and of runs in a folder.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use prost::Message;
use serde_json::{Value, json};
use tensor::{Code, Result, bail, err};
use wire::operator::PlacedNode;

use super::PATIENCE;
use super::event_folder::EventFolder;
use super::live::Live;
use super::scopes::{GraphNode, Scopes};
use crate::operate::words;

/// So many graphs stay in memory.
const KEPT: usize = 4;

#[derive(Default)]
pub struct Graphs {
    /// By source, with what tells whether it is still the same; the newest last.
    kept: Mutex<Vec<(String, u64, Arc<Scopes>)>>,
}

/// All that can be asked for: `session:HANDLE` and `run:NAME`.
pub fn sources(live: &Live, folder: &EventFolder) -> Value {
    let mut sources = Vec::new();
    if let Ok((_, now)) = live.look() {
        for (task, status) in now.ours() {
            for session in status.sessions.iter().filter(|session| session.nodes > 0) {
                let handle = words::session(&session.handle);
                sources.push(json!({
                    "source": format!("session:{handle}"), "label": format!("session {handle} of {}", task.name),
                    "nodes": session.nodes, "placed": true,
                }));
            }
        }
    }
    for run in folder.graphs().unwrap_or_default() {
        sources.push(json!({"source": format!("run:{run}"), "label": format!("run {run}"), "placed": false}));
    }
    json!({"sources": sources})
}

impl Graphs {
    /// The graph of a source.
    ///
    /// # Errors
    /// `NotFound` if there is no such session or run; as asking a task; `DataLoss` for an event that is no graph.
    pub fn of(&self, source: &str, live: &Live, folder: &EventFolder) -> Result<Arc<Scopes>> {
        match source.split_once(':') {
            Some(("session", handle)) => self.of_session(source, handle, live),
            Some(("run", run)) => {
                let (bytes, is_meta) = folder.graph(run)?;
                let known = bytes.len() as u64;
                self.keep(source, known, || from_message(&bytes, is_meta))
            }
            _ => bail!(InvalidArgument, "'{source}' names no graph: session:HANDLE or run:NAME does"),
        }
    }

    fn of_session(&self, source: &str, handle: &str, live: &Live) -> Result<Arc<Scopes>> {
        let (_, now) = live.look()?;
        let nodes = now.ours().flat_map(|(_, status)| &status.sessions);
        let known = nodes.filter(|session| session.handle.starts_with(handle)).map(|session| session.nodes).next();
        let known = known.ok_or_else(|| err!(NotFound, "no task has a session '{handle}' any more"))?;
        self.keep(source, known, || {
            let mut trouble = None;
            for task in live.tasks()? {
                match task.operator.placement(handle, PATIENCE * 3) {
                    Ok(found) => return Ok(from_placement(found.nodes)),
                    Err(status) if matches!(status.code(), Code::NotFound | Code::Unimplemented) => {}
                    Err(status) => trouble = Some(status),
                }
            }
            Err(trouble.unwrap_or_else(|| err!(NotFound, "no task has a session '{handle}' any more")))
        })
    }

    fn keep(&self, source: &str, known: u64, make: impl FnOnce() -> Result<Vec<GraphNode>>) -> Result<Arc<Scopes>> {
        // Held while it is made: others who want the same wait instead of making it again.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., graph)) = kept.iter().find(|(name, same, _)| name == source && *same == known) {
            return Ok(graph.clone());
        }
        let graph = Arc::new(Scopes::new(make()?));
        kept.retain(|(name, ..)| name != source);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((source.to_owned(), known, graph.clone()));
        Ok(graph)
    }
}

fn from_placement(nodes: Vec<PlacedNode>) -> Vec<GraphNode> {
    let node = |node: PlacedNode| GraphNode {
        name: node.name,
        op: node.op,
        device: node.device,
        rule: node.rule,
        inputs: node.inputs,
        controls: node.controls,
    };
    nodes.into_iter().map(node).collect()
}

fn from_message(bytes: &[u8], is_meta: bool) -> Result<Vec<GraphNode>> {
    let broken = |error| err!(DataLoss, "the graph in the event file cannot be read: {error}");
    let graph = match is_meta {
        true => wire::MetaGraphDef::decode(bytes).map_err(broken)?.graph_def.unwrap_or_default(),
        false => wire::GraphDef::decode(bytes).map_err(broken)?,
    };
    let places: HashMap<&str, u32> =
        graph.node.iter().enumerate().map(|(place, node)| (node.name.as_str(), place as u32)).collect();
    let node = |node: &wire::NodeDef| {
        let (controls, inputs): (Vec<&String>, Vec<&String>) =
            node.input.iter().partition(|input| input.starts_with('^'));
        let place = |input: &&String| {
            let name = input.trim_start_matches('^');
            places.get(name.split(':').next().unwrap_or(name)).copied()
        };
        GraphNode {
            name: node.name.clone(),
            op: node.op.clone(),
            device: node.device.clone(),
            rule: String::new(),
            inputs: inputs.iter().filter_map(place).collect(),
            controls: controls.iter().filter_map(place).collect(),
        }
    };
    Ok(graph.node.iter().map(node).collect())
}
