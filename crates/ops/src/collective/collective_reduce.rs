//! `CollectiveReduce`, `CollectiveReduceV2` and `CollectiveReduceV3`: every member gets the sum, product, greatest or least of what all bring, or that
//! divided by their number.

use graph::op::{AsyncContext, CollectiveKind, Done, Kernel, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::DType::{self, *};
use tensor::{Result, bail};

use super::entry::{Membership, terms};
use super::merge::Merge;
use super::reduction::Reduction;
use super::ring::Cut;

const TYPES: &[DType] = &[BFloat16, Float, Half, Double, Int32, Int64];

pub(crate) fn register(r: &mut Registry) {
    r.op("CollectiveReduce", "input: T -> data: T")
        .attr("T: {bfloat16, float, half, double, int32, int64}")
        .attr("group_size: int")
        .attr("group_key: int")
        .attr("instance_key: int")
        .attr("merge_op: {'Min', 'Max', 'Mul', 'Add'}")
        .attr("final_op: {'Id', 'Div'}")
        .attr("subdiv_offsets: list(int)")
        .attr("wait_for: list(int) = []")
        .attr("communication_hint: string = 'auto'")
        .attr("timeout_seconds: float = 0")
        .stateful()
        .shape(ShapeContext::unchanged)
        .kernel("T", TYPES, |node| {
            let offsets = node.attr_ints("subdiv_offsets")?.to_vec();
            kernel(node, Membership::of_attributes(node)?, Cut::Offsets(offsets))
        });
    r.op(
        "CollectiveReduceV2",
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
    .shape(ShapeContext::unchanged)
    .kernel("T", TYPES, |node| {
        kernel(node, Membership::of_inputs(node, 1)?, Cut::AtMost(node.attr_int("max_subdivs_per_device")?))
    });
    r.op("CollectiveReduceV3", "input: T, communicator: resource, group_assignment: int32 -> data: T")
        .attr("T: {bfloat16, float, half, double, int32, int64}")
        .attr("reduction: {'Min', 'Max', 'Mul', 'Add'}")
        .attr("timeout_seconds: float = 0")
        .stateful()
        .shape(ShapeContext::unchanged)
        .kernel("T", TYPES, |node| {
            let merge = Merge::from_name(node.attr_str("reduction")?)?;
            reduce(Membership::of_communicator(node, 1)?, merge, false, Cut::AtMost(-1))
        });
}

/// Whether the result is divided by the number of members.
pub(super) fn divides(node: &Node) -> Result<bool> {
    Ok(match node.attr_str("final_op")? {
        "Id" => false,
        "Div" => true,
        other => bail!(InvalidArgument, "final_op must be one of {{\"Id\", \"Div\"}} but got {other}"),
    })
}

fn kernel(node: &Node, membership: Membership, cut: Cut) -> Result<Kernel> {
    reduce(membership, Merge::from_name(node.attr_str("merge_op")?)?, divides(node)?, cut)
}

fn reduce(membership: Membership, merge: Merge, divides: bool, cut: Cut) -> Result<Kernel> {
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        membership.enter(cx, done, |cx, _| {
            let input = cx.input(0)?.clone();
            let terms = terms(CollectiveKind::Reduce, input.dtype(), input.shape().clone());
            Ok((terms, Reduction::new(merge, divides, input, cut.clone())))
        });
    }))
}
