//! `CollectiveAllToAllV2` and `CollectiveAllToAllV3`: every member gets one slice of what each member brings, by rank.

use graph::op::{
    AsyncContext, CollectiveGroup, CollectiveKind, CollectivePlay, CollectiveTurn, Done, Kernel, Registry, ShapeContext,
};
use tensor::DType::{self, *};
use tensor::{Result, Shape, Tensor, bail, ensure, err};

use super::entry::{Membership, in_one, terms};

pub(super) const TYPES: &[DType] = &[BFloat16, Float, Half, Double, Int32, Int64];

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "CollectiveAllToAllV2",
        "input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token: Nordering_token * resource -> data: T",
    )
    .attr("T: {bfloat16, float, half, double, int32, int64}")
    .attr("communication_hint: string = 'auto'")
    .attr("timeout_seconds: float = 0")
    .attr("is_stateless: bool = false")
    .attr("Nordering_token: int >= 0 = 0")
    .stateful()
    .shape(ShapeContext::unchanged)
    .kernel("T", TYPES, |node| kernel(Membership::of_inputs(node, 1)?));
    r.op("CollectiveAllToAllV3", "input: T, communicator: resource, group_assignment: int32 -> data: T")
        .attr("T: {bfloat16, float, half, double, int32, int64}")
        .attr("timeout_seconds: float = 0")
        .stateful()
        .shape(ShapeContext::unchanged)
        .kernel("T", TYPES, |node| kernel(Membership::of_communicator(node, 1)?));
}

fn kernel(membership: Membership) -> Result<Kernel> {
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        membership.enter(cx, done, |cx, keys| {
            let input = cx.input(0)?.clone();
            let (size, rows) = (keys.size as usize, input.dims().first().copied());
            ensure!(
                rows == Some(size as i64),
                InvalidArgument,
                "Collective ops is aborted by: input to all-to-all first dimension size ({}) must be the same as the group size ({size})",
                rows.unwrap_or(0)
            );
            let terms = terms(CollectiveKind::AllToAll, input.dtype(), input.shape().clone());
            Ok((terms, Exchange { input, own: keys.rank, rank: 0, rows: vec![None; size], missing: size }))
        });
    }))
}

/// A member's side.
struct Exchange {
    input: Tensor,
    /// The rank that a communicator gave this member, by which the others order what it sends.
    own: Option<u32>,
    rank: usize,
    rows: Vec<Option<Tensor>>,
    missing: usize,
}

impl Exchange {
    fn row(&self, to: usize) -> Result<Tensor> {
        let shape = Shape::new(self.input.dims().get(1..).unwrap_or_default())?;
        let shape = Shape::new(&[&[1], shape.dims()].concat())?;
        self.input.window(to * shape.num_elements(), shape)
    }

    fn put(&mut self, place: usize, row: Tensor) -> Result<CollectiveTurn> {
        match self.rows.get_mut(place) {
            Some(slot @ None) => *slot = Some(row),
            _ => bail!(InvalidArgument, "two members of an all-to-all have rank {place}"),
        }
        self.missing -= 1;
        if self.missing > 0 {
            return Ok(CollectiveTurn::default());
        }
        let rows: Vec<Tensor> = self.rows.iter_mut().filter_map(Option::take).collect();
        Ok(CollectiveTurn { result: Some(in_one(&rows)?), ..CollectiveTurn::default() })
    }
}

impl CollectivePlay for Exchange {
    fn begin(&mut self, rank: usize, size: usize) -> Result<CollectiveTurn> {
        self.rank = rank;
        let own = self.own.unwrap_or(rank as u32);
        let mut sends = Vec::with_capacity(size);
        for to in (0..size).filter(|to| *to != rank) {
            sends.push((to, own, Some(self.row(to)?)));
        }
        let turn = self.put(own as usize, self.row(rank)?)?;
        Ok(CollectiveTurn { sends, ..turn })
    }

    fn take(&mut self, from: usize, part: u32, tensor: Option<Tensor>) -> Result<CollectiveTurn> {
        let tensor = tensor.ok_or_else(|| err!(Internal, "member {from} sent nothing"))?;
        let wanted = self.row(self.rank)?;
        let alike = tensor.shape() == wanted.shape() && tensor.dtype() == wanted.dtype();
        ensure!(alike, Internal, "member {from} sent a tensor of shape {}", tensor.shape());
        self.put(part as usize, tensor)
    }

    fn mixed(&self, group: &CollectiveGroup) -> Result<Box<dyn CollectivePlay>> {
        ensure!(self.own.is_none(), Unimplemented, "communicators in groups with tasks of TensorFlow");
        let size = group.tasks.len();
        let (input, rows) = (self.input.clone(), vec![None; size]);
        Ok(Box::new(Asking(Exchange { input, own: None, rank: group.rank, rows, missing: size })))
    }
}

/// The same among tasks of TensorFlow: everybody asks everybody.
struct Asking(Exchange);

impl CollectivePlay for Asking {
    fn begin(&mut self, rank: usize, size: usize) -> Result<CollectiveTurn> {
        let mut turn = self.0.begin(rank, size)?;
        for from in (0..size).filter(|from| *from != rank) {
            turn.asks.push((from, from as u32, self.0.row(rank)?.shape().clone()));
        }
        Ok(turn)
    }

    fn take(&mut self, from: usize, part: u32, tensor: Option<Tensor>) -> Result<CollectiveTurn> {
        self.0.take(from, part, tensor)
    }

    fn key(&self, from: usize, to: usize, _: u32) -> std::string::String {
        format!("{from}{to}")
    }
}
