//! The body of a function in the place of its call.

use std::collections::HashMap;

use tensor::{Result, bail, ensure, err};

use super::{Body, Expansion};
use crate::attr::{AttrValue, Attrs, FunctionRef};
use crate::data::{Endpoint, NodeId};
use crate::export::attr_to_proto;
use crate::import::{ImportOptions, read_node};
use crate::op::OpDef;

impl Expansion<'_> {
    /// Adds the nodes of a function's body. Those that depend on nothing wait for `start`.
    pub(super) fn inline(
        &mut self,
        function: &FunctionRef,
        args: &[Endpoint],
        start: NodeId,
        scope: &str,
    ) -> Result<Body> {
        let functions = self.functions;
        let def = functions
            .get(&function.name)
            .ok_or_else(|| err!(NotFound, "there is no function '{}' in the graph's library", function.name))?;
        let signature =
            def.signature.as_ref().ok_or_else(|| err!(InvalidArgument, "a function without a signature"))?;
        let arguments = arguments(function, signature, args)?;
        let nodes = self.add_nodes(function, def, scope)?;
        let names = Names { function, arguments, nodes };
        for proto in &def.node_def {
            self.connect(&names, proto, start)?;
        }
        let mut results = Vec::with_capacity(signature.output_arg.len());
        for output in &signature.output_arg {
            let name = def.ret.get(&output.name);
            let name = name.ok_or_else(|| err!(InvalidArgument, "function '{}' lacks a result", function.name))?;
            results.push(self.find(&names, name)?);
        }
        Ok(Body { results, effects: self.effects(def, &names) })
    }

    /// Adds the nodes of a body, without their inputs.
    fn add_nodes<'a>(
        &mut self,
        function: &FunctionRef,
        def: &'a wire::FunctionDef,
        scope: &str,
    ) -> Result<HashMap<&'a str, NodeId>> {
        let device = self.graph.node(self.call).device.clone();
        let mut nodes: HashMap<&str, NodeId> = HashMap::new();
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
                nodes.insert(&proto.name, id).is_none(),
                InvalidArgument,
                "function '{}' has two nodes named '{}'",
                function.name,
                proto.name
            );
        }
        Ok(nodes)
    }

    /// Gives a node of a body its inputs.
    fn connect(&mut self, names: &Names<'_>, proto: &wire::NodeDef, start: NodeId) -> Result<()> {
        let Some(id) = names.nodes.get(proto.name.as_str()).copied() else { return Ok(()) };
        let (mut inputs, mut control) = (Vec::new(), Vec::new());
        for name in &proto.input {
            match name.strip_prefix('^') {
                Some(name) if names.arguments.contains_key(name) => control.push(start),
                Some(name) => control.push(*names.nodes.get(name).ok_or_else(|| names.unknown(name))?),
                None => inputs.push(self.find(names, name)?),
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
            names.function.name,
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
                names.function.name,
                wanted.dtype
            );
        }
        control.sort();
        control.dedup();
        let node = self.graph.node_mut(id);
        (node.inputs, node.control_inputs) = (inputs, control);
        Ok(())
    }

    /// The nodes of a body that must have run when the call has ended.
    fn effects(&self, def: &wire::FunctionDef, names: &Names<'_>) -> Vec<NodeId> {
        let named = def.control_ret.values().filter_map(|name| names.nodes.get(name.as_str()));
        let mut effects: Vec<NodeId> = named.copied().collect();
        // Functions that are called by their own name say nothing of effects: all they have counts.
        if self.graph.node(self.call).spec.is_none() {
            effects.extend(names.nodes.values().copied().filter(|id| self.graph.node(*id).is_stateful()));
        }
        effects.sort();
        effects.dedup();
        effects
    }

    /// What a name in a body means: an argument, or `node:output:number`.
    fn find(&self, names: &Names<'_>, name: &str) -> Result<Endpoint> {
        let Names { function, arguments, nodes } = names;
        let parts: Vec<&str> = name.split(':').collect();
        let number = |text: &str| text.parse::<usize>().map_err(|_| names.unknown(name));
        let endpoint = match parts[..] {
            [argument] => arguments.get(argument).and_then(|values| values.first()).copied(),
            [argument, place] if arguments.contains_key(argument) => {
                let place = number(place)?;
                arguments.get(argument).and_then(|values| values.get(place)).copied()
            }
            [node, place] => {
                let index = number(place)? as u32;
                nodes.get(node).map(|id| Endpoint { node: *id, index })
            }
            [node, output, place] => match nodes.get(node) {
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
        endpoint.ok_or_else(|| names.unknown(name))
    }
}

/// What the names in a function's body stand for.
struct Names<'a> {
    function: &'a FunctionRef,
    arguments: HashMap<&'a str, Vec<Endpoint>>,
    nodes: HashMap<&'a str, NodeId>,
}

impl Names<'_> {
    fn unknown(&self, name: &str) -> tensor::Status {
        err!(InvalidArgument, "function '{}' refers to '{name}', which is not there", self.function.name)
    }
}

/// The values of each argument, by its name.
fn arguments<'a>(
    function: &FunctionRef,
    signature: &'a wire::OpDef,
    args: &[Endpoint],
) -> Result<HashMap<&'a str, Vec<Endpoint>>> {
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
    Ok(arguments)
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
