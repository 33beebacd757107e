//! `SparseTensorDenseAdd`: a sparse tensor added to a dense one.

use graph::op::{GradContext, Kernel, OpContext, Registry, types};
use graph::{Gradient, Node};
use math::number::Number;
use tensor::{Complex64, Complex128, Result, bf16, ensure, err, f16};

use super::Coordinates;
use super::numbers::NUMBERS;

pub(crate) fn register(r: &mut Registry) {
    let numbers = format!("T: {NUMBERS}");
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
}

fn dense_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let mut dense = cx.take_input(3)?;
        let values = cx.input(1)?;
        let (indices, shape) = (cx.input(0)?, cx.input(2)?);
        if let ([rows, columns], [count], [rank]) = (indices.dims(), values.dims(), shape.dims()) {
            for (a, b, what) in [(rows, count, "indices and values"), (columns, rank, "columns of indices and shape")] {
                ensure!(a == b, InvalidArgument, "Dimensions {a} and {b} are not compatible: {what}");
            }
        }
        let sparse = Coordinates::new(indices, Some(values), shape)?;
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
        sparse.check_bounds().map_err(|status| err!(InvalidArgument, "invalid index: {}", status.message()))?;
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

fn dense_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let values = cx.op("GatherNd").input(&dy).input(cx.x(0)).output();
    Ok(vec![None, Some(values.into()), None, Some(dy.into())])
}
