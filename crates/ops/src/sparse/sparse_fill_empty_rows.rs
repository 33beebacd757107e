//! `SparseFillEmptyRows` and `SparseFillEmptyRowsGrad`: rows without values get a default one.

use graph::Gradient;
use graph::Node;
use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use math::number::Number;
use tensor::{Complex64, Complex128, DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use crate::moving::{Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "SparseFillEmptyRows",
        "indices: int64, values: T, dense_shape: int64, default_value: T -> output_indices: int64, output_values: T, \
         empty_row_indicator: bool, reverse_index_map: int64",
    )
    .attr("T: type")
    .shape(shape)
    .any_kernel(kernel)
    .gradient(gradient);
    r.op("SparseFillEmptyRowsGrad", "reverse_index_map: int64, grad_values: T -> d_values: T, d_default_value: T")
        .attr("T: type")
        .shape(fill_empty_rows_grad_shape)
        .kernel("T", graph::op::types::NUMBERS, fill_empty_rows_grad);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let indices = cx.with_rank(0, 2)?;
    cx.with_rank(1, 1)?;
    cx.with_rank(2, 1)?;
    cx.with_rank(3, 0)?;
    let dense = cx.input_as_shape(2);
    cx.set(0, PartialShape::new(&[None, indices.dim(1)]));
    cx.set(1, PartialShape::vector(None));
    cx.set(2, PartialShape::vector(dense.dim(0)));
    cx.set(3, PartialShape::vector(indices.dim(0)));
    Ok(())
}

pub(crate) fn fill_empty_rows_grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let map = cx.with_rank(0, 1)?;
    cx.with_rank(1, 1)?;
    cx.set(0, map);
    cx.set(1, PartialShape::scalar());
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let [indices, values, empty, reverse] =
            fill_empty_rows(cx.input(0)?, cx.input(1)?, cx.input(2)?, cx.input(3)?)?;
        cx.set_output(0, indices);
        cx.set_output(1, values);
        cx.set_output(2, empty);
        cx.set_output(3, reverse);
        Ok(())
    }))
}

pub(crate) fn fill_empty_rows(
    indices: &Tensor,
    values: &Tensor,
    dense_shape: &Tensor,
    default: &Tensor,
) -> Result<[Tensor; 4]> {
    ensure!(
        dense_shape.shape().rank() == 1,
        InvalidArgument,
        "dense_shape must be a vector, saw: {}",
        dense_shape.shape()
    );
    ensure!(indices.shape().rank() == 2, InvalidArgument, "indices must be a matrix, saw: {}", indices.shape());
    ensure!(values.shape().rank() == 1, InvalidArgument, "values must be a vector, saw: {}", values.shape());
    ensure!(
        indices.shape().dim(0) == values.num_elements(),
        InvalidArgument,
        "The length of `values` ({}) must match the first dimension of `indices` ({}).",
        values.num_elements(),
        indices.shape().dim(0)
    );
    ensure!(default.shape().is_scalar(), InvalidArgument, "default_value must be a scalar, saw: {}", default.shape());
    let dense = dense_shape.to_i64_vec()?;
    let Some(rows) = dense.first().copied() else { bail!(InvalidArgument, "Dense shape cannot be empty.") };
    let (count, rank) = (indices.shape().dim(0), indices.shape().dim(1));
    ensure!(
        rank == dense.len(),
        InvalidArgument,
        "indices have {rank} columns, but the dense shape has {} dimensions",
        dense.len()
    );
    ensure!(rows >= 0, InvalidArgument, "dense_shape must not be negative, saw: {dense:?}");
    ensure!(
        rows > 0 || count == 0,
        InvalidArgument,
        "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {count}"
    );
    Tensor::check_size(DType::Int64, &Shape::new(&[rows, rank as i64])?)?;
    let flat = indices.to_i64_vec()?;
    // The places of the values in the result: rows in order, and within a row in the order they came.
    let mut sizes = vec![0usize; rows as usize];
    for (number, entry) in flat.chunks_exact(rank).enumerate() {
        ensure!(
            (0..rows).contains(&entry[0]),
            InvalidArgument,
            "indices({number}, 0) is invalid: {} >= {rows}",
            entry[0]
        );
        sizes[entry[0] as usize] += 1;
    }
    let empty: Vec<bool> = sizes.iter().map(|size| *size == 0).collect();
    let mut next = Vec::with_capacity(sizes.len());
    let mut total = 0;
    for size in &sizes {
        next.push(total);
        total += (*size).max(1);
    }
    let starts = next.clone();
    let mut picked = vec![usize::MAX; total];
    let mut reverse = Vec::with_capacity(count);
    for (number, entry) in flat.chunks_exact(rank).enumerate() {
        let place = &mut next[entry[0] as usize];
        picked[*place] = number;
        reverse.push(*place as i64);
        *place += 1;
    }
    let mut out = vec![0i64; total * rank];
    for (slot, number) in out.chunks_exact_mut(rank).zip(&picked) {
        if *number != usize::MAX {
            slot.copy_from_slice(&flat[number * rank..(number + 1) * rank]);
        }
    }
    for (row, start) in starts.iter().enumerate() {
        if empty[row] {
            out[start * rank] = row as i64;
        }
    }
    let values = moved(Shape::vector(total), &[values, default], &Pick(&picked))?;
    Ok([Tensor::new([total as i64, rank as i64], out)?, values, Tensor::vector(&empty), Tensor::vector(&reverse)])
}

pub(crate) fn fill_empty_rows_grad(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (map, grads) = (cx.input(0)?, cx.input(1)?);
        ensure!(map.shape().rank() == 1, InvalidArgument, "reverse_index_map must be a vector, saw: {}", map.shape());
        ensure!(grads.shape().rank() == 1, InvalidArgument, "grad_values must be a vector, saw: {}", grads.shape());
        let map = map.to_i64_vec()?;
        let count = grads.num_elements();
        let mut taken = vec![false; count];
        for place in &map {
            ensure!(
                (0..count as i64).contains(place),
                InvalidArgument,
                "Elements in reverse index must be in [0, {count}) but got {place}"
            );
            taken[*place as usize] = true;
        }
        let (values, rest) = dispatch!(grads.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
            let grads = grads.as_slice::<T>()?;
            let values = Tensor::vector(&map.iter().map(|place| grads[*place as usize]).collect::<Vec<T>>());
            let mut rest = <T as Number>::ZERO;
            for (grad, taken) in grads.iter().zip(&taken) {
                rest = if *taken { rest } else { rest.plus(*grad) };
            }
            Ok((values, Tensor::scalar(rest)))
        })?;
        cx.set_output(0, values);
        cx.set_output(1, rest);
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("SparseFillEmptyRowsGrad").input(cx.y(3)).input(cx.dy(1)?).build();
    Ok(vec![None, Some(node.output(0).into()), None, Some(node.output(1).into())])
}
