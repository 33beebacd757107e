//! `QueueSizeV2`, `QueueIsClosedV2`, and the older `QueueSize` and `QueueIsClosed`: how many elements a queue holds,
//! and whether more may come.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::Result;

use super::handles::{HANDLES, stateful_if_new};
use super::queue::Queue;
use crate::handle::find;

pub(crate) fn register(r: &mut Registry) {
    for (version, handle) in HANDLES {
        for (op, output, build) in [
            ("QueueSize", "size: int32", size_kernel as fn(&Node) -> Result<Kernel>),
            ("QueueIsClosed", "is_closed: bool", is_closed_kernel),
        ] {
            stateful_if_new(r.op(&format!("{op}{version}"), &format!("handle: {handle} -> {output}")), version)
                .shape(ShapeContext::scalar)
                .any_kernel(build)
                .not_differentiable();
        }
    }
}

fn size_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let size = find::<Queue>(cx.step, Some(&handle))?.len();
        cx.set_output(0, i32::try_from(size).unwrap_or(i32::MAX));
        Ok(())
    }))
}

fn is_closed_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let closed = find::<Queue>(cx.step, Some(&handle))?.is_closed();
        cx.set_output(0, closed);
        Ok(())
    }))
}
