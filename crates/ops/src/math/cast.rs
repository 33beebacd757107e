//! `Cast`: the same values as another type.
//!
//! Floats lose their fraction on the way to integers. What does not fit becomes what the conversion instructions of
//! x86 make of it, as in TensorFlow: NaN and values out of range become the least int32 or int64, of which narrower
//! integers take the low bits.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use math::elementwise::{CHEAP, map};
use tensor::{Complex64, Complex128, DType, Element, Result, Tensor, bf16, err, f16};

pub(crate) fn register(r: &mut Registry) {
    r.op("Cast", "x: SrcT -> y: DstT")
        .attr("SrcT: type")
        .attr("DstT: type")
        .attr("Truncate: bool = false")
        .shape(ShapeContext::unchanged)
        .any_kernel(kernel)
        .gradient(gradient);
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

/// The tensor's values as another type. With `truncate`, floats that lose digits are rounded towards zero.
pub(crate) fn cast(x: Tensor, dtype: DType, truncate: bool) -> Result<Tensor> {
    if x.dtype() == dtype {
        return Ok(x);
    }
    if truncate && let Some(cut) = without_lost_digits(&x, dtype)? {
        return cast(cut, dtype, false);
    }
    let unsupported = || err!(Unimplemented, "Cast {} to {dtype} is not supported", x.dtype().python_name());
    dispatch!(
        x.dtype(),
        S in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, bool, Complex64, Complex128] => {
            let values = x.as_slice::<S>()?;
            dispatch!(
                dtype,
                D in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, bool, Complex64, Complex128] => {
                    convert::<S, D>(&x, values)
                }
            )
        }
    )
    .map_err(|status| if status.code() == tensor::Code::Internal { unsupported() } else { status })
}

fn convert<S: Convert, D: Element + From1<S>>(x: &Tensor, values: &[S]) -> Result<Tensor> {
    Tensor::build(x.shape().clone(), |out: &mut [D]| {
        map(values, out, CHEAP, D::from1);
        Ok(())
    })
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

/// A value of one type from one of another.
trait From1<S> {
    fn from1(value: S) -> Self;
}

/// What every type can be seen as on the way to another: exact, in a type that the processor converts from.
trait Convert: Element + Copy + Sync {
    fn to_f32(self) -> f32;
    fn to_f64(self) -> f64;
    fn to_i32(self) -> i32;
    fn to_i64(self) -> i64;
    fn to_u64(self) -> u64;
    fn is_zero(self) -> bool;
    fn imaginary(self) -> f64 {
        0.0
    }
}

macro_rules! from_integers {
    ($($t:ty)*) => {$(
        impl Convert for $t {
            #[inline(always)]
            fn to_f32(self) -> f32 { self as f32 }
            #[inline(always)]
            fn to_f64(self) -> f64 { self as f64 }
            #[inline(always)]
            fn to_i32(self) -> i32 { self as i32 }
            #[inline(always)]
            fn to_i64(self) -> i64 { self as i64 }
            #[inline(always)]
            fn to_u64(self) -> u64 { self as u64 }
            #[inline(always)]
            fn is_zero(self) -> bool { self == 0 }
        }
    )*};
}
from_integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! from_floats {
    ($($t:ty)*) => {$(
        impl Convert for $t {
            #[inline(always)]
            fn to_f32(self) -> f32 { self as f32 }
            #[inline(always)]
            fn to_f64(self) -> f64 { self as f64 }
            #[inline(always)]
            fn to_i32(self) -> i32 {
                let fits = (-2147483648.0..2147483648.0).contains(&self.trunc());
                if fits { self as i32 } else { i32::MIN }
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                let fits = (-9223372036854775808.0..9223372036854775808.0).contains(&self);
                if fits { self as i64 } else { i64::MIN }
            }
            #[inline(always)]
            fn to_u64(self) -> u64 {
                // Values from 2^63 on are converted without their highest bit, which is then set.
                let low = self.to_i64();
                let high = (self - 9223372036854775808.0).to_i64();
                (low | (high & (low >> 63))) as u64
            }
            #[inline(always)]
            fn is_zero(self) -> bool { self == 0.0 }
        }
    )*};
}
from_floats!(f32 f64);

/// Types that are converted as what another type makes of them.
macro_rules! from_others {
    ($($t:ty, $as:expr, $imaginary:expr;)*) => {$(
        impl Convert for $t {
            #[inline(always)]
            fn to_f32(self) -> f32 { $as(self).to_f32() }
            #[inline(always)]
            fn to_f64(self) -> f64 { $as(self).to_f64() }
            #[inline(always)]
            fn to_i32(self) -> i32 { $as(self).to_i32() }
            #[inline(always)]
            fn to_i64(self) -> i64 { $as(self).to_i64() }
            #[inline(always)]
            fn to_u64(self) -> u64 { $as(self).to_u64() }
            #[inline(always)]
            fn is_zero(self) -> bool { $as(self).is_zero() }
            #[inline(always)]
            fn imaginary(self) -> f64 { $imaginary(self) }
        }
    )*};
}
from_others! {
    f16, f16::to_f32, |_| 0.0;
    bf16, bf16::to_f32, |_| 0.0;
    bool, |x| x as u8, |_| 0.0;
    Complex64, |x: Complex64| x.re, |x: Complex64| x.im as f64;
    Complex128, |x: Complex128| x.re, |x: Complex128| x.im;
}

macro_rules! to_types {
    ($($t:ty, $from:expr;)*) => {$(
        impl<S: Convert> From1<S> for $t {
            #[inline(always)]
            fn from1(value: S) -> $t { $from(value) }
        }
    )*};
}
to_types! {
    f32, S::to_f32;
    f64, S::to_f64;
    f16, |x: S| f16::from_f32(x.to_f32());
    bf16, |x: S| bf16::from_f32(x.to_f32());
    i8, |x: S| x.to_i32() as i8;
    i16, |x: S| x.to_i32() as i16;
    i32, S::to_i32;
    i64, S::to_i64;
    u8, |x: S| x.to_i32() as u8;
    u16, |x: S| x.to_i32() as u16;
    u32, |x: S| x.to_i64() as u32;
    u64, S::to_u64;
    bool, |x: S| !x.is_zero();
    Complex64, |x: S| Complex64::new(x.to_f32(), x.imaginary() as f32);
    Complex128, |x: S| Complex128::new(x.to_f64(), x.imaginary());
}

/// [`Cast`](self) for programs.
pub trait CastOps {
    /// The same values as another type; itself, if it is of that type already.
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
        assert_eq!(to::<u32>(&odd[..3], DType::UInt32), [0, 0, 2884901888]);
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
