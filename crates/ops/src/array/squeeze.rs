//! `Squeeze`: axes of size 1 taken away.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, bail, ensure};

use crate::arguments::{axis_of, reshaped_like_input};

pub(crate) fn register(r: &mut Registry) {
    r.op("Squeeze", "input: T -> output: T")
        .attr("T: type")
        .attr("squeeze_dims: list(int) >= 0 = []")
        .shape(squeeze_shape)
        .any_kernel(squeeze_kernel)
        .gradient(squeeze_gradient);
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
pub(super) fn squeezed(dims: &[i64], listed: &[i64]) -> Result<Vec<i64>> {
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
