//! `ConcatV2`, `Concat` and `ConcatOffset`: tensors joined along an axis.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Graph, Node, Output, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::arguments::{axis_of, int_scalar, int_tensor, kernel_by_size};
use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("ConcatV2", "values: N * T, axis: Tidx -> output: T")
        .attr("N: int >= 2")
        .attr("T: type")
        .attr("Tidx: {int32, int64} = int32")
        .shape(|cx| shape(cx, cx.num_inputs() - 1, 0))
        .any_kernel(kernel)
        .gradient(gradient);
    r.op("Concat", "concat_dim: int32, values: N * T -> output: T")
        .attr("N: int >= 2")
        .attr("T: type")
        .shape(|cx| shape(cx, 0, 1))
        .any_kernel(old_kernel)
        .gradient(old_gradient);
    r.op("ConcatOffset", "concat_dim: int32, shape: N * shape_type -> offset: N * shape_type")
        .attr("N: int >= 2")
        .attr("shape_type: {int32, int64} = int32")
        .shape(offset_shape)
        .any_kernel(offset_kernel)
        .not_differentiable();
}

/// The axis is input `axis_at`, the values are the others, from input `first` on.
fn shape(cx: &mut ShapeContext<'_>, axis_at: usize, first: usize) -> Result<()> {
    cx.with_rank(axis_at, 0)?;
    let values = first..first + cx.num_inputs() - 1;
    let Some(axis) = cx.int(axis_at) else {
        // Only the rank is known.
        let mut ranks = PartialShape::unknown();
        for index in values {
            if let Some(rank) = cx.input(index).rank() {
                ensure!(rank > 0, InvalidArgument, "Can't concatenate scalars (use tf.stack instead)");
                ranks = ranks.merge(&PartialShape::of_rank(rank))?;
            }
        }
        cx.set(0, ranks);
        return Ok(());
    };
    let least_rank = if axis < 0 { axis.unsigned_abs() } else { axis as u64 + 1 };
    let (mut others, mut total) = (PartialShape::unknown(), Some(0i64));
    for index in values {
        let input = cx.with_rank_at_least(index, usize::try_from(least_rank).unwrap_or(usize::MAX))?;
        let Some(dims) = input.raw_dims() else {
            total = None;
            continue;
        };
        let Some(at) = axis_of(axis, dims.len()) else { return Ok(()) };
        total = total.zip(input.dim(at)).and_then(|(sum, dim)| sum.checked_add(dim));
        let mut dims = dims.to_vec();
        dims[at] = -1;
        others = others.merge(&PartialShape::from_dims(&dims))?;
    }
    let Some(dims) = others.raw_dims() else { return Ok(()) };
    let mut dims = dims.to_vec();
    if let Some(at) = axis_of(axis, dims.len()) {
        dims[at] = total.unwrap_or(-1);
    }
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let count = cx.num_inputs() - 1;
        let joined = concat(&cx.inputs(0..count)?, cx.input(count)?, "axis")?;
        cx.set_output(0, joined);
        Ok(())
    }))
}

fn old_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let joined = concat(&cx.inputs(1..cx.num_inputs())?, cx.input(0)?, "concat_dim")?;
        cx.set_output(0, joined);
        Ok(())
    }))
}

/// The values one after the other along an axis.
pub(crate) fn concat(values: &[&Tensor], axis: &Tensor, axis_name: &str) -> Result<Tensor> {
    ensure!(
        axis.num_elements() == 1,
        InvalidArgument,
        "{axis_name} tensor should be a scalar integer, but got shape {}",
        axis.shape()
    );
    let axis = int_scalar(axis, "axis must be a scalar, not ")?;
    let Some(first) = values.first() else { bail!(InvalidArgument, "ConcatOp : nothing to concatenate") };
    let rank = first.shape().rank();
    let Some(at) = axis_of(axis, rank) else {
        let least = -(rank as i64);
        bail!(
            InvalidArgument,
            "ConcatOp : Expected concatenating dimensions in the range [{least}, {rank}), but got {axis}"
        )
    };
    let mut dims = first.dims().to_vec();
    dims[at] = 0;
    for (place, value) in values.iter().enumerate() {
        ensure!(
            value.shape().rank() == rank,
            InvalidArgument,
            "ConcatOp : Ranks of all input tensors should match: shape[0] = {} vs. shape[{place}] = {}",
            first.shape(),
            value.shape()
        );
        for other in (0..rank).filter(|other| *other != at) {
            ensure!(
                value.dims()[other] == first.dims()[other],
                InvalidArgument,
                "ConcatOp : Dimension {other} in both shapes must be equal: shape[0] = {} vs. shape[{place}] = {}",
                first.shape(),
                value.shape()
            );
        }
        let Some(sum) = dims[at].checked_add(value.dims()[at]) else {
            bail!(InvalidArgument, "ConcatOp : axis {at} of the result has more than 2^63 - 1 elements")
        };
        dims[at] = sum;
    }
    let shape = Shape::new(&dims)?;
    let lengths: Vec<usize> = values
        .iter()
        .map(|value| if value.num_elements() == 0 { 0 } else { value.dims()[at..].iter().product::<i64>() as usize })
        .collect();
    moved(shape, values, &Join(&lengths))
}

/// Each value gets its part of dy.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let count = cx.num_inputs() - 1;
    let values: Vec<Output> = (0..count).map(|index| cx.x(index)).collect();
    let axis = match cx.dtype(count) {
        DType::Int32 => cx.x(count),
        _ => cx.op("Cast").input(cx.x(count)).attr("DstT", DType::Int32).output(),
    };
    let mut grads = parts(cx, &values, &axis)?;
    grads.push(None);
    Ok(grads)
}

fn old_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let values: Vec<Output> = (1..cx.num_inputs()).map(|index| cx.x(index)).collect();
    let mut grads = parts(cx, &values, &cx.x(0))?;
    grads.insert(0, None);
    Ok(grads)
}

fn parts(cx: &GradContext<'_>, values: &[Output], axis: &Output) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let shapes = cx.op("ShapeN").input_list(values).outputs();
    let offsets = cx.op("ConcatOffset").input(axis).input_list(&shapes).outputs();
    let part =
        |(offset, size): (&Output, &Output)| Some(cx.op("Slice").input(&dy).input(offset).input(size).output().into());
    ensure!(offsets.len() == values.len(), Internal, "{} offsets for {} values", offsets.len(), values.len());
    Ok(offsets.iter().zip(&shapes).map(part).collect())
}

fn offset_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    for index in 1..cx.num_inputs() {
        cx.set(index - 1, cx.input(index));
    }
    Ok(())
}

fn offset_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("shape_type")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let offsets = concat_offset(cx.input(0)?, &cx.inputs(1..cx.num_inputs())?)?;
        for (index, offset) in offsets.iter().enumerate() {
            cx.set_output(index, int_tensor(offset, dtype)?);
        }
        Ok(())
    }))
}

/// Where each of the shapes begins in what they are joined to.
fn concat_offset(axis: &Tensor, shapes: &[&Tensor]) -> Result<Vec<Vec<i64>>> {
    ensure!(
        axis.shape().is_scalar(),
        InvalidArgument,
        "Concat dim tensor should be a scalar integer, but got shape {}",
        axis.shape()
    );
    let axis = int_scalar(axis, "Concat dim must be a scalar, not ")?;
    let mut lists = Vec::with_capacity(shapes.len());
    for (index, shape) in shapes.iter().enumerate() {
        let rank = shape.shape().rank();
        ensure!(rank == 1, InvalidArgument, "input {index} should be a vector, but got shape {}", shape.shape());
        lists.push(shape.to_i64_vec()?);
    }
    let Some(first) = lists.first() else { return Ok(Vec::new()) };
    let rank = first.len();
    let Some(at) = axis_of(axis, rank) else { bail!(InvalidArgument, "Concat dim is out of range: {axis} vs. {rank}") };
    let mut offsets = Vec::with_capacity(lists.len());
    let mut offset = 0i64;
    for (index, list) in lists.iter().enumerate() {
        ensure!(
            list.len() == rank,
            InvalidArgument,
            "input {index} should contain {rank} elements, but got {}",
            list.len()
        );
        let agrees = (0..rank).all(|other| other == at || list[other] == first[other]);
        ensure!(
            agrees,
            InvalidArgument,
            "All dimensions except {at} must match. Input {index} has shape {} and doesn't match input 0 with shape {}.",
            spaced(list),
            spaced(first)
        );
        let mut begin = vec![0; rank];
        begin[at] = offset;
        offsets.push(begin);
        offset = offset.wrapping_add(list[at]);
    }
    Ok(offsets)
}

fn spaced(dims: &[i64]) -> String {
    format!("[{}]", dims.iter().map(|dim| dim.to_string()).collect::<Vec<_>>().join(" "))
}

/// Joins tensors along an axis they have (`ConcatV2`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let (a, b) = (g.constant([[1f32], [2.0]]), g.constant([[3f32], [4.0]]));
/// assert_eq!(eval(&g.concat(&[a, b], 1))?, Tensor::from([[1f32, 3.0], [2.0, 4.0]]));
/// # Ok(())
/// # }
/// ```
pub trait ConcatOps {
    /// Returns the values one after the other along an axis.
    fn concat(&self, values: &[Output], axis: i32) -> Output;
}

impl ConcatOps for Graph {
    #[track_caller]
    fn concat(&self, values: &[Output], axis: i32) -> Output {
        if let [value] = values {
            return self.op("Identity").name("concat").input(value).output();
        }
        let axis = self.constant(axis);
        self.op("ConcatV2").name("concat").input_list(values).input(axis).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn along_either_axis() {
        let (a, b) = (Tensor::from([[1i32, 2], [3, 4]]), Tensor::from([[5i32], [6]]));
        assert_eq!(concat(&[&a, &b], &Tensor::from(-1i32), "axis").unwrap(), Tensor::from([[1i32, 2, 5], [3, 4, 6]]));
        let rows = concat(&[&a, &a], &Tensor::from(0i64), "axis").unwrap();
        assert_eq!(rows, Tensor::from([[1i32, 2], [3, 4], [1, 2], [3, 4]]));
    }

    #[test]
    fn messages_are_those_of_tensorflow() {
        let (a, b, c) = (Tensor::from([[1i32, 2]]), Tensor::from([[1i32, 2, 3]]), Tensor::from([1i32, 2]));
        let message = |x: &Tensor, y: &Tensor, axis: i32| {
            concat(&[x, y], &Tensor::from(axis), "axis").unwrap_err().message().to_owned()
        };
        assert_eq!(
            message(&a, &b, 0),
            "ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [1,2] vs. shape[1] = [1,3]"
        );
        assert_eq!(
            message(&a, &c, 0),
            "ConcatOp : Ranks of all input tensors should match: shape[0] = [1,2] vs. shape[1] = [2]"
        );
        assert_eq!(message(&a, &a, 2), "ConcatOp : Expected concatenating dimensions in the range [-2, 2), but got 2");
    }

    #[test]
    fn offsets() {
        let shapes = [Tensor::from([2i32, 3]), Tensor::from([2i32, 4]), Tensor::from([3i32, 4])];
        let offsets = concat_offset(&Tensor::from(1i32), &[&shapes[0], &shapes[1]]).unwrap();
        assert_eq!(offsets, [[0, 0], [0, 3]]);
        let wrong = concat_offset(&Tensor::from(1i32), &[&shapes[0], &shapes[2]]).unwrap_err();
        // TensorFlow 2.21 says the same.
        assert_eq!(
            wrong.message(),
            "All dimensions except 1 must match. Input 1 has shape [3 4] and doesn't match input 0 with shape [2 3]."
        );
    }
}
