//! `Cast` and `_HostCast`: the same values as another type.
//!
//! Floats lose their fraction on the way to integers. What does not fit becomes what the conversion instructions of
//! x86 make of it, as in TensorFlow: NaN and values out of range become the least int32 or int64, of which narrower
//! integers take the low bits.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::{Complex64, Complex128, DType, Result, Tensor, bf16, err, f16};

use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    // The second one keeps its values in the memory of the host, where all values are here.
    for name in ["Cast", "_HostCast"] {
        r.op(name, "x: SrcT -> y: DstT")
            .attr("SrcT: type")
            .attr("DstT: type")
            .attr("Truncate: bool = false")
            .shape(ShapeContext::unchanged)
            .any_kernel(kernel)
            .gradient(gradient);
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (dtype, truncate) = (node.attr_type("DstT")?, node.attr_bool("Truncate")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let x = cx.take_input(0)?;
        cx.set_output(0, cast(x, dtype, truncate)?);
        Ok(())
    }))
}

/// Gradients pass between floats; integers have none.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let from = cx.dtype(0);
    let to = cx.attr_type("DstT")?;
    let continuous = |dtype: DType| dtype.is_floating() || dtype.is_complex();
    if !continuous(from) || !continuous(to) {
        return Ok(vec![None]);
    }
    let dx = cx.op("Cast").input(cx.dy(0)?).attr("DstT", from).output();
    Ok(vec![Some(dx.into())])
}

/// Runs `$body` for any type that is a number.
macro_rules! all_types {
    ($dtype:expr, $T:ident => $body:expr) => {
        dispatch!(
            $dtype,
            $T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, bool, Complex64, Complex128] => $body
        )
    };
}

/// From one type to any.
macro_rules! from {
    ($S:ty, $x:expr, $dtype:expr) => {{
        let values = $x.as_slice::<$S>()?;
        all_types!($dtype, D => Tensor::build($x.shape().clone(), |out: &mut [D]| {
            math::convert::cast(values, out);
            Ok(())
        }))
    }};
}

/// From any type to one.
macro_rules! to {
    ($D:ty, $x:expr) => {
        all_types!($x.dtype(), S => {
            let values = $x.as_slice::<S>()?;
            Tensor::build($x.shape().clone(), |out: &mut [$D]| {
                math::convert::cast(values, out);
                Ok(())
            })
        })
    };
}

/// The tensor's values as another type. With `truncate`, floats that lose digits are rounded towards zero.
pub(crate) fn cast(x: Tensor, dtype: DType, truncate: bool) -> Result<Tensor> {
    if x.dtype() == dtype {
        return Ok(x);
    }
    let (from, to) = (plain(x.dtype()), plain(dtype));
    if (from, to) != (x.dtype(), dtype) {
        return cast(x.bitcast(from)?, to, truncate)?.bitcast(dtype);
    }
    if truncate && let Some(cut) = without_lost_digits(&x, dtype)? {
        return cast(cut, dtype, false);
    }
    if !is_number(x.dtype()) || !is_number(dtype) {
        return Err(err!(Unimplemented, "Cast {} to {dtype} is not supported", x.dtype()));
    }
    match (x.dtype(), dtype) {
        (DType::Half | DType::BFloat16, DType::Float) => widen(&x),
        (DType::Float, DType::Half | DType::BFloat16) => narrow(&x, dtype),
        (DType::Float, _) => from!(f32, &x, dtype),
        (DType::Double, _) => from!(f64, &x, dtype),
        (DType::Int64, _) => from!(i64, &x, dtype),
        (DType::UInt64, _) => from!(u64, &x, dtype),
        (DType::Complex128, _) => from!(Complex128, &x, dtype),
        (_, DType::Float) => to!(f32, &x),
        (_, DType::Double) => to!(f64, &x),
        (_, DType::Int64) => to!(i64, &x),
        (_, DType::UInt64) => to!(u64, &x),
        (_, DType::Complex128) => to!(Complex128, &x),
        // Rare pairs go through a type that holds all values of the first, which keeps the code small.
        (DType::Complex64, _) => cast(cast(x, DType::Complex128, false)?, dtype, false),
        (DType::Half | DType::BFloat16, _) => cast(cast(x, DType::Float, false)?, dtype, false),
        _ => cast(cast(x, DType::Int64, false)?, dtype, false),
    }
}

/// The integers that quantized numbers are kept as.
fn plain(dtype: DType) -> DType {
    match dtype {
        DType::QInt8 => DType::Int8,
        DType::QUInt8 => DType::UInt8,
        DType::QInt16 => DType::Int16,
        DType::QUInt16 => DType::UInt16,
        DType::QInt32 => DType::Int32,
        other => other,
    }
}

fn is_number(dtype: DType) -> bool {
    dtype.is_floating() || dtype.is_integer() || dtype.is_complex() || dtype == DType::Bool
}

/// Clears the digits that a narrower float has no place for; `None` if none are lost.
fn without_lost_digits(x: &Tensor, dtype: DType) -> Result<Option<Tensor>> {
    let digits = |dtype: DType| match dtype {
        DType::Double => Some(52u32),
        DType::Float => Some(23),
        DType::Half => Some(10),
        DType::BFloat16 => Some(7),
        _ => None,
    };
    let (Some(from), Some(to)) = (digits(x.dtype()), digits(dtype)) else { return Ok(None) };
    let Some(lost) = from.checked_sub(to).filter(|lost| *lost > 0) else { return Ok(None) };
    let mut cut = x.clone();
    match x.dtype() {
        DType::Double => {
            let mask = u64::MAX << lost;
            cut.make_mut::<f64>()?.iter_mut().for_each(|x| *x = kept(*x, f64::from_bits(x.to_bits() & mask)));
        }
        DType::Float => {
            let mask = u32::MAX << lost;
            cut.make_mut::<f32>()?.iter_mut().for_each(|x| *x = kept(*x, f32::from_bits(x.to_bits() & mask)));
        }
        _ => {
            let mask = u16::MAX << lost;
            cut.make_mut::<f16>()?.iter_mut().for_each(|x| {
                if !x.is_nan() {
                    *x = f16::from_bits(x.to_bits() & mask);
                }
            });
        }
    }
    Ok(Some(cut))
}

/// NaN stays NaN even if only digits that are cleared say so.
fn kept<T: PartialEq + Copy>(x: T, cut: T) -> T {
    // Only NaN differs from itself.
    #[allow(clippy::eq_op)]
    let is_number = x == x;
    if is_number { cut } else { x }
}

/// The same values as another type (`Cast`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([1.7f32, -1.7]);
/// assert_eq!(eval(&x.cast(DType::Int32))?, Tensor::from([1i32, -1]));
/// assert_eq!(eval(&x.greater(0.0).cast(DType::Float))?, Tensor::from([1f32, 0.0]));
/// # Ok(())
/// # }
/// ```
pub trait CastOps {
    /// Returns the same values as another type; itself, if it is of that type already.
    fn cast(&self, dtype: DType) -> Output;
}

impl CastOps for Output {
    #[track_caller]
    fn cast(&self, dtype: DType) -> Output {
        if self.dtype() == Some(dtype) {
            return self.clone();
        }
        self.graph().op("Cast").input(self).attr("DstT", dtype).at(std::panic::Location::caller()).output()
    }
}

#[cfg(test)]
mod tests {
    use tensor::Element;

    use super::*;

    fn to<D: Element>(values: &[f32], dtype: DType) -> Vec<D> {
        cast(Tensor::vector(values), dtype, false).unwrap().as_slice::<D>().unwrap().to_vec()
    }

    /// TensorFlow 2.21 gives these on x86.
    #[test]
    fn floats_that_are_no_such_integers() {
        let odd = [f32::NAN, f32::INFINITY, -1e10, 300.5, -300.5, -1.5, 9.3e18];
        assert_eq!(to::<i8>(&odd, DType::Int8), [0, 0, 0, 44, -44, -1, 0]);
        assert_eq!(to::<u8>(&odd, DType::UInt8), [0, 0, 0, 44, 212, 255, 0]);
        assert_eq!(to::<i32>(&odd, DType::Int32), [i32::MIN, i32::MIN, i32::MIN, 300, -300, -1, i32::MIN]);
        assert_eq!(to::<u32>(&odd[..3], DType::UInt32), [1 << 31; 3]);
        assert_eq!(to::<i64>(&odd, DType::Int64), [i64::MIN, i64::MIN, -10000000000, 300, -300, -1, i64::MIN]);
        let wide = [1 << 63, 1 << 63, 18446744063709551616, 300, 18446744073709551316, u64::MAX, 9300000300729368576];
        assert_eq!(to::<u64>(&odd, DType::UInt64), wide);
        assert_eq!(to::<bool>(&[f32::NAN, 0.0, -0.0, 0.5], DType::Bool), [true, false, false, true]);
    }

    /// TensorFlow 2.21 gives these.
    #[test]
    fn narrower_floats_are_rounded_or_truncated() {
        let x = Tensor::from([1.005f32, -1.005]);
        let back = |x: Tensor| cast(x, DType::Float, false).unwrap();
        assert_eq!(back(cast(x.clone(), DType::BFloat16, false).unwrap()), Tensor::from([1.0078125f32, -1.0078125]));
        assert_eq!(back(cast(x, DType::BFloat16, true).unwrap()), Tensor::from([1f32, -1.0]));
        let large = Tensor::from([65520f32]);
        assert_eq!(back(cast(large.clone(), DType::Half, false).unwrap()), Tensor::from([f32::INFINITY]));
        assert_eq!(back(cast(large, DType::Half, true).unwrap()), Tensor::from([65504f32]));
        assert_eq!(back(cast(Tensor::from([1.1f64]), DType::Float, true).unwrap()), Tensor::from([1.0999999f32]));
    }

    #[test]
    fn strings_are_not_cast() {
        let status = cast(Tensor::from("1"), DType::Int32, false).unwrap_err();
        assert_eq!(status.message(), "Cast string to int32 is not supported");
        assert_eq!(status.code(), tensor::Code::Unimplemented);
    }
}
