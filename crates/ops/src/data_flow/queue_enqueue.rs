//! `QueueEnqueueV2` and `QueueEnqueueManyV2`, and the older `QueueEnqueue` and `QueueEnqueueMany`: put an element, or
//! each row of a batch, into a queue.

use graph::op::{AsyncContext, Done, Kernel, Outputs, Registry, ShapeContext, Value};
use graph::{Node, ReadAttrs};
use tensor::{Result, Tensor, ensure, err};

use super::handles::{HANDLES, stateful_if_new};
use super::queue::Queue;
use crate::handle::find;

pub(crate) fn register(r: &mut Registry) {
    for (version, handle) in HANDLES {
        for (op, build) in [("QueueEnqueue", one as fn(&Node) -> Result<Kernel>), ("QueueEnqueueMany", many)] {
            let signature = format!("handle: {handle}, components: Tcomponents ->");
            stateful_if_new(r.op(&format!("{op}{version}"), &signature), version)
                .attr("Tcomponents: list(type) >= 1")
                .attr("timeout_ms: int = -1")
                .shape(ShapeContext::unknown)
                .any_kernel(build)
                .not_differentiable();
        }
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
        let queue = match find::<Queue>(&cx.step, cx.inputs.first()) {
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
