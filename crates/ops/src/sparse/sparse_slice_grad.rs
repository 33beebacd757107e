//! `SparseSliceGrad`: the gradient of `SparseSlice`, at the values that it took.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, types};
use tensor::{PartialShape, Result, ensure};

use super::numbers::NUMBERS;
use super::sparse_add::{check_grads, found, numbered, rows_of};

pub(crate) fn register(r: &mut Registry) {
    let numbers = format!("T: {NUMBERS}");
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
