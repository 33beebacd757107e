//! `tensorfleet placement`: where every node of a session or of a graph's file goes, and by which rule.

use std::path::Path;

use clap::Args;
use graph::{DeviceName, GraphData, ImportOptions, graph_from_proto};
use prost::Message;
use runtime::{DeviceSet, PlacementOptions, Planner};
use serde_json::json;
use tensor::{Code, Result, err};
use wire::operator::PlacedNode;

use super::table::{Table, colours};
use super::{ClusterFlags, words};
use crate::output;

#[derive(Args)]
pub struct PlacementCommand {
    /// A session, by the beginning of its handle (see `sessions`), or a file with a graph (GraphDef or MetaGraphDef).
    #[arg(value_name = "SESSION|GRAPH")]
    what: String,
    #[command(flatten)]
    cluster: ClusterFlags,
    /// Where a kind of device does not exist, take one that does. For a graph's file only.
    #[arg(long = "allow_soft_placement", alias = "allow-soft-placement")]
    soft: bool,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

impl PlacementCommand {
    pub fn run(self) -> Result<bool> {
        let path = Path::new(&self.what);
        let nodes = if path.is_file() { self.of_file(path)? } else { self.of_session()? };
        if self.json {
            let nodes = nodes
                .iter()
                .map(|node| json!({"node": node.name, "op": node.op, "device": node.device, "rule": node.rule}));
            output::line(serde_json::Value::Array(nodes.collect()));
            return Ok(true);
        }
        let mut table = Table::new(&["NODE", "OP", "DEVICE", "RULE"]);
        for node in nodes {
            table.row([node.name, node.op, node.device.replace("/replica:0", ""), node.rule]);
        }
        output::text(table.text(colours()));
        Ok(true)
    }

    fn of_session(&self) -> Result<Vec<PlacedNode>> {
        let tasks = self.cluster.tasks()?;
        let mut trouble = None;
        for task in &tasks {
            match task.operator.placement(&self.what, self.cluster.limit()) {
                Ok(found) => return Ok(found.nodes),
                Err(status) if matches!(status.code(), Code::NotFound | Code::Unimplemented) => {}
                Err(status) => trouble = Some(status),
            }
        }
        Err(trouble.unwrap_or_else(|| {
            err!(NotFound, "'{}' is neither a file nor the beginning of a session's handle at any task", self.what)
        }))
    }

    fn of_file(&self, path: &Path) -> Result<Vec<PlacedNode>> {
        let shown = path.display();
        let bytes = std::fs::read(path).map_err(|error| err!(NotFound, "cannot read {shown}: {error}"))?;
        let message = graph_in(&bytes).ok_or_else(|| {
            err!(InvalidArgument, "{shown} is neither a GraphDef nor a MetaGraphDef in protobuf's binary form")
        })?;
        let registry = ops::registry();
        let mut data = GraphData::default();
        graph_from_proto(&mut data, message, &registry, ImportOptions::default())?;
        let cluster = self.cluster.described(std::env::var("TF_CONFIG").ok().as_deref());
        let mut devices = DeviceSet::default();
        match cluster {
            Ok(cluster) => {
                // A client's own task is a worker as a rule: what asks for nothing goes to the first of them.
                let mut tasks: Vec<(&str, u32)> = cluster.tasks().collect();
                tasks.sort_by_key(|(job, task)| (*job != "worker", (*job).to_owned(), *task));
                for (job, task) in tasks {
                    devices.add(DeviceName::cpu(job, task, 0), 1);
                }
            }
            Err(_) => devices.add(DeviceName::cpu("localhost", 0, 0), 1),
        }
        let placement = PlacementOptions { soft: self.soft, log: false };
        let mut planner = Planner::new(registry, devices, placement);
        planner.set_graph(data)?;
        let nodes = planner.graph().nodes().iter().zip(planner.explain());
        let described = nodes.map(|(node, rule)| PlacedNode {
            name: node.name.clone(),
            op: node.op.clone(),
            device: node.device.clone(),
            rule: words::task(&rule),
            ..Default::default()
        });
        Ok(described.collect())
    }
}

/// A graph, or the one in a meta graph. Either kind may decode as the other, with nothing in it.
pub fn graph_in(bytes: &[u8]) -> Option<wire::GraphDef> {
    let plain = wire::GraphDef::decode(bytes).ok().filter(|graph| graph.node.iter().any(|node| !node.op.is_empty()));
    plain.or_else(|| wire::MetaGraphDef::decode(bytes).ok()?.graph_def)
}
