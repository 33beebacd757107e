//! `SparseConcat`: sparse tensors joined along a dimension.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::Coordinates;
use super::sparse_reorder::in_order;
use crate::arguments::axis_of;
use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "SparseConcat",
        "indices: N * int64, values: N * T, shapes: N * int64 -> output_indices: int64, output_values: T, output_shape: int64",
    )
    .attr("concat_dim: int")
    .attr("N: int >= 2")
    .attr("T: type")
    .shape(concat_shape)
    .any_kernel(concat_kernel)
    .not_differentiable();
}

fn concat_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let count = cx.attr_int("N")?.max(0) as usize;
    let (mut rows, mut rank) = (Some(0i64), PartialShape::of_rank(1));
    for index in 0..count {
        let indices = cx.with_rank(index, 2)?;
        cx.with_rank(count + index, 1)?;
        rank = rank.merge(&cx.with_rank(2 * count + index, 1)?)?;
        rows = rows.zip(indices.dim(0)).and_then(|(a, b)| a.checked_add(b));
    }
    cx.set(0, PartialShape::new(&[rows, rank.dim(0)]));
    cx.set(1, PartialShape::vector(rows));
    cx.set(2, rank);
    Ok(())
}

fn concat_kernel(node: &Node) -> Result<Kernel> {
    let (axis, count) = (node.attr_int("concat_dim")?, node.attr_int("N")?.max(0) as usize);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let mut parts = Vec::with_capacity(count);
        for index in 0..count {
            let (indices, values) = (cx.input(index)?, cx.input(count + index)?);
            parts.push(Coordinates::new(indices, Some(values), cx.input(2 * count + index)?)?);
        }
        let Some(first) = parts.first() else { bail!(InvalidArgument, "nothing to join") };
        let rank = first.rank;
        let Some(axis) = axis_of(axis, rank) else {
            bail!(InvalidArgument, "Concat dimension must be in range [{}, {rank}), got {axis}", -(rank as i64))
        };
        let mut shape = first.shape.clone();
        shape[axis] = 0;
        let mut flat = Vec::new();
        for part in &parts {
            ensure!(
                part.rank == rank,
                InvalidArgument,
                "Ranks of all input tensors must match: expected {rank} but got {}",
                part.rank
            );
            for (at, (own, wanted)) in part.shape.iter().zip(&shape).enumerate() {
                ensure!(
                    at == axis || own == wanted,
                    InvalidArgument,
                    "Input shapes must match: expected {wanted} for dimension {at} but got {own}"
                );
            }
            for row in part.rows() {
                let start = flat.len();
                flat.extend_from_slice(row);
                flat[start + axis] = flat[start + axis].wrapping_add(shape[axis]);
            }
            let Some(total) = shape[axis].checked_add(part.shape[axis]) else {
                bail!(InvalidArgument, "the joined dimension is too large")
            };
            shape[axis] = total;
        }
        let values: Vec<&Tensor> = cx.inputs(count..2 * count)?;
        let lengths: Vec<usize> = values.iter().map(|values| values.num_elements()).collect();
        let joined = moved(Shape::vector(lengths.iter().sum()), &values, &Join(&lengths))?;
        let all = Coordinates { rank, flat, shape: shape.clone() };
        let (indices, values) = in_order(&all, &joined)?;
        cx.set_output(0, indices);
        cx.set_output(1, values);
        cx.set_output(2, Tensor::vector(&shape));
        Ok(())
    }))
}
