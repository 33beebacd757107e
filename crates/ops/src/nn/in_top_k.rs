//! `InTopK` and `InTopKV2`: whether the target is among the k best predictions.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, Output, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("InTopK", "predictions: float, targets: T -> precision: bool")
        .attr("k: int")
        .attr("T: {int32, int64} = int32")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
    r.op("InTopKV2", "predictions: float, targets: T, k: T -> precision: bool")
        .attr("T: {int32, int64} = int32")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (predictions, targets) = (cx.with_rank(0, 2)?, cx.with_rank(1, 1)?);
    let rows = PartialShape::vector(predictions.dim(0)).merge(&targets)?;
    cx.set(0, rows);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let fixed = if node.op == "InTopK" { Some(node.attr_int("k")?) } else { None };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let k = match fixed {
            Some(k) => k,
            None => {
                let k = cx.input(2)?;
                ensure!(k.shape().is_scalar(), InvalidArgument, "k must be 0-D, got shape {}", k.shape());
                k.to_i64_vec()?.first().copied().unwrap_or(0)
            }
        };
        let answer = in_top_k(cx.input(0)?, cx.input(1)?, k)?;
        cx.set_output(0, answer);
        Ok(())
    }))
}

/// A row with infinite or undefined predictions, or a target that is no class, is never right.
fn in_top_k(predictions: &Tensor, targets: &Tensor, k: i64) -> Result<Tensor> {
    ensure!(predictions.shape().rank() == 2, InvalidArgument, "predictions must be 2-dimensional");
    ensure!(targets.shape().rank() == 1, InvalidArgument, "targets must be 1-dimensional");
    let (rows, classes) = (predictions.dims()[0], predictions.shape().dim(1));
    ensure!(
        rows == targets.dims()[0],
        InvalidArgument,
        "First dimension of predictions {rows} must match length of targets {}",
        targets.dims()[0]
    );
    let (values, targets) = (predictions.as_slice::<f32>()?, targets.to_i64_vec()?);
    Tensor::build(Shape::vector(targets.len()), |out: &mut [bool]| {
        for (row, (answer, target)) in out.iter_mut().zip(&targets).enumerate() {
            let values = &values[row * classes..(row + 1) * classes];
            *answer = usize::try_from(*target).ok().and_then(|target| values.get(target)).is_some_and(|at_target| {
                let better = values.iter().filter(|value| *value > at_target).count() as i64;
                better < k && values.iter().all(|value| value.is_finite())
            });
        }
        Ok(())
    })
}

/// Whether guesses are good enough (`InTopK`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let predictions = g.constant([[0.1f32, 0.7, 0.2], [0.1, 0.7, 0.2]]);
/// assert_eq!(eval(&predictions.in_top_k(&g.constant([2i32, 0]), 2))?, Tensor::from([true, false]));
/// # Ok(())
/// # }
/// ```
pub trait InTopKOps {
    /// Returns, for each row of predictions, whether the target's is among the k greatest.
    fn in_top_k(&self, targets: &Output, k: i64) -> Output;
}

impl InTopKOps for Output {
    #[track_caller]
    fn in_top_k(&self, targets: &Output, k: i64) -> Output {
        self.graph().op("InTopK").input(self).input(targets).attr("k", k).at(std::panic::Location::caller()).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn ties_count_and_infinities_do_not() {
        let predictions = Tensor::from([[1f32, 2.0, 2.0], [3.0, 2.0, 1.0], [1.0, f32::INFINITY, 3.0], [0.0, 0.0, 0.0]]);
        let answer = in_top_k(&predictions, &Tensor::from([1i32, 2, 1, 5]), 2).unwrap();
        assert_eq!(answer, Tensor::from([true, false, false, false]));
        assert!(in_top_k(&predictions, &Tensor::from([1i32]), 2).is_err());
    }
}
