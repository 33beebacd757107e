//! From TensorFlow's `GraphDef` to [`GraphData`]. The message is untrusted: everything in it is checked here.

use std::collections::HashMap;
use std::sync::Arc;

use prost::Message;
use tensor::proto::{dtype_from_proto, from_proto, partial_shape_from_proto};
use tensor::{DType, Result, bail, ensure, err};

use crate::attr::{AttrValue, Attrs, FunctionRef};
use crate::data::{Endpoint, GraphData, Node, NodeId, Versions};
use crate::inference;
use crate::names::is_node_name;
use crate::op::Registry;

/// A graph's functions, kept as they came.
///
/// ```
/// use tensorfleet::prelude::*;
/// assert!(Graph::new().snapshot()?.library.is_empty());
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FunctionLibrary(pub(crate) Option<Arc<wire::FunctionDefLibrary>>);

impl FunctionLibrary {
    /// Returns whether there are no functions.
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|library| library.function.is_empty())
    }

    pub(crate) fn of(library: wire::FunctionDefLibrary) -> FunctionLibrary {
        FunctionLibrary(Some(Arc::new(library)))
    }

    pub(crate) fn functions(&self) -> impl Iterator<Item = &wire::FunctionDef> {
        self.0.iter().flat_map(|library| &library.function)
    }

    pub(crate) fn merge(&mut self, other: wire::FunctionDefLibrary) {
        let mut merged = self.0.take().map(Arc::unwrap_or_clone).unwrap_or_default();
        let name = |function: &wire::FunctionDef| function.signature.as_ref().map(|signature| signature.name.clone());
        let known: Vec<Option<String>> = merged.function.iter().map(name).collect();
        merged.function.extend(other.function.into_iter().filter(|function| !known.contains(&name(function))));
        merged.gradient.extend(other.gradient);
        merged.registered_gradients.extend(other.registered_gradients);
        self.0 = Some(Arc::new(merged));
    }
}

/// What an import does beyond reading the nodes.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::{ImportOptions, graph_to_proto};
/// let g = Graph::new();
/// g.constant([1f32, 2.0]);
/// let copy = Graph::new();
/// copy.import(graph_to_proto(&g.snapshot()?)?, ImportOptions { infer_shapes: true, ..Default::default() })?;
/// assert_eq!(copy.output("Const:0")?.shape(), PartialShape::from([2]));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct ImportOptions {
    /// Infer shapes, and refuse a graph in which they do not fit.
    pub infer_shapes: bool,
    /// Accept ops that only runtimes insert, such as `_Recv`.
    pub allow_internal_ops: bool,
}

/// The version of TensorFlow's graphs that the ops here stand for.
const VERSION: i32 = 2474;
const MAX_NODES: usize = 10_000_000;

/// Adds the nodes of a message to a graph.
///
/// An op that is not registered is accepted: it fails only when a step needs it. On an error the graph is unchanged.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::{ImportOptions, graph_from_proto, graph_to_proto};
/// let g = Graph::new();
/// g.constant(1f32);
/// let mut copy = Graph::new().snapshot()?;
/// graph_from_proto(&mut copy, graph_to_proto(&g.snapshot()?)?, g.registry(), ImportOptions::default())?;
/// assert_eq!(copy.nodes()[0].name, "Const");
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// `InvalidArgument`, naming the node, for whatever is malformed: duplicate names, inputs that do not exist or are of
/// the wrong type or number, attributes that do not fit, a cycle without `NextIteration`.
pub fn graph_from_proto(
    graph: &mut GraphData,
    def: wire::GraphDef,
    registry: &Registry,
    options: ImportOptions,
) -> Result<()> {
    let versions = read_versions(&def)?;
    ensure!(
        graph.len() + def.node.len() <= MAX_NODES,
        ResourceExhausted,
        "a graph of {} nodes is above the limit of {MAX_NODES}",
        def.node.len()
    );
    let mut extended = graph.clone();
    if graph.is_empty() {
        extended.versions = versions;
    }
    if let Some(library) = def.library {
        extended.library.merge(library);
    }
    let first_new = extended.len() as u32;
    let mut input_names = Vec::with_capacity(def.node.len());
    for proto in def.node {
        let name = proto.name.clone();
        input_names.push(proto.input.clone());
        read_node(proto, registry, options)
            .and_then(|node| extended.add(node))
            .map_err(|status| status.at_node(&name))?;
    }
    let index: HashMap<String, NodeId> = extended.ids().map(|id| (extended.node(id).name.clone(), id)).collect();
    for (offset, inputs) in input_names.iter().enumerate() {
        let id = NodeId(first_new + offset as u32);
        let name = extended.node(id).name.clone();
        connect(&mut extended, &index, id, inputs).map_err(|status| status.at_node(&name))?;
    }
    extended.topological_order()?;
    if options.infer_shapes {
        inference::infer_all(&mut extended)?;
    }
    *graph = extended;
    Ok(())
}

fn read_versions(def: &wire::GraphDef) -> Result<Versions> {
    let Some(versions) = &def.versions else { return Ok(Versions::default()) };
    ensure!(
        versions.min_consumer <= VERSION,
        InvalidArgument,
        "the graph asks for a consumer of version {} or later; this one is {VERSION}",
        versions.min_consumer
    );
    ensure!(
        !versions.bad_consumers.contains(&VERSION),
        InvalidArgument,
        "the graph names version {VERSION} among its bad consumers"
    );
    Ok(Versions {
        producer: versions.producer,
        min_consumer: versions.min_consumer,
        bad_consumers: versions.bad_consumers.clone(),
    })
}

pub(crate) fn read_node(proto: wire::NodeDef, registry: &Registry, options: ImportOptions) -> Result<Node> {
    let internal = options.allow_internal_ops && proto.name.starts_with('_');
    ensure!(
        internal || is_node_name(&proto.name),
        InvalidArgument,
        "Node name '{}' contains invalid characters",
        proto.name
    );
    ensure!(
        options.allow_internal_ops || !proto.op.starts_with('_'),
        InvalidArgument,
        "op '{}' is internal and cannot stand in a client's graph",
        proto.op
    );
    let spec = registry.get(&proto.op).cloned();
    let mut attrs = Attrs::new();
    for (name, value) in proto.attr {
        let known = spec.as_ref().is_some_and(|spec| spec.def.attr(&name).is_some());
        let read = match attr_from_proto(&value) {
            Err(status) if known => return Err(status.context(format_args!("attribute '{name}'"))),
            Err(_) => AttrValue::Opaque(value.encode_to_vec().into()),
            Ok(read) => read,
        };
        attrs.insert(name, read);
    }
    match spec {
        Some(spec) => Ok(Node { device: proto.device, ..spec.node(proto.name, attrs)? }),
        None => Ok(Node { device: proto.device, ..Node::unknown(proto.op, proto.name, attrs) }),
    }
}

fn connect(graph: &mut GraphData, index: &HashMap<String, NodeId>, id: NodeId, names: &[String]) -> Result<()> {
    let mut inputs = Vec::with_capacity(names.len());
    let mut control = Vec::new();
    for name in names {
        if let Some(producer) = name.strip_prefix('^') {
            let producer = index
                .get(producer)
                .ok_or_else(|| err!(InvalidArgument, "control input '{name}' is not a node in the graph"))?;
            control.push(*producer);
            continue;
        }
        ensure!(control.is_empty(), InvalidArgument, "input '{name}' comes after a control input");
        let name: crate::TensorName = name.parse()?;
        let producer =
            *index.get(&name.node).ok_or_else(|| err!(InvalidArgument, "input '{name}' is not a node in the graph"))?;
        let node = graph.node(producer);
        let outputs = node.output_types.len();
        ensure!(
            node.spec.is_none() || (name.index as usize) < outputs,
            InvalidArgument,
            "Connecting to invalid output {} of source node {} which has {outputs} outputs. Try using \
             tf.compat.v1.experimental.output_all_intermediates(True).",
            name.index,
            name.node
        );
        inputs.push(Endpoint { node: producer, index: name.index });
    }
    let node = graph.node(id);
    if node.spec.is_some() {
        ensure!(
            inputs.len() == node.input_types.len(),
            InvalidArgument,
            "op {} takes {} inputs, but the node has {}",
            node.op,
            node.input_types.len(),
            inputs.len()
        );
        for (position, (input, wanted)) in inputs.iter().zip(&node.input_types).enumerate() {
            let Some(given) = graph.value_type(*input) else { continue };
            ensure!(
                given.dtype == wanted.dtype,
                InvalidArgument,
                "Input {position} of node {} was passed {} from {} incompatible with expected {}.",
                node.name,
                given.dtype,
                graph.tensor_name(*input),
                wanted.dtype
            );
            ensure!(
                given.is_ref || !wanted.is_ref,
                InvalidArgument,
                "Input {position} of node {} was passed {} from {} incompatible with expected {}_ref.",
                node.name,
                given.dtype,
                graph.tensor_name(*input),
                wanted.dtype
            );
        }
    }
    control.sort();
    control.dedup();
    let node = graph.node_mut(id);
    (node.inputs, node.control_inputs) = (inputs, control);
    Ok(())
}

/// # Errors
/// `InvalidArgument` for values that are no attribute's.
pub(crate) fn attr_from_proto(proto: &wire::AttrValue) -> Result<AttrValue> {
    use wire::attr_value::Value;
    Ok(match &proto.value {
        None => bail!(InvalidArgument, "the attribute has no value"),
        Some(Value::S(bytes)) => AttrValue::String(bytes.clone()),
        Some(Value::I(value)) => AttrValue::Int(*value),
        Some(Value::F(value)) => AttrValue::Float(*value),
        Some(Value::B(value)) => AttrValue::Bool(*value),
        Some(Value::Type(number)) => AttrValue::Type(plain_type(*number)?),
        Some(Value::Shape(shape)) => AttrValue::Shape(partial_shape_from_proto(shape)?),
        Some(Value::Tensor(tensor)) => AttrValue::Tensor(from_proto(tensor)?),
        Some(Value::Func(function)) => AttrValue::Function(function_from_proto(function)?),
        Some(Value::Placeholder(name)) => AttrValue::Placeholder(name.clone()),
        Some(Value::List(list)) => list_from_proto(list)?,
    })
}

/// A reference type stands for its plain type: what is a reference is said by the op's definition.
fn plain_type(number: i32) -> Result<DType> {
    dtype_from_proto(if number > 100 { number - 100 } else { number })
}

fn list_from_proto(list: &wire::attr_value::ListValue) -> Result<AttrValue> {
    Ok(if !list.s.is_empty() {
        AttrValue::Strings(list.s.clone())
    } else if !list.i.is_empty() {
        AttrValue::Ints(list.i.clone())
    } else if !list.f.is_empty() {
        AttrValue::Floats(list.f.clone())
    } else if !list.b.is_empty() {
        AttrValue::Bools(list.b.clone())
    } else if !list.r#type.is_empty() {
        AttrValue::Types(list.r#type.iter().map(|number| plain_type(*number)).collect::<Result<_>>()?)
    } else if !list.shape.is_empty() {
        AttrValue::Shapes(list.shape.iter().map(partial_shape_from_proto).collect::<Result<_>>()?)
    } else if !list.tensor.is_empty() {
        AttrValue::Tensors(list.tensor.iter().map(from_proto).collect::<Result<_>>()?)
    } else if !list.func.is_empty() {
        AttrValue::Functions(list.func.iter().map(function_from_proto).collect::<Result<_>>()?)
    } else {
        AttrValue::EmptyList
    })
}

fn function_from_proto(proto: &wire::NameAttrList) -> Result<FunctionRef> {
    let mut attrs = Attrs::new();
    for (name, value) in &proto.attr {
        attrs.insert(name.clone(), attr_from_proto(value)?);
    }
    Ok(FunctionRef { name: proto.name.clone(), attrs })
}
