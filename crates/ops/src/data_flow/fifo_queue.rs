//! `FIFOQueueV2`, `PaddingFIFOQueueV2`, `RandomShuffleQueueV2` and `PriorityQueueV2`: queues of tuples that outlive
//! steps; and `FIFOQueue`, `PaddingFIFOQueue`, `RandomShuffleQueue` and `PriorityQueue`, whose handles are references
//! to two strings.

use graph::op::{Kernel, Registry};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, ensure};

use super::handles::{HANDLES, handle_shape};
use super::queue::Queue;
use super::queue_config::{Kind, QueueConfig};
use crate::handle::MakeResource;

pub(crate) fn register(r: &mut Registry) {
    for (version, handle) in HANDLES {
        for (op, build) in [("FIFOQueue", fifo as fn(&Node) -> Result<Kernel>), ("PaddingFIFOQueue", padding)] {
            r.op(&format!("{op}{version}"), &format!("-> handle: {handle}"))
                .attr("component_types: list(type) >= 1")
                .attr("shapes: list(shape) >= 0 = []")
                .attr("capacity: int = -1")
                .attr("container: string = ''")
                .attr("shared_name: string = ''")
                .stateful()
                .shape(handle_shape)
                .any_kernel(build)
                .not_differentiable();
        }
        r.op(&format!("RandomShuffleQueue{version}"), &format!("-> handle: {handle}"))
            .attr("component_types: list(type) >= 1")
            .attr("shapes: list(shape) >= 0 = []")
            .attr("capacity: int = -1")
            .attr("min_after_dequeue: int = 0")
            .attr("seed: int = 0")
            .attr("seed2: int = 0")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
            .shape(handle_shape)
            .any_kernel(shuffle)
            .not_differentiable();
        r.op(&format!("PriorityQueue{version}"), &format!("-> handle: {handle}"))
            .attr("component_types: list(type) >= 0 = []")
            .attr("shapes: list(shape) >= 0")
            .attr("capacity: int = -1")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
            .shape(handle_shape)
            .any_kernel(priority)
            .not_differentiable();
    }
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

/// Its elements begin with their priority, which the attributes do not mention.
fn priority(node: &Node) -> Result<Kernel> {
    kernel(node, Kind::Priority)
}

fn kernel(node: &Node, kind: Kind) -> Result<Kernel> {
    let mut config = QueueConfig {
        kind,
        types: node.attr_types("component_types")?.to_vec(),
        shapes: node.attr_shapes("shapes")?.to_vec(),
        capacity: node.attr_int("capacity")?,
    };
    if config.kind == Kind::Priority {
        config.types.insert(0, DType::Int64);
        ensure!(
            !config.shapes.is_empty(),
            InvalidArgument,
            "Shared queue '{}' has component shapes [] but requested component shapes were [[]]",
            node.name
        );
        config.shapes.insert(0, PartialShape::scalar());
    }
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
