//! `NoOp`: does nothing; control edges give it meaning.

use graph::op::{Kernel, OpContext, Registry, Role, ShapeContext};

pub(crate) fn register(r: &mut Registry) {
    r.op("NoOp", "->")
        .role(Role::Nothing)
        .shape(ShapeContext::unknown)
        .any_kernel(|_| Ok(Kernel::cheap(|_: &mut OpContext<'_>| Ok(()))));
}
