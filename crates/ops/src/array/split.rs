//! `Split` and `SplitV`: a tensor cut into pieces along an axis.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::arguments::{axis_of, int_constant, int_scalar, kernel_by_size};
use crate::moving::taken;
use crate::strided::Walk;

pub(crate) fn register(r: &mut Registry) {
    r.op("Split", "split_dim: int32, value: T -> output: num_split * T")
        .attr("num_split: int >= 1")
        .attr("T: type")
        .shape(split_shape)
        .any_kernel(split_kernel)
        .gradient(split_gradient);
    r.op("SplitV", "value: T, size_splits: Tlen, split_dim: int32 -> output: num_split * T")
        .attr("num_split: int >= 1")
        .attr("T: type")
        .attr("Tlen: {int8, int32, int64} = int64")
        .shape(split_v_shape)
        .any_kernel(split_v_kernel)
        .gradient(split_v_gradient);
}

/// The axis that input `index` names, if it is known, for a value of this rank.
fn known_axis(cx: &ShapeContext<'_>, index: usize, rank: usize) -> Result<Option<usize>> {
    if let Some(rank) = cx.input(index).rank() {
        ensure!(rank == 0, InvalidArgument, "Input must be scalar but has rank {rank}");
    }
    match cx.int(index) {
        None => Ok(None),
        Some(axis) => match axis_of(axis, rank) {
            Some(at) => Ok(Some(at)),
            None => bail!(
                InvalidArgument,
                "Dimension size, given by scalar input {axis} must be in range [-{rank}, {rank})"
            ),
        },
    }
}

fn split_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let value = cx.input(1);
    let Some(dims) = value.raw_dims() else { return Ok(()) };
    let part = match known_axis(cx, 0, dims.len())? {
        None => PartialShape::of_rank(dims.len()),
        Some(at) => {
            let (mut dims, num) = (dims.to_vec(), cx.num_outputs() as i64);
            if dims[at] >= 0 {
                ensure!(
                    dims[at] % num == 0,
                    InvalidArgument,
                    "Dimension size must be evenly divisible by {num} but is {}\n\tNumber of ways to split should evenly divide the split dimension",
                    dims[at]
                );
                dims[at] /= num;
            }
            PartialShape::from_dims(&dims)
        }
    };
    for index in 0..cx.num_outputs() {
        cx.set(index, part.clone());
    }
    Ok(())
}

fn split_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let axis = cx.input(0)?;
        ensure!(
            axis.shape().is_scalar(),
            InvalidArgument,
            "split_dim must be a scalar but has rank {}",
            axis.shape().rank()
        );
        let (axis, num) = (int_scalar(axis, "split_dim must be a scalar, not ")?, cx.num_outputs());
        let value = cx.input(1)?;
        let at = checked_axis(axis, value)?;
        let size = value.shape().dim(at);
        ensure!(
            num > 0 && size % num == 0,
            InvalidArgument,
            "Number of ways to split should evenly divide the split dimension, but got split_dim {at} (size = {size}) and num_split {num}"
        );
        let pieces = pieces(value, at, &vec![size / num; num])?;
        for (index, piece) in pieces.into_iter().enumerate() {
            cx.set_output(index, piece);
        }
        Ok(())
    }))
}

fn checked_axis(axis: i64, value: &Tensor) -> Result<usize> {
    let rank = value.shape().rank();
    match axis_of(axis, rank) {
        Some(at) => Ok(at),
        None => bail!(InvalidArgument, "-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {axis}"),
    }
}

/// The pieces of these sizes, which add up to the axis.
fn pieces(value: &Tensor, at: usize, lengths: &[usize]) -> Result<Vec<Tensor>> {
    let dims = value.dims();
    let empty = value.num_elements() == 0;
    let product = |dims: &[i64]| if empty { 0 } else { dims.iter().product::<i64>() as usize };
    let (outer, inner) = (product(&dims[..at]), product(&dims[at + 1..]));
    let (mut start, mut parts) = (0, Vec::with_capacity(lengths.len()));
    for length in lengths {
        let mut dims = dims.to_vec();
        dims[at] = *length as i64;
        let shape = Shape::new(&dims)?;
        parts.push(match shape.num_elements() {
            0 => value.window(0, shape)?,
            _ => {
                let row = value.shape().dim(at) * inner;
                let walk = Walk::new(start * inner, [(outer, row as isize), (length * inner, 1)]);
                taken(value, &walk, shape)?
            }
        });
        start += length;
    }
    Ok(parts)
}

fn joined(cx: &GradContext<'_>, axis: &Output) -> Result<Output> {
    let grads = (0..cx.node.output_types.len()).map(|index| cx.dy(index)).collect::<Result<Vec<_>>>()?;
    match &grads[..] {
        [only] => Ok(only.clone()),
        grads => Ok(cx.op("ConcatV2").name("concat").input_list(grads).input(axis).output()),
    }
}

fn split_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![None, Some(joined(cx, &cx.x(0))?.into())])
}

fn split_v_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (value, num) = (cx.input(0), cx.num_outputs());
    let Some(dims) = value.raw_dims() else { return Ok(()) };
    ensure!(!dims.is_empty(), InvalidArgument, "Can't split scalars");
    let axis = known_axis(cx, 2, dims.len())?;
    let lengths = cx.value(1).and_then(|lengths| integers(&lengths).ok());
    let Some(at) = axis else {
        for index in 0..num {
            cx.set(index, PartialShape::of_rank(dims.len()));
        }
        return Ok(());
    };
    let mut dims = dims.to_vec();
    let size = dims[at];
    let lengths = match lengths {
        Some(lengths) => {
            ensure!(lengths.len() == num, InvalidArgument, "Length of size_splits should be equal to num_outputs");
            Some(lengths)
        }
        None if num == 1 => Some(vec![size]),
        None => None,
    };
    let lengths = match lengths {
        None => vec![-1; num],
        Some(mut lengths) => {
            if let Some(index) = lengths.iter().position(|length| *length < -1) {
                bail!(InvalidArgument, "Split size at index {index} must be >= 0. Got: {}", lengths[index]);
            }
            let open: Vec<usize> = (0..num).filter(|index| lengths[*index] == -1).collect();
            ensure!(open.len() <= 1 || size < 0, InvalidArgument, "size_splits can only have one -1");
            let total =
                lengths.iter().filter(|length| **length != -1).fold(0i64, |sum, length| sum.saturating_add(*length));
            if let (&[open], true) = (&open[..], size >= 0) {
                lengths[open] = size - total;
                ensure!(
                    lengths[open] >= 0,
                    InvalidArgument,
                    "Split size at index {open} must be >= 0. Got: {}",
                    lengths[open]
                );
            } else if size >= 0 {
                let list = lengths.iter().map(|length| length.to_string()).collect::<Vec<_>>().join(",");
                ensure!(total == size, InvalidArgument, "can't split axis of size {size} into pieces of size [{list}]");
            }
            lengths
        }
    };
    for (index, length) in lengths.into_iter().enumerate() {
        dims[at] = length;
        cx.set(index, PartialShape::from_dims(&dims));
    }
    Ok(())
}

fn integers(tensor: &Tensor) -> Result<Vec<i64>> {
    match tensor.dtype() {
        DType::Int8 => Ok(tensor.as_slice::<i8>()?.iter().map(|value| *value as i64).collect()),
        _ => tensor.to_i64_vec(),
    }
}

fn split_v_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let parts = split_v(cx.input(0)?, cx.input(1)?, cx.input(2)?, cx.num_outputs())?;
        for (index, part) in parts.into_iter().enumerate() {
            cx.set_output(index, part);
        }
        Ok(())
    }))
}

fn split_v(value: &Tensor, lengths: &Tensor, axis: &Tensor, num: usize) -> Result<Vec<Tensor>> {
    ensure!(
        lengths.shape().rank() == 1 && lengths.num_elements() == num,
        InvalidArgument,
        "size of the split_tensor must be 1-D and have the same elements as outputs got {} -D and {} elements",
        lengths.shape().rank(),
        lengths.num_elements()
    );
    let at = checked_axis(int_scalar(axis, "split_dim_tensor must have exactly one element, not ")?, value)?;
    if num == 1 {
        return Ok(vec![value.clone()]);
    }
    let size = value.dims()[at];
    let mut lengths = integers(lengths)?;
    let (mut open, mut total) = (None, 0i64);
    for (index, length) in lengths.iter().enumerate() {
        if *length == -1 {
            ensure!(open.replace(index).is_none(), InvalidArgument, "There can only be one -1 in the input.");
        } else {
            ensure!(*length >= 0, InvalidArgument, "Split size at index {index} must be >= 0. Got: {length}");
            total = total.saturating_add(*length);
        }
    }
    ensure!(
        total == size || (open.is_some() && total <= size),
        InvalidArgument,
        "Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the size of the input along split_dim if not fully specified.  Got: {total}"
    );
    if let Some(open) = open {
        lengths[open] = size - total;
    }
    let lengths: Vec<usize> = lengths.into_iter().map(|length| length as usize).collect();
    pieces(value, at, &lengths)
}

fn split_v_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(joined(cx, &cx.x(2))?.into()), None, None])
}

/// Cuts a tensor into pieces along an axis (`Split`, `SplitV`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([1f32, 2.0, 3.0, 4.0]);
/// let halves = x.split(2, 0);
/// assert_eq!(eval(&halves[1])?, Tensor::from([3f32, 4.0]));
/// let pieces = x.split_sizes(&[1, -1], 0);
/// assert_eq!(eval(&pieces[0])?, Tensor::from([1f32]));
/// assert_eq!(eval(&pieces[1])?, Tensor::from([2f32, 3.0, 4.0]));
/// # Ok(())
/// # }
/// ```
pub trait SplitOps {
    /// Returns so many pieces of one size along an axis.
    fn split(&self, num: usize, axis: i32) -> Vec<Output>;
    /// Returns pieces of these sizes along an axis; one size may be -1.
    fn split_sizes(&self, sizes: &[i64], axis: i32) -> Vec<Output>;
}

impl SplitOps for Output {
    #[track_caller]
    fn split(&self, num: usize, axis: i32) -> Vec<Output> {
        let graph = self.graph();
        let axis = graph.constant(axis);
        let node = graph.op("Split").name("split").input(axis).input(self).attr("num_split", num as i64).build();
        (0..num).map(|index| node.output(index)).collect()
    }

    #[track_caller]
    fn split_sizes(&self, sizes: &[i64], axis: i32) -> Vec<Output> {
        let (graph, num) = (self.graph(), sizes.len());
        let (sizes, axis) = (int_constant(graph, sizes), graph.constant(axis));
        let node = graph.op("SplitV").name("split").input(self).input(sizes).input(axis);
        let node = node.attr("num_split", num as i64).build();
        (0..num).map(|index| node.output(index)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_along_either_axis() {
        let x = Tensor::from([[1i32, 2, 3], [4, 5, 6]]);
        let cut = |sizes: &[i64], axis: i32| split_v(&x, &Tensor::vector(sizes), &Tensor::from(axis), sizes.len());
        let columns = cut(&[1, -1], -1).unwrap();
        assert_eq!(columns, [Tensor::from([[1i32], [4]]), Tensor::from([[2i32, 3], [5, 6]])]);
        assert_eq!(cut(&[0, 2], 0).unwrap()[0].dims(), [0, 3]);
        let message = |sizes: &[i64], axis| cut(sizes, axis).unwrap_err().message().to_owned();
        // TensorFlow 2.21 says each of these.
        assert_eq!(message(&[-1, -1], 0), "There can only be one -1 in the input.");
        assert_eq!(message(&[5, -2], 0), "Split size at index 1 must be >= 0. Got: -2");
        assert_eq!(message(&[1, 1], 2), "-input rank(-2) <= split_dim < input rank (2), but got 2");
        assert!(message(&[1, 2], 0).ends_with("if not fully specified.  Got: 3"));
    }
}
