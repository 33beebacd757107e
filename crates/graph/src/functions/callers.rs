//! Nodes whose kernels call functions by themselves, as those of datasets do.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use prost::Message;
use tensor::{DType, Result, bail, err};

use super::{FUNCTIONS, NOT_EXPANDED, expand};
use crate::attr::{AttrValue, FunctionRef, ReadAttrs};
use crate::data::{Endpoint, GraphData, Node, NodeId};
use crate::import::FunctionLibrary;
use crate::op::{AttrDef, AttrKind, Registry, Role};
use crate::prune::prune;

/// Gives a node whose kernel calls functions (a dataset's, for example) those that it needs.
pub(super) fn attach(node: &mut Node, functions: &HashMap<String, wire::FunctionDef>) {
    if node.attrs.contains_key(FUNCTIONS) {
        return;
    }
    let mut wanted: Vec<String> = Vec::new();
    for value in node.attrs.values() {
        match value {
            AttrValue::Function(function) => wanted.push(function.name.clone()),
            AttrValue::Functions(list) => wanted.extend(list.iter().map(|function| function.name.clone())),
            _ => {}
        }
    }
    let mut library = wire::FunctionDefLibrary::default();
    let mut seen: HashSet<String> = HashSet::new();
    while let Some(name) = wanted.pop() {
        let Some(def) = functions.get(&name) else { continue };
        if !seen.insert(name) {
            continue;
        }
        for inner in &def.node_def {
            wanted.push(inner.op.clone());
            for value in inner.attr.values() {
                match &value.value {
                    Some(wire::attr_value::Value::Func(function)) => wanted.push(function.name.clone()),
                    Some(wire::attr_value::Value::List(list)) => {
                        wanted.extend(list.func.iter().map(|function| function.name.clone()));
                    }
                    _ => {}
                }
            }
        }
        library.function.push(def.clone());
    }
    node.attrs.insert(FUNCTIONS.to_owned(), AttrValue::String(library.encode_to_vec().into()));
}

/// Whether a node's kernel calls functions: its op has attributes that name them, and is not taken apart itself.
pub(super) fn calls_functions(node: &Node) -> bool {
    let names_function = |attr: &AttrDef| matches!(attr.kind, AttrKind::Function | AttrKind::Functions);
    let def = node.spec.as_ref().map(|spec| &spec.def);
    def.is_some_and(|def| def.role == Role::Plain && def.attrs.iter().any(names_function))
}

/// The body of a function as a graph of its own, with `_Arg` nodes for its arguments and `_Retval` nodes for its results:
/// what a [`Host`](crate::op::Host) prepares. `library` is the attribute [`FUNCTIONS`] of the node that calls it.
///
/// # Errors
/// `NotFound` if the function is not among those of the message; `InvalidArgument` if its body does not fit together.
pub fn function_body(function: &FunctionRef, library: &[u8], registry: &Arc<Registry>) -> Result<GraphData> {
    let library = wire::FunctionDefLibrary::decode(library)
        .map_err(|error| err!(InvalidArgument, "a function library that is malformed: {error}"))?;
    let (mut graph, call) = body_graph(function, FunctionLibrary::of(library), registry, &[])?;
    shorten(&mut graph);
    // Whoever calls waits for all that runs, so effects need nothing that waits for them.
    let Node { inputs: results, control_inputs: mut roots, output_types, .. } = graph.node(call).clone();
    for (index, (result, value)) in results.into_iter().zip(output_types).enumerate() {
        let attrs = [("T", AttrValue::Type(value.dtype)), ("index", AttrValue::Int(index as i64))];
        let mut node = registry.find("_Retval")?.node(format!("_retval_{index}"), attrs)?;
        node.inputs.push(result);
        roots.push(graph.add(node)?);
    }
    let mut body = prune(&graph, &roots);
    // Its calls have been taken apart, or carry what they need with them.
    body.library = FunctionLibrary::default();
    Ok(body)
}

/// Goes around nodes that do nothing for a body by itself, because each of them costs a call its time: what waits for the
/// arguments, which are there from the beginning, and what only passes a value on.
fn shorten(graph: &mut GraphData) {
    let start = graph.find(&format!("{CALL}/start"));
    let passes_on = |graph: &GraphData, id: NodeId| {
        let node = graph.node(id);
        let input = node.inputs.first().copied().filter(|_| node.role() == Role::Identity)?;
        let reads = graph.value_type(input).is_none_or(|value| value.is_ref);
        (!reads && node.control_inputs.is_empty()).then_some(input)
    };
    let around = |graph: &GraphData, mut from: Endpoint| {
        // A few in a row are usual; a graph of nothing else must not take for ever.
        for _ in 0..8 {
            match passes_on(graph, from.node) {
                Some(before) => from = before,
                None => break,
            }
        }
        from
    };
    let ids: Vec<NodeId> = graph.ids().collect();
    for id in ids {
        let inputs = graph.node(id).inputs.iter().map(|input| around(graph, *input)).collect();
        let node = graph.node_mut(id);
        node.inputs = inputs;
        node.control_inputs.retain(|control| Some(*control) != start);
    }
}

/// The name of the node that a body is taken apart from.
const CALL: &str = "call";

/// The body of a function with `_Arg` nodes for its arguments, and the node whose outputs are its results. Calls of the
/// roles in `kept` are not taken apart.
pub(super) fn body_graph(
    function: &FunctionRef,
    library: FunctionLibrary,
    registry: &Arc<Registry>,
    kept: &[Role],
) -> Result<(GraphData, NodeId)> {
    let def = library.functions().find(|def| def.signature.as_ref().is_some_and(|s| s.name == function.name));
    let signature = def
        .and_then(|def| def.signature.clone())
        .ok_or_else(|| err!(NotFound, "there is no function '{}' in the graph's library", function.name))?;
    let mut graph = GraphData::default();
    graph.library = library;
    let (mut inputs, mut types) = (Vec::new(), Vec::new());
    for (index, arg) in signature.input_arg.iter().enumerate() {
        let dtype = tensor::proto::dtype_from_proto(arg.r#type)?;
        let attrs = [("T", AttrValue::Type(dtype)), ("index", AttrValue::Int(index as i64))];
        let node = registry.find("_Arg")?.node(format!("_arg_{index}"), attrs)?;
        inputs.push(Endpoint { node: graph.add(node)?, index: 0 });
        types.push(dtype);
    }
    let results = signature.output_arg.iter().map(|arg| tensor::proto::dtype_from_proto(arg.r#type));
    let results = results.collect::<Result<Vec<DType>>>()?;
    let list = |types: Vec<DType>| if types.is_empty() { AttrValue::EmptyList } else { AttrValue::Types(types) };
    let attrs = [("Tin", list(types)), ("Tout", list(results)), ("f", AttrValue::Function(function.clone()))];
    let mut call = registry.find("StatefulPartitionedCall")?.node(CALL, attrs)?;
    call.inputs = inputs;
    let call = graph.add(call)?;
    expand(&mut graph, registry, kept)?;
    if let Ok(why) = graph.node(call).attr_str(NOT_EXPANDED) {
        bail!(Unimplemented, "{why}");
    }
    Ok((graph, call))
}
