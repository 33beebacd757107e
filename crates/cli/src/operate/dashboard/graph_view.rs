//! What a picture of a graph shows: folded scopes as one thing each, and what lies in those that are open.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};
use tensor::{Result, err};

use super::scopes::{Child, Scopes};

/// Of what lies in one scope, so much is shown; the rest is one thing.
const MOST_IN_SCOPE: usize = 150;
/// Scopes are opened until so much is shown.
const MOST_ITEMS: usize = 1200;
const MOST_EDGES: usize = 5000;
/// Names that a search tells.
const MOST_FOUND: usize = 50;
/// Inputs and users of a node.
const MOST_NEIGHBOURS: usize = 100;

struct Picture<'a> {
    graph: &'a Scopes,
    open: HashSet<&'a str>,
    items: Vec<Value>,
    /// By which item each node is shown.
    shown: Vec<u32>,
}

/// The picture with these scopes open.
pub fn picture(graph: &Scopes, open: &[String]) -> Value {
    let open = open.iter().map(String::as_str).collect();
    let mut picture = Picture { graph, open, items: Vec::new(), shown: vec![u32::MAX; graph.nodes.len()] };
    picture.show_children(0, -1);
    let (edges, all_edges) = picture.edges();
    let counts = &graph.scopes[0].devices;
    let devices = graph.devices.iter().enumerate().map(|(place, device)| {
        json!({"device": device.replace("/replica:0", ""), "count": counts.get(&place).copied().unwrap_or(0)})
    });
    json!({
        "nodes": graph.nodes.len(), "scopes": graph.scopes.len() - 1, "items": picture.items, "edges": edges,
        "edges_in_all": all_edges, "devices": devices.collect::<Vec<_>>(),
    })
}

impl Picture<'_> {
    fn show_children(&mut self, scope: usize, parent: i64) {
        let children = &self.graph.scopes[scope].children;
        for child in children.iter().take(MOST_IN_SCOPE) {
            self.show(*child, parent);
        }
        let rest = children.get(MOST_IN_SCOPE..).unwrap_or(&[]);
        if !rest.is_empty() {
            let item = self.items.len();
            let count: usize = rest.iter().map(|child| self.cover(*child, item)).sum();
            let name = format!("{}/…", self.graph.scopes[scope].name);
            let label = format!("{} more", rest.len());
            self.items.push(json!({"kind": "more", "name": name, "label": label, "parent": parent, "count": count}));
        }
    }

    fn show(&mut self, child: Child, parent: i64) {
        let item = self.items.len();
        match child {
            Child::Node(node) => {
                let GraphLabel { name, label } = label(&self.graph.nodes[node].name);
                self.shown[node] = item as u32;
                let op = &self.graph.nodes[node].op;
                let device = self.graph.device_of[node];
                self.items.push(
                    json!({"kind": "op", "name": name, "label": label, "parent": parent, "op": op, "device": device}),
                );
            }
            Child::Scope(scope) => {
                let inner = &self.graph.scopes[scope];
                let GraphLabel { name, label } = label(&inner.name);
                let devices: Vec<(usize, usize)> =
                    inner.devices.iter().map(|(device, count)| (*device, *count)).collect();
                let opened = self.open.contains(name) && self.items.len() < MOST_ITEMS;
                self.items
                    .push(json!({"kind": "scope", "name": name, "label": label, "parent": parent, "open": opened,
                    "count": inner.count, "devices": devices}));
                if opened {
                    self.show_children(scope, item as i64);
                } else {
                    self.cover(child, item);
                }
            }
        }
    }

    /// Lets an item stand for all nodes in a child; returns how many.
    fn cover(&mut self, child: Child, item: usize) -> usize {
        let (mut left, mut count) = (vec![child], 0);
        while let Some(child) = left.pop() {
            match child {
                Child::Scope(scope) => left.extend(&self.graph.scopes[scope].children),
                Child::Node(node) => {
                    self.shown[node] = item as u32;
                    count += 1;
                }
            }
        }
        count
    }

    /// From, to, how many, and whether only order flows; the heaviest, and how many there are.
    fn edges(&self) -> (Vec<[u64; 4]>, usize) {
        let mut sums: HashMap<(u32, u32, bool), u64> = HashMap::new();
        for (node, to) in self.graph.nodes.iter().zip(&self.shown) {
            let data = node.inputs.iter().map(|input| (input, false));
            for (input, control) in data.chain(node.controls.iter().map(|input| (input, true))) {
                match self.shown.get(*input as usize) {
                    Some(from) if from != to => *sums.entry((*from, *to, control)).or_default() += 1,
                    _ => {}
                }
            }
        }
        let mut edges: Vec<[u64; 4]> = sums
            .into_iter()
            .map(|((from, to, control), count)| [u64::from(from), u64::from(to), count, u64::from(control)])
            .collect();
        edges.sort_by_key(|[from, to, count, control]| (*control, std::cmp::Reverse(*count), *from, *to));
        let all = edges.len();
        edges.truncate(MOST_EDGES);
        (edges, all)
    }
}

struct GraphLabel<'a> {
    name: &'a str,
    label: &'a str,
}

/// A name, and its last part.
fn label(name: &str) -> GraphLabel<'_> {
    GraphLabel { name, label: name.rsplit_once('/').map_or(name, |(_, last)| last) }
}

/// One node with what it takes, who takes of it, and why it is where it is.
///
/// # Errors
/// `NotFound` if there is no such node.
pub fn node(graph: &Scopes, name: &str) -> Result<Value> {
    let place = graph.nodes.iter().position(|node| node.name == name);
    let place = place.ok_or_else(|| err!(NotFound, "the graph has no node '{name}'"))?;
    let node = &graph.nodes[place];
    let names = |places: &[u32]| -> Vec<&str> {
        let known = places.iter().filter_map(|place| graph.nodes.get(*place as usize));
        known.take(MOST_NEIGHBOURS).map(|node| node.name.as_str()).collect()
    };
    let takes = |other: &&super::scopes::GraphNode| other.inputs.contains(&(place as u32));
    let users: Vec<&str> =
        graph.nodes.iter().filter(takes).take(MOST_NEIGHBOURS).map(|node| node.name.as_str()).collect();
    Ok(json!({
        "name": node.name, "op": node.op, "device": node.device.replace("/replica:0", ""),
        "rule": node.rule.replace("/replica:0", ""), "inputs": names(&node.inputs), "controls": names(&node.controls),
        "users": users,
    }))
}

/// Nodes and scopes with this text in their names, each with the scopes to open for it.
pub fn search(graph: &Scopes, text: &str) -> Value {
    let wanted = text.to_lowercase();
    let fits = |name: &&str| name.to_lowercase().contains(&wanted);
    let scopes = graph.scopes.iter().skip(1).map(|scope| scope.name.as_str()).filter(fits).take(MOST_FOUND / 2);
    let nodes = graph.nodes.iter().map(|node| node.name.as_str()).filter(fits).take(MOST_FOUND / 2);
    let told = scopes.chain(nodes).map(|name| json!({"name": name, "around": graph.around(name)}));
    json!({"found": told.collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::super::scopes::GraphNode;
    use super::*;

    fn node_of(name: &str, inputs: &[u32]) -> GraphNode {
        GraphNode { name: name.to_owned(), op: "Op".to_owned(), inputs: inputs.to_vec(), ..Default::default() }
    }

    #[test]
    fn folded_scopes_are_one_thing_and_edges_between_them_are_summed() {
        let nodes = vec![
            node_of("a/x", &[]),
            node_of("a/y", &[0]),
            node_of("b/z", &[0, 1]),
            node_of("c", &[2, 9]), // an input that is not there
        ];
        let graph = Scopes::new(nodes);
        let folded = picture(&graph, &[]);
        let labels: Vec<&str> =
            folded["items"].as_array().unwrap().iter().filter_map(|item| item["label"].as_str()).collect();
        assert_eq!(labels, ["a", "b", "c"]);
        assert_eq!(folded["edges"], json!([[0, 1, 2, 0], [1, 2, 1, 0]]));
        let open = picture(&graph, &["a".to_owned(), "nowhere".to_owned()]);
        assert_eq!(open["items"].as_array().unwrap().len(), 5);
        assert_eq!(open["items"][1]["parent"], 0);
        assert_eq!(open["edges"].as_array().unwrap().len(), 4);
        assert_eq!(node(&graph, "b/z").unwrap()["inputs"], json!(["a/x", "a/y"]));
        assert_eq!(node(&graph, "a/x").unwrap()["users"], json!(["a/y", "b/z"]));
        assert!(node(&graph, "b").is_err());
        assert_eq!(search(&graph, "Z")["found"], json!([{"name": "b/z", "around": ["b"]}]));
    }

    #[test]
    fn a_picture_of_a_large_flat_graph_is_bounded() {
        let nodes = (0..50_000u32).map(|i| node_of(&format!("n{i}"), &[i.saturating_sub(1)])).collect();
        let folded = picture(&Scopes::new(nodes), &[]);
        assert_eq!(folded["items"].as_array().unwrap().len(), MOST_IN_SCOPE + 1);
        assert_eq!(folded["items"][MOST_IN_SCOPE]["count"], 50_000 - MOST_IN_SCOPE);
        assert!(folded["edges"].as_array().unwrap().len() <= MOST_EDGES);
    }
}
