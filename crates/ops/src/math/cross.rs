//! `Cross`: the cross product of vectors of three.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node};
use math::number::Number;
use tensor::{Result, Tensor, bf16, ensure, f16};

pub(crate) fn register(r: &mut Registry) {
    r.op("Cross", "a: T, b: T -> product: T")
        .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
        .shape(shape)
        .kernel("T", types::REALS, kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (a, b) = (cx.with_rank_at_least(0, 1)?, cx.with_rank_at_least(1, 1)?);
    if let (Some(a), Some(b)) = (a.rank(), b.rank()) {
        ensure!(a == b, InvalidArgument, "Shape must be rank {a} but is rank {b}");
    }
    let shape = a.merge(&b)?;
    if let Some(&last) = shape.raw_dims().and_then(|dims| dims.last()) {
        ensure!(last < 0 || last == 3, InvalidArgument, "Dimension must be 3 but is {last}");
    }
    cx.set(0, shape);
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let product = cross(cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, product);
        Ok(())
    }))
}

fn cross(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    ensure!(
        a.shape() == b.shape(),
        InvalidArgument,
        "Both inputs must be of same shape: {} vs. {}",
        a.shape(),
        b.shape()
    );
    ensure!(a.shape().rank() >= 1, InvalidArgument, "Input must be at least 1D");
    ensure!(a.dims().last() == Some(&3), FailedPrecondition, "Cross-products are only defined for 3-element vectors.");
    dispatch!(a.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
        let (x, y) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
        Tensor::build(a.shape().clone(), |out: &mut [T]| {
            for ((out, u), v) in out.chunks_exact_mut(3).zip(x.chunks_exact(3)).zip(y.chunks_exact(3)) {
                for (i, out) in out.iter_mut().enumerate() {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    *out = u[j].times(v[k]).minus(u[k].times(v[j]));
                }
            }
            Ok(())
        })
    })
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let cross = |a, b| -> Option<Gradient> { Some(cx.op("Cross").input(a).input(b).output().into()) };
    Ok(vec![cross(cx.x(1), dy.clone()), cross(dy, cx.x(0))])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn of_axes_and_of_what_has_no_product() {
        let product = cross(&Tensor::from([1i32, 0, 0]), &Tensor::from([0i32, 1, 0])).unwrap();
        assert_eq!(product, Tensor::from([0i32, 0, 1]));
        let status = cross(&Tensor::from([1f32, 0.0]), &Tensor::from([0f32, 1.0])).unwrap_err();
        assert_eq!(status.message(), "Cross-products are only defined for 3-element vectors.");
    }
}
