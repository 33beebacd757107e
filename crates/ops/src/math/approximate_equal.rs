//! `ApproximateEqual`: whether numbers differ by less than a tolerance.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::DType::{Double, Float};
use tensor::{Result, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("ApproximateEqual", "x: T, y: T -> z: bool")
        .attr(
            "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, \
             quint16, uint16, complex128, half, uint32, uint64}",
        )
        .attr("tolerance: float = 1e-05")
        .commutative()
        .shape(ShapeContext::merged)
        .kernel("T", &[Float, Double], kernel)
        .not_differentiable();
}

fn kernel(node: &Node) -> Result<Kernel> {
    let tolerance = node.attr_float("tolerance")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (x, y) = (cx.input(0)?, cx.input(1)?);
        ensure!(
            x.shape() == y.shape(),
            InvalidArgument,
            "x and y must be of the same shape. x shape: {}. y shape: {}",
            x.shape(),
            y.shape()
        );
        let close = dispatch!(x.dtype(), T in [f32, f64] => {
            let (a, b) = (x.as_slice::<T>()?, y.as_slice::<T>()?);
            #[allow(clippy::unnecessary_cast)]
            let tolerance = tolerance as T;
            Tensor::build(x.shape().clone(), |out: &mut [bool]| {
                out.iter_mut().zip(a.iter().zip(b)).for_each(|(o, (a, b))| *o = (a - b).abs() < tolerance);
                Ok(())
            })
        })?;
        cx.set_output(0, close);
        Ok(())
    }))
}
