//! How large calls of functions become when they are taken apart, known before any of them is.

use std::collections::HashMap;

use crate::op::{Registry, Role};

/// How many nodes come of a call of a function, and how deep calls lie in it. Both are `usize::MAX` for one that calls itself,
/// by whatever detour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub nodes: usize,
    pub depth: usize,
}

const ENDLESS: Size = Size { nodes: usize::MAX, depth: usize::MAX };

/// The sizes of all functions of a library; calls of the roles in `kept` are not taken apart.
pub(super) fn sizes(
    functions: &HashMap<String, wire::FunctionDef>,
    registry: &Registry,
    kept: &[Role],
) -> HashMap<String, Size> {
    let mut known: HashMap<&str, Size> = HashMap::new();
    for name in functions.keys() {
        measure(name, functions, registry, kept, &mut known);
    }
    known.into_iter().map(|(name, size)| (name.to_owned(), size)).collect()
}

/// A function that is being measured: what it calls, how much of that has been added, and the sum so far.
struct Open<'a> {
    name: &'a str,
    calls: Vec<&'a str>,
    next: usize,
    size: Size,
}

/// Measures a function and those it calls, without recursion: chains of calls may be as long as a library.
fn measure<'a>(
    name: &'a str,
    functions: &'a HashMap<String, wire::FunctionDef>,
    registry: &Registry,
    kept: &[Role],
    known: &mut HashMap<&'a str, Size>,
) {
    let open = |name: &'a str| {
        let nodes = functions.get(name).map_or(&[][..], |function| &function.node_def);
        let calls = nodes.iter().flat_map(|node| called(node, functions, registry, kept)).collect();
        Open { name, calls, next: 0, size: Size { nodes: nodes.len() + 1, depth: 1 } }
    };
    if known.contains_key(name) {
        return;
    }
    // Until it is measured, a function is taken for endless: who meets it again has come in a circle.
    known.insert(name, ENDLESS);
    let mut stack = vec![open(name)];
    while let Some(top) = stack.last_mut() {
        let Some(callee) = top.calls.get(top.next).copied() else {
            known.insert(top.name, top.size);
            stack.pop();
            continue;
        };
        match known.get(callee) {
            Some(size) => {
                top.next += 1;
                top.size.nodes = top.size.nodes.saturating_add(size.nodes);
                top.size.depth = top.size.depth.max(size.depth.saturating_add(1));
            }
            None => {
                known.insert(callee, ENDLESS);
                stack.push(open(callee));
            }
        }
    }
}

/// The functions whose bodies take the place of a node.
fn called<'a>(
    node: &'a wire::NodeDef,
    functions: &'a HashMap<String, wire::FunctionDef>,
    registry: &Registry,
    kept: &[Role],
) -> Vec<&'a str> {
    use wire::attr_value::Value;
    let role = registry.get(&node.op).map(|spec| spec.def.role);
    let named = match role {
        None => return functions.get_key_value(&node.op).map(|(name, _)| vec![name.as_str()]).unwrap_or_default(),
        Some(role) if kept.contains(&role) => &[][..],
        Some(Role::Call | Role::CallGradient) => &["f"],
        Some(Role::If) => &["then_branch", "else_branch"],
        Some(Role::While) => &["cond", "body"],
        Some(Role::Case) => &["branches"],
        Some(_) => &[],
    };
    let mut found = Vec::new();
    for name in named {
        match node.attr.get(*name).and_then(|attr| attr.value.as_ref()) {
            Some(Value::Func(function)) => found.push(function.name.as_str()),
            Some(Value::List(list)) => found.extend(list.func.iter().map(|function| function.name.as_str())),
            _ => {}
        }
    }
    found.retain(|name| functions.contains_key(*name));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(calls: &[(&str, &[&str])]) -> HashMap<String, wire::FunctionDef> {
        let function = |callees: &[&str]| {
            let node = |op: &&str| wire::NodeDef { op: (*op).to_owned(), ..Default::default() };
            wire::FunctionDef { node_def: callees.iter().map(node).collect(), ..Default::default() }
        };
        calls.iter().map(|(name, callees)| ((*name).to_owned(), function(callees))).collect()
    }

    #[test]
    fn bodies_add_up_and_circles_have_no_end() {
        let functions = library(&[
            ("leaf", &["Add", "Add"]),
            ("twice", &["leaf", "leaf"]),
            ("round", &["leaf", "about"]),
            ("about", &["round"]),
            ("to_the_round", &["round"]),
        ]);
        let sizes = sizes(&functions, &Registry::default(), &[]);
        assert_eq!(sizes["leaf"], Size { nodes: 3, depth: 1 });
        assert_eq!(sizes["twice"], Size { nodes: 9, depth: 2 });
        for endless in ["round", "about", "to_the_round"] {
            assert_eq!(sizes[endless], ENDLESS, "{endless}");
        }
    }

    #[test]
    fn long_chains_and_doubling_cost_no_more_than_the_library() {
        let names: Vec<String> = (0..100_000).map(|number| format!("f{number}")).collect();
        let calls: Vec<[&str; 2]> = (1..names.len()).map(|next| [names[next].as_str(); 2]).collect();
        let calls: Vec<(&str, &[&str])> =
            names.iter().zip(&calls).map(|(name, call)| (name.as_str(), &call[..])).collect();
        let sizes = sizes(&library(&calls), &Registry::default(), &[]);
        assert_eq!(sizes["f0"], Size { nodes: usize::MAX, depth: calls.len() });
        assert_eq!(sizes["f99998"], Size { nodes: 3, depth: 1 });
    }
}
