//! `CollectiveReduceScatterV2`: every member gets its share of the sum, product, greatest or least of what all bring.
//!
//! TensorFlow has no kernel of it that works on CPUs, so it is for groups of our own tasks.

use graph::op::{AsyncContext, CollectiveKind, CollectivePlay, CollectiveTurn, Done, Kernel, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure, err};

use super::collective_all_to_all::TYPES;
use super::collective_reduce::divides;
use super::entry::{Membership, terms};
use super::merge::Merge;

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "CollectiveReduceScatterV2",
        "input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token: Nordering_token * resource -> data: T",
    )
    .attr("T: {bfloat16, float, half, double, int32, int64}")
    .attr("merge_op: {'Min', 'Max', 'Mul', 'Add'}")
    .attr("final_op: {'Id', 'Div'}")
    .attr("communication_hint: string = 'auto'")
    .attr("timeout_seconds: float = 0")
    .attr("is_stateless: bool = false")
    .attr("Nordering_token: int >= 0 = 0")
    .attr("max_subdivs_per_device: int = -1")
    .stateful()
    .shape(shape)
    .kernel("T", TYPES, kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
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

fn kernel(node: &Node) -> Result<Kernel> {
    let (membership, divides) = (Membership::of_inputs(node, 1)?, divides(node)?);
    let merge = Merge::from_name(node.attr_str("merge_op")?)?;
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        membership.enter(cx, done, |cx, keys| {
            let (input, size) = (cx.input(0)?.clone(), i64::from(keys.size));
            let mut dims = input.dims().to_vec();
            let Some(first) = dims.first_mut() else {
                bail!(InvalidArgument, "a reduce-scatter of scalars: they must be vectors at least")
            };
            ensure!(
                *first % size == 0,
                InvalidArgument,
                "a reduce-scatter of {first} rows among {size} members: their number must divide the rows"
            );
            *first /= size;
            let share = Shape::new(&dims)?;
            let terms = terms(CollectiveKind::ReduceScatter, input.dtype(), share.clone());
            Ok((terms, Scattering { merge, divides, input, share, parts: Vec::new(), missing: 0 }))
        });
    }))
}

/// A member's side: each gets from all others what they bring to its share.
struct Scattering {
    merge: Merge,
    divides: bool,
    input: Tensor,
    share: Shape,
    parts: Vec<Option<Tensor>>,
    missing: usize,
}

impl Scattering {
    fn part(&self, rank: usize) -> Result<Tensor> {
        self.input.window(rank * self.share.num_elements(), self.share.clone())
    }

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
        let result = self.merge.all(&parts, self.divides.then_some(parts.len()))?;
        Ok(CollectiveTurn { result: Some(result), ..CollectiveTurn::default() })
    }
}

impl CollectivePlay for Scattering {
    fn begin(&mut self, rank: usize, size: usize) -> Result<CollectiveTurn> {
        (self.parts, self.missing) = (vec![None; size], size);
        let mut sends = Vec::with_capacity(size);
        for to in (0..size).filter(|to| *to != rank) {
            sends.push((to, 0, Some(self.part(to)?)));
        }
        let turn = self.put(rank, self.part(rank)?)?;
        Ok(CollectiveTurn { sends, ..turn })
    }

    fn take(&mut self, from: usize, _: u32, tensor: Option<Tensor>) -> Result<CollectiveTurn> {
        let tensor = tensor.ok_or_else(|| err!(Internal, "member {from} sent nothing"))?;
        let alike = tensor.shape() == &self.share && tensor.dtype() == self.input.dtype();
        ensure!(alike, Internal, "member {from} sent a tensor of shape {}", tensor.shape());
        self.put(from, tensor)
    }
}
