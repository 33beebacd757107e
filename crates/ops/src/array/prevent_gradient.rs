//! `PreventGradient`: passes its input on, and refuses to be differentiated.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{Result, bail};

pub(crate) fn register(r: &mut Registry) {
    r.op("PreventGradient", "input: T -> output: T")
        .attr("T: type")
        .attr("message: string = ''")
        .shape(ShapeContext::unchanged)
        .any_kernel(pass_kernel)
        .gradient(refuse);
}

fn pass_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let input = cx.take_input(0)?;
        cx.set_output(0, input);
        Ok(())
    }))
}

fn refuse(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    bail!(InvalidArgument, "Gradient explicitly disabled. Reason: {}", cx.attr_str("message")?)
}
