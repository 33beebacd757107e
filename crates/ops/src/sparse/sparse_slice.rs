//! `SparseSlice`: a block cut out of a sparse tensor.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use super::Coordinates;
use crate::moving::{Pick, moved};

pub(crate) fn register(r: &mut Registry) {
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

fn slice_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank(2, 1)?;
    cx.set(0, PartialShape::new(&[None, shape.dim(0)]));
    cx.set(1, PartialShape::vector(None));
    cx.set(2, shape);
    Ok(())
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
        cx.set_output(0, Tensor::new([picked.len() as i64, whole.rank as i64], flat)?);
        cx.set_output(1, values);
        cx.set_output(2, Tensor::vector(&shape));
        Ok(())
    }))
}

fn slice_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let values = cx.op("SparseSliceGrad").input(cx.dy(1)?).input(cx.x(0)).input(cx.x(3)).input(cx.y(0)).output();
    Ok(vec![None, Some(values.into()), None, None, None])
}
