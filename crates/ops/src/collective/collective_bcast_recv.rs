//! `CollectiveBcastRecv` and `CollectiveBcastRecvV2`: gets what one member of the group brings.

use graph::op::{
    AsyncContext, CollectiveGroup, CollectiveKind, CollectivePlay, CollectiveTurn, Done, Kernel, Registry, ShapeContext,
};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure, err};

use super::collective_bcast_send::TYPES;
use super::entry::{Keys, Membership, terms};
use super::tree::Tree;

/// The value, from its source.
pub(super) const VALUE: u32 = 0;
/// To the source: the value is here.
pub(super) const GOT: u32 = 1;
/// To the first member: this one waits for a value.
pub(super) const WAITS: u32 = 2;

pub(crate) fn register(r: &mut Registry) {
    r.op("CollectiveBcastRecv", "-> data: T")
        .attr("T: {bool, float, half, double, int32, int64}")
        .attr("group_size: int")
        .attr("group_key: int")
        .attr("instance_key: int")
        .attr("shape: shape")
        .attr("communication_hint: string = 'auto'")
        .attr("timeout_seconds: float = 0")
        .stateful()
        .shape(shape)
        .kernel("T", TYPES, kernel);
    r.op("CollectiveBcastRecvV2", "group_size: int32, group_key: int32, instance_key: int32, shape: Tshape -> data: T")
        .attr("T: {bool, float, half, double, int32, int64}")
        .attr("Tshape: {int32, int64} = int32")
        .attr("communication_hint: string = 'auto'")
        .attr("timeout_seconds: float = 0")
        .stateful()
        .shape(shape_v2)
        .kernel("T", TYPES, kernel_v2);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.attr_shape("shape")?.clone();
    cx.set(0, shape);
    Ok(())
}

fn shape_v2(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape: PartialShape = cx.input_as_shape(3);
    cx.set(0, shape);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (membership, dtype) = (Membership::of_attributes(node)?, node.attr_type("T")?);
    let shape = node.attr_shape("shape")?.clone();
    let shape = shape.to_shape().ok_or_else(|| err!(InvalidArgument, "the shape {shape} must be known in full"))?;
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        membership.enter(cx, done, |_, keys| {
            Ok((terms(CollectiveKind::Broadcast, dtype, shape.clone()), Receiver::new(keys, &shape)))
        });
    }))
}

fn kernel_v2(node: &Node) -> Result<Kernel> {
    let (membership, dtype) = (Membership::of_inputs(node, 0)?, node.attr_type("T")?);
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        membership.enter(cx, done, |cx, keys| {
            let dims = cx.input(3)?;
            ensure!(
                dims.shape().rank() == 1,
                InvalidArgument,
                "shape must be a vector, but has shape {}",
                dims.shape()
            );
            let shape = Shape::new(&dims.to_i64_vec()?)?;
            Tensor::check_size(dtype, &shape)?;
            let receiver = Receiver::new(keys, &shape);
            Ok((terms(CollectiveKind::Broadcast, dtype, shape), receiver))
        });
    }))
}

/// A member that waits for the value. The first one also finds out when all do so.
struct Receiver {
    keys: Keys,
    shape: Shape,
    rank: usize,
    /// For the first member: those of whom it does not know that they wait for a value.
    without: Vec<usize>,
}

impl CollectivePlay for Receiver {
    fn begin(&mut self, rank: usize, size: usize) -> Result<CollectiveTurn> {
        self.rank = rank;
        if rank > 0 {
            return Ok(CollectiveTurn { sends: vec![(0, WAITS, None)], ..CollectiveTurn::default() });
        }
        self.without = (1..size).collect();
        self.check()
    }

    fn take(&mut self, from: usize, part: u32, tensor: Option<Tensor>) -> Result<CollectiveTurn> {
        match (part, tensor) {
            (VALUE, Some(value)) => {
                Ok(CollectiveTurn { sends: vec![(from, GOT, None)], result: Some(value), ..CollectiveTurn::default() })
            }
            (WAITS, None) if self.rank == 0 => {
                self.without.retain(|other| *other != from);
                self.check()
            }
            (part, _) => bail!(Internal, "member {from} sent part {part}, which a broadcast does not have"),
        }
    }

    fn mixed(&self, group: &CollectiveGroup) -> Result<Box<dyn CollectivePlay>> {
        Ok(Box::new(Tree::new(None, self.shape.clone(), group)))
    }
}

impl Receiver {
    fn new(keys: &Keys, shape: &Shape) -> Receiver {
        Receiver { keys: *keys, shape: shape.clone(), rank: 0, without: Vec::new() }
    }

    fn check(&self) -> Result<CollectiveTurn> {
        ensure!(
            !self.without.is_empty(),
            Internal,
            "Instance {} found no source for broadcast.  This could mean that there were group_size={} BcastRecvs but no BcastSend.",
            self.keys.instance,
            self.keys.size
        );
        Ok(CollectiveTurn::default())
    }
}
