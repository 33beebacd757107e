//! `BroadcastGradientArgs`, `BroadcastArgs` and `BroadcastTo`: shapes and tensors stretched to fit each other.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, broadcast_shapes, types};
use graph::{Gradient, Node, Output, ReadAttrs};
use math::broadcast::{Plan, broadcast_copy, gradient_axes};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure, err};

use crate::arguments::{int_tensor, int_vector, kernel_by_size, shape_constant, shape_node};
use crate::moving::{Move, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("BroadcastGradientArgs", "s0: T, s1: T -> r0: T, r1: T")
        .attr("T: {int32, int64} = int32")
        .shape(gradient_args_shape)
        .any_kernel(gradient_args_kernel)
        .not_differentiable();
    r.op("BroadcastArgs", "s0: T, s1: T -> r0: T")
        .attr("T: {int32, int64} = int32")
        .shape(args_shape)
        .any_kernel(args_kernel)
        .not_differentiable();
    r.op("BroadcastTo", "input: T, shape: Tidx -> output: T")
        .attr("T: type")
        .attr("Tidx: {int32, int64} = int32")
        .shape(to_shape)
        .kernel("T", &[types::ALL, &[DType::Float8E5M2, DType::Float8E4M3Fn]].concat(), to_kernel)
        .gradient(to_gradient);
}

fn gradient_args_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 1)?;
    cx.with_rank(1, 1)?;
    cx.set(0, PartialShape::vector(None));
    cx.set(1, PartialShape::vector(None));
    Ok(())
}

fn gradient_args_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("T")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let (a, b) = (shape_vector(cx.input(0)?, 0)?, shape_vector(cx.input(1)?, 1)?);
        let Some((left, right)) = gradient_axes(&a, &b) else { return Err(incompatible(&a, &b)) };
        cx.set_output(0, int_tensor(&left, dtype)?);
        cx.set_output(1, int_tensor(&right, dtype)?);
        Ok(())
    }))
}

/// The sizes in a vector of them, which is the input of this number.
pub(crate) fn shape_vector(tensor: &Tensor, index: usize) -> Result<Vec<i64>> {
    int_vector(tensor, &format!("In[{index}] must be a vector."))
}

pub(crate) fn incompatible(a: &[i64], b: &[i64]) -> tensor::Status {
    let list = |dims: &[i64]| dims.iter().map(|dim| dim.to_string()).collect::<Vec<_>>().join(",");
    err!(InvalidArgument, "Incompatible shapes: [{}] vs. [{}]", list(a), list(b))
}

fn args_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (a, b) = (cx.with_rank(0, 1)?.dim(0), cx.with_rank(1, 1)?.dim(0));
    cx.set(0, PartialShape::vector(a.zip(b).map(|(a, b)| a.max(b))));
    Ok(())
}

fn args_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("T")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let (a, b) = (shape_vector(cx.input(0)?, 0)?, shape_vector(cx.input(1)?, 1)?);
        let Some(plan) = Plan::<2>::new(&a, &b) else { return Err(incompatible(&a, &b)) };
        cx.set_output(0, int_tensor(&plan.out_shape, dtype)?);
        Ok(())
    }))
}

fn to_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 1)?;
    let (input, wanted) = (cx.input(0), cx.input_as_shape(1));
    if let (Some(rank), Some(most)) = (input.rank(), wanted.rank()) {
        ensure!(rank <= most, InvalidArgument, "Shape must be at most rank {most} but is rank {rank}");
    }
    // Of the wanted shape only what it says is true of the result: an unknown dimension stays one, unless the input
    // fixes it.
    let stretched = broadcast_shapes(&input, &wanted)?;
    if let (Some(dims), Some(stretched)) = (wanted.raw_dims(), stretched.raw_dims()) {
        for (dim, wide) in dims.iter().zip(stretched) {
            // Of an unknown dimension and 1 nothing is known to be wrong.
            ensure!(
                *dim < 0 || *wide < 0 || dim == wide,
                InvalidArgument,
                "Dimensions must be equal, but are {wide} and {dim}"
            );
        }
    }
    cx.set(0, if wanted.rank().is_some() { if wanted.is_fully_known() { wanted } else { stretched } } else { wanted });
    Ok(())
}

fn to_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let dims = int_vector(cx.input(1)?, "shape must be a vector of {int32,int64}, got shape ")?;
        let input = cx.take_input(0)?;
        cx.set_output(0, broadcast_to(input, &dims)?);
        Ok(())
    }))
}

struct Stretch(Plan<1>);

impl Move for Stretch {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        broadcast_copy(&self.0, inputs[0], out);
    }
}

/// The tensor repeated along axes of size 1, and along new ones in front, until it has these dimensions.
pub(crate) fn broadcast_to(input: Tensor, dims: &[i64]) -> Result<Tensor> {
    if let Some(dim) = dims.iter().find(|dim| **dim < 0) {
        bail!(InvalidArgument, "Dimension {dim} must be >= 0");
    }
    let shape = Shape::new(dims)?;
    if input.shape() == &shape {
        return Ok(input);
    }
    let (rank, most) = (input.shape().rank(), shape.rank());
    ensure!(
        rank <= most,
        InvalidArgument,
        "Rank of input ({rank}) must be no greater than rank of output shape ({most})."
    );
    let Some(plan) = Plan::to_shape(input.dims(), dims) else {
        bail!(InvalidArgument, "Incompatible shapes: {} vs. {shape}", input.shape())
    };
    moved(shape, &[&input], &Stretch(plan))
}

fn to_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (x, dtype, dy) = (cx.x(0), cx.dtype(1), cx.dy(0)?);
    let shape = shape_node(cx, &x, dtype);
    let axes = cx.op("BroadcastGradientArgs").input(cx.x(1)).input(&shape).outputs();
    let [_, axes] = &axes[..] else { bail!(Internal, "no axes to sum over") };
    let sum = cx.op("Sum").input(dy).input(axes).attr("keep_dims", true).output();
    Ok(vec![Some(cx.op("Reshape").input(sum).input(shape).output().into()), None])
}

/// Repeats a tensor until it has a shape (`BroadcastTo`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let rows = g.constant([1f32, 2.0]).broadcast_to(&[2, 2]);
/// assert_eq!(eval(&rows)?, Tensor::from([[1f32, 2.0], [1.0, 2.0]]));
/// # Ok(())
/// # }
/// ```
pub trait BroadcastOps {
    /// Returns this repeated along axes of size 1, and along new ones in front, until the shape is the given one.
    fn broadcast_to(&self, shape: impl Into<PartialShape>) -> Output;
}

impl BroadcastOps for Output {
    #[track_caller]
    fn broadcast_to(&self, shape: impl Into<PartialShape>) -> Output {
        let shape = shape_constant(self.graph(), shape);
        self.graph().op("BroadcastTo").input(self).input(shape).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretching() {
        let column = Tensor::from([[1i32], [2]]);
        assert_eq!(broadcast_to(column.clone(), &[2, 3]).unwrap(), Tensor::from([[1i32, 1, 1], [2, 2, 2]]));
        assert_eq!(broadcast_to(Tensor::from(7u8), &[2, 0]).unwrap().dims(), [2, 0]);
        let message = |dims: &[i64]| broadcast_to(column.clone(), dims).unwrap_err().message().to_owned();
        // TensorFlow 2.21 says each of these.
        assert_eq!(message(&[2]), "Rank of input (2) must be no greater than rank of output shape (1).");
        assert_eq!(message(&[3, 3]), "Incompatible shapes: [2,1] vs. [3,3]");
        assert_eq!(message(&[2, -1]), "Dimension -1 must be >= 0");
    }
}
