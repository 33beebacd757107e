//! `DisableCopyOnRead`: does nothing, because reads are snapshots in any case.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};

pub(crate) fn register(r: &mut Registry) {
    // Reads are snapshots anyway, so there is no mode to switch off.
    r.op("DisableCopyOnRead", "resource: resource ->")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(|_| Ok(Kernel::cheap(|_: &mut OpContext<'_>| Ok(()))))
        .not_differentiable();
}
