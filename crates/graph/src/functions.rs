//! Functions: calls of a graph's functions become the nodes of their bodies, so that nothing else has to know of them.
//!
//! `PartitionedCall` and its kin become the body; `If`, `Case` and `While` become Switch, Merge and the loop ops around
//! the bodies of their branches. A node that was a call stays, under its name, as an `IdentityN` of the results. What
//! cannot be taken apart (a function that is not there, for example) is left, and refused when a step needs it.

use std::collections::HashMap;

use prost::Message;
use tensor::{DType, Result, bail, ensure, err};

use crate::attr::{AttrValue, Attrs, FunctionRef, ReadAttrs};
use crate::data::{Endpoint, GraphData, Node, NodeId, ValueType};
use crate::export::attr_to_proto;
use crate::import::{FunctionLibrary, ImportOptions, read_node};
use crate::op::{OpDef, Registry};

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
pub fn expand_functions(graph: &mut GraphData, registry: &Registry) -> Result<()> {
    expand(graph, registry, false)
}

/// As [`expand_functions`]; loops may be kept, with the functions that they need.
fn expand(graph: &mut GraphData, registry: &Registry, keep_loops: bool) -> Result<()> {
    if graph.library.is_empty() {
        return Ok(());
    }
    let functions: HashMap<String, wire::FunctionDef> = graph
        .library
        .functions()
        .filter_map(|function| Some((function.signature.as_ref()?.name.clone(), function.clone())))
        .collect();
    let limit = graph.len().saturating_add(MAX_NODES);
    let mut pending: Vec<(NodeId, usize)> = graph.ids().map(|id| (id, 0)).collect();
    while let Some((id, depth)) = pending.pop() {
        let kept = keep_loops && matches!(graph.node(id).op.as_str(), "While" | "StatelessWhile");
        let call = if kept { None } else { Call::of(graph.node(id), &functions) };
        let Some(call) = call else {
            if kept || CALLERS.contains(&graph.node(id).op.as_str()) {
                attach(graph.node_mut(id), &functions);
            }
            continue;
        };
        if depth >= MAX_DEPTH || graph.len() >= limit {
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

/// Gives a node whose kernel calls functions (a dataset's, for example) those that it needs.
fn attach(node: &mut Node, functions: &HashMap<String, wire::FunctionDef>) {
    if node.attrs.contains_key(FUNCTIONS) {
        return;
    }
    let mut wanted: Vec<String> = Vec::new();
    for value in node.attrs.values() {
        if let AttrValue::Function(function) = value {
            wanted.push(function.name.clone());
        }
    }
    let mut library = wire::FunctionDefLibrary::default();
    let mut seen: std::collections::HashSet<String> = std::collections::HashSet::new();
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

/// Ops whose kernels call functions.
const CALLERS: &[&str] = &[
    "FilterDataset",
    "FlatMapDataset",
    "GroupByWindowDataset",
    "InterleaveDataset",
    "MapAndBatchDataset",
    "MapDataset",
    "OneShotIterator",
    "ParallelFilterDataset",
    "ParallelInterleaveDatasetV2",
    "ParallelInterleaveDatasetV3",
    "ParallelInterleaveDatasetV4",
    "ParallelMapDataset",
    "ParallelMapDatasetV2",
    "ReduceDataset",
    "ScanDataset",
    "TakeWhileDataset",
];

/// The body of a function as a graph of its own, with `_Arg` nodes for its arguments; and the node whose outputs are the
/// results. Loops are not taken apart.
///
/// # Errors
/// `NotFound` if the function is not among those of the message; `InvalidArgument` if its body does not fit together.
pub fn function_graph(function: &FunctionRef, library: &[u8], registry: &Registry) -> Result<(GraphData, NodeId)> {
    let library = wire::FunctionDefLibrary::decode(library)
        .map_err(|error| err!(InvalidArgument, "a function library that is malformed: {error}"))?;
    let def = library.function.iter().find(|def| def.signature.as_ref().is_some_and(|s| s.name == function.name));
    let signature = def
        .and_then(|def| def.signature.clone())
        .ok_or_else(|| err!(NotFound, "there is no function '{}' in the graph's library", function.name))?;
    let mut graph = GraphData::default();
    graph.library = FunctionLibrary::of(library);
    let (mut inputs, mut types) = (Vec::new(), Vec::new());
    for (index, arg) in signature.input_arg.iter().enumerate() {
        let dtype = tensor::proto::dtype_from_proto(arg.r#type)?;
        let attrs = [("T", AttrValue::Type(dtype)), ("index", AttrValue::Int(index as i64))];
        let node = plain_node(registry, "_Arg", format!("_arg_{index}"), &attrs)?;
        inputs.push(Endpoint { node: graph.add(node)?, index: 0 });
        types.push(dtype);
    }
    let results = signature.output_arg.iter().map(|arg| tensor::proto::dtype_from_proto(arg.r#type));
    let results = results.collect::<Result<Vec<DType>>>()?;
    let list = |types: Vec<DType>| if types.is_empty() { AttrValue::EmptyList } else { AttrValue::Types(types) };
    let attrs = [("Tin", list(types)), ("Tout", list(results)), ("f", AttrValue::Function(function.clone()))];
    let mut call = plain_node(registry, "StatefulPartitionedCall", "call".to_owned(), &attrs)?;
    call.inputs = inputs;
    let call = graph.add(call)?;
    expand(&mut graph, registry, true)?;
    if let Ok(why) = graph.node(call).attr_str(NOT_EXPANDED) {
        bail!(Unimplemented, "{why}");
    }
    Ok((graph, call))
}

fn plain_node(registry: &Registry, op: &str, name: String, attrs: &[(&str, AttrValue)]) -> Result<Node> {
    let spec = registry.find(op)?.clone();
    let mut attrs: Attrs = attrs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    spec.def.complete(&mut attrs)?;
    Ok(Node {
        name,
        op: op.to_owned(),
        device: String::new(),
        inputs: Vec::new(),
        control_inputs: Vec::new(),
        input_types: spec.def.input_types(&attrs)?,
        output_types: spec.def.output_types(&attrs)?,
        attrs,
        spec: Some(spec),
        output_shapes: Vec::new(),
        handle_shapes: Vec::new(),
    })
}

/// What kind of call a node is.
enum Call {
    Plain(FunctionRef),
    If { then: FunctionRef, otherwise: FunctionRef },
    Case(Vec<FunctionRef>),
    While { cond: FunctionRef, body: FunctionRef },
}

impl Call {
    fn of(node: &Node, functions: &HashMap<String, wire::FunctionDef>) -> Option<Call> {
        let function = |name: &str| node.attr_function(name).ok().filter(|f| functions.contains_key(&f.name)).cloned();
        Some(match node.op.as_str() {
            "PartitionedCall" | "StatefulPartitionedCall" => Call::Plain(function("f")?),
            "If" | "StatelessIf" if node.attr_type("Tcond").ok()? == DType::Bool => {
                Call::If { then: function("then_branch")?, otherwise: function("else_branch")? }
            }
            "While" | "StatelessWhile" => Call::While { cond: function("cond")?, body: function("body")? },
            "Case" | "StatelessCase" => match node.attrs.get("branches") {
                Some(AttrValue::Functions(branches)) if branches.iter().all(|f| functions.contains_key(&f.name)) => {
                    Call::Case(branches.clone())
                }
                _ => return None,
            },
            name if node.spec.is_none() && functions.contains_key(name) => {
                Call::Plain(FunctionRef { name: name.to_owned(), attrs: node.attrs.clone() })
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
    registry: &'a Registry,
    functions: &'a HashMap<String, wire::FunctionDef>,
    call: NodeId,
}

impl Expansion<'_> {
    fn expand(mut self, call: Call) -> Result<()> {
        let node = self.graph.node(self.call).clone();
        let body = match call {
            Call::Plain(function) => {
                let mut before: Vec<NodeId> = node.inputs.iter().map(|input| input.node).collect();
                before.extend(&node.control_inputs);
                before.sort();
                before.dedup();
                let start = self.add("NoOp", "start", &[], &before, &[])?;
                self.inline(&function, &node.inputs, start, "")?
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

    /// The call's node becomes the results' identity.
    fn finish(&mut self, body: Body) -> Result<()> {
        let types = body.results.iter().map(|result| self.type_of(*result)).collect::<Result<Vec<_>>>()?;
        let op = if types.is_empty() { "NoOp" } else { "IdentityN" };
        let spec = self.registry.find(op)?.clone();
        let mut attrs = Attrs::new();
        if !types.is_empty() {
            attrs.insert("T".into(), AttrValue::Types(types.clone()));
        }
        let node = self.graph.node_mut(self.call);
        let values = types.iter().map(|dtype| ValueType { dtype: *dtype, is_ref: false }).collect::<Vec<_>>();
        ensure!(
            node.spec.is_none() || node.output_types == values,
            InvalidArgument,
            "a call of {} results of other types than its function's",
            node.output_types.len()
        );
        node.op = op.to_owned();
        node.spec = Some(spec);
        node.attrs = attrs;
        node.input_types = values.clone();
        node.output_types = values;
        node.inputs = body.results;
        node.control_inputs.extend(body.effects);
        node.control_inputs.sort();
        node.control_inputs.dedup();
        Ok(())
    }

    /// One of two bodies, which are made of whether the condition holds, their arguments and what they wait for.
    fn branches(
        &mut self,
        pred: Endpoint,
        inputs: &[Endpoint],
        before: &[NodeId],
        body: impl Fn(&mut Self, bool, &[Endpoint], NodeId) -> Result<Body>,
    ) -> Result<Body> {
        let bool_type = [("T", AttrValue::Type(DType::Bool))];
        let pivot = self.add("Switch", "switch_pred", &[pred, pred], before, &bool_type)?;
        let mut switched = Vec::with_capacity(inputs.len());
        for input in inputs {
            let dtype = [("T", AttrValue::Type(self.type_of(*input)?))];
            switched.push(self.add("Switch", "switch", &[*input, pred], before, &dtype)?);
        }
        let mut bodies = Vec::with_capacity(2);
        for index in [0, 1] {
            let taken = Endpoint { node: pivot, index };
            let start = self.add("Identity", if index == 1 { "then" } else { "else" }, &[taken], &[], &bool_type)?;
            let args: Vec<Endpoint> = switched.iter().map(|node| Endpoint { node: *node, index }).collect();
            bodies.push((body(self, index == 1, &args, start)?, start));
        }
        let (Some((first, start)), Some((second, other))) = (bodies.first(), bodies.get(1)) else {
            bail!(Internal, "a condition without two branches")
        };
        ensure!(
            first.results.len() == second.results.len(),
            InvalidArgument,
            "branches have {} and {} results",
            first.results.len(),
            second.results.len()
        );
        let (first_effects, second_effects) = (first.effects.clone(), second.effects.clone());
        let (start, other) = (*start, *other);
        let pairs: Vec<[Endpoint; 2]> = first.results.iter().zip(&second.results).map(|(a, b)| [*a, *b]).collect();
        let mut results = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let attrs = [("T", AttrValue::Type(self.type_of(pair[0])?)), ("N", AttrValue::Int(2))];
            let merge = self.add("Merge", "merge", &pair, &[], &attrs)?;
            results.push(Endpoint { node: merge, index: 0 });
        }
        let mut effects = Vec::new();
        if !first_effects.is_empty() || !second_effects.is_empty() || results.is_empty() {
            // Whichever branch was taken is over.
            let mut ends = Vec::new();
            for (start, effects) in [(start, first_effects), (other, second_effects)] {
                let end = self.add("Identity", "end", &[Endpoint { node: start, index: 0 }], &effects, &bool_type)?;
                ends.push(Endpoint { node: end, index: 0 });
            }
            let attrs = [("T", AttrValue::Type(DType::Bool)), ("N", AttrValue::Int(2))];
            effects.push(self.add("Merge", "merge_end", &ends, &[], &attrs)?);
        }
        Ok(Body { results, effects })
    }

    /// A choice by number: between two halves of the branches, which are choices again. A number that is out of range means
    /// the last branch.
    fn case(&mut self, node: &Node, index: Endpoint, inputs: &[Endpoint], functions: &[FunctionRef]) -> Result<Body> {
        let before = &node.control_inputs;
        if let [only] = functions {
            let mut nodes: Vec<NodeId> = inputs.iter().map(|input| input.node).chain([index.node]).collect();
            nodes.extend(before);
            let start = self.add("NoOp", "start", &[], &nodes, &[])?;
            return self.inline(only, inputs, start, "branch");
        }
        ensure!(!functions.is_empty(), InvalidArgument, "a choice of no branches");
        let (lower, upper) = functions.split_at(functions.len() / 2);
        let int = [("T", AttrValue::Type(DType::Int32))];
        let half = self.number(lower.len() as i32, index, before)?;
        let zero = self.number(0, index, before)?;
        let below = self.add("Less", "below", &[index, half], &[], &int)?;
        let positive = self.add("GreaterEqual", "positive", &[index, zero], &[], &int)?;
        let both = [below, positive].map(|node| Endpoint { node, index: 0 });
        let chosen = self.add("LogicalAnd", "chosen", &both, &[], &[])?;
        let rest = self.add("Sub", "rest", &[index, half], &[], &int)?;
        let indices = [index, Endpoint { node: rest, index: 0 }];
        let all: Vec<Endpoint> = indices.iter().chain(inputs).copied().collect();
        let types = |list: &[ValueType]| match list {
            [] => AttrValue::EmptyList,
            list => AttrValue::Types(list.iter().map(|value| value.dtype).collect()),
        };
        let (given, results) = (types(node.input_types.get(1..).unwrap_or_default()), types(&node.output_types));
        self.branches(Endpoint { node: chosen, index: 0 }, &all, before, |this, low, args, start| {
            let (index, functions) = if low { (args[0], lower) } else { (args[1], upper) };
            let args = &args[indices.len()..];
            if let [only] = functions {
                return this.inline(only, args, start, if low { "then" } else { "else" });
            }
            let attrs = [
                ("Tin", given.clone()),
                ("Tout", results.clone()),
                ("branches", AttrValue::Functions(functions.to_vec())),
            ];
            let inputs: Vec<Endpoint> = [index].iter().chain(args).copied().collect();
            let half = this.add(&node.op, if low { "lower" } else { "upper" }, &inputs, &[], &attrs)?;
            let results = (0..node.output_types.len() as u32).map(|index| Endpoint { node: half, index });
            Ok(Body { results: results.collect(), effects: vec![half] })
        })
    }

    /// A constant that is there when `index` is.
    fn number(&mut self, number: i32, index: Endpoint, before: &[NodeId]) -> Result<Endpoint> {
        let attrs = [("dtype", AttrValue::Type(DType::Int32)), ("value", AttrValue::Tensor(number.into()))];
        let constant = self.add("Const", "number", &[], &[before, &[index.node]].concat(), &attrs)?;
        Ok(Endpoint { node: constant, index: 0 })
    }

    fn repeat(&mut self, node: &Node, cond: &FunctionRef, body: &FunctionRef) -> Result<Body> {
        ensure!(!node.inputs.is_empty(), InvalidArgument, "a loop without variables");
        let types = node.inputs.iter().map(|input| self.type_of(*input)).collect::<Result<Vec<_>>>()?;
        let parallel = node.attr_int("parallel_iterations").unwrap_or(10);
        let frame = AttrValue::String(node.name.clone().into_bytes().into());
        let mut merges = Vec::with_capacity(types.len());
        for (input, dtype) in node.inputs.iter().zip(&types) {
            let attrs = [
                ("T", AttrValue::Type(*dtype)),
                ("frame_name", frame.clone()),
                ("is_constant", AttrValue::Bool(false)),
                ("parallel_iterations", AttrValue::Int(parallel)),
            ];
            let enter = self.add("Enter", "enter", &[*input], &node.control_inputs, &attrs)?;
            let entered = Endpoint { node: enter, index: 0 };
            let attrs = [("T", AttrValue::Type(*dtype)), ("N", AttrValue::Int(2))];
            // The second input is the next iteration's, which is put in its place below.
            merges.push(self.add("Merge", "merge", &[entered, entered], &[], &attrs)?);
        }
        let values: Vec<Endpoint> = merges.iter().map(|merge| Endpoint { node: *merge, index: 0 }).collect();
        let start = self.add("NoOp", "cond_start", &[], &merges, &[])?;
        let asked = self.inline(cond, &values, start, "cond")?;
        let &[goes_on] = &asked.results[..] else {
            bail!(InvalidArgument, "a loop's condition has {} results", asked.results.len())
        };
        ensure!(self.type_of(goes_on)? == DType::Bool, Unimplemented, "a loop's condition that is not a bool");
        let loop_cond = self.add("LoopCond", "loop_cond", &[goes_on], &asked.effects, &[])?;
        let loop_cond = Endpoint { node: loop_cond, index: 0 };
        let (mut args, mut exits) = (Vec::new(), Vec::new());
        for (value, dtype) in values.iter().zip(&types) {
            let attrs = [("T", AttrValue::Type(*dtype))];
            let switch = self.add("Switch", "switch", &[*value, loop_cond], &[], &attrs)?;
            let arg = self.add("Identity", "arg", &[Endpoint { node: switch, index: 1 }], &[], &attrs)?;
            args.push(Endpoint { node: arg, index: 0 });
            let exit = self.add("Exit", "exit", &[Endpoint { node: switch, index: 0 }], &[], &attrs)?;
            exits.push(Endpoint { node: exit, index: 0 });
        }
        let arg_nodes: Vec<NodeId> = args.iter().map(|arg| arg.node).collect();
        let start = self.add("NoOp", "body_start", &[], &arg_nodes, &[])?;
        let done = self.inline(body, &args, start, "body")?;
        ensure!(
            done.results.len() == types.len(),
            InvalidArgument,
            "a loop of {} variables whose body has {} results",
            types.len(),
            done.results.len()
        );
        for ((result, merge), dtype) in done.results.iter().zip(&merges).zip(&types) {
            ensure!(self.type_of(*result)? == *dtype, InvalidArgument, "a loop variable changes its type");
            let attrs = [("T", AttrValue::Type(*dtype))];
            let kept = self.add("Identity", "result", &[*result], &done.effects, &attrs)?;
            let next = self.add("NextIteration", "next", &[Endpoint { node: kept, index: 0 }], &[], &attrs)?;
            if let Some(input) = self.graph.node_mut(*merge).inputs.get_mut(1) {
                *input = Endpoint { node: next, index: 0 };
            }
        }
        Ok(Body { results: exits, effects: Vec::new() })
    }

    /// Adds the nodes of a function's body. Those that depend on nothing wait for `start`.
    fn inline(&mut self, function: &FunctionRef, args: &[Endpoint], start: NodeId, scope: &str) -> Result<Body> {
        let functions = self.functions;
        let def = functions
            .get(&function.name)
            .ok_or_else(|| err!(NotFound, "there is no function '{}' in the graph's library", function.name))?;
        let signature =
            def.signature.as_ref().ok_or_else(|| err!(InvalidArgument, "a function without a signature"))?;
        let mut arguments: HashMap<&str, Vec<Endpoint>> = HashMap::new();
        let mut rest = args;
        for input in &signature.input_arg {
            let count = count_of(input, &function.attrs)?;
            ensure!(
                count <= rest.len(),
                InvalidArgument,
                "function '{}' is called with {} arguments, which are too few",
                function.name,
                args.len()
            );
            let (own, later) = rest.split_at(count);
            arguments.insert(&input.name, own.to_vec());
            rest = later;
        }
        ensure!(
            rest.is_empty(),
            InvalidArgument,
            "function '{}' is called with {} arguments, which are too many",
            function.name,
            args.len()
        );
        let device = self.graph.node(self.call).device.clone();
        let mut inner: HashMap<&str, NodeId> = HashMap::new();
        for proto in &def.node_def {
            let mut copy = proto.clone();
            for value in copy.attr.values_mut() {
                fill_placeholder(value, &function.attrs)?;
            }
            let options = ImportOptions { infer_shapes: false, allow_internal_ops: true };
            let mut node = read_node(copy, self.registry, options)
                .map_err(|status| status.context(format_args!("node '{}'", proto.name)))?;
            node.name = self.unique(scope, &proto.name);
            node.attrs.remove("_class");
            if node.device.is_empty() {
                node.device = device.clone();
            }
            let id = self.graph.add(node)?;
            ensure!(
                inner.insert(&proto.name, id).is_none(),
                InvalidArgument,
                "function '{}' has two nodes named '{}'",
                function.name,
                proto.name
            );
        }
        for proto in &def.node_def {
            let Some(id) = inner.get(proto.name.as_str()).copied() else { continue };
            let (mut inputs, mut control) = (Vec::new(), Vec::new());
            for name in &proto.input {
                match name.strip_prefix('^') {
                    Some(name) if arguments.contains_key(name) => control.push(start),
                    Some(name) => control.push(*inner.get(name).ok_or_else(|| unknown(function, name))?),
                    None => inputs.push(self.find(function, name, &arguments, &inner)?),
                }
            }
            if inputs.is_empty() && control.is_empty() {
                control.push(start);
            }
            let node = self.graph.node(id);
            ensure!(
                node.spec.is_none() || node.input_types.len() == inputs.len(),
                InvalidArgument,
                "node '{}' of function '{}' has {} inputs instead of {}",
                proto.name,
                function.name,
                inputs.len(),
                node.input_types.len()
            );
            for (input, wanted) in inputs.iter().zip(&node.input_types) {
                let given = self.graph.value_type(*input).map(|value| value.dtype);
                ensure!(
                    given.is_none_or(|given| given == wanted.dtype),
                    InvalidArgument,
                    "node '{}' of function '{}' gets a value of another type than {}",
                    proto.name,
                    function.name,
                    wanted.dtype
                );
            }
            control.sort();
            control.dedup();
            let node = self.graph.node_mut(id);
            (node.inputs, node.control_inputs) = (inputs, control);
        }
        let mut results = Vec::with_capacity(signature.output_arg.len());
        for output in &signature.output_arg {
            let name = def.ret.get(&output.name);
            let name = name.ok_or_else(|| err!(InvalidArgument, "function '{}' lacks a result", function.name))?;
            results.push(self.find(function, name, &arguments, &inner)?);
        }
        let mut effects: Vec<NodeId> =
            def.control_ret.values().filter_map(|name| inner.get(name.as_str())).copied().collect();
        // Functions that are called by their own name say nothing of effects: all they have counts.
        if self.graph.node(self.call).spec.is_none() {
            effects.extend(inner.values().copied().filter(|id| self.graph.node(*id).is_stateful()));
        }
        effects.sort();
        effects.dedup();
        Ok(Body { results, effects })
    }

    /// What a name in a body means: an argument, or `node:output:number`.
    fn find(
        &self,
        function: &FunctionRef,
        name: &str,
        arguments: &HashMap<&str, Vec<Endpoint>>,
        inner: &HashMap<&str, NodeId>,
    ) -> Result<Endpoint> {
        let parts: Vec<&str> = name.split(':').collect();
        let number = |text: &str| text.parse::<usize>().map_err(|_| unknown(function, name));
        let endpoint = match parts[..] {
            [argument] => arguments.get(argument).and_then(|values| values.first()).copied(),
            [argument, place] if arguments.contains_key(argument) => {
                let place = number(place)?;
                arguments.get(argument).and_then(|values| values.get(place)).copied()
            }
            [node, place] => {
                let index = number(place)? as u32;
                inner.get(node).map(|id| Endpoint { node: *id, index })
            }
            [node, output, place] => match inner.get(node) {
                None => None,
                Some(id) => {
                    let place = number(place)?;
                    let node = self.graph.node(*id);
                    let index = match &node.spec {
                        Some(spec) => output_place(&spec.def, &node.attrs, output)? + place,
                        // The definition of a function that is called by name.
                        None => match self.functions.get(&node.op).and_then(|called| called.signature.as_ref()) {
                            Some(called) => {
                                called.output_arg.iter().position(|arg| arg.name == output).unwrap_or(0) + place
                            }
                            None => place,
                        },
                    };
                    ensure!(
                        node.spec.is_none() || index < node.output_types.len(),
                        InvalidArgument,
                        "function '{}' refers to '{name}', which is not there",
                        function.name
                    );
                    Some(Endpoint { node: *id, index: index as u32 })
                }
            },
            _ => None,
        };
        endpoint.ok_or_else(|| unknown(function, name))
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
        let spec = self.registry.find(op)?.clone();
        let mut attrs: Attrs = attrs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        spec.def.complete(&mut attrs)?;
        let mut control = control.to_vec();
        control.sort();
        control.dedup();
        let node = Node {
            name: self.unique("", name),
            op: op.to_owned(),
            device: self.graph.node(self.call).device.clone(),
            inputs: inputs.to_vec(),
            control_inputs: control,
            input_types: spec.def.input_types(&attrs)?,
            output_types: spec.def.output_types(&attrs)?,
            attrs,
            spec: Some(spec),
            output_shapes: Vec::new(),
            handle_shapes: Vec::new(),
        };
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

fn unknown(function: &FunctionRef, name: &str) -> tensor::Status {
    err!(InvalidArgument, "function '{}' refers to '{name}', which is not there", function.name)
}

/// How many values an argument of a function stands for.
fn count_of(arg: &wire::op_def::ArgDef, attrs: &Attrs) -> Result<usize> {
    if !arg.number_attr.is_empty() {
        return match attrs.get(&arg.number_attr) {
            Some(AttrValue::Int(count)) if (0..1 << 20).contains(count) => Ok(*count as usize),
            _ => bail!(InvalidArgument, "a call does not say how many values '{}' has", arg.name),
        };
    }
    if !arg.type_list_attr.is_empty() {
        return match attrs.get(&arg.type_list_attr) {
            Some(AttrValue::Types(types)) => Ok(types.len()),
            Some(AttrValue::EmptyList) => Ok(0),
            _ => bail!(InvalidArgument, "a call does not say how many values '{}' has", arg.name),
        };
    }
    Ok(1)
}

/// Where an output's values begin among all outputs of a node.
fn output_place(def: &OpDef, attrs: &Attrs, name: &str) -> Result<usize> {
    let mut place = 0;
    for output in &def.outputs {
        if output.name == name {
            return Ok(place);
        }
        place += output.len(attrs)?;
    }
    bail!(InvalidArgument, "op {} has no output '{name}'", def.name)
}

/// Puts the call's attribute in the place of one that stands for it.
fn fill_placeholder(value: &mut wire::AttrValue, attrs: &Attrs) -> Result<()> {
    if let Some(wire::attr_value::Value::Placeholder(name)) = &value.value {
        let Some(given) = attrs.get(name) else {
            bail!(InvalidArgument, "a call does not give the attribute '{name}' of its function")
        };
        *value = attr_to_proto(given)?;
    }
    Ok(())
}
