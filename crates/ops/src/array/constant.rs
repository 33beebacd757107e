//! `Const`: a value that is part of the graph.

use graph::ReadAttrs;
use graph::op::{Kernel, Registry, Role, ShapeContext};
use tensor::{Result, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("Const", "-> output: dtype")
        .role(Role::Constant)
        .attr("value: tensor")
        .attr("dtype: type")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.attr_tensor("value")?.shape().clone();
    cx.set(0, shape);
    Ok(())
}

fn kernel(node: &graph::Node) -> Result<Kernel> {
    let value = node.attr_tensor("value")?.clone();
    let dtype = node.attr_type("dtype")?;
    ensure!(
        value.dtype() == dtype,
        InvalidArgument,
        "the value is of type {}, but the attribute 'dtype' says {dtype}",
        value.dtype()
    );
    Ok(Kernel::cheap(move |cx: &mut graph::op::OpContext<'_>| {
        cx.set_output(0, value.clone());
        Ok(())
    }))
}
