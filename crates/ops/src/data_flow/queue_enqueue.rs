//! `QueueEnqueueV2` and `QueueEnqueueManyV2`: put an element, or each row of a batch, into a queue.

use graph::op::{AsyncContext, Done, Kernel, Outputs, Registry, ShapeContext, Value};
use graph::{Node, ReadAttrs};
use tensor::{Result, Tensor, ensure, err};

use super::queue::Queue;

pub(crate) fn register(r: &mut Registry) {
    for (op, build) in [("QueueEnqueueV2", one as fn(&Node) -> Result<Kernel>), ("QueueEnqueueManyV2", many)] {
        r.op(op, "handle: resource, components: Tcomponents ->")
            .attr("Tcomponents: list(type) >= 1")
            .attr("timeout_ms: int = -1")
            .stateful()
            .shape(ShapeContext::unknown)
            .any_kernel(build)
            .not_differentiable();
    }
}

fn one(node: &Node) -> Result<Kernel> {
    kernel(node, false)
}

fn many(node: &Node) -> Result<Kernel> {
    kernel(node, true)
}

fn kernel(node: &Node, many: bool) -> Result<Kernel> {
    check_timeout(node)?;
    Ok(Kernel::asynchronous(move |mut cx: AsyncContext, done: Done| {
        let queue = match cx.resource::<Queue>(0) {
            Ok(queue) => queue,
            Err(status) => return done(Err(status)),
        };
        let components: Result<Vec<Tensor>> = cx
            .inputs
            .drain(1..)
            .map(|value| match value {
                Value::Tensor(tensor) => Ok(tensor),
                _ => Err(err!(Internal, "a component to enqueue has no value")),
            })
            .collect();
        match components {
            Ok(components) => queue.enqueue(
                components,
                many,
                &cx.step.cancellation,
                Box::new(move |result| done(result.map(|()| Outputs::new()))),
            ),
            Err(status) => done(Err(status)),
        }
    }))
}

/// # Errors
/// `InvalidArgument` if a timeout was asked for: deadlines belong to the step.
pub(crate) fn check_timeout(node: &Node) -> Result<()> {
    let timeout = node.attr_int("timeout_ms")?;
    ensure!(timeout == -1, InvalidArgument, "Timeout not supported yet. (timeout_ms is {timeout})");
    Ok(())
}
