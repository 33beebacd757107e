//! `SparseAdd` and `SparseAddGrad`: the sum of two sparse tensors.

use std::collections::HashMap;

use graph::op::{GradContext, Kernel, OpContext, Registry, types};
use graph::{Gradient, Node};
use math::number::Number;
use tensor::{Complex64, Complex128, PartialShape, Result, Shape, Tensor, bf16, ensure, f16};

use super::Coordinates;
use super::numbers::{NUMBERS, magnitudes};
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
        cx.set_output(0, Tensor::new([kept.len() as i64, a.rank as i64], flat)?);
        cx.set_output(1, values);
        cx.set_output(2, shape);
        Ok(())
    }))
}

pub(super) fn rows_of(indices: &Tensor, name: &str) -> Result<Vec<Vec<i64>>> {
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
pub(super) fn found(grads: &Tensor, rows: &[Vec<i64>], places: &HashMap<Vec<i64>, usize>) -> Result<Tensor> {
    let picked: Vec<usize> = rows.iter().map(|row| places.get(row).copied().unwrap_or(usize::MAX)).collect();
    let zero = Tensor::zeros(grads.dtype(), &Shape::scalar())?;
    moved(Shape::vector(rows.len()), &[grads, &zero], &Pick(&picked))
}

pub(super) fn numbered(rows: Vec<Vec<i64>>) -> HashMap<Vec<i64>, usize> {
    rows.into_iter().enumerate().map(|(number, row)| (row, number)).collect()
}

pub(super) fn check_grads(grads: &Tensor, rows: usize) -> Result<()> {
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

fn add_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("SparseAddGrad").input(cx.dy(1)?).input(cx.x(0)).input(cx.x(3)).input(cx.y(0));
    let grads = node.outputs();
    let mut all = vec![None; 7];
    (all[1], all[4]) = (grads.first().cloned().map(Gradient::from), grads.get(1).cloned().map(Gradient::from));
    Ok(all)
}
