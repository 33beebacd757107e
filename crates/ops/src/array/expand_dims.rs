//! `ExpandDims`: an axis of size 1 put in.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use tensor::{PartialShape, Result, Shape, bail};

use crate::arguments::{axis_of, reshaped_like_input};

pub(crate) fn register(r: &mut Registry) {
    r.op("ExpandDims", "input: T, dim: Tdim -> output: T")
        .attr("T: type")
        .attr("Tdim: {int32, int64} = int32")
        .shape(expand_shape)
        .any_kernel(expand_kernel)
        .gradient(expand_gradient);
}

fn expand_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (input, axis) = (cx.input(0), cx.ints(1));
    let (Some(dims), Some(axis)) = (input.raw_dims(), axis) else { return Ok(()) };
    let [axis] = axis[..] else { bail!(InvalidArgument, "'dim' input must be a tensor with a single value") };
    let rank = dims.len();
    let Some(at) = axis_of(axis, rank + 1) else {
        bail!(InvalidArgument, "dim {axis} not in the interval [{}, {rank}].", -(rank as i64) - 1)
    };
    let mut dims = dims.to_vec();
    dims.insert(at, 1);
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn expand_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let [axis] = cx.input(1)?.to_i64_vec()?[..] else {
            bail!(InvalidArgument, "'dim' must be a tensor with a single value")
        };
        let tensor = cx.take_input(0)?;
        let rank = tensor.shape().rank();
        let Some(at) = axis_of(axis, rank + 1) else {
            bail!(InvalidArgument, "Tried to expand dim index {axis} for tensor with {rank} dimensions.")
        };
        let mut dims = tensor.dims().to_vec();
        dims.insert(at, 1);
        let expanded = tensor.into_shape(Shape::new(&dims)?)?;
        cx.set_output(0, expanded);
        Ok(())
    }))
}

fn expand_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dx = reshaped_like_input(cx, &cx.dy(0)?, 0);
    Ok(vec![Some(dx.into()), None])
}

/// Adds and removes axes of size 1 (`ExpandDims`, `Squeeze`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let column = g.constant([1f32, 2.0]).expand_dims(-1);
/// assert_eq!(eval(&column)?, Tensor::from([[1f32], [2.0]]));
/// assert_eq!(eval(&column.squeeze(&[1]))?, Tensor::from([1f32, 2.0]));
/// # Ok(())
/// # }
/// ```
pub trait ExpandDimsOps {
    /// Returns this with a new axis of size 1 before `axis`; negative axes count from the back of the result.
    fn expand_dims(&self, axis: i32) -> Output;
    /// Returns this without the given axes, which must be of size 1; without all of size 1 if none are given.
    fn squeeze(&self, axes: &[i64]) -> Output;
}

impl ExpandDimsOps for Output {
    #[track_caller]
    fn expand_dims(&self, axis: i32) -> Output {
        let axis = self.graph().constant(axis);
        self.graph().op("ExpandDims").input(self).input(axis).output()
    }

    #[track_caller]
    fn squeeze(&self, axes: &[i64]) -> Output {
        self.graph().op("Squeeze").input(self).attr("squeeze_dims", axes.to_vec()).output()
    }
}
