//! `IdentityN`: several values passed on together.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use tensor::Result;

pub(crate) fn register(r: &mut Registry) {
    r.op("IdentityN", "input: T -> output: T")
        .attr("T: list(type) >= 1")
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    for index in 0..cx.num_outputs() {
        cx.set(index, cx.input(index));
        if let Some((dtype, shape)) = cx.handle(index) {
            cx.set_handle(index, dtype, shape);
        }
    }
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        for index in 0..cx.num_inputs() {
            let value = cx.take_value(index);
            cx.set_value(index, value);
        }
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok((0..cx.num_inputs()).map(|index| cx.grad(index).cloned()).collect())
}
