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
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
    r.op("Gather", "params: Tparams, indices: Tindices -> output: Tparams")
        .attr("validate_indices: bool = true")
        .attr("Tparams: type")
        .attr("Tindices: {int32, int64}")
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
        let gathered = gather(cx.input(0)?, cx.input(1)?, axis, batch_dims)?;
        cx.set_output(0, gathered);
        Ok(())
    }))
}

fn old_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let gathered = gather(cx.input(0)?, cx.input(1)?, 0, 0)?;
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
    let checked = checked_indices(indices, rows)?;
    if shape.num_elements() == 0 {
        return Tensor::zeros(params.dtype(), &shape);
    }
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
    const DEPTH: usize = 8;
    let axis = cx.x(2).endpoint().and_then(|axis| {
        cx.graph.read(|data| inference::constant_value(data, axis, DEPTH))?.to_i64_vec().ok()?.first().copied()
    });
    let batch_dims = cx.attr_int("batch_dims")?;
    if axis == Some(0) && batch_dims == 0 {
        return Ok(vec![Some(row_gradient(cx)?), None, None]);
    }
    let (params, indices) = (cx.x(0).shape(), cx.x(1).shape());
    let (Some(axis), Some(rank), Some(indices_rank)) = (axis, params.rank(), indices.rank()) else {
        bail!(Unimplemented, "the gradient of GatherV2 needs an axis and ranks that are known beforehand")
    };
    let batch = if batch_dims < 0 { batch_dims + indices_rank as i64 } else { batch_dims };
    let (Some(at), true) = (axis_of(axis, rank), batch >= 0) else {
        bail!(InvalidArgument, "axis {axis} and batch_dims {batch_dims} do not fit params of rank {rank}")
    };
    let dx = match batch as usize {
        0 => axis_gradient(cx, at, rank)?,
        batch if batch == at => batch_gradient(cx, at)?,
        batch => bail!(Unimplemented, "the gradient of GatherV2 with batch_dims {batch} and axis {at}, which differ"),
    };
    Ok(vec![Some(dx.into()), None, None])
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

/// Along another axis: that axis is brought to the front, rows are added up, and it goes back.
fn axis_gradient(cx: &GradContext<'_>, at: usize, rank: usize) -> Result<Output> {
    let shape = shape_node(cx, &cx.x(0), DType::Int32);
    let any = cx.graph.constant([-1i32]);
    let at_i64 = at as i64;
    let values_shape = join(cx, &[part(cx, &shape, 0, Some(at_i64)), any.clone(), part(cx, &shape, at_i64 + 1, None)]);
    let values = cx.op("Reshape").input(cx.dy(0)?).input(values_shape).output();
    let to_front: Vec<i64> =
        std::iter::once(at).chain((0..rank).filter(|axis| *axis != at)).map(|a| a as i64).collect();
    let mut back = vec![0; rank];
    for (place, axis) in to_front.iter().enumerate() {
        back[*axis as usize] = place as i64;
    }
    let turned = cx.op("Transpose").input(values).input(int_constant(cx.graph, &to_front)).output();
    let indices = cx.op("Reshape").input(cx.x(1)).input(any).output();
    let rows = dim(cx, &shape, at_i64);
    let sums = cx.op("UnsortedSegmentSum").input(turned).input(indices).input(rows).output();
    Ok(cx.op("Transpose").input(sums).input(int_constant(cx.graph, &back)).output())
}

/// With batches right before the axis: the batches' rows are numbered through.
fn batch_gradient(cx: &GradContext<'_>, at: usize) -> Result<Output> {
    let (graph, at, index_type) = (cx.graph, at as i64, cx.dtype(1));
    let shape = shape_node(cx, &cx.x(0), DType::Int32);
    let rows = dim(cx, &shape, at);
    let batch_shape = part(cx, &shape, 0, Some(at));
    let batches = cx.op("Prod").input(batch_shape).input(graph.constant([0i32])).output();
    let total = cx.op("Mul").input(&batches).input(&rows).output();
    let firsts = cx.op("Range").input(graph.constant(0i32)).input(&total).input(&rows).output();
    let firsts = cx.op("ExpandDims").input(firsts).input(graph.constant(-1i32)).output();
    let firsts = match index_type {
        DType::Int32 => firsts,
        other => cx.op("Cast").input(firsts).attr("DstT", other).output(),
    };
    let two = cx.op("Pack").name("stack").input_list(&[batches, graph.constant(-1i32)]).output();
    let indices = cx.op("Reshape").input(cx.x(1)).input(two).output();
    let numbered = cx.op("AddV2").input(indices).input(firsts).output();
    let any = graph.constant([-1i32]);
    let numbered = cx.op("Reshape").input(numbered).input(&any).output();
    let count = cx.op("Shape").input(&numbered).output();
    let values_shape = join(cx, &[count, part(cx, &shape, at + 1, None)]);
    let values = cx.op("Reshape").input(cx.dy(0)?).input(values_shape).output();
    let sums = cx.op("UnsortedSegmentSum").input(values).input(numbered).input(total).output();
    Ok(cx.op("Reshape").input(sums).input(shape).output())
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

/// [`GatherV2`](self) for programs.
pub trait GatherOps {
    /// The slices along `axis` that the indices name.
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
