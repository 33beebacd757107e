//! `QueueCloseV2` and `QueueClose`: let no more elements into a queue.

use graph::op::{AsyncContext, Done, Kernel, Outputs, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::Result;

use super::handles::{HANDLES, stateful_if_new};
use super::queue::Queue;
use crate::handle::find;

pub(crate) fn register(r: &mut Registry) {
    for (version, handle) in HANDLES {
        stateful_if_new(r.op(&format!("QueueClose{version}"), &format!("handle: {handle} ->")), version)
            .attr("cancel_pending_enqueues: bool = false")
            .shape(ShapeContext::unknown)
            .any_kernel(kernel)
            .not_differentiable();
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let cancel = node.attr_bool("cancel_pending_enqueues")?;
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| match find::<Queue>(&cx.step, cx.inputs.first()) {
        Ok(queue) => {
            let closed = Box::new(move |result: Result<()>| done(result.map(|()| Outputs::new())));
            queue.close(cancel, &cx.step.cancellation, closed);
        }
        Err(status) => done(Err(status)),
    }))
}
