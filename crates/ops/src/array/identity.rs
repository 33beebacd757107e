//! `Identity`, `Snapshot` and `StopGradient`: pass their input on unchanged.

use graph::op::{GradContext, Kernel, OpContext, Registry, Role, ShapeContext};
use graph::{Gradient, Output};
use tensor::Result;

pub(crate) fn register(r: &mut Registry) {
    r.op("Identity", "input: T -> output: T")
        .role(Role::Identity)
        .attr("T: type")
        .shape(ShapeContext::unchanged)
        .any_kernel(kernel)
        .gradient(pass);
    r.op("Snapshot", "input: T -> output: T")
        .attr("T: type")
        .shape(ShapeContext::unchanged)
        .any_kernel(kernel)
        .gradient(pass);
    r.op("StopGradient", "input: T -> output: T")
        .attr("T: type")
        .shape(ShapeContext::unchanged)
        .any_kernel(kernel)
        .not_differentiable();
}

fn kernel(_: &graph::Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let input = cx.take_input(0)?;
        cx.set_output(0, input);
        Ok(())
    }))
}

/// The gradient of what passes its input on: it is passed back.
fn pass(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![cx.grad(0).cloned()])
}

/// The same value again, with or without its gradient (`Identity`, `StopGradient`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant(3f32);
/// let y = x.identity() * x.stop_gradient();
/// assert_eq!(eval(&y)?, Tensor::from(9f32));
/// let dy = gradients(&[y], &[x])?[0].clone().unwrap().to_dense();
/// assert_eq!(eval(&dy)?, Tensor::from(3f32)); // not 6: one of the two factors counts as constant
/// # Ok(())
/// # }
/// ```
pub trait IdentityOps {
    /// Returns the same value under a name of its own.
    fn identity(&self) -> Output;
    /// Returns the same value, through which no gradient passes.
    fn stop_gradient(&self) -> Output;
}

impl IdentityOps for Output {
    #[track_caller]
    fn identity(&self) -> Output {
        self.unary("Identity")
    }

    #[track_caller]
    fn stop_gradient(&self) -> Output {
        self.unary("StopGradient")
    }
}
