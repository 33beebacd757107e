//! `UnravelIndex`: the coordinates of elements from their numbers.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::{PartialShape, Result, Shape, Tensor, ensure, err};

use crate::arguments::int_tensor;

pub(crate) fn register(r: &mut Registry) {
    r.op("UnravelIndex", "indices: Tidx, dims: Tidx -> output: Tidx")
        .attr("Tidx: {int32, int64} = int32")
        .shape(shape)
        .any_kernel(kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (indices, dims) = (cx.input(0), cx.with_rank(1, 1)?);
    match (indices.rank(), indices.dim(0)) {
        (Some(0), _) => cx.set(0, dims),
        (Some(1), count) => cx.set(0, PartialShape::new(&[dims.dim(0), count])),
        (None, _) => {}
        _ => cx.set(0, PartialShape::new(&[dims.dim(0), indices.num_elements()])),
    }
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let coordinates = unravel(cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, coordinates);
        Ok(())
    }))
}

fn unravel(indices: &Tensor, dims: &Tensor) -> Result<Tensor> {
    ensure!(
        indices.shape().rank() <= 1,
        InvalidArgument,
        "The indices can only be scalar or vector, got \"{}\"",
        indices.shape()
    );
    ensure!(dims.shape().rank() == 1, InvalidArgument, "The indices can only be 1-D, got \"{}\"", dims.shape());
    let sizes = dims.to_i64_vec()?;
    let numbers = indices.to_i64_vec()?;
    ensure!(!numbers.is_empty(), InvalidArgument, "received empty tensor indices: shape {}", indices.shape());
    for (at, size) in sizes.iter().enumerate() {
        ensure!(
            *size != 0,
            InvalidArgument,
            "Input dims cannot contain a dim of zero, but dims contains zero at index {at}"
        );
        ensure!(*size > 0, InvalidArgument, "Input dims cannot be negative. Got dim = {size} at index {at}");
    }
    let limit = if dims.dtype() == tensor::DType::Int32 { i64::from(i32::MAX) } else { i64::MAX };
    let total = sizes.iter().try_fold(1i64, |total, size| total.checked_mul(*size).filter(|total| *total <= limit));
    let total =
        total.ok_or_else(|| err!(InvalidArgument, "Input dims product is causing integer overflow: {sizes:?}"))?;
    let fits = !sizes.is_empty() && numbers.iter().all(|number| *number < total);
    ensure!(fits, InvalidArgument, "index is out of bound as with dims");
    let shape = match indices.shape().is_scalar() {
        true => Shape::vector(sizes.len()),
        false => Shape::new(&[sizes.len() as i64, numbers.len() as i64])?,
    };
    Tensor::check_size(tensor::DType::Int64, &shape)?;
    let mut coordinates = Vec::with_capacity(shape.num_elements());
    let mut below = total;
    for size in &sizes {
        let step = below / size;
        coordinates.extend(numbers.iter().map(|number| number % below / step));
        below = step;
    }
    int_tensor(&coordinates, dims.dtype())?.into_shape(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn coordinates() {
        let dims = Tensor::from([7i32, 6]);
        assert_eq!(unravel(&Tensor::from([22i32, 41, 37]), &dims).unwrap(), Tensor::from([[3i32, 6, 6], [4, 5, 1]]));
        assert_eq!(unravel(&Tensor::from(22i32), &dims).unwrap(), Tensor::from([3i32, 4]));
        assert_eq!(unravel(&Tensor::from([-1i32]), &dims).unwrap(), Tensor::from([[0i32], [-1]]));
    }
}
