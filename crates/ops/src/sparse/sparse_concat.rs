//! `SparseConcat` and `SparseSlice`: joining sparse tensors along a dimension, and cutting a block out of one.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::Coordinates;
use super::sparse_reorder::in_order;
use crate::arguments::axis_of;
use crate::moving::{Join, Pick, moved};

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
    r.op(
        "SparseSlice",
        "indices: int64, values: T, shape: int64, start: int64, size: int64 -> output_indices: int64, output_values: T, \
         output_shape: int64",
    )
    .attr("T: type")
    .shape(slice_shape)
    .any_kernel(slice_kernel)
    .gradient(slice_gradient);
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

fn slice_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank(2, 1)?;
    cx.set(0, PartialShape::new(&[None, shape.dim(0)]));
    cx.set(1, PartialShape::vector(None));
    cx.set(2, shape);
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

fn slice_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let values = cx.input(1)?;
        let whole = Coordinates::new(cx.input(0)?, Some(values), cx.input(2)?)?;
        let (start, size) = (cx.input(3)?, cx.input(4)?);
        ensure!(
            start.shape().rank() == 1,
            InvalidArgument,
            "Input start should be a vector but received shape {}",
            start.shape()
        );
        ensure!(
            size.shape().rank() == 1,
            InvalidArgument,
            "Input size should be a vector but received shape {}",
            size.shape()
        );
        let (start, size) = (start.to_i64_vec()?, size.to_i64_vec()?);
        ensure!(
            start.len() == whole.rank && size.len() == whole.rank,
            InvalidArgument,
            "Expected start and size to be of length {}, got {} and {}",
            whole.rank,
            start.len(),
            size.len()
        );
        ensure!(size.iter().all(|size| *size >= 0), InvalidArgument, "size must not be negative: {size:?}");
        let shape: Vec<i64> =
            (0..whole.rank).map(|axis| (whole.shape[axis].saturating_sub(start[axis])).clamp(0, size[axis])).collect();
        let (mut flat, mut picked) = (Vec::new(), Vec::new());
        for (number, row) in whole.rows().enumerate().take(values.num_elements()) {
            let inside = (0..whole.rank).all(|axis| (0..size[axis]).contains(&row[axis].saturating_sub(start[axis])));
            if inside {
                flat.extend((0..whole.rank).map(|axis| row[axis].saturating_sub(start[axis])));
                picked.push(number);
            }
        }
        let values = moved(Shape::vector(picked.len()), &[values], &Pick(&picked))?;
        cx.set_output(0, Tensor::new(&[picked.len() as i64, whole.rank as i64], flat)?);
        cx.set_output(1, values);
        cx.set_output(2, Tensor::vector(&shape));
        Ok(())
    }))
}

fn slice_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let values = cx.op("SparseSliceGrad").input(cx.dy(1)?).input(cx.x(0)).input(cx.x(3)).input(cx.y(0)).output();
    Ok(vec![None, Some(values.into()), None, None, None])
}
