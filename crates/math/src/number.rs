//! What the generic kernels need to know about an element type.
//!
//! Integers wrap. The 16-bit floats compute through `f32`.

use crate::convert::Narrow as _;
use half::{bf16, f16};
use num_complex::Complex;

/// A type that can be added, multiplied and so on; every operation is total (nothing panics).
pub trait Number: Copy + Send + Sync + PartialEq + Default + 'static {
    /// The type sums and products are accumulated in.
    type Wide: Number;
    const ZERO: Self;
    const ONE: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// The quotient; for integers rounded towards zero, and 0 when the divisor is 0 (callers that
    /// must report a division by zero look for zeros first).
    fn over(self, other: Self) -> Self;
    fn widen(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self;
    /// A count as a number of this type; wraps for small integers.
    fn from_count(count: usize) -> Self;
}

/// A number with an order.
pub trait Real: Number + PartialOrd {
    /// The least value: minus infinity for floats.
    const LEAST: Self;
    /// The greatest value: infinity for floats.
    const GREATEST: Self;
    /// The least finite value.
    const LOWEST: Self;
    /// The greatest finite value.
    const HIGHEST: Self;
    /// True for the values that are not numbers.
    fn is_nan(self) -> bool;
    /// The greater of two, the first when they are equal; a NaN on either side wins.
    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        if (other > self) | other.is_nan() { other } else { self }
    }
    /// The lesser of two, the first when they are equal; a NaN on either side wins.
    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        if (other < self) | other.is_nan() { other } else { self }
    }
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Number for $t {
            type Wide = $t;
            const ZERO: $t = 0;
            const ONE: $t = 1;
            #[inline(always)]
            fn plus(self, other: $t) -> $t { self.wrapping_add(other) }
            #[inline(always)]
            fn minus(self, other: $t) -> $t { self.wrapping_sub(other) }
            #[inline(always)]
            fn times(self, other: $t) -> $t { self.wrapping_mul(other) }
            #[inline(always)]
            fn over(self, other: $t) -> $t { if other == 0 { 0 } else { self.wrapping_div(other) } }
            #[inline(always)]
            fn widen(self) -> $t { self }
            #[inline(always)]
            fn narrow(wide: $t) -> $t { wide }
            #[inline(always)]
            fn from_count(count: usize) -> $t { count as $t }
        }
        impl Real for $t {
            const LEAST: $t = <$t>::MIN;
            const LOWEST: $t = <$t>::MIN;
            const HIGHEST: $t = <$t>::MAX;
            const GREATEST: $t = <$t>::MAX;
            #[inline(always)]
            fn is_nan(self) -> bool { false }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($t:ty)*) => {$(
        impl Number for $t {
            type Wide = $t;
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            #[inline(always)]
            fn plus(self, other: $t) -> $t { self + other }
            #[inline(always)]
            fn minus(self, other: $t) -> $t { self - other }
            #[inline(always)]
            fn times(self, other: $t) -> $t { self * other }
            #[inline(always)]
            fn over(self, other: $t) -> $t { self / other }
            #[inline(always)]
            fn widen(self) -> $t { self }
            #[inline(always)]
            fn narrow(wide: $t) -> $t { wide }
            #[inline(always)]
            fn from_count(count: usize) -> $t { count as $t }
        }
        impl Real for $t {
            const LEAST: $t = <$t>::NEG_INFINITY;
            const LOWEST: $t = <$t>::MIN;
            const HIGHEST: $t = <$t>::MAX;
            const GREATEST: $t = <$t>::INFINITY;
            #[inline(always)]
            fn is_nan(self) -> bool { <$t>::is_nan(self) }
        }
    )*};
}
floats!(f32 f64);

macro_rules! halves {
    ($($t:ty)*) => {$(
        impl Number for $t {
            type Wide = f32;
            const ZERO: $t = <$t>::ZERO;
            const ONE: $t = <$t>::ONE;
            #[inline(always)]
            fn plus(self, other: $t) -> $t { <$t>::from_f32(self.to_f32() + other.to_f32()) }
            #[inline(always)]
            fn minus(self, other: $t) -> $t { <$t>::from_f32(self.to_f32() - other.to_f32()) }
            #[inline(always)]
            fn times(self, other: $t) -> $t { <$t>::from_f32(self.to_f32() * other.to_f32()) }
            #[inline(always)]
            fn over(self, other: $t) -> $t { <$t>::from_f32(self.to_f32() / other.to_f32()) }
            #[inline(always)]
            fn widen(self) -> f32 { self.to_wide() }
            #[inline(always)]
            fn narrow(wide: f32) -> $t { <$t>::from_f32(wide) }
            #[inline(always)]
            fn from_count(count: usize) -> $t { <$t>::from_f32(count as f32) }
        }
        impl Real for $t {
            const LEAST: $t = <$t>::NEG_INFINITY;
            const LOWEST: $t = <$t>::MIN;
            const HIGHEST: $t = <$t>::MAX;
            const GREATEST: $t = <$t>::INFINITY;
            #[inline(always)]
            fn is_nan(self) -> bool { <$t>::is_nan(self) }
        }
    )*};
}
halves!(f16 bf16);

macro_rules! complexes {
    ($($t:ty)*) => {$(
        impl Number for Complex<$t> {
            type Wide = Self;
            const ZERO: Self = Complex::new(0.0, 0.0);
            const ONE: Self = Complex::new(1.0, 0.0);
            #[inline(always)]
            fn plus(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn minus(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn times(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn over(self, other: Self) -> Self { self / other }
            #[inline(always)]
            fn widen(self) -> Self { self }
            #[inline(always)]
            fn narrow(wide: Self) -> Self { wide }
            #[inline(always)]
            fn from_count(count: usize) -> Self { Complex::new(count as $t, 0.0) }
        }
    )*};
}
complexes!(f32 f64);

/// A float that elementary functions exist for.
pub trait Float: Real<Wide = Self> {
    const INFINITY: Self;
    const NAN: Self;
    fn from_f64(x: f64) -> Self;
    fn to_f64(self) -> f64;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    fn powf(self, exponent: Self) -> Self;
    /// `self * factor + addend`, rounded once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
}

macro_rules! float_functions {
    ($($t:ident $exp:path, $log:path;)*) => {$(
        impl Float for $t {
            const INFINITY: $t = $t::INFINITY;
            const NAN: $t = $t::NAN;
            #[inline(always)]
            fn from_f64(x: f64) -> $t { x as $t }
            #[inline(always)]
            fn to_f64(self) -> f64 { self as f64 }
            #[inline(always)]
            fn exp(self) -> $t { $exp(self) }
            #[inline(always)]
            fn ln(self) -> $t { $log(self) }
            #[inline(always)]
            fn sqrt(self) -> $t { $t::sqrt(self) }
            #[inline(always)]
            fn abs(self) -> $t { $t::abs(self) }
            #[inline(always)]
            fn powf(self, exponent: $t) -> $t { $t::powf(self, exponent) }
            #[inline(always)]
            fn mul_add(self, factor: $t, addend: $t) -> $t { $t::mul_add(self, factor, addend) }
        }
    )*};
}
float_functions!(
    f32 crate::approx::exp, crate::approx::log;
    f64 f64::exp, f64::ln;
);
