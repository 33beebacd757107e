//! The nodes of a graph in a tree by the scopes of their names, so that a picture has only what is unfolded.
//!
//! `a/b/c` lies in scope `a/b`, which lies in `a`. A node that has the name of a scope lies in it.

use std::collections::{BTreeMap, HashMap};

/// A node as it came, with its inputs by their places.
#[derive(Clone, Debug, Default)]
pub struct GraphNode {
    pub name: String,
    pub op: String,
    /// Where it is, or where it asked to be.
    pub device: String,
    pub rule: String,
    pub inputs: Vec<u32>,
    pub controls: Vec<u32>,
}

/// A graph that can be folded.
pub struct Scopes {
    pub nodes: Vec<GraphNode>,
    /// The devices that nodes are on; nodes name them by their places.
    pub devices: Vec<String>,
    pub device_of: Vec<usize>,
    pub scopes: Vec<Scope>,
    by_name: HashMap<String, usize>,
}

/// A scope; the first one holds everything.
#[derive(Debug, Default)]
pub struct Scope {
    /// With all scopes around it.
    pub name: String,
    /// What lies directly in it, in the order in which nodes were made.
    pub children: Vec<Child>,
    /// How many nodes lie in it, however deep.
    pub count: usize,
    /// How many of them are on each device.
    pub devices: BTreeMap<usize, usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    Scope(usize),
    Node(usize),
}

/// Names are taken apart so often at most; what is deeper stays in one piece.
const DEEPEST: usize = 60;

impl Scopes {
    pub fn new(nodes: Vec<GraphNode>) -> Scopes {
        let mut devices: Vec<String> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut device_of = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let next = known.len();
            let place = *known.entry(node.device.as_str()).or_insert_with(|| {
                devices.push(node.device.clone());
                next
            });
            device_of.push(place);
        }
        let mut all =
            Scopes { nodes: Vec::new(), devices, device_of, scopes: vec![Scope::default()], by_name: HashMap::new() };
        for node in &nodes {
            all.make_scopes(&node.name);
        }
        for (index, node) in nodes.iter().enumerate() {
            let home = match all.by_name.get(&node.name) {
                Some(scope) => *scope,
                None => parent(&node.name).and_then(|name| all.by_name.get(name).copied()).unwrap_or(0),
            };
            all.scopes[home].children.push(Child::Node(index));
            all.count(&node.name, all.device_of[index]);
        }
        all.nodes = nodes;
        all.put_in_order();
        all
    }

    /// The scope of this name.
    #[cfg(test)]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The scopes around a name, outermost first.
    pub fn around<'a>(&self, name: &'a str) -> Vec<&'a str> {
        prefixes(name).filter(|prefix| self.by_name.contains_key(*prefix)).collect()
    }

    fn make_scopes(&mut self, name: &str) {
        let mut around = 0;
        for prefix in prefixes(name) {
            around = match self.by_name.get(prefix) {
                Some(scope) => *scope,
                None => {
                    let new = self.scopes.len();
                    self.scopes.push(Scope { name: prefix.to_owned(), ..Default::default() });
                    self.scopes[around].children.push(Child::Scope(new));
                    self.by_name.insert(prefix.to_owned(), new);
                    new
                }
            };
        }
    }

    fn count(&mut self, name: &str, device: usize) {
        let own = self.by_name.get(name).copied();
        let around = prefixes(name).filter_map(|prefix| self.by_name.get(prefix).copied());
        let homes: Vec<usize> = std::iter::once(0).chain(around).chain(own).collect();
        for scope in homes {
            self.scopes[scope].count += 1;
            *self.scopes[scope].devices.entry(device).or_default() += 1;
        }
    }

    /// Scopes come where their first node was made.
    fn put_in_order(&mut self) {
        let mut first = vec![usize::MAX; self.scopes.len()];
        // A scope is made after the one around it.
        for scope in (0..self.scopes.len()).rev() {
            let least = self.scopes[scope].children.iter().map(|child| match child {
                Child::Scope(inner) => first[*inner],
                Child::Node(node) => *node,
            });
            first[scope] = least.min().unwrap_or(usize::MAX);
        }
        for scope in &mut self.scopes {
            scope.children.sort_by_key(|child| match child {
                Child::Scope(inner) => first[*inner],
                Child::Node(node) => *node,
            });
        }
    }
}

/// `a/b/c` has the prefixes `a` and `a/b`.
fn prefixes(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').map(|(at, _)| &name[..at]).filter(|prefix| !prefix.is_empty()).take(DEEPEST)
}

fn parent(name: &str) -> Option<&str> {
    prefixes(name).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(names: &[&str]) -> Scopes {
        let node =
            |name: &&str| GraphNode { name: (*name).to_owned(), device: name[..1].to_owned(), ..Default::default() };
        Scopes::new(names.iter().map(node).collect())
    }

    #[test]
    fn names_make_a_tree_and_a_node_named_as_a_scope_lies_in_it() {
        let graph = graph(&["a/b/c", "x", "a/b", "a/d", "/odd", "a//e"]);
        let a = graph.find("a").unwrap();
        assert_eq!(graph.scopes[a].count, 4);
        assert_eq!(graph.scopes[0].count, 6);
        let inner = graph.find("a/b").unwrap();
        assert_eq!(graph.scopes[inner].children, [Child::Node(0), Child::Node(2)]);
        assert_eq!(graph.scopes[0].children, [Child::Scope(a), Child::Node(1), Child::Node(4)]);
        assert_eq!(graph.around("a/b/c"), ["a", "a/b"]);
        assert_eq!(graph.devices, ["a", "x", "/"]);
        assert_eq!(graph.scopes[a].devices, BTreeMap::from([(0, 4)]));
    }
}
