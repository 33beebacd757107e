//! `QueueSizeV2` and `QueueIsClosedV2`: how many elements a queue holds, and whether more may come.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::Result;

use super::queue::Queue;

pub(crate) fn register(r: &mut Registry) {
    r.op("QueueSizeV2", "handle: resource -> size: int32")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(size_kernel)
        .not_differentiable();
    r.op("QueueIsClosedV2", "handle: resource -> is_closed: bool")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(is_closed_kernel)
        .not_differentiable();
}

fn size_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let size = cx.resource::<Queue>(0)?.len();
        cx.set_output(0, i32::try_from(size).unwrap_or(i32::MAX));
        Ok(())
    }))
}

fn is_closed_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let closed = cx.resource::<Queue>(0)?.is_closed();
        cx.set_output(0, closed);
        Ok(())
    }))
}
