//! `ClipByValue`: values no less than a lower and no greater than an upper bound.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Operand, Output};
use math::elementwise::BinaryOp;
use tensor::DType::{self, *};
use tensor::{Element, Result, Tensor, bf16, ensure, f16};

use super::binary::binary;
use super::binary_grad::unbroadcast;

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] = &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64];
    r.op("ClipByValue", "t: T, clip_value_min: T, clip_value_max: T -> output: T")
        .attr(
            "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, \
             quint16, uint16, complex128, half, uint32, uint64}",
        )
        .shape(ShapeContext::unchanged)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (t, low, high) = (cx.take_input(0)?, cx.take_input(1)?, cx.take_input(2)?);
        cx.set_output(0, clip(t, low, high)?);
        Ok(())
    }))
}

fn clip(t: Tensor, low: Tensor, high: Tensor) -> Result<Tensor> {
    let fits = |bound: &Tensor| bound.shape().is_scalar() || bound.shape() == t.shape();
    ensure!(
        fits(&low) && fits(&high),
        InvalidArgument,
        "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. input shape: \
         {}clip_value_min shape: {}clip_value_max shape: {}",
        t.shape(),
        low.shape(),
        high.shape()
    );
    let (low, high) = (unbounded(low, f32::NEG_INFINITY)?, unbounded(high, f32::INFINITY)?);
    binary(BinaryOp::Maximum, binary(BinaryOp::Minimum, t, high)?, low)
}

/// A bound that is not a number bounds nothing.
fn unbounded(bound: Tensor, endless: f32) -> Result<Tensor> {
    fn replaced<T: Element + Copy>(bound: Tensor, is_nan: impl Fn(T) -> bool, endless: T) -> Result<Tensor> {
        let own = bound.as_slice::<T>()?;
        if !own.iter().any(|value| is_nan(*value)) {
            return Ok(bound);
        }
        let values: Vec<T> = own.iter().map(|value| if is_nan(*value) { endless } else { *value }).collect();
        Tensor::from_slice(bound.shape(), &values)
    }
    match bound.dtype() {
        Float => replaced(bound, f32::is_nan, endless),
        Double => replaced(bound, f64::is_nan, f64::from(endless)),
        Half => replaced(bound, f16::is_nan, f16::from_f32(endless)),
        BFloat16 => replaced(bound, bf16::is_nan, bf16::from_f32(endless)),
        _ => Ok(bound),
    }
}

/// The gradient goes to the bound that a value met, else to the value.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (t, low, high, dy) = (cx.x(0), cx.x(1), cx.x(2), cx.dy(0)?);
    let zeros = dy.unary("ZerosLike");
    let below = t.binary("Less", "Less", &low);
    let above = t.binary("Greater", "Greater", &high);
    let select = |mask: &Output, a: &Output, b: &Output| cx.op("SelectV2").input(mask).input(a).input(b).output();
    let clipped = below.binary("LogicalOr", "LogicalOr", &above);
    let for_low = unbroadcast(cx, select(&below, &dy, &zeros), &low, &t);
    let for_high = unbroadcast(cx, select(&above, &dy, &zeros), &high, &t);
    Ok(vec![Some(select(&clipped, &zeros, &dy).into()), Some(for_low.into()), Some(for_high.into())])
}

/// Values held between two limits.
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([-3f32, 0.5, 3.0]);
/// assert_eq!(eval(&x.clip_by_value(-1.0, 1.0))?, Tensor::from([-1f32, 0.5, 1.0]));
/// # Ok(())
/// # }
/// ```
pub trait ClipOps {
    /// Returns the values, no less than `low` and no greater than `high`.
    fn clip_by_value(&self, low: impl Operand, high: impl Operand) -> Output;
}

impl ClipOps for Output {
    #[track_caller]
    fn clip_by_value(&self, low: impl Operand, high: impl Operand) -> Output {
        self.binary("Minimum", "clip_by_value/Minimum", high).binary("Maximum", "clip_by_value", low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these: the lower bound wins.
    #[test]
    fn bounds() {
        let t = Tensor::from([-1f32, 0.5, 2.0]);
        assert_eq!(clip(t.clone(), Tensor::from(0f32), Tensor::from(1f32)).unwrap(), Tensor::from([0f32, 0.5, 1.0]));
        assert_eq!(clip(t.clone(), Tensor::from(3f32), Tensor::from(1f32)).unwrap(), Tensor::from([3f32; 3]));
        let nan = || Tensor::from(f32::NAN);
        assert_eq!(clip(t.clone(), nan(), Tensor::from(1f32)).unwrap(), Tensor::from([-1f32, 0.5, 1.0]));
        assert_eq!(clip(t.clone(), Tensor::from(0f32), nan()).unwrap(), Tensor::from([0f32, 0.5, 2.0]));
        assert!(clip(t, Tensor::from([1f32; 2]), Tensor::from(1f32)).is_err());
    }
}
