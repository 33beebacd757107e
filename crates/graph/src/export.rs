//! From [`GraphData`] to TensorFlow's `GraphDef`.

use prost::Message;
use tensor::proto::{partial_shape_to_proto, to_proto};
use tensor::{Result, Tensor};

use crate::attr::{AttrValue, FunctionRef};
use crate::data::{GraphData, Node};

/// The message for a graph.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::graph_to_proto;
/// let g = Graph::new();
/// g.constant(1f32);
/// let message = graph_to_proto(&g.snapshot()?)?;
/// assert_eq!((message.node[0].name.as_str(), message.node[0].op.as_str()), ("Const", "Const"));
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// `Unimplemented` for an attribute that is a tensor of variants.
pub fn graph_to_proto(graph: &GraphData) -> Result<wire::GraphDef> {
    let node = graph.nodes().iter().map(|node| node_to_proto(graph, node)).collect::<Result<_>>()?;
    Ok(wire::GraphDef {
        node,
        versions: Some(wire::VersionDef {
            producer: graph.versions.producer,
            min_consumer: graph.versions.min_consumer,
            bad_consumers: graph.versions.bad_consumers.clone(),
        }),
        library: graph.library.0.as_deref().cloned(),
        ..Default::default()
    })
}

/// The message for one node of a graph.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::node_to_proto;
/// let g = Graph::new();
/// let sum = g.constant(1f32) + 1.0;
/// let data = g.snapshot()?;
/// let message = node_to_proto(&data, data.node(sum.operation().id().unwrap()))?;
/// assert_eq!(message.input, ["Const", "add/y"]);
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// `Unimplemented` for an attribute that is a tensor of variants.
pub fn node_to_proto(graph: &GraphData, node: &Node) -> Result<wire::NodeDef> {
    let data = node.inputs.iter().map(|input| {
        let name = &graph.node(input.node).name;
        if input.index == 0 { name.clone() } else { format!("{name}:{}", input.index) }
    });
    let control = node.control_inputs.iter().map(|id| format!("^{}", graph.node(*id).name));
    let mut attr = std::collections::BTreeMap::new();
    for (name, value) in &node.attrs {
        attr.insert(name.clone(), attr_to_proto(value)?);
    }
    Ok(wire::NodeDef {
        name: node.name.clone(),
        op: node.op.clone(),
        input: data.chain(control).collect(),
        device: node.device.clone(),
        attr,
        ..Default::default()
    })
}

/// A tensor in a graph. TensorFlow's Python code reads strings only in their plain form, one field a string.
fn tensor_to_proto(tensor: &Tensor) -> Result<wire::TensorProto> {
    let mut proto = to_proto(tensor)?;
    if let Ok(strings) = tensor.strings() {
        proto.tensor_content.clear();
        proto.string_val = strings.to_vec();
    }
    Ok(proto)
}

pub(crate) fn attr_to_proto(value: &AttrValue) -> Result<wire::AttrValue> {
    use wire::attr_value::{ListValue, Value};
    let list = |list: ListValue| Value::List(list);
    let value = match value {
        AttrValue::String(bytes) => Value::S(bytes.clone()),
        AttrValue::Int(value) => Value::I(*value),
        AttrValue::Float(value) => Value::F(*value),
        AttrValue::Bool(value) => Value::B(*value),
        AttrValue::Type(dtype) => Value::Type(dtype.number()),
        AttrValue::Shape(shape) => Value::Shape(partial_shape_to_proto(shape)),
        AttrValue::Tensor(tensor) => Value::Tensor(tensor_to_proto(tensor)?),
        AttrValue::Function(function) => Value::Func(function_to_proto(function)?),
        AttrValue::Placeholder(name) => Value::Placeholder(name.clone()),
        AttrValue::EmptyList => list(ListValue::default()),
        AttrValue::Strings(values) => list(ListValue { s: values.clone(), ..Default::default() }),
        AttrValue::Ints(values) => list(ListValue { i: values.clone(), ..Default::default() }),
        AttrValue::Floats(values) => list(ListValue { f: values.clone(), ..Default::default() }),
        AttrValue::Bools(values) => list(ListValue { b: values.clone(), ..Default::default() }),
        AttrValue::Types(values) => {
            list(ListValue { r#type: values.iter().map(|dtype| dtype.number()).collect(), ..Default::default() })
        }
        AttrValue::Shapes(values) => {
            list(ListValue { shape: values.iter().map(partial_shape_to_proto).collect(), ..Default::default() })
        }
        AttrValue::Tensors(values) => {
            list(ListValue { tensor: values.iter().map(tensor_to_proto).collect::<Result<_>>()?, ..Default::default() })
        }
        AttrValue::Functions(values) => {
            list(ListValue { func: values.iter().map(function_to_proto).collect::<Result<_>>()?, ..Default::default() })
        }
        AttrValue::Opaque(bytes) => return Ok(wire::AttrValue::decode(bytes.clone()).unwrap_or_default()),
    };
    Ok(wire::AttrValue { value: Some(value) })
}

fn function_to_proto(function: &FunctionRef) -> Result<wire::NameAttrList> {
    let mut attr = std::collections::BTreeMap::new();
    for (name, value) in &function.attrs {
        attr.insert(name.clone(), attr_to_proto(value)?);
    }
    Ok(wire::NameAttrList { name: function.name.clone(), attr })
}
