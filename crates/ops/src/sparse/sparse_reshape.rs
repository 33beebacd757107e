//! `SparseReshape`: the same values in a tensor of another shape.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::Coordinates;

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "SparseReshape",
        "input_indices: int64, input_shape: int64, new_shape: int64 -> output_indices: int64, output_shape: int64",
    )
    .shape(shape)
    .any_kernel(kernel)
    .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let indices = cx.with_rank(0, 2)?;
    cx.with_rank(1, 1)?;
    let new = cx.with_rank(2, 1)?;
    cx.set(0, PartialShape::new(&[indices.dim(0), new.dim(0)]));
    cx.set(1, new);
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (indices, shape) = reshape(cx.input(0)?, cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, indices);
        cx.set_output(1, shape);
        Ok(())
    }))
}

fn reshape(indices: &Tensor, shape: &Tensor, new_shape: &Tensor) -> Result<(Tensor, Tensor)> {
    let old = Coordinates::new(indices, None, shape)?;
    ensure!(
        new_shape.shape().rank() == 1,
        InvalidArgument,
        "Target shape should be a vector but received shape {}",
        new_shape.shape()
    );
    let product = |dims: &[i64]| dims.iter().try_fold(1i64, |product, dim| product.checked_mul(*dim));
    let Some(total) = product(&old.shape) else {
        bail!(InvalidArgument, "input shape {:?} has too many elements", old.shape)
    };
    let mut new = new_shape.to_i64_vec()?;
    let unknown: Vec<usize> = (0..new.len()).filter(|axis| new[*axis] == -1).collect();
    ensure!(
        unknown.len() <= 1,
        InvalidArgument,
        "only one output dimension may be -1, not both {} and {}",
        unknown[0],
        unknown[1]
    );
    for (axis, dim) in new.iter().enumerate() {
        ensure!(*dim >= -1, InvalidArgument, "size {axis} must be non-negative, not {dim}");
    }
    let known: Vec<i64> = new.iter().copied().filter(|dim| *dim != -1).collect();
    let Some(known) = product(&known) else { bail!(InvalidArgument, "new shape {new:?} has too many elements") };
    if let [axis] = unknown[..] {
        ensure!(
            known > 0,
            InvalidArgument,
            "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are non-zero"
        );
        ensure!(
            total % known == 0,
            InvalidArgument,
            "Input to reshape is a SparseTensor with {total} dense values, but the requested shape requires a multiple of {known}"
        );
        new[axis] = total / known;
    } else {
        ensure!(
            known == total,
            InvalidArgument,
            "Input to reshape is a tensor with {total} dense values, but the requested shape has {known}"
        );
    }
    old.check_bounds()?;
    let rows = indices.shape().dim(0);
    let out_shape = Shape::new(&[rows as i64, new.len() as i64])?;
    let moved = Tensor::build(out_shape, |out: &mut [i64]| {
        if !new.is_empty() && old.rank > 0 {
            for (row, out) in old.rows().zip(out.chunks_exact_mut(new.len())) {
                let mut place = row.iter().zip(&old.shape).fold(0i64, |place, (at, dim)| place * dim + at);
                for (out, dim) in out.iter_mut().zip(&new).rev() {
                    *out = place % dim.max(&1);
                    place /= dim.max(&1);
                }
            }
        } else {
            out.fill(0);
        }
        Ok(())
    })?;
    Ok((moved, Tensor::vector(&new)))
}
