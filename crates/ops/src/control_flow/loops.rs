//! The ops that loops are made of: `Enter`, `Exit` and `NextIteration`, their reference forms `RefEnter`, `RefExit`
//! and `RefNextIteration`, and `LoopCond`.
//!
//! Each passes its input on; the executor gives them their meaning.

use graph::op::{Kernel, OpContext, Registry, Role, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::Result;

pub(crate) fn register(r: &mut Registry) {
    for (op, signature) in [("Enter", "data: T -> output: T"), ("RefEnter", "data: Ref(T) -> output: Ref(T)")] {
        r.op(op, signature)
            .role(Role::Enter)
            .leaves_variables()
            .attr("T: type")
            .attr("frame_name: string")
            .attr("is_constant: bool = false")
            .attr("parallel_iterations: int = 10")
            .shape(enter_shape)
            .any_kernel(kernel);
    }
    for (op, role, signature) in [
        ("Exit", Role::Exit, "data: T -> output: T"),
        ("RefExit", Role::Exit, "data: Ref(T) -> output: Ref(T)"),
        ("NextIteration", Role::NextIteration, "data: T -> output: T"),
        ("RefNextIteration", Role::NextIteration, "data: Ref(T) -> output: Ref(T)"),
    ] {
        r.op(op, signature)
            .role(role)
            .leaves_variables()
            .attr("T: type")
            .shape(ShapeContext::unchanged)
            .any_kernel(kernel);
    }
    r.op("LoopCond", "input: bool -> output: bool")
        .role(Role::LoopCond)
        .shape(loop_cond_shape)
        .any_kernel(kernel)
        .not_differentiable();
}

/// A loop variable may change its shape from one iteration to the next; a loop constant may not.
fn enter_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    if cx.attr_bool("is_constant")? {
        cx.set(0, cx.input(0));
    }
    if let Some((dtype, shape)) = cx.handle(0) {
        cx.set(0, cx.input(0));
        cx.set_handle(0, dtype, shape);
    }
    Ok(())
}

fn loop_cond_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank(0, 0)?;
    cx.set(0, shape);
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let value = cx.take_value(0);
        cx.set_value(0, value);
        Ok(())
    }))
}
