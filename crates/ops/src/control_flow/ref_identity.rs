//! `RefIdentity`: passes a reference to a variable on.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, Role, ShapeContext};
use tensor::Result;

pub(crate) fn register(r: &mut Registry) {
    r.op("RefIdentity", "input: Ref(T) -> output: Ref(T)")
        .role(Role::Identity)
        .leaves_variables()
        .attr("T: type")
        .allows_uninitialized_input()
        .shape(ShapeContext::unchanged)
        .any_kernel(identity_kernel)
        .gradient(|cx| Ok(vec![Some(cx.dy(0)?.into())]));
}

fn identity_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let value = cx.take_value(0);
        cx.set_value(0, value);
        Ok(())
    }))
}
