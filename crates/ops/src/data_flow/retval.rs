//! `_Retval`: a result of the step or function that the graph is the body of.

use graph::op::{Kernel, OpContext, Registry, Role, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("_Retval", "input: T ->")
        .role(Role::Returned)
        .attr("T: type")
        .attr("index: int >= 0")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(kernel);
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (index, dtype) = (node.attr_int("index")? as usize, node.attr_type("T")?);
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let value = cx.take_input(0)?;
        ensure!(
            value.dtype() == dtype,
            InvalidArgument,
            "Type mismatch: actual {} vs. expect {dtype} in result {index}",
            value.dtype()
        );
        cx.step.frame.set_result(index, value)
    }))
}
