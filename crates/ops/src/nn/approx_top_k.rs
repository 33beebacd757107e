//! `ApproxTopK`: the largest or smallest values along a dimension, and where they are. On a CPU nothing is gained by guessing,
//! so they are exact.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::number::Number;
use tensor::{DType, PartialShape, Result, Shape, Tensor, bf16, ensure, f16};

use super::top_k::best;

pub(crate) fn register(r: &mut Registry) {
    r.op("ApproxTopK", "input: T -> values: T, indices: int32")
        .attr("k: int >= 0")
        .attr("reduction_dimension: int = -1")
        .attr("recall_target: float = 0.95")
        .attr("is_max_k: bool = true")
        .attr("reduction_input_size_override: int = -1")
        .attr("aggregate_to_topk: bool = true")
        .attr("T: {half, bfloat16, float}")
        .shape(shape)
        .kernel("T", &[DType::Half, DType::BFloat16, DType::Float], kernel);
}

/// The dimension that a number from the front or from the back means.
fn dimension(number: i64, rank: usize) -> Result<usize> {
    let rank = rank as i64;
    let place = if number < 0 { number + rank } else { number };
    ensure!(
        (0..rank).contains(&place),
        InvalidArgument,
        "Invalid reduction dimension: {number}. Must be within the range of [{}, {}]",
        -rank,
        rank - 1
    );
    Ok(place as usize)
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank_at_least(0, 1)?;
    let (k, recall) = (cx.attr_int("k")?, cx.attr_float("recall_target")?);
    let Some(dims) = input.raw_dims() else { return Ok(()) };
    let place = dimension(cx.attr_int("reduction_dimension")?, dims.len())?;
    let length = dims[place];
    ensure!(length < 0 || length >= k, InvalidArgument, "input must have last dimension >= k = {k} but was {length}");
    ensure!(
        recall > 0.0 && recall <= 1.0,
        InvalidArgument,
        "Invalid recall target: {recall}. Valid value range in : [0, 1.0]."
    );
    let mut dims = dims.to_vec();
    dims[place] = if cx.attr_bool("aggregate_to_topk")? { k } else { -1 };
    let output = PartialShape::from_dims(&dims);
    cx.set(0, output.clone());
    cx.set(1, output);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (k, number) = (node.attr_int("k")?, node.attr_int("reduction_dimension")?);
    let largest = node.attr_bool("is_max_k")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let place = dimension(number, input.shape().rank())?;
        let length = input.dims()[place];
        ensure!(
            (0..=length).contains(&k),
            InvalidArgument,
            "input must have at least k columns. Had {length}, needed {k}"
        );
        let (k, length) = (k as usize, length as usize);
        let mut dims = input.dims().to_vec();
        dims[place] = k as i64;
        let shape = Shape::new(&dims)?;
        Tensor::check_size(DType::Int32, &shape)?;
        let inner = dims[place + 1..].iter().product::<i64>() as usize;
        let mut found = vec![0i32; shape.num_elements()];
        let values = dispatch!(input.dtype(), T in [f32, f16, bf16] => {
            let all = input.as_slice::<T>()?;
            Tensor::build(shape.clone(), |out: &mut [T]| {
                let (mut row, mut places) = (vec![0f32; length], Vec::with_capacity(k));
                // An output without elements has no rows to look through.
                let outer = out.len().checked_div(k * inner).unwrap_or(0);
                for (outer, inside) in (0..outer).flat_map(|outer| (0..inner).map(move |inside| (outer, inside))) {
                    let at = |place: usize| (outer * length + place) * inner + inside;
                    for (place, value) in row.iter_mut().enumerate() {
                        let given = all[at(place)].widen();
                        *value = if largest { given } else { -given };
                    }
                    places.clear();
                    best(&row, k, &mut places);
                    for (rank, place) in places.iter().enumerate() {
                        let to = (outer * k + rank) * inner + inside;
                        out[to] = all[at(*place as usize)];
                        found[to] = *place as i32;
                    }
                }
                Ok(())
            })
        })?;
        cx.set_output(0, values);
        cx.set_output(1, Tensor::from_slice(&shape, &found)?);
        Ok(())
    }))
}
