//! `IsVariableInitialized`: whether a variable has a value.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::Result;

pub(crate) fn register(r: &mut Registry) {
    r.op("IsVariableInitialized", "ref: Ref(dtype) -> is_initialized: bool")
        .attr("dtype: type")
        .allows_uninitialized_input()
        .leaves_variables()
        .shape(ShapeContext::scalar)
        .any_kernel(kernel)
        .not_differentiable();
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let initialized = cx.variable(0)?.is_initialized();
        cx.set_output(0, initialized);
        Ok(())
    }))
}
