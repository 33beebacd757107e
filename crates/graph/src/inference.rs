//! Shape inference: what can be said of a node's outputs before anything runs.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tensor::{DType, PartialShape, Result, Status, Tensor};

use crate::attr::ReadAttrs;
use crate::data::{Endpoint, GraphData, Node};
use crate::op::{self, Kernel, OpContext, Role, ShapeContext, Value};

/// How many nodes are looked at to find one value, and how large constants may be. Counting nodes instead of levels keeps a
/// graph whose branches meet again and again from taking for ever.
const MAX_NODES: usize = 256;
const MAX_ELEMENTS: usize = 1024;

/// Sets the output shapes of a node whose inputs are in `graph` with their shapes.
///
/// # Errors
/// `InvalidArgument` if the inputs' shapes are known not to fit; `Internal` if the op's shape function panics.
pub fn infer(graph: &GraphData, node: &mut Node) -> Result<()> {
    let outputs = vec![PartialShape::unknown(); node.output_types.len()];
    let output_handles = vec![None; node.output_types.len()];
    let shape_fn = node.spec.as_ref().and_then(|spec| spec.shape);
    let Some(shape_fn) = shape_fn else {
        (node.output_shapes, node.handle_shapes) = (outputs, output_handles);
        return Ok(());
    };
    let of = |input: &Endpoint| graph.node(input.node);
    let value = |index: usize| node.inputs.get(index).and_then(|input| constant_value(graph, *input));
    let shape_value =
        |index: usize| node.inputs.get(index).and_then(|input| value_as_shape(graph, *input, &Cell::new(MAX_NODES)));
    let mut cx = ShapeContext {
        node,
        inputs: node.inputs.iter().map(|input| of(input).output_shape(input.index as usize)).collect(),
        input_handles: node
            .inputs
            .iter()
            .map(|input| of(input).handle_shapes.get(input.index as usize).cloned().flatten())
            .collect(),
        value: &value,
        shape_value: &shape_value,
        outputs,
        output_handles,
    };
    let inferred = op::guarded(format_args!("the shape function of op {}", node.op), || shape_fn(&mut cx));
    if let Err(status) = inferred {
        // Some shape functions say so themselves.
        let complete = status.message().contains("with input shapes: ");
        let with = || {
            format!("{} for '{}' (op: '{}') with input shapes: {}", status.message(), node.name, node.op, cx.shown())
        };
        return Err(if complete { status } else { Status::new(status.code(), with()) });
    }
    let (shapes, handles) = (cx.outputs, cx.output_handles);
    (node.output_shapes, node.handle_shapes) = (shapes, handles);
    Ok(())
}

/// Infers the shapes of a whole graph, in place. Nodes in loops and of unknown ops stay unknown.
///
/// # Errors
/// `InvalidArgument`, naming the node, if shapes are known not to fit.
pub fn infer_all(graph: &mut GraphData) -> Result<()> {
    for id in graph.topological_order()? {
        let mut node = graph.node(id).clone();
        infer(graph, &mut node).map_err(|status| status.at_node(&node.name))?;
        *graph.node_mut(id) = node;
    }
    Ok(())
}

/// An output's value, if it follows from constants and known shapes alone.
pub fn constant_value(graph: &GraphData, endpoint: Endpoint) -> Option<Tensor> {
    fold(graph, endpoint, &Cell::new(MAX_NODES))
}

fn fold(graph: &GraphData, endpoint: Endpoint, budget: &Cell<usize>) -> Option<Tensor> {
    let node = graph.node(endpoint.node);
    budget.set(budget.get().checked_sub(1)?);
    let spec = node.spec.as_ref()?;
    if spec.def.role == Role::Constant {
        return node.attr_tensor("value").ok().filter(|value| value.num_elements() <= MAX_ELEMENTS).cloned();
    }
    if let "Shape" | "ShapeN" | "Size" | "Rank" = node.op.as_str() {
        return shape_constant(graph, node, endpoint.index as usize);
    }
    let foldable = !spec.def.stateful && node.control_inputs.is_empty() && !node.inputs.is_empty();
    let plain = |types: &[crate::ValueType]| types.iter().all(|value| !value.is_ref && value.dtype.is_plain());
    if !foldable || !plain(&node.input_types) || !plain(&node.output_types) || spec.def.role.depends_on_step() {
        return None;
    }
    let small =
        |index: usize| node.output_shape(index).num_elements().is_some_and(|count| count <= MAX_ELEMENTS as i64);
    if !(0..node.output_types.len()).all(small) {
        return None;
    }
    let mut inputs = Vec::with_capacity(node.inputs.len());
    for input in &node.inputs {
        inputs.push(Value::Tensor(fold(graph, *input, budget)?));
    }
    evaluate(node, &mut inputs)?.into_iter().nth(endpoint.index as usize)
}

fn shape_constant(graph: &GraphData, node: &Node, index: usize) -> Option<Tensor> {
    let input = node.inputs.get(if node.op == "ShapeN" { index } else { 0 })?;
    let shape = graph.node(input.node).output_shape(input.index as usize);
    if node.op == "Rank" {
        return Some(Tensor::scalar(shape.rank()? as i32));
    }
    let shape = shape.to_shape()?;
    let wide = node.attr_type("out_type").ok()? == DType::Int64;
    let dims: Vec<i64> = if node.op == "Size" { vec![shape.num_elements() as i64] } else { shape.dims().to_vec() };
    let tensor = if wide {
        Tensor::vector(&dims)
    } else {
        Tensor::vector(&dims.iter().map(|dim| *dim as i32).collect::<Vec<_>>())
    };
    if node.op == "Size" { tensor.into_shape(tensor::Shape::scalar()).ok() } else { Some(tensor) }
}

/// Returns the outputs of a node without state for these inputs; none if its kernel fails or waits.
pub fn evaluate(node: &Node, inputs: &mut [Value]) -> Option<Vec<Tensor>> {
    let kernel = node.spec.as_ref()?.kernel(node).ok()?;
    let (Kernel::Cheap(compute) | Kernel::Compute(compute)) = kernel else { return None };
    let step = op::Step {
        id: op::StepId(0),
        device: String::new(),
        resources: Arc::new(Nowhere),
        step_resources: Arc::new(Nowhere),
        rendezvous: Arc::new(Nowhere),
        collectives: Arc::new(Nowhere),
        cancellation: op::Cancellation::new(),
        frame: Arc::default(),
        host: Arc::new(Nowhere),
        files: Arc::new(Nowhere),
        epoch: 0,
    };
    let mut outputs = vec![Value::Empty; node.output_types.len()];
    let mut context = OpContext::new(node, &step, (0, 0), inputs, &mut outputs);
    // A panic in a kernel is our mistake; here it only means that the value is not known beforehand.
    catch_unwind(AssertUnwindSafe(|| compute.compute(&mut context))).ok()?.ok()?;
    outputs
        .into_iter()
        .map(|value| match value {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        })
        .collect()
}

/// Surroundings with nothing in them.
struct Nowhere;

impl op::Resources for Nowhere {
    fn default_container(&self) -> &str {
        ""
    }
    fn has_container(&self, _: &str) -> bool {
        true
    }
    fn get(&self, _: &str, _: std::any::TypeId, _: &str) -> Option<Arc<dyn op::Resource>> {
        None
    }
    fn get_or_create(
        &self,
        _: &str,
        _: std::any::TypeId,
        name: &str,
        _: &mut dyn FnMut() -> Result<Arc<dyn op::Resource>>,
    ) -> Result<Arc<dyn op::Resource>> {
        Err(tensor::err!(Internal, "there are no resources here to make '{name}' in"))
    }
    fn remove(&self, _: &str, _: std::any::TypeId, _: &str) -> bool {
        false
    }
    fn updates(&self) -> &op::Updates {
        static NONE: std::sync::LazyLock<op::Updates> = std::sync::LazyLock::new(op::Updates::default);
        &NONE
    }
    fn roll_back(&self, _: op::StepId) {}
}

impl op::Host for Nowhere {
    fn prepare(&self, _: &GraphData) -> Result<Arc<dyn op::Function>> {
        Err(tensor::err!(Internal, "there is nobody here to call a function"))
    }
    fn spawn(&self, _: &str, _: Box<dyn FnOnce() + Send>) -> bool {
        false
    }
    fn after(&self, _: std::time::Duration, _: Box<dyn FnOnce() + Send>) -> Box<dyn Send> {
        Box::new(())
    }
}

impl op::Files for Nowhere {
    fn check(&self, path: &std::path::Path) -> Result<()> {
        Err(tensor::err!(PermissionDenied, "no files are touched before a step runs: '{}'", path.display()))
    }
}

impl op::Collectives for Nowhere {
    fn enter(&self, _: op::CollectiveEntry, _: Box<dyn op::CollectivePlay>, done: op::CollectiveDone) {
        done(Err(tensor::err!(Unimplemented, "there are no collectives while shapes are inferred")));
    }
}

impl op::Rendezvous for Nowhere {
    fn send(&self, key: &op::RendezvousKey, _: op::Parcel) -> Result<()> {
        Err(tensor::err!(Internal, "there is nobody here to send {key} to"))
    }
    fn recv(&self, key: &op::RendezvousKey, receive: op::Receive) {
        receive(Err(tensor::err!(Internal, "there is nobody here to send {key}")));
    }
}

/// An output that is a vector of dimensions, as far as they are known.
fn value_as_shape(graph: &GraphData, endpoint: Endpoint, budget: &Cell<usize>) -> Option<PartialShape> {
    if let Some(value) = fold(graph, endpoint, budget) {
        return value.to_i64_vec().ok().map(|dims| PartialShape::from_dims(&dims));
    }
    budget.set(budget.get().checked_sub(1)?);
    let node = graph.node(endpoint.node);
    let shape_of =
        |index: usize| node.inputs.get(index).map(|input| graph.node(input.node).output_shape(input.index as usize));
    match node.op.as_str() {
        "Shape" => shape_of(0).filter(|shape| shape.rank().is_some()),
        "ShapeN" => shape_of(endpoint.index as usize).filter(|shape| shape.rank().is_some()),
        "Identity" | "Cast" => value_as_shape(graph, *node.inputs.first()?, budget),
        "Pack" => {
            let dim = |input: &Endpoint| {
                fold(graph, *input, budget).and_then(|value| value.to_i64_vec().ok()?.first().copied())
            };
            Some(PartialShape::from_dims(&node.inputs.iter().map(|input| dim(input).unwrap_or(-1)).collect::<Vec<_>>()))
        }
        "ConcatV2" => {
            let (_, parts) = node.inputs.split_last()?;
            let mut whole = PartialShape::scalar();
            for part in parts {
                whole = whole.concatenate(&value_as_shape(graph, *part, budget)?);
            }
            Some(whole)
        }
        "StridedSlice" => slice_of_shape(graph, node, budget),
        _ => None,
    }
}

fn slice_of_shape(graph: &GraphData, node: &Node, budget: &Cell<usize>) -> Option<PartialShape> {
    let whole = value_as_shape(graph, *node.inputs.first()?, budget)?;
    let dims = whole.raw_dims()?.to_vec();
    let int = |index: usize| fold(graph, *node.inputs.get(index)?, budget)?.to_i64_vec().ok()?.first().copied();
    let mask = |name: &str| node.attr_int(name).unwrap_or(0);
    if int(3)? != 1 || mask("ellipsis_mask") + mask("new_axis_mask") + mask("shrink_axis_mask") != 0 {
        return None;
    }
    let rank = dims.len() as i64;
    let clamp = |at: i64| (if at < 0 { at.saturating_add(rank) } else { at }).clamp(0, rank) as usize;
    let begin = if mask("begin_mask") & 1 != 0 { 0 } else { clamp(int(1)?) };
    let end = if mask("end_mask") & 1 != 0 { dims.len() } else { clamp(int(2)?) };
    Some(PartialShape::from_dims(dims.get(begin..end.max(begin))?))
}

#[cfg(test)]
mod tests {
    use tensorfleet::prelude::*;

    /// The value of a chain in which every node uses the one before twice is looked for in bounded time.
    #[test]
    fn branches_that_meet_again_do_not_take_for_ever() {
        let g = Graph::new();
        let mut size = g.constant([1i32]);
        for _ in 0..60 {
            size = size.binary("Mul", "Mul", &size);
        }
        let filled = g.op("Fill").input(&size).input(g.constant(0f32)).output();
        g.check().unwrap();
        // It is beyond what is followed, so only the rank is known.
        assert_eq!(filled.shape().to_string(), "[?]");
        let near = g.constant([2i32]).binary("Mul", "Mul", g.constant([3i32]));
        let filled = g.op("Fill").input(&near).input(g.constant(0f32)).output();
        assert_eq!(filled.shape().to_string(), "[6]");
    }
}
