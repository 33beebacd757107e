//! `Abort`: fails the step. A graph does not end the process it runs in, whatever it asks for.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, bail};

pub(crate) fn register(r: &mut Registry) {
    r.op("Abort", "->")
        .attr("error_msg: string = ''")
        .attr("exit_without_error: bool = false")
        .shape(ShapeContext::unknown)
        .any_kernel(kernel);
}

fn kernel(node: &Node) -> Result<Kernel> {
    let message = node.attr_str("error_msg")?.to_owned();
    Ok(Kernel::cheap(move |_: &mut OpContext<'_>| bail!(Internal, "Abort was run, which ends the step: '{message}'")))
}
