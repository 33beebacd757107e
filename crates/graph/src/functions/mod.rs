//! Functions: calls of a graph's functions become the nodes of their bodies, so that nothing else has to know of them.
//!
//! `PartitionedCall` and its kin become the body, `SymbolicGradient` the gradient of one; `If`, `Case` and `While` become Switch, Merge and the loop ops around
//! the bodies of their branches. A node that was a call stays, under its name, as an `IdentityN` of the results. What
//! cannot be taken apart (a function that is not there, for example) is left, and refused when a step needs it.

mod branches;
mod callers;
mod define;
mod gradient;
mod inline;
mod size;

use std::collections::HashMap;
use std::sync::Arc;

use tensor::{DType, Result, ensure, err};

use crate::attr::{AttrValue, FunctionRef, ReadAttrs};
use crate::data::{Endpoint, GraphData, Node, NodeId};
use crate::op::{Registry, Role};
pub use callers::function_body;
use callers::{attach, calls_functions};

/// The attribute of a call that could not be taken apart, which says why.
pub const NOT_EXPANDED: &str = "_not_expanded";

/// The attribute of a node that calls functions by itself: a message of the functions it needs.
pub const FUNCTIONS: &str = "_functions";

/// How deep calls may be nested, and how many nodes may come of them.
const MAX_DEPTH: usize = 64;
const MAX_NODES: usize = 500_000;

/// Takes all calls of functions apart, in place. Those that are nested too deep, as a function's calls of itself, are left.
///
/// # Errors
/// None that a graph can cause.
pub fn expand_functions(graph: &mut GraphData, registry: &Arc<Registry>) -> Result<()> {
    expand(graph, registry, &[])
}

/// As [`expand_functions`]; calls of the roles in `kept` stay.
fn expand(graph: &mut GraphData, registry: &Arc<Registry>, kept: &[Role]) -> Result<()> {
    if graph.library.is_empty() {
        return Ok(());
    }
    let functions: HashMap<String, wire::FunctionDef> = graph
        .library
        .functions()
        .filter_map(|function| Some((function.signature.as_ref()?.name.clone(), function.clone())))
        .collect();
    let sizes = size::sizes(&functions, registry, kept);
    let limit = graph.len().saturating_add(MAX_NODES);
    let mut pending: Vec<(NodeId, usize)> = graph.ids().map(|id| (id, 0)).collect();
    while let Some((id, depth)) = pending.pop() {
        let node = graph.node(id);
        let call = if kept.contains(&node.role()) { None } else { Call::of(node, &functions) };
        let Some(call) = call else {
            if calls_functions(node) {
                attach(graph.node_mut(id), &functions);
            }
            continue;
        };
        // What would become too large is left whole, before memory is spent on a part of it.
        let size = |function: &FunctionRef| sizes.get(&function.name).copied();
        let fits =
            |size: size::Size| size.depth <= MAX_DEPTH - depth && size.nodes <= limit.saturating_sub(graph.len());
        if depth >= MAX_DEPTH || graph.len() >= limit || !call.functions().filter_map(size).all(fits) {
            let why = format!("functions call each other too deep, or too often, at node '{}'", graph.node(id).name);
            graph.node_mut(id).attrs.insert(NOT_EXPANDED.to_owned(), AttrValue::String(why.into_bytes().into()));
            continue;
        }
        let first = graph.len() as u32;
        let name = graph.node(id).name.clone();
        let expanded = Expansion { graph, registry, functions: &functions, call: id }.expand(call);
        match expanded {
            Ok(()) => pending.extend((first..graph.len() as u32).map(|new| (NodeId(new), depth + 1))),
            // Nodes that were added for nothing are part of no step.
            Err(status) => {
                let why = format!("the function called by '{name}' cannot be taken apart: {status}");
                graph.node_mut(id).attrs.insert(NOT_EXPANDED.to_owned(), AttrValue::String(why.into_bytes().into()));
            }
        }
    }
    Ok(())
}

/// What kind of call a node is.
enum Call {
    Plain(FunctionRef),
    Gradient(FunctionRef),
    If { then: FunctionRef, otherwise: FunctionRef },
    Case(Vec<FunctionRef>),
    While { cond: FunctionRef, body: FunctionRef },
}

impl Call {
    /// The functions that are called.
    fn functions(&self) -> impl Iterator<Item = &FunctionRef> {
        let (first, second, rest) = match self {
            Call::Plain(function) | Call::Gradient(function) => (Some(function), None, &[][..]),
            Call::If { then, otherwise } => (Some(then), Some(otherwise), &[][..]),
            Call::While { cond, body } => (Some(cond), Some(body), &[][..]),
            Call::Case(branches) => (None, None, &branches[..]),
        };
        first.into_iter().chain(second).chain(rest)
    }

    fn of(node: &Node, functions: &HashMap<String, wire::FunctionDef>) -> Option<Call> {
        let function = |name: &str| node.attr_function(name).ok().filter(|f| functions.contains_key(&f.name)).cloned();
        Some(match node.role() {
            Role::Call => Call::Plain(function("f")?),
            Role::CallGradient => Call::Gradient(function("f")?),
            Role::If if node.attr_type("Tcond").ok()? == DType::Bool => {
                Call::If { then: function("then_branch")?, otherwise: function("else_branch")? }
            }
            Role::While => Call::While { cond: function("cond")?, body: function("body")? },
            Role::Case => match node.attrs.get("branches") {
                Some(AttrValue::Functions(branches)) if branches.iter().all(|f| functions.contains_key(&f.name)) => {
                    Call::Case(branches.clone())
                }
                _ => return None,
            },
            _ if node.spec.is_none() && functions.contains_key(&node.op) => {
                Call::Plain(FunctionRef { name: node.op.clone(), attrs: node.attrs.clone() })
            }
            _ => return None,
        })
    }
}

/// The results of a body, and the nodes in it that must have run.
struct Body {
    results: Vec<Endpoint>,
    effects: Vec<NodeId>,
}

struct Expansion<'a> {
    graph: &'a mut GraphData,
    registry: &'a Arc<Registry>,
    functions: &'a HashMap<String, wire::FunctionDef>,
    call: NodeId,
}

impl Expansion<'_> {
    fn expand(mut self, call: Call) -> Result<()> {
        let node = self.graph.node(self.call).clone();
        let body = match call {
            Call::Plain(function) => {
                let start = self.start(&node)?;
                self.inline(&function, &node.inputs, start, "")?
            }
            Call::Gradient(function) => {
                let start = self.start(&node)?;
                self.gradient(&node, &function, start)?
            }
            Call::If { then, otherwise } => {
                let (pred, inputs) = node.inputs.split_first().ok_or_else(|| err!(InvalidArgument, "no condition"))?;
                self.branches(*pred, inputs, &node.control_inputs, |this, chosen, args, start| {
                    let (function, scope) = if chosen { (&then, "then") } else { (&otherwise, "else") };
                    this.inline(function, args, start, scope)
                })?
            }
            Call::Case(functions) => {
                let (index, inputs) = node.inputs.split_first().ok_or_else(|| err!(InvalidArgument, "no index"))?;
                self.case(&node, *index, inputs, &functions)?
            }
            Call::While { cond, body } => self.repeat(&node, &cond, &body)?,
        };
        self.finish(body)
    }

    /// A node after all that the call waits for.
    fn start(&mut self, node: &Node) -> Result<NodeId> {
        let mut before: Vec<NodeId> = node.inputs.iter().map(|input| input.node).collect();
        before.extend(&node.control_inputs);
        before.sort();
        before.dedup();
        self.add("NoOp", "start", &[], &before, &[])
    }

    /// The call's node becomes the results' identity.
    fn finish(&mut self, body: Body) -> Result<()> {
        let types = body.results.iter().map(|result| self.type_of(*result)).collect::<Result<Vec<_>>>()?;
        let attrs = (!types.is_empty()).then_some(("T", AttrValue::Types(types)));
        let identity = self.registry.find(if attrs.is_some() { "IdentityN" } else { "NoOp" })?;
        let call = self.graph.node_mut(self.call);
        let identity = identity.node(call.name.clone(), attrs)?;
        ensure!(
            call.spec.is_none() || call.output_types == identity.output_types,
            InvalidArgument,
            "a call of {} results of other types than its function's",
            call.output_types.len()
        );
        let mut control_inputs = std::mem::take(&mut call.control_inputs);
        control_inputs.extend(body.effects);
        control_inputs.sort();
        control_inputs.dedup();
        let device = std::mem::take(&mut call.device);
        let (output_shapes, handle_shapes) =
            (std::mem::take(&mut call.output_shapes), std::mem::take(&mut call.handle_shapes));
        *call = Node { device, inputs: body.results, control_inputs, output_shapes, handle_shapes, ..identity };
        Ok(())
    }

    fn type_of(&self, endpoint: Endpoint) -> Result<DType> {
        let node = self.graph.node(endpoint.node);
        match (self.graph.value_type(endpoint), self.functions.get(&node.op)) {
            (Some(value), _) => Ok(value.dtype),
            (None, Some(called)) => {
                let output =
                    called.signature.as_ref().and_then(|called| called.output_arg.get(endpoint.index as usize));
                let number = output.map_or(0, |output| output.r#type);
                tensor::proto::dtype_from_proto(number)
            }
            _ => Err(self.registry.unknown(&node.op).at_node(&node.name)),
        }
    }

    /// Adds a node beside the call.
    fn add(
        &mut self,
        op: &str,
        name: &str,
        inputs: &[Endpoint],
        control: &[NodeId],
        attrs: &[(&str, AttrValue)],
    ) -> Result<NodeId> {
        let attrs = attrs.iter().map(|(name, value)| (*name, value.clone()));
        let mut node = self.registry.find(op)?.node(self.unique("", name), attrs)?;
        node.device.clone_from(&self.graph.node(self.call).device);
        node.inputs = inputs.to_vec();
        node.control_inputs = control.to_vec();
        node.control_inputs.sort();
        node.control_inputs.dedup();
        self.graph.add(node)
    }

    /// A name below the call's that no node has.
    fn unique(&self, scope: &str, name: &str) -> String {
        let call = &self.graph.node(self.call).name;
        let base = if scope.is_empty() { format!("{call}/{name}") } else { format!("{call}/{scope}/{name}") };
        if self.graph.find(&base).is_none() {
            return base;
        }
        // The number of nodes has not been used before, so this ends soon.
        let mut number = self.graph.len();
        loop {
            let name = format!("{base}_{number}");
            if self.graph.find(&name).is_none() {
                return name;
            }
            number += 1;
        }
    }
}
