//! `CollectiveBcastSend` and `CollectiveBcastSendV2`: what this member brings is what all others get.

use graph::op::{
    AsyncContext, CollectiveGroup, CollectiveKind, CollectivePlay, CollectiveTurn, Done, Kernel, Registry, ShapeContext,
};
use graph::{Node, ReadAttrs};
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use super::collective_bcast_recv::{GOT, VALUE, WAITS};
use super::entry::{Membership, terms};
use super::tree::Tree;

pub(super) const TYPES: &[DType] = &[Bool, Float, Half, Double, Int32, Int64];

pub(crate) fn register(r: &mut Registry) {
    r.op("CollectiveBcastSend", "input: T -> data: T")
        .attr("T: {bool, float, half, double, int32, int64}")
        .attr("group_size: int")
        .attr("group_key: int")
        .attr("instance_key: int")
        .attr("shape: shape")
        .attr("communication_hint: string = 'auto'")
        .attr("timeout_seconds: float = 0")
        .stateful()
        .shape(shape)
        .kernel("T", TYPES, |node| {
            kernel(node, Membership::of_attributes(node)?, Some(node.attr_shape("shape")?.clone()))
        });
    r.op("CollectiveBcastSendV2", "input: T, group_size: int32, group_key: int32, instance_key: int32 -> data: T")
        .attr("T: {bool, float, half, double, int32, int64}")
        .attr("communication_hint: string = 'auto'")
        .attr("timeout_seconds: float = 0")
        .stateful()
        .shape(ShapeContext::unchanged)
        .kernel("T", TYPES, |node| kernel(node, Membership::of_inputs(node, 1)?, None));
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.attr_shape("shape")?.clone();
    cx.set(0, shape);
    Ok(())
}

fn kernel(node: &Node, membership: Membership, declared: Option<PartialShape>) -> Result<Kernel> {
    let name = node.name.clone();
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        membership.enter(cx, done, |cx, keys| {
            let input = cx.input(0)?.clone();
            if let Some(declared) = &declared {
                ensure!(
                    declared.is_compatible_with(input.shape()),
                    Internal,
                    "Declared shape of op {name} does not match shape of input: {declared} and {}",
                    input.shape()
                );
            }
            let terms = terms(CollectiveKind::Broadcast, input.dtype(), input.shape().clone());
            Ok((terms, Source { input, instance: keys.instance, rank: 0, unserved: Vec::new() }))
        });
    }))
}

/// The member that all others get their value from. It ends when all have it.
struct Source {
    input: Tensor,
    instance: i32,
    rank: usize,
    unserved: Vec<usize>,
}

impl Source {
    fn turn(&self) -> CollectiveTurn {
        CollectiveTurn { result: self.unserved.is_empty().then(|| self.input.clone()), ..CollectiveTurn::default() }
    }
}

impl CollectivePlay for Source {
    fn begin(&mut self, rank: usize, size: usize) -> Result<CollectiveTurn> {
        self.rank = rank;
        self.unserved = (0..size).filter(|to| *to != rank).collect();
        let sends = self.unserved.iter().map(|to| (*to, VALUE, Some(self.input.clone()))).collect();
        Ok(CollectiveTurn { sends, ..self.turn() })
    }

    fn take(&mut self, from: usize, part: u32, _: Option<Tensor>) -> Result<CollectiveTurn> {
        match part {
            GOT => self.unserved.retain(|waiting| *waiting != from),
            WAITS => {}
            VALUE => bail!(
                Internal,
                "Instance {} already has source {}, received second claim from {from}",
                self.instance,
                self.rank
            ),
            _ => bail!(Internal, "member {from} sent part {part}, which a broadcast does not have"),
        }
        Ok(self.turn())
    }

    fn is_source(&self) -> bool {
        true
    }

    fn mixed(&self, group: &CollectiveGroup) -> Result<Box<dyn CollectivePlay>> {
        Ok(Box::new(Tree::new(Some(self.input.clone()), self.input.shape().clone(), group)))
    }
}
