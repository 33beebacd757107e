//! `SparseAdd`, `SparseAddGrad`, `SparseTensorDenseAdd`, `SparseSplit` and `SparseSliceGrad`.

use std::collections::HashMap;

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, ReadAttrs};
use math::number::Number;
use tensor::{Complex64, Complex128, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use super::Coordinates;
use super::sparse_reduce::{NUMBERS, magnitudes};
use crate::moving::{Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    let numbers = format!("T: {NUMBERS}");
    r.op(
        "SparseAdd",
        "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64, thresh: Treal -> \
         sum_indices: int64, sum_values: T, sum_shape: int64",
    )
    .attr(&numbers)
    .attr("Treal: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
    .shape(|cx| {
        let shape = cx.with_rank(2, 1)?;
        cx.set(0, PartialShape::new(&[None, shape.dim(0)]));
        cx.set(1, PartialShape::vector(None));
        cx.set(2, shape);
        Ok(())
    })
    .kernel("T", types::NUMBERS, add_kernel)
    .gradient(add_gradient);
    r.op(
        "SparseAddGrad",
        "backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64 -> a_val_grad: T, b_val_grad: T",
    )
    .attr(&numbers)
    .shape(|cx| {
        let (a, b) = (cx.with_rank(1, 2)?, cx.with_rank(2, 2)?);
        cx.set(0, PartialShape::vector(a.dim(0)));
        cx.set(1, PartialShape::vector(b.dim(0)));
        Ok(())
    })
    .kernel("T", types::NUMBERS, add_grad_kernel);
    r.op("SparseTensorDenseAdd", "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T -> output: T")
        .attr(&numbers)
        .attr("Tindices: {int32, int64}")
        .shape(|cx| {
            let shape = cx.input(3);
            cx.set(0, shape);
            Ok(())
        })
        .kernel("T", types::NUMBERS, dense_kernel)
        .gradient(dense_gradient);
    r.op(
        "SparseSplit",
        "split_dim: int64, indices: int64, values: T, shape: int64 -> output_indices: num_split * int64, \
         output_values: num_split * T, output_shape: num_split * int64",
    )
    .attr("num_split: int >= 1")
    .attr("T: type")
    .shape(split_shape)
    .any_kernel(split_kernel)
    .not_differentiable();
    r.op(
        "SparseSliceGrad",
        "backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64 -> val_grad: T",
    )
    .attr(&numbers)
    .shape(|cx| {
        let indices = cx.with_rank(1, 2)?;
        cx.set(0, PartialShape::vector(indices.dim(0)));
        Ok(())
    })
    .kernel("T", types::NUMBERS, slice_grad_kernel);
}

fn add_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (a_values, b_values, limit) = (cx.input(1)?, cx.input(4)?, cx.input(6)?);
        let a = Coordinates::new(cx.input(0)?, Some(a_values), cx.input(2)?)?;
        let b = Coordinates::new(cx.input(3)?, Some(b_values), cx.input(5)?)?;
        ensure!(
            a.shape == b.shape,
            InvalidArgument,
            "operands' shapes do not match: got {:?} and {:?}",
            a.shape,
            b.shape
        );
        ensure!(
            limit.shape().is_scalar(),
            InvalidArgument,
            "The magnitude threshold must be a scalar: got shape {}",
            limit.shape()
        );
        let limit = magnitudes(limit)?[0];
        // In order of their places; a place that both have is there once.
        let (a_rows, b_rows): (Vec<&[i64]>, Vec<&[i64]>) = (a.rows().collect(), b.rows().collect());
        let (mut i, mut j, mut merged) = (0, 0, Vec::new());
        while i < a_rows.len() || j < b_rows.len() {
            let order = match (a_rows.get(i), b_rows.get(j)) {
                (Some(x), Some(y)) => x.cmp(y),
                (Some(_), None) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            merged.push((order.is_le().then_some(i), order.is_ge().then_some(j)));
            i += order.is_le() as usize;
            j += order.is_ge() as usize;
        }
        let sums = dispatch!(a_values.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
            let (x, y) = (a_values.as_slice::<T>()?, b_values.as_slice::<T>()?);
            let sums: Vec<T> = merged
                .iter()
                .map(|(i, j)| {
                    let zero = <T as Number>::ZERO;
                    i.map_or(zero, |i| x[i]).plus(j.map_or(zero, |j| y[j]))
                })
                .collect();
            Ok(Tensor::vector(&sums))
        })?;
        let sizes = magnitudes(&sums)?;
        let kept: Vec<usize> = (0..merged.len()).filter(|place| limit <= sizes[*place]).collect();
        let flat: Vec<i64> = kept
            .iter()
            .flat_map(|place| match merged[*place] {
                (Some(i), _) => a_rows[i].to_vec(),
                (_, Some(j)) => b_rows[j].to_vec(),
                _ => Vec::new(),
            })
            .collect();
        let values = moved(Shape::vector(kept.len()), &[&sums], &Pick(&kept))?;
        let shape = Tensor::vector(&a.shape);
        cx.set_output(0, Tensor::new(&[kept.len() as i64, a.rank as i64], flat)?);
        cx.set_output(1, values);
        cx.set_output(2, shape);
        Ok(())
    }))
}

fn rows_of(indices: &Tensor, name: &str) -> Result<Vec<Vec<i64>>> {
    ensure!(
        indices.shape().rank() == 2,
        InvalidArgument,
        "{name} must be a matrix but received shape: {}",
        indices.shape()
    );
    let width = indices.shape().dim(1);
    let flat = indices.to_i64_vec()?;
    Ok((0..indices.shape().dim(0)).map(|row| flat[row * width..(row + 1) * width].to_vec()).collect())
}

/// The gradient of each row's value: that of the row in the result, zero if it is not there.
fn found(grads: &Tensor, rows: &[Vec<i64>], places: &HashMap<Vec<i64>, usize>) -> Result<Tensor> {
    let picked: Vec<usize> = rows.iter().map(|row| places.get(row).copied().unwrap_or(usize::MAX)).collect();
    let zero = Tensor::zeros(grads.dtype(), &Shape::scalar())?;
    moved(Shape::vector(rows.len()), &[grads, &zero], &Pick(&picked))
}

fn numbered(rows: Vec<Vec<i64>>) -> HashMap<Vec<i64>, usize> {
    rows.into_iter().enumerate().map(|(number, row)| (row, number)).collect()
}

fn check_grads(grads: &Tensor, rows: usize) -> Result<()> {
    ensure!(
        grads.shape().rank() == 1,
        InvalidArgument,
        "Input backprop_val_grad should be a vector but received shape: {}",
        grads.shape()
    );
    ensure!(
        grads.num_elements() == rows,
        InvalidArgument,
        "# elements of backprop_val_grad and # rows of the result's indices should match: {} and {rows}",
        grads.num_elements()
    );
    Ok(())
}

fn add_grad_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let grads = cx.input(0)?;
        let (a, b) = (rows_of(cx.input(1)?, "a_indices")?, rows_of(cx.input(2)?, "b_indices")?);
        let sums = rows_of(cx.input(3)?, "sum_indices")?;
        check_grads(grads, sums.len())?;
        let places = numbered(sums);
        let (a, b) = (found(grads, &a, &places)?, found(grads, &b, &places)?);
        cx.set_output(0, a);
        cx.set_output(1, b);
        Ok(())
    }))
}

fn slice_grad_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (grads, start) = (cx.input(0)?, cx.input(2)?);
        let mut rows = rows_of(cx.input(1)?, "input_indices")?;
        ensure!(
            start.shape().rank() == 1,
            InvalidArgument,
            "Input start should be a vector but received shape: {}",
            start.shape()
        );
        let start = start.to_i64_vec()?;
        let kept = rows_of(cx.input(3)?, "output_indices")?;
        check_grads(grads, kept.len())?;
        for row in &mut rows {
            row.iter_mut().zip(&start).for_each(|(at, start)| *at = at.wrapping_sub(*start));
        }
        let values = found(grads, &rows, &numbered(kept))?;
        cx.set_output(0, values);
        Ok(())
    }))
}

fn dense_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let mut dense = cx.take_input(3)?;
        let values = cx.input(1)?;
        let sparse = Coordinates::new(cx.input(0)?, Some(values), cx.input(2)?)?;
        ensure!(
            sparse.rank == dense.shape().rank(),
            InvalidArgument,
            "Two operands have different ranks; received: {} and {}",
            sparse.rank,
            dense.shape().rank()
        );
        ensure!(
            sparse.shape == dense.dims(),
            InvalidArgument,
            "Dimensions do not equal (no broadcasting is supported): sparse side {:?} vs dense side {}",
            sparse.shape,
            dense.shape()
        );
        sparse.check_bounds()?;
        let places: Vec<usize> = sparse
            .rows()
            .map(|row| row.iter().zip(&sparse.shape).fold(0usize, |at, (i, dim)| at * *dim as usize + *i as usize))
            .collect();
        dispatch!(values.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
            let (values, sums) = (values.as_slice::<T>()?, dense.make_mut::<T>()?);
            for (place, value) in places.iter().zip(values) {
                sums[*place] = sums[*place].plus(*value);
            }
            Ok(())
        })?;
        cx.set_output(0, dense);
        Ok(())
    }))
}

fn split_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let count = cx.attr_int("num_split")?.max(0) as usize;
    let shape = cx.with_rank(3, 1)?;
    for index in 0..count {
        cx.set(index, PartialShape::new(&[None, shape.dim(0)]));
        cx.set(count + index, PartialShape::vector(None));
        cx.set(2 * count + index, shape.clone());
    }
    Ok(())
}

fn split_kernel(node: &Node) -> Result<Kernel> {
    let count = node.attr_int("num_split")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (axis, values) = (cx.input(0)?, cx.input(2)?);
        let whole = Coordinates::new(cx.input(1)?, Some(values), cx.input(3)?)?;
        let &[axis] = axis.as_slice::<i64>()? else {
            bail!(InvalidArgument, "split_dim must have exactly one element")
        };
        let rank = whole.rank as i64;
        ensure!(
            (-rank..rank).contains(&axis),
            InvalidArgument,
            "Input split_dim should be in range [{}, {rank}), got {axis}",
            -rank
        );
        let axis = axis.rem_euclid(rank.max(1)) as usize;
        let size = whole.shape[axis];
        ensure!(
            (1..=size).contains(&count),
            InvalidArgument,
            "Input num_split should be between 1 and the splitting dimension size ({size}), got {count}"
        );
        whole.check_bounds()?;
        // The first parts are larger by one where the size does not divide.
        let (least, more) = (size / count, size % count);
        let part_of = |at: i64| if at < (least + 1) * more { at / (least + 1) } else { (at - more) / least };
        let mut parts = vec![(Vec::new(), Vec::new()); count as usize];
        for (number, row) in whole.rows().enumerate() {
            let part = part_of(row[axis]);
            let (flat, picked) = &mut parts[part as usize];
            let first = flat.len();
            flat.extend_from_slice(row);
            flat[first + axis] -= part * least + part.min(more);
            picked.push(number);
        }
        let mut outputs = Vec::new();
        for (number, (flat, picked)) in parts.into_iter().enumerate() {
            let mut shape = whole.shape.clone();
            shape[axis] = least + ((number as i64) < more) as i64;
            let values = moved(Shape::vector(picked.len()), &[values], &Pick(&picked))?;
            outputs.push((Tensor::new(&[picked.len() as i64, rank], flat)?, values, Tensor::vector(&shape)));
        }
        for (number, (indices, values, shape)) in outputs.into_iter().enumerate() {
            cx.set_output(number, indices);
            cx.set_output(count as usize + number, values);
            cx.set_output(2 * count as usize + number, shape);
        }
        Ok(())
    }))
}

fn add_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("SparseAddGrad").input(cx.dy(1)?).input(cx.x(0)).input(cx.x(3)).input(cx.y(0));
    let grads = node.outputs();
    let mut all = vec![None; 7];
    (all[1], all[4]) = (grads.first().cloned().map(Gradient::from), grads.get(1).cloned().map(Gradient::from));
    Ok(all)
}

fn dense_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let values = cx.op("GatherNd").input(&dy).input(cx.x(0)).output();
    Ok(vec![None, Some(values.into()), None, Some(dy.into())])
}
