//! `QueueCloseV2`: lets no more elements into a queue.

use graph::op::{AsyncContext, Done, Kernel, Outputs, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::Result;

use super::queue::Queue;

pub(crate) fn register(r: &mut Registry) {
    r.op("QueueCloseV2", "handle: resource ->")
        .attr("cancel_pending_enqueues: bool = false")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(kernel)
        .not_differentiable();
}

fn kernel(node: &Node) -> Result<Kernel> {
    let cancel = node.attr_bool("cancel_pending_enqueues")?;
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| match cx.resource::<Queue>(0) {
        Ok(queue) => {
            let closed = Box::new(move |result: Result<()>| done(result.map(|()| Outputs::new())));
            queue.close(cancel, &cx.step.cancellation, closed);
        }
        Err(status) => done(Err(status)),
    }))
}
