//! Functions made of graphs: a graph that was built becomes a function of another graph's library.

use std::collections::{BTreeMap, HashMap};

use tensor::{Result, ensure, err};

use crate::attr::{Attrs, FunctionRef};
use crate::builder::{Graph, Output};
use crate::data::{Endpoint, GraphData, Node};
use crate::export::node_to_proto;

impl Graph {
    /// Adds a function to the graph's library: the nodes of another graph, between placeholders that are its arguments and what
    /// it returns. What the other graph has in its library comes along.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::AttrValue;
    /// let body = Graph::new();
    /// let x = body.placeholder(DType::Float, PartialShape::scalar());
    /// let g = Graph::new();
    /// let double = g.add_function("double", &body, &[x.clone()], &[&x * 2.0])?;
    /// let types = || vec![DType::Float];
    /// let call = g.op("PartitionedCall").input_list(&[g.constant(3f32)]);
    /// let call = call.attr("Tin", AttrValue::Types(types())).attr("Tout", AttrValue::Types(types()));
    /// let six = call.attr("f", AttrValue::Function(double)).output();
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&six)?, 6.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if an argument is no placeholder of the body, or a result is not of the body; `AlreadyExists` if the
    /// library has a function of that name; the body's first mistake.
    pub fn add_function(&self, name: &str, body: &Graph, inputs: &[Output], outputs: &[Output]) -> Result<FunctionRef> {
        let data = body.snapshot()?;
        let inputs = endpoints(body, inputs, "an argument")?;
        let outputs = endpoints(body, outputs, "a result")?;
        let function = define(name, &data, &inputs, &outputs)
            .map_err(|status| status.context(format_args!("function '{name}'")))?;
        let mut state = self.state();
        let known =
            state.data.library.functions().any(|known| known.signature.as_ref().is_some_and(|s| s.name == name));
        ensure!(!known, AlreadyExists, "the graph has a function '{name}' already");
        let mut library = data.library.0.as_deref().cloned().unwrap_or_default();
        library.function.push(function);
        state.data.library.merge(library);
        Ok(FunctionRef { name: name.to_owned(), attrs: Attrs::new() })
    }
}

fn endpoints(body: &Graph, outputs: &[Output], what: &str) -> Result<Vec<Endpoint>> {
    let endpoint = |output: &Output| {
        let endpoint = output.endpoint().filter(|_| output.graph().same_as(body));
        endpoint.ok_or_else(|| err!(InvalidArgument, "{what} does not belong to the body of the function"))
    };
    outputs.iter().map(endpoint).collect()
}

fn define(name: &str, data: &GraphData, inputs: &[Endpoint], outputs: &[Endpoint]) -> Result<wire::FunctionDef> {
    let mut signature = wire::OpDef { name: name.to_owned(), ..Default::default() };
    let mut arguments = HashMap::new();
    for (index, input) in inputs.iter().enumerate() {
        let node = data.node(input.node);
        ensure!(node.op == "Placeholder", InvalidArgument, "argument {index} is a {}, not a placeholder", node.op);
        let arg = format!("args_{index}");
        ensure!(
            arguments.insert(input.node, arg.clone()).is_none(),
            InvalidArgument,
            "argument {index} is there twice"
        );
        let r#type = node.output_types[0].dtype.number();
        signature.input_arg.push(wire::op_def::ArgDef { name: arg, r#type, ..Default::default() });
    }
    // Where a value comes from, in the words of functions: an argument, or an output of a node by its name and place.
    let source = |endpoint: &Endpoint| match arguments.get(&endpoint.node) {
        Some(arg) => Ok(arg.clone()),
        None => {
            let node = data.node(endpoint.node);
            let (output, place) = output_name(node, endpoint.index as usize)?;
            Ok(format!("{}:{output}:{place}", node.name))
        }
    };
    let mut node_def = Vec::new();
    for id in data.topological_order()? {
        if arguments.contains_key(&id) {
            continue;
        }
        let node = data.node(id);
        let mut def = node_to_proto(data, node)?;
        def.input = node.inputs.iter().map(source).collect::<Result<_>>()?;
        let waits = node.control_inputs.iter().filter(|id| !arguments.contains_key(id));
        def.input.extend(waits.map(|id| format!("^{}", data.node(*id).name)));
        node_def.push(def);
    }
    let mut ret = BTreeMap::new();
    for (index, output) in outputs.iter().enumerate() {
        let name = format!("result_{index}");
        let value = data.value_type(*output).ok_or_else(|| err!(InvalidArgument, "result {index} does not exist"))?;
        let r#type = value.dtype.number();
        signature.output_arg.push(wire::op_def::ArgDef { name: name.clone(), r#type, ..Default::default() });
        ret.insert(name, source(output)?);
    }
    Ok(wire::FunctionDef { signature: Some(signature), node_def, ret, ..Default::default() })
}

/// The output of a node's op that an output of the node belongs to, and its place in that.
fn output_name(node: &Node, index: usize) -> Result<(&str, usize)> {
    let spec = node.spec.as_ref().ok_or_else(|| err!(NotFound, "op {} is not known", node.op))?;
    let mut begin = 0;
    for output in &spec.def.outputs {
        let count = output.len(&node.attrs)?;
        if index < begin + count {
            return Ok((&output.name, index - begin));
        }
        begin += count;
    }
    Err(err!(InvalidArgument, "node {} has no output {index}", node.name))
}
