//! `FIFOQueueV2`, `PaddingFIFOQueueV2` and `RandomShuffleQueueV2`: queues of tuples that outlive steps.

use graph::op::{Kernel, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, ensure};

use super::queue::{Kind, Queue, QueueConfig};
use crate::handle::MakeResource;

pub(crate) fn register(r: &mut Registry) {
    for (op, build) in [("FIFOQueueV2", fifo as fn(&Node) -> Result<Kernel>), ("PaddingFIFOQueueV2", padding)] {
        r.op(op, "-> handle: resource")
            .attr("component_types: list(type) >= 1")
            .attr("shapes: list(shape) >= 0 = []")
            .attr("capacity: int = -1")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
            .shape(ShapeContext::scalar)
            .any_kernel(build)
            .not_differentiable();
    }
    r.op("RandomShuffleQueueV2", "-> handle: resource")
        .attr("component_types: list(type) >= 1")
        .attr("shapes: list(shape) >= 0 = []")
        .attr("capacity: int = -1")
        .attr("min_after_dequeue: int = 0")
        .attr("seed: int = 0")
        .attr("seed2: int = 0")
        .attr("container: string = ''")
        .attr("shared_name: string = ''")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(shuffle)
        .not_differentiable();
}

/// The type name in handles of queues.
pub(crate) const QUEUE_TYPE: &str = "N10tensorflow14QueueInterfaceE";

fn fifo(node: &Node) -> Result<Kernel> {
    kernel(node, Kind::Fifo)
}

fn padding(node: &Node) -> Result<Kernel> {
    let (shapes, types) = (node.attr_shapes("shapes")?, node.attr_types("component_types")?);
    ensure!(
        shapes.len() == types.len() && shapes.iter().all(|shape| shape.rank().is_some()),
        InvalidArgument,
        "Attempting to create a PaddingFIFOQueue, but the shapes of {} components are needed, with their ranks",
        types.len()
    );
    kernel(node, Kind::PaddingFifo)
}

fn shuffle(node: &Node) -> Result<Kernel> {
    let min = node.attr_int("min_after_dequeue")?;
    ensure!(min >= 0, InvalidArgument, "min_after_dequeue {min} must be >= 0");
    let seeds = (node.attr_int("seed")?, node.attr_int("seed2")?);
    kernel(node, Kind::Shuffle { min_after_dequeue: min as usize, seeds })
}

fn kernel(node: &Node, kind: Kind) -> Result<Kernel> {
    let config = QueueConfig {
        kind,
        types: node.attr_types("component_types")?.to_vec(),
        shapes: node.attr_shapes("shapes")?.to_vec(),
        capacity: node.attr_int("capacity")?,
    };
    // Mistakes in the attributes show when the kernel is made, not when it first runs.
    Queue::new("", config.clone())?;
    let wanted = config.clone();
    let make = MakeResource::new(
        node,
        QUEUE_TYPE,
        move |name| Queue::new(name, config.clone()),
        move |queue: &Queue| queue.check_same(&wanted),
    )?;
    Ok(Kernel::cheap(make))
}
