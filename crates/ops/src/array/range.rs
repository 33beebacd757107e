//! `Range`: numbers from `start` to `limit` in steps of `delta`.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Graph, Node, Output};
use math::number::Number;
use tensor::DType::{BFloat16, Double, Float, Half, Int32, Int64};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use crate::arguments::kernel_by_size;

pub(crate) fn register(r: &mut Registry) {
    r.op("Range", "start: Tidx, limit: Tidx, delta: Tidx -> output: Tidx")
        .attr("Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = int32")
        .shape(shape)
        .kernel("Tidx", &[Float, Double, Int32, Int64, Half, BFloat16], kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    for index in 0..3 {
        cx.with_rank(index, 0)?;
    }
    let length = match (cx.value(0), cx.value(1), cx.value(2)) {
        (Some(start), Some(limit), Some(delta)) if is_computed(start.dtype()) => Some(length(&start, &limit, &delta)?),
        _ => None,
    };
    cx.set(0, PartialShape::vector(length));
    Ok(())
}

fn is_computed(dtype: DType) -> bool {
    matches!(dtype, Float | Double | Int32 | Int64 | Half | BFloat16)
}

fn kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        for (index, name) in ["start", "limit", "delta"].iter().enumerate() {
            let shape = cx.input(index)?.shape();
            ensure!(shape.num_elements() == 1, InvalidArgument, "{name} must be a scalar, not shape {shape}");
        }
        let values = range(cx.input(0)?, cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, values);
        Ok(())
    }))
}

/// How many numbers there are.
fn length(start: &Tensor, limit: &Tensor, delta: &Tensor) -> Result<i64> {
    if start.dtype() == Int32 || start.dtype() == Int64 {
        let whole = |tensor: &Tensor| -> Result<i128> {
            let [value] = tensor.to_i64_vec()?[..] else { bail!(InvalidArgument, "expected one number") };
            Ok(value as i128)
        };
        let (start, limit, delta) = (whole(start)?, whole(limit)?, whole(delta)?);
        ensure!(delta != 0, InvalidArgument, "Requires delta != 0: 0");
        check_order(delta > 0, start <= limit, start >= limit, start, limit)?;
        let count = ((limit - start).abs() + delta.abs() - 1) / delta.abs();
        return i64::try_from(count).map_err(|_| too_many());
    }
    dispatch!(start.dtype(), T in [f32, f64, f16, bf16] => {
        let (start, limit, delta) = (start.to_scalar::<T>()?, limit.to_scalar::<T>()?, delta.to_scalar::<T>()?);
        ensure!(delta != T::ZERO, InvalidArgument, "Requires delta != 0: 0");
        check_order(delta > T::ZERO, start <= limit, start >= limit, start, limit)?;
        // The quotient is rounded to the type first, as TensorFlow computes it.
        let count = wide(limit.minus(start).over(delta)).abs().ceil();
        if count < i64::MAX as f64 { Ok(count as i64) } else { Err(too_many()) }
    })
}

fn wide(value: impl Into<f64>) -> f64 {
    value.into()
}

fn check_order<T: std::fmt::Display>(up: bool, rising: bool, falling: bool, start: T, limit: T) -> Result<()> {
    match up {
        true => ensure!(rising, InvalidArgument, "Requires start <= limit when delta > 0: {start}/{limit}"),
        false => ensure!(falling, InvalidArgument, "Requires start >= limit when delta < 0: {start}/{limit}"),
    }
    Ok(())
}

fn too_many() -> tensor::Status {
    tensor::err!(InvalidArgument, "Requires ((limit - start) / delta) <= {}", i64::MAX)
}

fn range(start: &Tensor, limit: &Tensor, delta: &Tensor) -> Result<Tensor> {
    let shape = Shape::new(&[length(start, limit, delta)?])?;
    dispatch!(start.dtype(), T in [i32, i64, f32, f64, f16, bf16] => {
        let (start, delta) = (start.to_scalar::<T>()?, delta.to_scalar::<T>()?);
        Tensor::build(shape, |out: &mut [T]| {
            for (place, slot) in out.iter_mut().enumerate() {
                *slot = start.plus(T::from_count(place).times(delta));
            }
            Ok(())
        })
    })
}

/// Vectors of evenly spaced numbers (`Range`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// assert_eq!(eval(&g.range(0i32, 7i32, 3i32))?, Tensor::from([0i32, 3, 6]));
/// assert_eq!(eval(&g.range(1f32, 0f32, -0.5f32))?, Tensor::from([1f32, 0.5]));
/// # Ok(())
/// # }
/// ```
pub trait RangeOps {
    /// Returns the numbers from `start` up to, but without, `limit`.
    fn range(&self, start: impl Into<Tensor>, limit: impl Into<Tensor>, delta: impl Into<Tensor>) -> Output;
}

impl RangeOps for Graph {
    #[track_caller]
    fn range(&self, start: impl Into<Tensor>, limit: impl Into<Tensor>, delta: impl Into<Tensor>) -> Output {
        let (start, limit, delta) = (self.constant(start), self.constant(limit), self.constant(delta));
        self.op("Range").name("range").input(start).input(limit).input(delta).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_up_and_down() {
        let ints = |start: i32, limit: i32, delta: i32| range(&start.into(), &limit.into(), &delta.into());
        assert_eq!(ints(5, 0, -2).unwrap(), Tensor::from([5i32, 3, 1]));
        assert_eq!(ints(2, 2, 1).unwrap().dims(), [0]);
        // TensorFlow 2.21 gives these: the product is added, not the step again and again.
        let tenths = range(&0f32.into(), &1f32.into(), &0.1f32.into()).unwrap();
        assert_eq!(tenths.as_slice::<f32>().unwrap()[7..], [0.7, 0.8, 0.900_000_04]);
        let message = |start, limit, delta| ints(start, limit, delta).unwrap_err().message().to_owned();
        assert_eq!(message(0, 3, 0), "Requires delta != 0: 0");
        assert_eq!(message(0, 3, -1), "Requires start >= limit when delta < 0: 0/3");
        assert_eq!(message(5, 3, 1), "Requires start <= limit when delta > 0: 5/3");
        let endless = range(&i64::MIN.into(), &i64::MAX.into(), &1i64.into()).unwrap_err();
        assert_eq!(endless.message(), "Requires ((limit - start) / delta) <= 9223372036854775807");
        assert!(range(&0f32.into(), &f32::NAN.into(), &1f32.into()).is_err());
        assert!(range(&0f32.into(), &f32::INFINITY.into(), &1f32.into()).is_err());
    }
}
