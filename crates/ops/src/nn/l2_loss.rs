//! `L2Loss`: half the sum of squares.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use math::gemm::gemm;
use tensor::DType::{self, *};
use tensor::{Result, Tensor};

use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] = &[Float, Double, Half, BFloat16];
    r.op("L2Loss", "t: T -> output: T")
        .attr("T: {half, bfloat16, float, double}")
        .shape(ShapeContext::scalar)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let loss = l2_loss(cx.input(0)?)?;
        cx.set_output(0, loss);
        Ok(())
    }))
}

fn l2_loss(t: &Tensor) -> Result<Tensor> {
    if matches!(t.dtype(), Half | BFloat16) {
        return narrow(&l2_loss(&widen(t)?)?, t.dtype());
    }
    dispatch!(t.dtype(), T in [f32, f64] => {
        let values = t.as_slice::<T>()?;
        // The product of the tensor, as a row, with itself, as a column.
        let mut product = [0 as T];
        gemm(1, values.len(), 1, values, false, values, false, &mut product, false);
        Ok(Tensor::scalar(product[0] / 2.0))
    })
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some((cx.x(0) * cx.dy(0)?).into())])
}

unary_methods! {
    /// Half the sum of squares, to keep weights small (`L2Loss`).
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use testkit::eval;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let g = Graph::new();
    /// assert_eq!(eval(&g.constant([3f32, 4.0]).l2_loss())?, Tensor::from(12.5f32));
    /// # Ok(())
    /// # }
    /// ```
    L2LossOps {
        /// Returns half the sum of squares.
        l2_loss = "L2Loss";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_sum_of_squares() {
        assert_eq!(l2_loss(&Tensor::from([3f32, 4.0])).unwrap(), Tensor::from(12.5f32));
        assert_eq!(l2_loss(&Tensor::new::<f64>(&[0], vec![]).unwrap()).unwrap(), Tensor::from(0f64));
    }
}
