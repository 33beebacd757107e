//! `Placeholder`, `PlaceholderV2` and `PlaceholderWithDefault`: values that come with the step.

use graph::op::{GradContext, Kernel, OpContext, Registry, Role, ShapeContext};
use graph::{Gradient, Graph, Node, Output, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, ensure, err};

pub(crate) fn register(r: &mut Registry) {
    r.op("Placeholder", "-> output: dtype")
        .role(Role::Placeholder)
        .attr("dtype: type")
        .attr("shape: shape = ?")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
    r.op("PlaceholderV2", "-> output: dtype")
        .role(Role::Placeholder)
        .attr("dtype: type")
        .attr("shape: shape")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
    r.op("PlaceholderWithDefault", "input: dtype -> output: dtype")
        .role(Role::Placeholder)
        .attr("dtype: type")
        .attr("shape: shape")
        .shape(default_shape)
        .any_kernel(default_kernel)
        .gradient(default_gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, known_shape(cx.node)?);
    Ok(())
}

/// The declared shape. Graphs written before shapes could be unknown say so with a scalar.
fn known_shape(node: &Node) -> Result<PartialShape> {
    Ok(node.attr_shape("shape")?.clone())
}

/// Runs only if nothing was fed.
fn kernel(node: &Node) -> Result<Kernel> {
    let (name, dtype) = (node.name.clone(), node.attr_type("dtype")?);
    let shape = known_shape(node)?;
    // TensorFlow leaves the shape away where it is unknown or a scalar.
    let and_shape = match shape.rank() {
        None | Some(0) => String::new(),
        Some(_) => format!(" and shape {shape}"),
    };
    Ok(Kernel::cheap(move |_: &mut OpContext<'_>| {
        Err(err!(
            InvalidArgument,
            "You must feed a value for placeholder tensor '{name}' with dtype {dtype}{and_shape}"
        ))
    }))
}

fn default_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let declared = cx.attr_shape("shape")?.clone();
    let input = cx.input(0);
    declared.merge(&input)?;
    cx.set(0, declared);
    Ok(())
}

fn default_kernel(node: &Node) -> Result<Kernel> {
    let shape = node.attr_shape("shape")?.clone();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let input = cx.take_input(0)?;
        ensure!(
            shape.is_compatible_with(input.shape()),
            InvalidArgument,
            "the default of shape {} does not fit the placeholder's shape {shape}",
            input.shape()
        );
        cx.set_output(0, input);
        Ok(())
    }))
}

fn default_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![cx.grad(0).cloned()])
}

/// Inputs that need not be fed (`PlaceholderWithDefault`).
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let rate = g.placeholder_with_default(0.5f32, Shape::scalar());
/// let session = LocalSession::new(&g)?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&rate))?[0], Tensor::from(0.5f32));
/// assert_eq!(session.fetch(RunRequest::new().feed(&rate, 0.25f32).fetch(&rate))?[0], Tensor::from(0.25f32));
/// # Ok(())
/// # }
/// ```
pub trait PlaceholderOps {
    /// Returns a node whose value may be given with the step, and is this one if not.
    fn placeholder_with_default(&self, default: impl Into<Tensor>, shape: impl Into<PartialShape>) -> Output;
}

impl PlaceholderOps for Graph {
    #[track_caller]
    fn placeholder_with_default(&self, default: impl Into<Tensor>, shape: impl Into<PartialShape>) -> Output {
        let default = self.constant(default);
        self.op("PlaceholderWithDefault").input(default).attr("shape", shape.into()).output()
    }
}
