//! Reading the small arguments that many ops share: axes, sizes and lists of integers.

use graph::op::{GradContext, Kernel, OpContext};
use graph::{Graph, Node, Output};
use tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

/// The integers of a tensor that must be a vector; `what` begins the message if it is not.
pub(crate) fn int_vector(tensor: &Tensor, what: &str) -> Result<Vec<i64>> {
    ensure!(tensor.shape().rank() == 1, InvalidArgument, "{what}{}", tensor.shape());
    tensor.to_i64_vec()
}

/// The integer of a tensor with one element; `what` begins the message if there are more.
pub(crate) fn int_scalar(tensor: &Tensor, what: &str) -> Result<i64> {
    match tensor.to_i64_vec()?[..] {
        [value] => Ok(value),
        _ => tensor::bail!(InvalidArgument, "{what}{}", tensor.shape()),
    }
}

/// Counts an axis from the front; `None` if it is not in `[-rank, rank)`.
pub(crate) fn axis_of(axis: i64, rank: usize) -> Option<usize> {
    let rank = rank as i64;
    (-rank..rank).contains(&axis).then(|| if axis < 0 { (axis + rank) as usize } else { axis as usize })
}

/// The dimensions as sizes.
pub(crate) fn sizes(shape: &Shape) -> Vec<usize> {
    shape.dims().iter().map(|dim| *dim as usize).collect()
}

/// A vector of integers as int32 or int64.
///
/// # Errors
/// `InvalidArgument` if one does not fit.
pub(crate) fn int_tensor(values: &[i64], dtype: DType) -> Result<Tensor> {
    if dtype == DType::Int64 {
        return Ok(Tensor::vector(values));
    }
    let mut narrow = Vec::with_capacity(values.len());
    for value in values {
        narrow.push(i32::try_from(*value).map_err(|_| tensor::err!(InvalidArgument, "{value} does not fit in int32"))?);
    }
    Ok(Tensor::vector(&narrow))
}

/// A constant of integers, int32 where they fit, as Python's TensorFlow makes of a list.
#[track_caller]
pub(crate) fn int_constant(graph: &Graph, values: &[i64]) -> Output {
    let tensor = int_tensor(values, DType::Int32).unwrap_or_else(|_| Tensor::vector(values));
    graph.constant(tensor)
}

/// The dimensions of a shape that a program states in full.
///
/// # Errors
/// `InvalidArgument` if a dimension or even the rank is unknown.
pub(crate) fn known_dims(shape: impl Into<PartialShape>) -> Result<Vec<i64>> {
    let shape = shape.into();
    match shape.raw_dims() {
        Some(dims) if shape.is_fully_known() => Ok(dims.to_vec()),
        _ => tensor::bail!(InvalidArgument, "the shape {shape} must be known in full"),
    }
}

/// A constant of the dimensions of a shape, -1 for unknown ones. An unknown rank is a mistake of the graph.
#[track_caller]
pub(crate) fn shape_constant(graph: &Graph, shape: impl Into<PartialShape>) -> Output {
    let shape = shape.into();
    if shape.rank().is_none() {
        graph.note_mistake(tensor::err!(InvalidArgument, "the rank of the shape {shape} must be known"));
    }
    int_constant(graph, shape.raw_dims().unwrap_or_default())
}

/// The shape of an output as a node, of the given integer type.
pub(crate) fn shape_node(cx: &GradContext<'_>, of: &Output, dtype: DType) -> Output {
    cx.op("Shape").input(of).attr("out_type", dtype).output()
}

/// `gradient` in the shape of the input `index`.
pub(crate) fn reshaped_like_input(cx: &GradContext<'_>, gradient: &Output, index: usize) -> Output {
    let x = cx.x(index);
    let shape = match x.shape().to_shape() {
        Some(shape) => int_constant(cx.graph, shape.dims()),
        None => shape_node(cx, &x, DType::Int32),
    };
    cx.op("Reshape").input(gradient).input(shape).output()
}

/// A kernel that moves data: cheap where the results are known to be small, so that the many small ones around shapes
/// cost no hand-over.
pub(crate) fn kernel_by_size(
    node: &Node,
    compute: impl Fn(&mut OpContext<'_>) -> Result<()> + Send + Sync + 'static,
) -> Kernel {
    const SMALL: i64 = 2048;
    let shapes = &node.output_shapes;
    let small = |count: Option<i64>| count.is_some_and(|count| count <= SMALL);
    match !shapes.is_empty() && shapes.iter().all(|shape| small(shape.num_elements())) {
        true => Kernel::cheap(compute),
        false => Kernel::compute(compute),
    }
}
