//! `RefSelect`: passes on one of several references to variables.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::{Result, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("RefSelect", "index: int32, inputs: Ref(N * T) -> output: Ref(T)")
        .leaves_variables()
        .attr("T: type")
        .attr("N: int >= 1")
        .shape(select_shape)
        .any_kernel(select_kernel)
        .not_differentiable();
}

fn select_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    let mut shape = cx.input(1);
    for index in 2..cx.num_inputs() {
        shape = shape.common(&cx.input(index));
    }
    cx.set(0, shape);
    Ok(())
}

fn select_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let index = cx.input(0)?;
        ensure!(
            index.shape().is_scalar(),
            InvalidArgument,
            "Index must be a scalar, but it has shape {}",
            index.shape()
        );
        let (index, count) = (index.to_scalar::<i32>()?, cx.num_inputs() - 1);
        ensure!(
            (0..count as i64).contains(&(index as i64)),
            InvalidArgument,
            "Index must be in the range [0, {count}) but got {index}"
        );
        let value = cx.take_value(1 + index as usize);
        cx.set_value(0, value);
        Ok(())
    }))
}
