//! `GatherV2` and `Gather`: slices along an axis, named by indices.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, IndexedSlices, Node, Output, ReadAttrs, inference};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::arguments::{axis_of, int_constant, int_scalar, kernel_by_size, shape_node};
use crate::moving::{Move, moved};
use crate::strided::{self, GatherSizes};

pub(crate) fn register(r: &mut Registry) {
    r.op("GatherV2", "params: Tparams, indices: Tindices, axis: Taxis -> output: Tparams")
        .attr("batch_dims: int = 0")
        .attr("Tparams: type")
        .attr("Tindices: {int16, int32, int64}")
        .attr("Taxis: {int32, int64}")
        .views_variable()
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
    r.op("Gather", "params: Tparams, indices: Tindices -> output: Tparams")
        .attr("validate_indices: bool = true")
        .attr("Tparams: type")
        .attr("Tindices: {int32, int64}")
        .views_variable()
        .shape(old_shape)
        .any_kernel(old_kernel)
        .gradient(old_gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let params = cx.with_rank_at_least(0, 1)?;
    cx.with_rank(2, 0)?;
    let indices = cx.input(1);
    let mut batch_dims = cx.attr_int("batch_dims")?;
    let least = if batch_dims < 0 { batch_dims.unsigned_abs() } else { batch_dims as u64 };
    cx.with_rank_at_least(1, usize::try_from(least).unwrap_or(usize::MAX))?;
    let (Some(params_dims), Some(indices_dims)) = (params.raw_dims(), indices.raw_dims()) else { return Ok(()) };
    if batch_dims < 0 {
        batch_dims += indices_dims.len() as i64;
    }
    let batch_dims = batch_dims as usize;
    let rank = params_dims.len();
    let Some(axis) = cx.int(2) else {
        let out_rank = (rank + indices_dims.len() - 1).saturating_sub(batch_dims);
        cx.set(0, PartialShape::of_rank(out_rank));
        return Ok(());
    };
    let Some(at) = axis_of(axis, rank) else {
        let least = if axis < 0 { axis.unsigned_abs() } else { axis as u64 + 1 };
        bail!(InvalidArgument, "Shape must be at least rank {least} but is rank {rank}")
    };
    let (before, after) = (&params_dims[..at], &params_dims[at + 1..]);
    let dims: Vec<i64> = [before, &indices_dims[batch_dims..], after].concat();
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn old_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let params = cx.with_rank_at_least(0, 1)?;
    let Some(dims) = params.raw_dims() else { return Ok(()) };
    cx.set(0, cx.input(1).concatenate(&PartialShape::from_dims(&dims[1..])));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let batch_dims = node.attr_int("batch_dims")?;
    Ok(kernel_by_size(node, move |cx: &mut OpContext<'_>| {
        let axis = cx.input(2)?;
        ensure!(axis.shape().is_scalar(), InvalidArgument, "axis must be scalar");
        let axis = int_scalar(axis, "axis must be scalar, not ")?;
        let gathered = cx.view(0, |params| gather(params, cx.input(1)?, axis, batch_dims))?;
        cx.set_output(0, gathered);
        Ok(())
    }))
}

fn old_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let gathered = cx.view(0, |params| gather(params, cx.input(1)?, 0, 0))?;
        cx.set_output(0, gathered);
        Ok(())
    }))
}

struct Rows<'a>(GatherSizes, &'a [usize]);

impl Move for Rows<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        strided::gather(self.0, inputs[0], self.1, out);
    }
}

/// The slices of `params` along `axis` that the indices name; the first `batch_dims` axes of both go together.
pub(crate) fn gather(params: &Tensor, indices: &Tensor, axis: i64, batch_dims: i64) -> Result<Tensor> {
    let (rank, indices_rank) = (params.shape().rank(), indices.shape().rank());
    ensure!(rank > 0, InvalidArgument, "params must be at least 1 dimensional");
    let Some(at) = axis_of(axis, rank) else {
        let least = if axis < 0 { axis.unsigned_abs() } else { axis as u64 + 1 };
        bail!(InvalidArgument, "Shape must be at least rank {least} but is rank {rank}")
    };
    let most = indices_rank as i64;
    ensure!(
        (-most..=most).contains(&batch_dims),
        InvalidArgument,
        "Expected batch_dims in the range [{}, {most}], but got {batch_dims}",
        -most
    );
    let batch = (if batch_dims < 0 { batch_dims + most } else { batch_dims }) as usize;
    ensure!(batch < rank, InvalidArgument, "batch_dims ({batch}) must be less than rank(params) ({rank}).");
    ensure!(at >= batch, InvalidArgument, "batch_dims ({batch}) must be less than or equal to axis ({at}).");
    for axis in 0..batch {
        let (ours, theirs) = (params.dims()[axis], indices.dims()[axis]);
        ensure!(
            ours == theirs,
            InvalidArgument,
            "params.shape[{axis}]: {ours} should be equal to indices.shape[{axis}]: {theirs}"
        );
    }
    let rows = params.shape().dim(at);
    let dims = [&params.dims()[..at], &indices.dims()[batch..], &params.dims()[at + 1..]].concat();
    let shape = Shape::new(&dims)?;
    // As in TensorFlow, nobody looks at the indices where there is nothing to gather.
    if shape.num_elements() == 0 {
        return Tensor::zeros(params.dtype(), &shape);
    }
    let checked = checked_indices(indices, rows)?;
    let product = |dims: &[i64]| dims.iter().product::<i64>() as usize;
    let sizes = GatherSizes {
        batches: product(&params.dims()[..batch]),
        outer: product(&params.dims()[batch..at]),
        rows,
        count: product(&indices.dims()[batch..]),
        len: product(&params.dims()[at + 1..]),
    };
    moved(shape, &[params], &Rows(sizes, &checked))
}

/// The indices as positions.
///
/// # Errors
/// `InvalidArgument`, naming the first that is not below `limit`.
pub(crate) fn checked_indices(indices: &Tensor, limit: usize) -> Result<Vec<usize>> {
    dispatch!(indices.dtype(), T in [i32, i64, i16] => {
        let values = indices.as_slice::<T>()?;
        let mut positions = Vec::with_capacity(values.len());
        for (place, value) in values.iter().enumerate() {
            match usize::try_from(*value) {
                Ok(position) if position < limit => positions.push(position),
                _ => bail!(
                    InvalidArgument,
                    "indices{} = {value} is not in [0, {limit})",
                    place_in(indices.shape(), place)
                ),
            }
        }
        Ok(positions)
    })
}

/// A place in a tensor as TensorFlow shows it: `[1,0]`, or nothing in a scalar.
pub(crate) fn place_in(shape: &Shape, mut place: usize) -> String {
    if shape.is_scalar() {
        return String::new();
    }
    let mut index = vec![0; shape.rank()];
    for axis in (0..shape.rank()).rev() {
        let dim = shape.dim(axis).max(1);
        index[axis] = place % dim;
        place /= dim;
    }
    format!("[{}]", index.iter().map(|i| i.to_string()).collect::<Vec<_>>().join(","))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let axis = cx.x(2).endpoint().and_then(|axis| {
        cx.graph.read(|data| inference::constant_value(data, axis))?.to_i64_vec().ok()?.first().copied()
    });
    let batch_dims = cx.attr_int("batch_dims")?;
    if axis == Some(0) && batch_dims == 0 {
        return Ok(vec![Some(row_gradient(cx)?), None, None]);
    }
    let batch = match (batch_dims < 0, cx.x(1).shape().rank()) {
        (false, _) => batch_dims,
        (true, Some(rank)) => batch_dims + rank as i64,
        (true, None) => {
            bail!(Unimplemented, "the gradient of GatherV2 with batch_dims {batch_dims} and indices of unknown rank")
        }
    };
    Ok(vec![Some(axis_gradient(cx, batch)?.into()), None, None])
}

fn old_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(row_gradient(cx)?), None])
}

/// Along axis 0 the gradient is rows: those that were gathered.
fn row_gradient(cx: &GradContext<'_>) -> Result<Gradient> {
    let (params, indices) = (cx.x(0), cx.x(1));
    let dense_shape = shape_node(cx, &params, DType::Int32);
    let any = cx.graph.constant([-1i32]);
    let flat = match indices.shape().rank() {
        Some(1) => indices,
        _ => cx.op("Reshape").input(indices).input(&any).output(),
    };
    let count = cx.op("Shape").input(&flat).output();
    let values_shape = join(cx, &[count, part(cx, &dense_shape, 1, None)]);
    let values = cx.op("Reshape").input(cx.dy(0)?).input(values_shape).output();
    Ok(Gradient::Slices(IndexedSlices { values, indices: flat, dense_shape }))
}

/// Along another axis: it is brought to the front, behind the batches; rows are added up; it goes back.
fn axis_gradient(cx: &GradContext<'_>, batch: i64) -> Result<Output> {
    let graph = cx.graph;
    let number = |value: i32| graph.constant(value);
    let range = |from: &Output, to: &Output| cx.op("Range").input(from).input(to).input(number(1)).output();
    let vector = |scalar: &Output| cx.op("ExpandDims").input(scalar).input(number(0)).output();
    let any = graph.constant([-1i32]);
    let axis = match cx.dtype(2) {
        DType::Int32 => vector(&cx.x(2)),
        _ => vector(&cx.op("Cast").input(cx.x(2)).attr("DstT", DType::Int32).output()),
    };
    let shape = shape_node(cx, &cx.x(0), DType::Int32);
    let outer = cut(cx, &shape, None, Some(&axis));
    let from_axis = cut(cx, &shape, Some(&axis), None);
    let inner = part(cx, &from_axis, 1, None);
    let values_shape = join(cx, &[outer.clone(), any.clone(), inner]);
    let values = cx.op("Reshape").input(cx.dy(0)?).input(&values_shape).output();
    // The order of axes: batches, the axis, the others.
    let batches = number(i32::try_from(batch).unwrap_or(i32::MAX));
    let at = cx.op("Size").input(&outer).output();
    let behind = cx.op("AddV2").input(&at).input(number(1)).output();
    let rank = cx.op("Size").input(&values_shape).output();
    let order = join(cx, &[range(&number(0), &batches), vector(&at), range(&batches, &at), range(&behind, &rank)]);
    let turned = cx.op("Transpose").input(values).input(&order).output();
    let turned_shape = cx.op("GatherV2").input(&shape).input(&order).input(number(0)).output();
    let rows = dim(cx, &turned_shape, batch);
    let (ids, total) = match batch {
        0 => (cx.op("Reshape").input(cx.x(1)).input(&any).output(), rows),
        _ => numbered_through(cx, &part(cx, &turned_shape, 0, Some(batch)), &rows),
    };
    let count = cx.op("Shape").input(&ids).output();
    let flat_shape = join(cx, &[count, part(cx, &turned_shape, batch + 1, None)]);
    let flat = cx.op("Reshape").input(turned).input(flat_shape).output();
    let sums = cx.op("UnsortedSegmentSum").input(flat).input(ids).input(total).output();
    let sums = cx.op("Reshape").input(sums).input(turned_shape).output();
    let back = cx.op("InvertPermutation").input(order).output();
    Ok(cx.op("Transpose").input(sums).input(back).output())
}

/// The indices with the rows of all batches numbered through, and how many rows that are.
fn numbered_through(cx: &GradContext<'_>, batch_shape: &Output, rows: &Output) -> (Output, Output) {
    let graph = cx.graph;
    let batches = cx.op("Prod").input(batch_shape).input(graph.constant([0i32])).output();
    let total = cx.op("Mul").input(&batches).input(rows).output();
    let number = cx.op("Range").input(graph.constant(0i32)).input(&batches).input(graph.constant(1i32)).output();
    let first = cx.op("Mul").input(number).input(rows).output();
    let first = cx.op("ExpandDims").input(first).input(graph.constant(-1i32)).output();
    let first = match cx.dtype(1) {
        DType::Int32 => first,
        other => cx.op("Cast").input(first).attr("DstT", other).output(),
    };
    // The size of the second axis is computed, because -1 would mean nothing where there are no batches.
    let all = cx.op("Size").input(cx.x(1)).output();
    let least = cx.op("Maximum").input(&batches).input(graph.constant(1i32)).output();
    let each = cx.op("FloorDiv").input(all).input(least).output();
    let two = cx.op("Pack").name("stack").input_list(&[batches, each]).output();
    let indices = cx.op("Reshape").input(cx.x(1)).input(two).output();
    let numbered = cx.op("AddV2").input(indices).input(first).output();
    (cx.op("Reshape").input(numbered).input(graph.constant([-1i32])).output(), total)
}

/// `vector[from:to]` as a node, for bounds that are vectors of one.
fn cut(cx: &GradContext<'_>, vector: &Output, from: Option<&Output>, to: Option<&Output>) -> Output {
    let zero = cx.graph.constant([0i32]);
    cx.op("StridedSlice")
        .name("strided_slice")
        .input(vector)
        .input(from.unwrap_or(&zero))
        .input(to.unwrap_or(&zero))
        .input(cx.graph.constant([1i32]))
        .attr("begin_mask", from.is_none() as i64)
        .attr("end_mask", to.is_none() as i64)
        .output()
}

/// `vector[from:to]` as a node.
fn part(cx: &GradContext<'_>, vector: &Output, from: i64, to: Option<i64>) -> Output {
    cx.op("StridedSlice")
        .name("strided_slice")
        .input(vector)
        .input(int_constant(cx.graph, &[from]))
        .input(int_constant(cx.graph, &[to.unwrap_or(0)]))
        .input(int_constant(cx.graph, &[1]))
        .attr("end_mask", to.is_none() as i64)
        .output()
}

/// `vector[at]` as a node.
fn dim(cx: &GradContext<'_>, vector: &Output, at: i64) -> Output {
    cx.op("StridedSlice")
        .name("strided_slice")
        .input(vector)
        .input(int_constant(cx.graph, &[at]))
        .input(int_constant(cx.graph, &[at + 1]))
        .input(int_constant(cx.graph, &[1]))
        .attr("shrink_axis_mask", 1i64)
        .output()
}

fn join(cx: &GradContext<'_>, parts: &[Output]) -> Output {
    let axis = cx.graph.constant(0i32);
    cx.op("ConcatV2").name("concat").input_list(parts).input(axis).output()
}

/// Picks slices along an axis by their numbers (`GatherV2`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let rows = g.constant([[1f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
/// let picked = rows.gather(&g.constant([2i32, 0]), 0);
/// assert_eq!(eval(&picked)?, Tensor::from([[5f32, 6.0], [1.0, 2.0]]));
/// # Ok(())
/// # }
/// ```
pub trait GatherOps {
    /// Returns the slices along `axis` that the indices name.
    fn gather(&self, indices: &Output, axis: i32) -> Output;
}

impl GatherOps for Output {
    #[track_caller]
    fn gather(&self, indices: &Output, axis: i32) -> Output {
        let axis = self.graph().constant(axis);
        self.graph().op("GatherV2").input(self).input(indices).input(axis).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_columns_and_batches() {
        let x = Tensor::from([[1i32, 2, 3], [4, 5, 6]]);
        let rows = gather(&x, &Tensor::from([1i64, 0, 1]), 0, 0).unwrap();
        assert_eq!(rows, Tensor::from([[4i32, 5, 6], [1, 2, 3], [4, 5, 6]]));
        let columns = gather(&x, &Tensor::from([2i32, 0]), -1, 0).unwrap();
        assert_eq!(columns, Tensor::from([[3i32, 1], [6, 4]]));
        let batches = gather(&x, &Tensor::from([[0i32, 1], [2, 2]]), 1, 1).unwrap();
        assert_eq!(batches, Tensor::from([[1i32, 2], [6, 6]]));
        let strings = gather(&Tensor::string_vector(["a", "b"]), &Tensor::from(1i16), 0, 0).unwrap();
        assert_eq!(strings, Tensor::from("b"));
    }

    #[test]
    fn messages_are_those_of_tensorflow() {
        let x = Tensor::from([1f32, 2.0, 3.0]);
        let message =
            |indices: Tensor, axis, batch| gather(&x, &indices, axis, batch).unwrap_err().message().to_owned();
        assert_eq!(message(Tensor::from([0i32, 7]), 0, 0), "indices[1] = 7 is not in [0, 3)");
        assert_eq!(message(Tensor::from([[0i32, 1], [-1, 1]]), 0, 0), "indices[1,0] = -1 is not in [0, 3)");
        assert_eq!(message(Tensor::from(7i64), 0, 0), "indices = 7 is not in [0, 3)");
        assert_eq!(message(Tensor::from([0i32]), 1, 0), "Shape must be at least rank 2 but is rank 1");
        assert_eq!(message(Tensor::from([0i32]), 0, 2), "Expected batch_dims in the range [-1, 1], but got 2");
    }
}
