//! `Bucketize`: which of the ranges between boundaries each number lies in.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::DType::{Double, Float, Int32, Int64};
use tensor::{Result, Tensor, ensure};

use crate::summary::scalar_summary::numbers;

pub(crate) fn register(r: &mut Registry) {
    r.op("Bucketize", "input: T -> output: int32")
        .attr("T: {int32, int64, float, double}")
        .attr("boundaries: list(float)")
        .shape(ShapeContext::unchanged)
        .kernel("T", &[Int32, Int64, Float, Double], kernel)
        .not_differentiable();
}

fn kernel(node: &Node) -> Result<Kernel> {
    let boundaries = node.attr_floats("boundaries")?.to_vec();
    ensure!(boundaries.is_sorted(), InvalidArgument, "Expected sorted boundaries");
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = bucketize(cx.input(0)?, &boundaries)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn bucketize(input: &Tensor, boundaries: &[f32]) -> Result<Tensor> {
    let values = numbers(input)?;
    Tensor::build(input.shape().clone(), |out: &mut [i32]| {
        for (out, value) in out.iter_mut().zip(&values) {
            // The number of boundaries at or below; a value that compares with none is below all of them.
            *out = boundaries.partition_point(|limit| *value >= *limit as f64) as i32;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives this.
    #[test]
    fn boundaries_belong_to_the_range_above() {
        let x = Tensor::from([[-5i32, 10000], [150, 10], [5, 100]]);
        assert_eq!(bucketize(&x, &[0.0, 10.0, 100.0]).unwrap(), Tensor::from([[0i32, 3], [3, 2], [1, 3]]));
    }
}
