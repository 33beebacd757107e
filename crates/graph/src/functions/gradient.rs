//! `SymbolicGradient`: the gradient of a function, made of the gradients of the nodes in its body.

use std::collections::HashMap;

use tensor::{Result, ensure, err};

use super::callers::body_graph;
use super::{Body, Expansion};
use crate::attr::{AttrValue, FunctionRef, ReadAttrs};
use crate::builder::{Graph, Output};
use crate::data::{Endpoint, GraphData, Node, NodeId};
use crate::gradients::weighted_gradients;
use crate::op::Role;

/// What a body keeps: loops have no gradient here, and a gradient within waits for its turn, so that functions that are
/// part of their own gradient come to an end.
const KEPT: &[Role] = &[Role::While, Role::CallGradient];

impl Expansion<'_> {
    /// The gradients of a function with respect to its arguments, which come first among the inputs; the gradients of its
    /// results come after them.
    pub(super) fn gradient(&mut self, node: &Node, function: &FunctionRef, start: NodeId) -> Result<Body> {
        let library = self.graph.library.0.as_ref();
        let own = library.and_then(|library| library.gradient.iter().find(|def| def.function_name == function.name));
        if let Some(own) = own {
            // The library says which function it is.
            let function = FunctionRef { name: own.gradient_func.clone(), attrs: function.attrs.clone() };
            return self.inline(&function, &node.inputs, start, "");
        }
        let (data, call) = body_graph(function, self.graph.library.clone(), self.registry, KEPT)?;
        let results = data.node(call).output_types.len();
        let arguments = node.inputs.len().checked_sub(results).filter(|count| {
            data.find(&format!("_arg_{count}")).is_none()
                && count.checked_sub(1).is_none_or(|last| data.find(&format!("_arg_{last}")).is_some())
        });
        let arguments = arguments.ok_or_else(|| {
            err!(
                InvalidArgument,
                "the gradient of function '{}' has {} inputs, which are not its arguments and results",
                function.name,
                node.inputs.len()
            )
        })?;
        let name = data.node(call).name.clone();
        let graph = Graph::from_data(self.registry.clone(), data);
        let found = derivatives(&graph, &name, arguments, results)?;
        self.copy(&graph.snapshot()?, &found, &node.inputs, start)
    }

    /// Adds the nodes of a graph whose `_Arg` nodes stand for `args`.
    fn copy(&mut self, data: &GraphData, results: &[Output], args: &[Endpoint], start: NodeId) -> Result<Body> {
        let device = self.graph.node(self.call).device.clone();
        let mut places: HashMap<NodeId, Place> = HashMap::new();
        let place = |places: &HashMap<NodeId, Place>, from: Endpoint| match places.get(&from.node) {
            Some(Place::Node(node)) => Ok(Endpoint { node: *node, index: from.index }),
            Some(Place::Argument(argument)) => Ok(*argument),
            None => Err(err!(Internal, "a gradient uses a node that is not there")),
        };
        for id in data.topological_order()? {
            let old = data.node(id);
            if old.role() == Role::Argument {
                let index = old.attr_int("index")?;
                let argument = usize::try_from(index).ok().and_then(|index| args.get(index)).copied();
                let argument = argument.ok_or_else(|| err!(Internal, "there is no argument {index}"))?;
                places.insert(id, Place::Argument(argument));
                continue;
            }
            let mut new = old.clone();
            new.name = self.unique("", &old.name);
            new.attrs.remove("_class");
            if new.device.is_empty() {
                new.device.clone_from(&device);
            }
            new.inputs = old.inputs.iter().map(|input| place(&places, *input)).collect::<Result<_>>()?;
            new.control_inputs = Vec::with_capacity(old.control_inputs.len());
            for control in &old.control_inputs {
                new.control_inputs.push(match places.get(control) {
                    Some(Place::Node(node)) => *node,
                    _ => start,
                });
            }
            if new.inputs.is_empty() && new.control_inputs.is_empty() {
                new.control_inputs.push(start);
            }
            new.control_inputs.sort();
            new.control_inputs.dedup();
            places.insert(id, Place::Node(self.graph.add(new)?));
        }
        let endpoint = |output: &Output| output.endpoint().ok_or_else(|| err!(Internal, "a gradient without a node"));
        let results = results.iter().map(|result| place(&places, endpoint(result)?)).collect::<Result<_>>()?;
        Ok(Body { results, effects: Vec::new() })
    }
}

/// What a node of the copied graph has become.
enum Place {
    Node(NodeId),
    Argument(Endpoint),
}

/// Gradients with respect to the arguments, where none comes back zeros.
fn derivatives(graph: &Graph, call: &str, arguments: usize, results: usize) -> Result<Vec<Output>> {
    let call = graph.operation(call)?;
    let (mut ys, mut dys) = (Vec::new(), Vec::new());
    for result in 0..results {
        let y = call.output(result);
        let dtype = y.dtype().ok_or_else(|| err!(Internal, "a function without its result {result}"))?;
        let index = AttrValue::Int((arguments + result) as i64);
        let dy = graph.op("_Arg").name(format!("grad_{result}")).attr("T", dtype).attr("index", index).output();
        if dtype.is_floating() {
            ys.push(y);
            dys.push(dy);
        }
    }
    ensure!(!ys.is_empty(), InvalidArgument, "a function without floating-point results has no gradient");
    let xs = (0..arguments).map(|index| graph.output(&format!("_arg_{index}:0"))).collect::<Result<Vec<_>>>()?;
    let gradients = weighted_gradients(&ys, &dys, &xs)?;
    let dense = gradients.iter().zip(&xs).map(|(gradient, x)| match gradient {
        Some(gradient) => gradient.to_dense(),
        None => graph.op("ZerosLike").input(x).output(),
    });
    let dense = dense.collect();
    graph.check()?;
    Ok(dense)
}
