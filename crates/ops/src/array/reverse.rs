//! `ReverseV2` and `Reverse`: a tensor turned around along some axes, told by number or by a truth value for each.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use crate::arguments::{axis_of, int_constant, kernel_by_size, sizes};
use crate::moving::taken;
use crate::strided::{Walk, row_major_steps};

pub(crate) fn register(r: &mut Registry) {
    r.op("ReverseV2", "tensor: T, axis: Tidx -> output: T")
        .attr("Tidx: {int32, int64} = int32")
        .attr("T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, float, double, complex64, complex128, string}")
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
    r.op("Reverse", "tensor: T, dims: bool -> output: T")
        .attr("T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, float, double, complex64, complex128, string}")
        .shape(flags_shape)
        .any_kernel(flags_kernel)
        .gradient(flags_gradient);
}

const MAX_RANK: usize = 8;

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 1)?;
    let input = cx.input(0);
    if let Some(rank) = input.rank() {
        ensure!(
            rank <= MAX_RANK,
            InvalidArgument,
            "reverse does not work on tensors with more than {MAX_RANK} dimensions"
        );
        if let Some(axes) = cx.ints(1) {
            reversed_axes(&axes, rank)?;
        }
    }
    cx.set(0, input);
    Ok(())
}

fn reversed_axes(axes: &[i64], rank: usize) -> Result<Vec<bool>> {
    let mut reversed = vec![false; rank];
    for (place, axis) in axes.iter().enumerate() {
        let Some(at) = axis_of(*axis, rank) else {
            bail!(InvalidArgument, "'axis'[{place}] = {axis} is out of valid range [0, {}", rank as i64 - 1)
        };
        ensure!(!reversed[at], InvalidArgument, "axis {at} specified more than once.");
        reversed[at] = true;
    }
    Ok(reversed)
}

fn kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let turned = reverse(cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, turned);
        Ok(())
    }))
}

fn flags_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (input, dims) = (cx.input(0), cx.with_rank(1, 1)?);
    if let Some(rank) = input.rank() {
        ensure!(
            rank <= MAX_RANK,
            InvalidArgument,
            "reverse does not work on tensors with more than {MAX_RANK} dimensions"
        );
    }
    cx.set(0, input.merge(&dims.dim(0).map_or(PartialShape::unknown(), |rank| PartialShape::of_rank(rank as usize)))?);
    Ok(())
}

fn flags_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let (tensor, dims) = (cx.input(0)?, cx.input(1)?);
        let rank = tensor.shape().rank();
        if rank == 0 {
            let tensor = tensor.clone();
            cx.set_output(0, tensor);
            return Ok(());
        }
        ensure!(dims.shape().rank() == 1, InvalidArgument, "'dims' must be 1-dimension, not {}", dims.shape().rank());
        ensure!(
            dims.num_elements() == rank,
            InvalidArgument,
            "'dims' must have the same number of values as 'input' has dimensions. 'input' has {rank}'dims' has {} values",
            dims.num_elements()
        );
        ensure!(rank <= MAX_RANK, Unimplemented, "reverse is not implemented for tensors of rank > {MAX_RANK}.");
        let turned = turned(tensor, dims.as_slice::<bool>()?)?;
        cx.set_output(0, turned);
        Ok(())
    }))
}

fn flags_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(cx.op("Reverse").input(cx.dy(0)?).input(cx.x(1)).output().into()), None])
}

fn reverse(tensor: &Tensor, axes: &Tensor) -> Result<Tensor> {
    let rank = tensor.shape().rank();
    if rank == 0 {
        return Ok(tensor.clone());
    }
    ensure!(axes.shape().rank() == 1, InvalidArgument, "'dims' must be 1-dimension, not {}", axes.shape().rank());
    ensure!(rank <= MAX_RANK, Unimplemented, "reverse is not implemented for tensors of rank > {MAX_RANK}.");
    turned(tensor, &reversed_axes(&axes.to_i64_vec()?, rank)?)
}

fn turned(tensor: &Tensor, reversed: &[bool]) -> Result<Tensor> {
    let rank = reversed.len();
    if tensor.num_elements() == 0 {
        return Ok(tensor.clone());
    }
    let dims = sizes(tensor.shape());
    let steps = row_major_steps(&dims);
    let last = |axis: usize| if reversed[axis] { (dims[axis] - 1) * steps[axis] as usize } else { 0 };
    let start = (0..rank).map(last).sum();
    let axis = |axis: usize| (dims[axis], if reversed[axis] { -steps[axis] } else { steps[axis] });
    taken(tensor, &Walk::new(start, (0..rank).map(axis)), tensor.shape().clone())
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(cx.op("ReverseV2").input(cx.dy(0)?).input(cx.x(1)).output().into()), None])
}

/// Turns tensors around along axes (`ReverseV2`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0], [3.0, 4.0]]);
/// assert_eq!(eval(&x.reverse(&[1]))?, Tensor::from([[2f32, 1.0], [4.0, 3.0]]));
/// assert_eq!(eval(&x.reverse(&[0, 1]))?, Tensor::from([[4f32, 3.0], [2.0, 1.0]]));
/// # Ok(())
/// # }
/// ```
pub trait ReverseOps {
    /// Returns this turned around along the given axes.
    fn reverse(&self, axes: &[i64]) -> Output;
}

impl ReverseOps for Output {
    #[track_caller]
    fn reverse(&self, axes: &[i64]) -> Output {
        let axes = int_constant(self.graph(), axes);
        self.graph().op("ReverseV2").input(self).input(axes).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn along_one_or_both_axes() {
        let x = Tensor::from([[1i32, 2, 3], [4, 5, 6]]);
        assert_eq!(reverse(&x, &Tensor::from([0i32])).unwrap(), Tensor::from([[4i32, 5, 6], [1, 2, 3]]));
        assert_eq!(reverse(&x, &Tensor::from([-1i32, 0])).unwrap(), Tensor::from([[6i32, 5, 4], [3, 2, 1]]));
        let message = |axes: [i32; 2]| reverse(&x, &Tensor::from(axes)).unwrap_err().message().to_owned();
        // TensorFlow 2.21 says both.
        assert_eq!(message([1, -1]), "axis 1 specified more than once.");
        assert_eq!(message([0, 2]), "'axis'[1] = 2 is out of valid range [0, 1");
    }
}
