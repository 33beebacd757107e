//! `ExpandDims` and `Squeeze`: axes of size 1, put in and taken away.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::{PartialShape, Result, Shape, bail, ensure};

use crate::arguments::{axis_of, reshaped_like_input};

pub(crate) fn register(r: &mut Registry) {
    r.op("ExpandDims", "input: T, dim: Tdim -> output: T")
        .attr("T: type")
        .attr("Tdim: {int32, int64} = int32")
        .shape(expand_shape)
        .any_kernel(expand_kernel)
        .gradient(expand_gradient);
    r.op("Squeeze", "input: T -> output: T")
        .attr("T: type")
        .attr("squeeze_dims: list(int) >= 0 = []")
        .shape(squeeze_shape)
        .any_kernel(squeeze_kernel)
        .gradient(squeeze_gradient);
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

fn squeeze_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.input(0);
    let Some(dims) = input.raw_dims() else { return Ok(()) };
    let listed = cx.attr_ints("squeeze_dims")?;
    // Without a list, any unknown dimension may or may not stay.
    if listed.is_empty() && dims.contains(&-1) {
        return Ok(());
    }
    let rank = dims.len();
    for (place, axis) in listed.iter().enumerate() {
        ensure!(
            axis_of(*axis, rank).is_some(),
            InvalidArgument,
            "squeeze_dims[{place}] not in [{},{rank}).",
            -(rank as i64)
        );
    }
    let left = squeezed(dims, listed)?;
    cx.set(0, PartialShape::from_dims(&left));
    Ok(())
}

/// The dimensions that stay: all but those of the listed axes, or all that are not 1. Unknown ones (-1) may be listed.
fn squeezed(dims: &[i64], listed: &[i64]) -> Result<Vec<i64>> {
    let rank = dims.len();
    let mut gone: Vec<bool> = dims.iter().map(|dim| listed.is_empty() && *dim == 1).collect();
    for axis in listed {
        let Some(at) = axis_of(*axis, rank) else {
            bail!(InvalidArgument, "Tried to squeeze dim index {axis} for tensor with {rank} dimensions.")
        };
        ensure!(
            dims[at] == 1 || dims[at] < 0,
            InvalidArgument,
            "Can not squeeze dim[{at}], expected a dimension of 1, got {}",
            dims[at]
        );
        gone[at] = true;
    }
    Ok(dims.iter().zip(gone).filter(|(_, gone)| !gone).map(|(dim, _)| *dim).collect())
}

fn squeeze_kernel(node: &Node) -> Result<Kernel> {
    let listed = node.attr_ints("squeeze_dims")?.to_vec();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let tensor = cx.take_input(0)?;
        let shape = Shape::new(&squeezed(tensor.dims(), &listed)?)?;
        cx.set_output(0, tensor.into_shape(shape)?);
        Ok(())
    }))
}

fn squeeze_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(reshaped_like_input(cx, &cx.dy(0)?, 0).into())])
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
    /// A new axis of size 1 before `axis`; negative axes count from the back of the result.
    fn expand_dims(&self, axis: i32) -> Output;
    /// Without the given axes, which must be of size 1; without all of size 1 if none are given.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squeezing_listed_axes_or_all() {
        assert_eq!(squeezed(&[1, 2, 1], &[]).unwrap(), [2]);
        assert_eq!(squeezed(&[1, 2, 1], &[-1]).unwrap(), [1, 2]);
        assert_eq!(squeezed(&[-1, 2], &[0]).unwrap(), [2]);
        let message = |axes: &[i64]| squeezed(&[1, 2], axes).unwrap_err().message().to_owned();
        assert_eq!(message(&[1]), "Can not squeeze dim[1], expected a dimension of 1, got 2");
        assert_eq!(message(&[2]), "Tried to squeeze dim index 2 for tensor with 2 dimensions.");
    }
}
