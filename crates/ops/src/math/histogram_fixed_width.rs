//! `HistogramFixedWidth`: how many values fall into each of several ranges of one width.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use crate::arguments::int_tensor;

pub(crate) fn register(r: &mut Registry) {
    r.op("HistogramFixedWidth", "values: T, value_range: T, nbins: int32 -> out: dtype")
        .attr("T: {int32, int64, float, double}")
        .attr("dtype: {int32, int64} = int32")
        .shape(shape)
        .kernel("T", &[Int32, Int64, Float, Double, Half, BFloat16], kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 1)?;
    cx.with_rank(2, 0)?;
    let bins = cx.int(2);
    if let Some(bins) = bins {
        ensure!(bins > 0, InvalidArgument, "Requires nbins > 0, got {bins}");
    }
    cx.set(0, PartialShape::vector(bins));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (values, range, bins) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        ensure!(range.dims() == [2], InvalidArgument, "value_range should be a vector of 2 elements.");
        ensure!(bins.shape().is_scalar(), InvalidArgument, "nbins should be a scalar.");
        let counts = histogram(values, range, bins.to_scalar::<i32>()?)?;
        cx.set_output(0, int_tensor(&counts, dtype)?);
        Ok(())
    }))
}

/// The numbers as doubles.
fn doubles(tensor: &Tensor) -> Result<Vec<f64>> {
    let dtype: DType = tensor.dtype();
    Ok(match dtype {
        Int32 => tensor.as_slice::<i32>()?.iter().map(|x| f64::from(*x)).collect(),
        Int64 => tensor.as_slice::<i64>()?.iter().map(|x| *x as f64).collect(),
        Float => tensor.as_slice::<f32>()?.iter().map(|x| f64::from(*x)).collect(),
        Double => tensor.as_slice::<f64>()?.to_vec(),
        Half => tensor.as_slice::<f16>()?.iter().map(|x| x.to_f64()).collect(),
        BFloat16 => tensor.as_slice::<bf16>()?.iter().map(|x| x.to_f64()).collect(),
        other => bail!(Internal, "no code for elements of type {other}"),
    })
}

fn histogram(values: &Tensor, range: &Tensor, bins: i32) -> Result<Vec<i64>> {
    let (numbers, ends) = (doubles(values)?, doubles(range)?);
    ensure!(
        ends[0] < ends[1],
        InvalidArgument,
        "value_range should satisfy value_range[0] < value_range[1], but got '[{}, {}]'",
        ends[0],
        ends[1]
    );
    ensure!(bins > 0, InvalidArgument, "nbins should be a positive number, but got '{bins}'");
    ensure!(!numbers.iter().any(|x| x.is_nan()), InvalidArgument, "Histogram values must not contain NaN");
    Tensor::check_size(Int64, &Shape::vector(bins as usize))?;
    let mut counts = vec![0i64; bins as usize];
    let step = (ends[1] - ends[0]) / f64::from(bins);
    for number in numbers {
        let place = ((number.clamp(ends[0], ends[1]) - ends[0]) / step).floor();
        counts[(place as usize).min(bins as usize - 1)] += 1;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives this.
    #[test]
    fn what_is_outside_counts_at_the_ends() {
        let values = Tensor::from([-1f32, 0.0, 1.5, 2.0, 5.0, 15.0]);
        assert_eq!(histogram(&values, &Tensor::from([0f32, 5.0]), 5).unwrap(), [2, 1, 1, 0, 2]);
    }
}
