//! The scopes that building takes place in: names, devices, control inputs, colocation.

use std::collections::HashMap;
use std::sync::Arc;

use tensor::Result;

use crate::data::{Node, NodeId};
use crate::names::DeviceName;

/// A device for nodes built in a scope: a constraint, or a function that picks one for each node.
#[derive(Clone)]
pub enum DeviceScope {
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

#[derive(Default)]
pub(crate) struct Scopes {
    /// The prefix of names, without a trailing slash.
    pub names: Vec<String>,
    pub devices: Vec<DeviceScope>,
    pub control: Vec<Vec<NodeId>>,
    pub colocation: Vec<Vec<String>>,
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

    /// The device for a new node: its own, then the scopes from the innermost outwards.
    pub fn device_for(&self, node: &Node) -> Result<String> {
        let mut merged: DeviceName = node.device.parse()?;
        let mut node = node.clone();
        for scope in self.devices.iter().rev() {
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
}
