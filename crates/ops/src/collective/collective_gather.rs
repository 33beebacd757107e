//! `CollectiveGather` and `CollectiveGatherV2`: every member gets what all bring, one after the other, by rank.

use graph::ReadAttrs;
use graph::op::{
    AsyncContext, CollectiveGroup, CollectiveKind, CollectivePlay, CollectiveTurn, Done, Kernel, Registry, ShapeContext,
};
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure, err};

use super::entry::{Membership, in_one, terms};
use super::ring::{Cut, Ring, Work};

const TYPES: &[DType] = &[Float, Half, Double, Int32, Int64];

pub(crate) fn register(r: &mut Registry) {
    r.op("CollectiveGather", "input: T -> data: T")
        .attr("T: {float, half, double, int32, int64}")
        .attr("group_size: int")
        .attr("group_key: int")
        .attr("instance_key: int")
        .attr("shape: shape")
        .attr("communication_hint: string = 'auto'")
        .attr("timeout_seconds: float = 0")
        .stateful()
        .shape(shape)
        .kernel("T", TYPES, |node| kernel(Membership::of_attributes(node)?));
    r.op(
        "CollectiveGatherV2",
        "input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token: Nordering_token * resource -> data: T",
    )
    .attr("T: {float, half, double, int32, int64}")
    .attr("communication_hint: string = 'auto'")
    .attr("timeout_seconds: float = 0")
    .attr("is_stateless: bool = false")
    .attr("Nordering_token: int >= 0 = 0")
    .stateful()
    .shape(shape_v2)
    .kernel("T", TYPES, |node| kernel(Membership::of_inputs(node, 1)?));
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.attr_shape("shape")?.clone();
    cx.set(0, shape);
    Ok(())
}

fn shape_v2(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank_at_least(0, 1)?;
    if let Some(dims) = input.raw_dims() {
        let mut dims = dims.to_vec();
        if let Some(first) = dims.first_mut() {
            *first = -1;
        }
        cx.set(0, PartialShape::from_dims(&dims));
    }
    Ok(())
}

fn kernel(membership: Membership) -> Result<Kernel> {
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        membership.enter(cx, done, |cx, keys| {
            let input = cx.input(0)?.clone();
            ensure!(input.shape().rank() > 0, InvalidArgument, "a gather of scalars: they must be vectors at least");
            let mut dims = input.dims().to_vec();
            dims[0] =
                dims[0].checked_mul(i64::from(keys.size)).ok_or_else(|| err!(InvalidArgument, "too many elements"))?;
            let shape = Shape::new(&dims)?;
            Tensor::check_size(input.dtype(), &shape)?;
            Ok((
                terms(CollectiveKind::Gather, input.dtype(), shape),
                Gathering { input, parts: Vec::new(), missing: 0 },
            ))
        });
    }))
}

/// A member's side of a gather: everybody sends everybody what it brings.
struct Gathering {
    input: Tensor,
    parts: Vec<Option<Tensor>>,
    missing: usize,
}

impl Gathering {
    fn put(&mut self, from: usize, tensor: Tensor) -> Result<CollectiveTurn> {
        match self.parts.get_mut(from) {
            Some(slot @ None) => *slot = Some(tensor),
            _ => bail!(Internal, "an unexpected message of member {from}"),
        }
        self.missing -= 1;
        if self.missing > 0 {
            return Ok(CollectiveTurn::default());
        }
        let parts: Vec<Tensor> = self.parts.iter_mut().filter_map(Option::take).collect();
        Ok(CollectiveTurn { result: Some(in_one(&parts)?), ..CollectiveTurn::default() })
    }
}

impl CollectivePlay for Gathering {
    fn begin(&mut self, rank: usize, size: usize) -> Result<CollectiveTurn> {
        (self.parts, self.missing) = (vec![None; size], size);
        let sends = (0..size).filter(|to| *to != rank).map(|to| (to, 0, Some(self.input.clone()))).collect();
        let turn = self.put(rank, self.input.clone())?;
        Ok(CollectiveTurn { sends, ..turn })
    }

    fn take(&mut self, from: usize, _: u32, tensor: Option<Tensor>) -> Result<CollectiveTurn> {
        let tensor = tensor.ok_or_else(|| err!(Internal, "member {from} sent nothing"))?;
        let alike = tensor.shape() == self.input.shape() && tensor.dtype() == self.input.dtype();
        ensure!(alike, Internal, "member {from} sent a tensor of shape {}", tensor.shape());
        self.put(from, tensor)
    }

    fn mixed(&self, group: &CollectiveGroup) -> Result<Box<dyn CollectivePlay>> {
        Ok(Box::new(Ring::new(Work::Gather, &Cut::AtMost(-1), &self.input, group)?))
    }
}
