//! The scopes that building takes place in: names, devices, control inputs, colocation.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tensor::Result;

use crate::attr::AttrValue;
use crate::data::{GraphData, Node, NodeId};
use crate::names::DeviceName;

/// A device for nodes built in a scope: a constraint, or a function that picks one for each node.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::{DeviceScope, Node};
/// let g = Graph::new();
/// let variables_apart = |node: &Node| if node.op == "VariableV2" { "/job:ps" } else { "/job:worker" }.to_owned();
/// g.with_device(DeviceScope::Function(Arc::new(variables_apart)), |g| {
///     assert_eq!(g.constant(1f32).operation().device(), "/job:worker");
///     let free = g.with_device(DeviceScope::Cleared, |g| g.constant(1f32));
///     assert_eq!(free.operation().device(), "");
/// });
/// ```
#[derive(Clone)]
pub enum DeviceScope {
    /// A device, of which not all parts need be stated.
    Name(String),
    /// Gets the node as far as it is known; what it returns is merged under the node's own device.
    Function(Arc<dyn Fn(&Node) -> String + Send + Sync>),
    /// Ignores all scopes outside of this one.
    Cleared,
}

impl From<&str> for DeviceScope {
    fn from(name: &str) -> DeviceScope {
        DeviceScope::Name(name.to_owned())
    }
}

impl From<String> for DeviceScope {
    fn from(name: String) -> DeviceScope {
        DeviceScope::Name(name)
    }
}

impl From<&String> for DeviceScope {
    fn from(name: &String) -> DeviceScope {
        DeviceScope::Name(name.clone())
    }
}

/// A scope of control dependencies: what its nodes wait for, and which nodes it has.
pub(crate) struct Waits {
    pub inputs: Vec<NodeId>,
    pub members: HashSet<NodeId>,
}

#[derive(Default)]
pub(crate) struct Scopes {
    /// The prefix of names, without a trailing slash.
    pub names: Vec<String>,
    pub devices: Vec<DeviceScope>,
    pub control: Vec<Waits>,
    /// The nodes that new ones must share a device with.
    pub colocation: Vec<NodeId>,
    /// Names of nodes, perhaps yet to come, that new ones must share a device with.
    pub classes: Vec<String>,
    /// How often each name was asked for. Names that differ only in case count as the same.
    used: HashMap<String, usize>,
}

impl Scopes {
    pub fn prefix(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }

    pub fn prefixed(&self, name: &str) -> String {
        if self.prefix().is_empty() { name.to_owned() } else { format!("{}/{name}", self.prefix()) }
    }

    /// A name that nothing has yet, TensorFlow's way: `w`, `w_1`, `w_2`.
    pub fn unique(&mut self, name: &str) -> String {
        let key = name.to_lowercase();
        let mut count = self.used.get(&key).copied().unwrap_or(0);
        self.used.insert(key.clone(), count + 1);
        if count == 0 {
            return name.to_owned();
        }
        loop {
            let candidate = format!("{name}_{count}");
            let candidate_key = candidate.to_lowercase();
            count += 1;
            if !self.used.contains_key(&candidate_key) {
                self.used.insert(key, count);
                self.used.insert(candidate_key, 1);
                return candidate;
            }
        }
    }

    pub fn mark_used(&mut self, name: &str) {
        self.used.entry(name.to_lowercase()).or_insert(1);
    }

    /// What a new node waits for. A scope says nothing to a node that has one of the scope's own nodes as its input: that one
    /// waits already.
    pub fn control_inputs_for(&self, inputs: &[NodeId]) -> Vec<NodeId> {
        let asleep = |waits: &&Waits| !inputs.iter().any(|input| waits.members.contains(input));
        let waits = self.control.iter().filter(asleep).flat_map(|waits| waits.inputs.iter().copied());
        waits.filter(|id| !inputs.contains(id)).collect()
    }

    /// Tells the scopes of control dependencies of a new node.
    pub fn note_member(&mut self, id: NodeId) {
        for waits in &mut self.control {
            waits.members.insert(id);
        }
    }

    /// Puts a node beside others: sets its colocation attribute, and its device to that of the first that has one.
    pub fn colocate(graph: &GraphData, node: &mut Node, with: &[NodeId]) {
        let mut entries: Vec<bytes::Bytes> = Vec::new();
        for id in with {
            let other = graph.node(*id);
            let before = entries.len();
            entries.extend(other.colocated_with().map(|name| format!("loc:@{name}").into()));
            if entries.len() == before {
                entries.push(format!("loc:@{}", other.name).into());
            }
        }
        entries.sort();
        entries.dedup();
        node.attrs.insert("_class".into(), AttrValue::Strings(entries));
        let device = with.iter().map(|id| &graph.node(*id).device).find(|device| !device.is_empty());
        if let Some(device) = device {
            node.device.clone_from(device);
        }
    }
}

/// The device for a new node: its own, then the scopes from the innermost outwards. Functions among them are the program's own,
/// so no lock may be held.
pub(crate) fn device_for(scopes: &[DeviceScope], node: &Node) -> Result<String> {
    let mut merged: DeviceName = node.device.parse()?;
    let mut node = node.clone();
    for scope in scopes.iter().rev() {
        let outer = match scope {
            DeviceScope::Cleared => break,
            DeviceScope::Name(name) => name.clone(),
            DeviceScope::Function(function) => {
                node.device = merged.to_string();
                function(&node)
            }
        };
        merged = outer.parse::<DeviceName>()?.overlaid(merged);
    }
    Ok(merged.to_string())
}
