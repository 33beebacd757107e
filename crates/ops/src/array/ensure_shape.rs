//! `EnsureShape`: passes its input on if it has the promised shape.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::{PartialShape, Result, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("EnsureShape", "input: T -> output: T")
        .attr("shape: shape")
        .attr("T: type")
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
}

pub(super) fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let promised = cx.attr_shape("shape")?.clone();
    cx.set(0, promised.merge(&cx.input(0))?);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let promised = node.attr_shape("shape")?.clone();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let input = cx.take_input(0)?;
        ensure!(
            promised.is_compatible_with(input.shape()),
            InvalidArgument,
            "Shape of tensor {} {} is not compatible with expected shape {promised}.",
            cx.node.name,
            input.shape()
        );
        cx.set_output(0, input);
        Ok(())
    }))
}

pub(super) fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![cx.grad(0).cloned()])
}

/// Makes a shape known while building, and holds the step to it (`EnsureShape`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.placeholder_with_default([[1f32, 2.0]], [None, Some(2)]);
/// let y = x.ensure_shape([1, 2]);
/// assert_eq!(y.shape(), PartialShape::from([1, 2]));
/// assert_eq!(eval(&y)?, Tensor::from([[1f32, 2.0]]));
/// # Ok(())
/// # }
/// ```
pub trait EnsureShapeOps {
    /// Returns the same value, whose shape is checked when the step runs and known from here on.
    fn ensure_shape(&self, shape: impl Into<PartialShape>) -> Output;
}

impl EnsureShapeOps for Output {
    #[track_caller]
    fn ensure_shape(&self, shape: impl Into<PartialShape>) -> Output {
        self.graph().op("EnsureShape").input(self).attr("shape", shape.into()).output()
    }
}
