//! `DenseBincount` and `Bincount`: how often each number occurs.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::number::Number;
use tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

use crate::arguments::int_scalar;

pub(crate) fn register(r: &mut Registry) {
    const WEIGHTS: &[DType] = &[DType::Int32, DType::Int64, DType::Float, DType::Double];
    r.op("DenseBincount", "input: Tidx, size: Tidx, weights: T -> output: T")
        .attr("Tidx: {int32, int64}")
        .attr("T: {int32, int64, float, double}")
        .attr("binary_output: bool = false")
        .shape(count_shape)
        .kernel("T", WEIGHTS, count_kernel)
        .not_differentiable();
    r.op("Bincount", "arr: int32, size: int32, weights: T -> bins: T")
        .attr("T: {int32, int64, float, double}")
        .shape(count_shape)
        .kernel("T", WEIGHTS, count_kernel)
        .not_differentiable();
}

fn count_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0)?;
    let size = cx.int(1).filter(|size| *size >= 0);
    match (cx.node.op.as_str(), cx.input(0).rank()) {
        ("Bincount", _) | (_, Some(1)) => cx.set(0, PartialShape::vector(size)),
        (_, Some(2)) => {
            let rows = cx.input(0).dim(0);
            cx.set(0, PartialShape::new(&[rows, size]));
        }
        _ => {}
    }
    Ok(())
}

fn count_kernel(node: &Node) -> Result<Kernel> {
    let flat = node.op == "Bincount";
    let binary = !flat && node.attr_bool("binary_output")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, size, weights) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        ensure!(size.shape().is_scalar(), InvalidArgument, "Shape must be rank 0 but is rank {}", size.shape().rank());
        let size = int_scalar(size, "size should be a scalar, not ")?;
        ensure!(size >= 0, InvalidArgument, "size ({size}) must be non-negative");
        let rank = input.shape().rank();
        ensure!(flat || rank <= 2, InvalidArgument, "Shape must be at most rank 2 but is rank {rank}");
        ensure!(
            weights.num_elements() == 0 || weights.shape() == input.shape(),
            InvalidArgument,
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights equal \
             to 1. Received {}",
            weights.shape()
        );
        let shape = if !flat && rank == 2 { Shape::new(&[input.dims()[0], size])? } else { Shape::new(&[size])? };
        let numbers = input.to_i64_vec()?;
        ensure!(numbers.iter().all(|number| *number >= 0), InvalidArgument, "Input arr must be non-negative!");
        let width = if !flat && rank == 2 { input.shape().dim(1) } else { numbers.len() };
        let output = dispatch!(weights.dtype(), T in [i32, i64, f32, f64] => {
            let weights = weights.as_slice::<T>()?;
            Tensor::build(shape, |out: &mut [T]| {
                out.fill(<T as Number>::ZERO);
                for (place, number) in numbers.iter().enumerate().filter(|(_, number)| **number < size) {
                    let row = place.checked_div(width).unwrap_or(0);
                    let slot = &mut out[row * size as usize + *number as usize];
                    let weight = weights.get(place).copied().unwrap_or(<T as Number>::ONE);
                    *slot = if binary { <T as Number>::ONE } else { slot.plus(weight) };
                }
                Ok(())
            })
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}
