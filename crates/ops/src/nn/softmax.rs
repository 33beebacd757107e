//! `Softmax` and `LogSoftmax` over the last axis.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use tensor::DType::{self, *};
use tensor::{Result, Tensor, ensure};

use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] = &[Float, Double, Half, BFloat16];
    r.op("Softmax", "logits: T -> softmax: T")
        .attr("T: {half, bfloat16, float, double}")
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
    r.op("LogSoftmax", "logits: T -> logsoftmax: T")
        .attr("T: {half, bfloat16, float, double}")
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(log_gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank_at_least(0, 1)?;
    cx.set(0, shape);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let log = node.op == "LogSoftmax";
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let result = softmax(cx.input(0)?, log)?;
        cx.set_output(0, result);
        Ok(())
    }))
}

/// Softmax of each row, or its logarithm.
fn softmax(logits: &Tensor, log: bool) -> Result<Tensor> {
    let rank = logits.shape().rank();
    ensure!(rank >= 1, InvalidArgument, "logits must have >= 1 dimension, got {}", logits.shape());
    if logits.num_elements() == 0 {
        return Ok(logits.clone());
    }
    if matches!(logits.dtype(), Half | BFloat16) {
        return narrow(&softmax(&widen(logits)?, log)?, logits.dtype());
    }
    let classes = logits.shape().dim(rank - 1);
    dispatch!(logits.dtype(), T in [f32, f64] => {
        let values = logits.as_slice::<T>()?;
        Tensor::build(logits.shape().clone(), |out: &mut [T]| {
            if log {
                <T as math::softmax::Softmax>::log_softmax(classes, values, out);
            } else {
                <T as math::softmax::Softmax>::softmax(classes, values, out);
            }
            Ok(())
        })
    })
}

/// With y = softmax(x): dx = (dy - sum(dy y)) y.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (y, dy) = (cx.y(0), cx.dy(0)?);
    let sum = sum_of_rows(cx, &dy * &y);
    Ok(vec![Some(((dy - sum) * y).into())])
}

/// With y = log(softmax(x)): dx = dy - sum(dy) e^y.
fn log_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (y, dy) = (cx.y(0), cx.dy(0)?);
    let sum = sum_of_rows(cx, dy.clone());
    Ok(vec![Some((dy - sum * y.unary("Exp")).into())])
}

fn sum_of_rows(cx: &GradContext<'_>, values: Output) -> Output {
    cx.op("Sum").input(values).input(cx.graph.constant([-1i32])).attr("keep_dims", true).output()
}

unary_methods! {
    /// Rows of numbers as probabilities, and their logarithms (`Softmax`, `LogSoftmax`).
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use testkit::eval;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let g = Graph::new();
    /// assert_eq!(eval(&g.constant([[0f32, 0.0]]).softmax())?, Tensor::from([[0.5f32, 0.5]]));
    /// assert_eq!(eval(&g.constant([[0f32, -1000.0]]).log_softmax())?, Tensor::from([[0f32, -1000.0]]));
    /// # Ok(())
    /// # }
    /// ```
    SoftmaxOps {
        /// Returns e^x divided by its sum along the last axis.
        softmax = "Softmax";
        /// Returns the logarithm of the softmax.
        log_softmax = "LogSoftmax";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn rows_and_edges() {
        let y = softmax(&Tensor::from([[0f64, 0.0], [1000.0, 1000.0]]), false).unwrap();
        assert_eq!(y, Tensor::from([[0.5f64, 0.5], [0.5, 0.5]]));
        let status = softmax(&Tensor::from(1f32), false).unwrap_err();
        assert_eq!(status.message(), "logits must have >= 1 dimension, got []");
        let none = Tensor::zeros(Float, &tensor::Shape::new(&[2, 0]).unwrap()).unwrap();
        assert_eq!(softmax(&none, true).unwrap().dims(), [2, 0]);
    }
}
