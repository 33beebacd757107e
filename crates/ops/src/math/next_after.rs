//! `NextAfter`: the number that can be represented next to another, towards a third.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use math::broadcast;
use tensor::DType::{Double, Float};
use tensor::{Result, Tensor};

use super::binary::{broadcast_plan, gradients_of};

pub(crate) fn register(r: &mut Registry) {
    r.op("NextAfter", "x1: T, x2: T -> output: T")
        .attr("T: {double, float} = float")
        .shape(ShapeContext::broadcast)
        .kernel("T", &[Float, Double], kernel)
        .gradient(gradient);
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (a, b) = (cx.input(0)?, cx.input(1)?);
        let (plan, shape) = broadcast_plan(a.shape(), b.shape())?;
        let next = dispatch!(a.dtype(), T in [f32, f64] => {
            let (x, y) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
            Tensor::build(shape, |out: &mut [T]| {
                broadcast::apply(&plan, x, y, out, |x: T, y: T| match x.partial_cmp(&y) {
                    None => x + y,
                    Some(std::cmp::Ordering::Equal) => y,
                    Some(std::cmp::Ordering::Less) => x.next_up(),
                    Some(std::cmp::Ordering::Greater) => x.next_down(),
                });
                Ok(())
            })
        })?;
        cx.set_output(0, next);
        Ok(())
    }))
}

/// As if it were the first number itself.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dz = cx.dy(0)?;
    let nothing = dz.unary("ZerosLike");
    Ok(gradients_of(cx, dz, nothing))
}
