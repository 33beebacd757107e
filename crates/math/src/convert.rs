//! Casts of whole slices.
//!
//! Floats become 16-bit floats by rounding to nearest, ties to even. Integers are cut off to the
//! smaller size. Floats become integers by dropping the fraction; what does not fit becomes what
//! the x86 conversion makes of it, as in TensorFlow: the least 32- or 64-bit integer, cut off.

use crate::elementwise::{CHEAP, map};
use crate::simd::wide;
use crate::threads::parallel_units;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use num_complex::Complex;

/// `out = a` as the other type.
pub fn cast<A: CastTo<B> + Copy + Sync, B: Send>(a: &[A], out: &mut [B]) {
    map(a, out, CHEAP, A::cast);
}

/// `f32` to half precision.
pub fn f32_to_f16(a: &[f32], out: &mut [f16]) {
    assert_eq!(a.len(), out.len());
    parallel_units(out, 1, CHEAP, |first, out| f16::narrow_row(&a[first..first + out.len()], out));
}

/// Half precision to `f32`.
pub fn f16_to_f32(a: &[f16], out: &mut [f32]) {
    assert_eq!(a.len(), out.len());
    parallel_units(out, 1, CHEAP, |first, out| f16::widen_row(&a[first..first + out.len()], out));
}

/// A 16-bit float, of which whole rows become `f32` and back by vectors.
pub(crate) trait Narrow: Copy {
    /// `out = a`, of one length.
    fn widen_row(a: &[Self], out: &mut [f32]);
    /// `out = a`, of one length.
    fn narrow_row(a: &[f32], out: &mut [Self]);
    /// The same of one number, in loops that are vectorised.
    fn to_wide(self) -> f32;
}

impl Narrow for f16 {
    fn widen_row(a: &[f16], out: &mut [f32]) {
        let done = blocks::widen(a, out);
        a[done..].convert_to_f32_slice(&mut out[done..]);
    }

    fn narrow_row(a: &[f32], out: &mut [f16]) {
        let done = blocks::narrow(a, out);
        out[done..].convert_from_f32_slice(&a[done..]);
    }

    #[inline(always)]
    fn to_wide(self) -> f32 {
        // Exponent and fraction are moved to their places in the larger format; numbers too small for an exponent of their own
        // are the fraction of a number from 1/2 on, less 1/2.
        let bits = u32::from(self.to_bits()) << 16;
        let (sign, rest) = (bits & 0x8000_0000, bits << 1);
        let usual = f32::from_bits((rest >> 4) + (0xE0 << 23)) * f32::from_bits(0x0780_0000);
        let small = f32::from_bits((rest >> 17) | (126 << 23)) - 0.5;
        f32::from_bits(sign | if rest < (1 << 27) { small.to_bits() } else { usual.to_bits() })
    }
}

impl Narrow for bf16 {
    fn widen_row(a: &[bf16], out: &mut [f32]) {
        wide(
            #[inline(always)]
            || {
                for (o, x) in out.iter_mut().zip(a) {
                    *o = x.to_wide();
                }
            },
        );
    }

    fn narrow_row(a: &[f32], out: &mut [bf16]) {
        wide(
            #[inline(always)]
            || {
                for (o, x) in out.iter_mut().zip(a) {
                    *o = round_to_bf16(*x);
                }
            },
        );
    }

    #[inline(always)]
    fn to_wide(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }
}

/// Conversions of half precision by the processor's own instructions, eight or sixteen numbers at a time; they return how many are done.
#[cfg(target_arch = "x86_64")]
mod blocks {
    use crate::isa::Isa;
    use half::f16;
    use std::arch::x86_64::*;

    pub(super) fn narrow(a: &[f32], out: &mut [f16]) -> usize {
        if Isa::best() < Isa::Avx2 {
            return 0;
        }
        if Isa::best() >= Isa::Avx512 {
            // SAFETY: the processor has AVX-512.
            return unsafe { narrow_wide(a.as_chunks().0, out.as_chunks_mut().0) };
        }
        // SAFETY: the processor has F16C.
        unsafe { narrow_blocks(a.as_chunks().0, out.as_chunks_mut().0) }
    }

    pub(super) fn widen(a: &[f16], out: &mut [f32]) -> usize {
        if Isa::best() < Isa::Avx2 {
            return 0;
        }
        if Isa::best() >= Isa::Avx512 {
            // SAFETY: the processor has AVX-512.
            return unsafe { widen_wide(a.as_chunks().0, out.as_chunks_mut().0) };
        }
        // SAFETY: the processor has F16C.
        unsafe { widen_blocks(a.as_chunks().0, out.as_chunks_mut().0) }
    }

    #[target_feature(enable = "avx512f")]
    fn narrow_wide(a: &[[f32; 16]], out: &mut [[f16; 16]]) -> usize {
        for (a, out) in a.iter().zip(out.iter_mut()) {
            // SAFETY: both hold sixteen numbers, and a half is sixteen bits of any kind.
            unsafe {
                let halves = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm512_loadu_ps(a.as_ptr()));
                _mm256_storeu_si256(out.as_mut_ptr().cast(), halves);
            }
        }
        out.len().min(a.len()) * 16
    }

    #[target_feature(enable = "avx512f")]
    fn widen_wide(a: &[[f16; 16]], out: &mut [[f32; 16]]) -> usize {
        for (a, out) in a.iter().zip(out.iter_mut()) {
            // SAFETY: both hold sixteen numbers, and a half is sixteen bits of any kind.
            unsafe {
                let halves = _mm256_loadu_si256(a.as_ptr().cast());
                _mm512_storeu_ps(out.as_mut_ptr(), _mm512_cvtph_ps(halves));
            }
        }
        out.len().min(a.len()) * 16
    }

    #[target_feature(enable = "avx,f16c")]
    fn narrow_blocks(a: &[[f32; 8]], out: &mut [[f16; 8]]) -> usize {
        for (a, out) in a.iter().zip(out.iter_mut()) {
            // SAFETY: both hold eight numbers, and a half is sixteen bits of any kind.
            unsafe {
                let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm256_loadu_ps(a.as_ptr()));
                _mm_storeu_si128(out.as_mut_ptr().cast(), halves);
            }
        }
        out.len().min(a.len()) * 8
    }

    #[target_feature(enable = "avx,f16c")]
    fn widen_blocks(a: &[[f16; 8]], out: &mut [[f32; 8]]) -> usize {
        for (a, out) in a.iter().zip(out.iter_mut()) {
            // SAFETY: both hold eight numbers, and a half is sixteen bits of any kind.
            unsafe {
                let halves = _mm_loadu_si128(a.as_ptr().cast());
                _mm256_storeu_ps(out.as_mut_ptr(), _mm256_cvtph_ps(halves));
            }
        }
        out.len().min(a.len()) * 8
    }
}

/// Where there are no such instructions, nothing is done here.
#[cfg(not(target_arch = "x86_64"))]
mod blocks {
    use half::f16;

    pub(super) fn narrow(_: &[f32], _: &mut [f16]) -> usize {
        0
    }

    pub(super) fn widen(_: &[f16], _: &mut [f32]) -> usize {
        0
    }
}

/// `f32` to bfloat16.
pub fn f32_to_bf16(a: &[f32], out: &mut [bf16]) {
    assert_eq!(a.len(), out.len());
    parallel_units(out, 1, CHEAP, |first, out| bf16::narrow_row(&a[first..first + out.len()], out));
}

/// Bfloat16 to `f32`.
pub fn bf16_to_f32(a: &[bf16], out: &mut [f32]) {
    assert_eq!(a.len(), out.len());
    parallel_units(out, 1, CHEAP, |first, out| bf16::widen_row(&a[first..first + out.len()], out));
}

#[inline(always)]
fn round_to_bf16(x: f32) -> bf16 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
    let quiet = (bits >> 16) | 0x40;
    bf16::from_bits(if x.is_nan() { quiet } else { rounded } as u16)
}

/// A type whose values can be cast to another.
pub trait CastTo<B> {
    fn cast(self) -> B;
}

/// What the processor's conversion to 32 bits returns: out of range and NaN become the least.
#[inline(always)]
fn to_i32(x: f64) -> i32 {
    if x > -2_147_483_649.0 && x < 2_147_483_648.0 { x as i32 } else { i32::MIN }
}

/// What the processor's conversion to 64 bits returns: out of range and NaN become the least.
#[inline(always)]
fn to_i64(x: f64) -> i64 {
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&x) { x as i64 } else { i64::MIN }
}

/// The part above the signed range is converted apart and joined, as compilers do.
#[inline(always)]
fn to_u32(x: f64) -> u32 {
    let low = to_i32(x);
    (low | (to_i32(x - 2_147_483_648.0) & (low >> 31))) as u32
}

#[inline(always)]
fn to_u64(x: f64) -> u64 {
    let low = to_i64(x);
    (low | (to_i64(x - 9_223_372_036_854_775_808.0) & (low >> 63))) as u64
}

macro_rules! from_integer {
    ($($a:ty)*) => {$(
        from_integer!(@ $a => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
        from_integer!(@half $a => f16 bf16);
        impl CastTo<bool> for $a {
            #[inline(always)]
            fn cast(self) -> bool { self != 0 }
        }
        impl CastTo<$a> for bool {
            #[inline(always)]
            fn cast(self) -> $a { self as $a }
        }
        from_integer!(@complex $a => f32 f64);
    )*};
    (@ $a:ty => $($b:ty)*) => {$(
        impl CastTo<$b> for $a {
            #[inline(always)]
            fn cast(self) -> $b { self as $b }
        }
    )*};
    (@half $a:ty => $($b:ty)*) => {$(
        impl CastTo<$b> for $a {
            #[inline(always)]
            fn cast(self) -> $b { <$b>::from_f32(self as f32) }
        }
    )*};
    (@complex $a:ty => $($b:ty)*) => {$(
        impl CastTo<Complex<$b>> for $a {
            #[inline(always)]
            fn cast(self) -> Complex<$b> { Complex::new(self as $b, 0.0) }
        }
        impl CastTo<$a> for Complex<$b> {
            #[inline(always)]
            fn cast(self) -> $a { self.re.cast() }
        }
    )*};
}
from_integer!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! from_float {
    ($($a:ty, $wide:expr, $single:expr;)*) => {$(
        from_float!(@ $a, $wide => i8 i16 i32: to_i32, u8 u16: to_i32, i64: to_i64, u32: to_u32, u64: to_u64);
        impl CastTo<f32> for $a {
            #[inline(always)]
            fn cast(self) -> f32 { $single(self) }
        }
        impl CastTo<f64> for $a {
            #[inline(always)]
            fn cast(self) -> f64 { $wide(self) }
        }
        impl CastTo<bool> for $a {
            #[inline(always)]
            fn cast(self) -> bool { $single(self) != 0.0 }
        }
        impl CastTo<$a> for bool {
            #[inline(always)]
            fn cast(self) -> $a { (self as u8).cast() }
        }
        impl CastTo<Complex<f32>> for $a {
            #[inline(always)]
            fn cast(self) -> Complex<f32> { Complex::new($single(self), 0.0) }
        }
        impl CastTo<Complex<f64>> for $a {
            #[inline(always)]
            fn cast(self) -> Complex<f64> { Complex::new($wide(self), 0.0) }
        }
        impl CastTo<$a> for Complex<f32> {
            #[inline(always)]
            fn cast(self) -> $a { self.re.cast() }
        }
        impl CastTo<$a> for Complex<f64> {
            #[inline(always)]
            fn cast(self) -> $a { self.re.cast() }
        }
    )*};
    (@ $a:ty, $wide:expr => $($($b:ty)*: $by:ident),*) => {$($(
        impl CastTo<$b> for $a {
            #[inline(always)]
            fn cast(self) -> $b { $by($wide(self)) as $b }
        }
    )*)*};
}
from_float!(
    f32, f64::from, |x: f32| x;
    f64, |x: f64| x, |x: f64| x as f32;
    f16, f16::to_f64, f16::to_f32;
    bf16, bf16::to_f64, bf16::to_f32;
);

macro_rules! to_half {
    ($($b:ty: $($a:ty)*;)*) => {$($(
        impl CastTo<$b> for $a {
            #[inline(always)]
            fn cast(self) -> $b { <$b>::from_f32(CastTo::<f32>::cast(self)) }
        }
    )*)*};
}
to_half!(
    f16: f32 f64 bf16;
    bf16: f32 f64 f16;
);

macro_rules! same {
    ($($t:ty)*) => {$(
        impl CastTo<$t> for $t {
            #[inline(always)]
            fn cast(self) -> $t { self }
        }
    )*};
}
same!(f16 bf16 bool Complex<f32> Complex<f64>);

impl CastTo<Complex<f64>> for Complex<f32> {
    #[inline(always)]
    fn cast(self) -> Complex<f64> {
        Complex::new(self.re.into(), self.im.into())
    }
}

impl CastTo<Complex<f32>> for Complex<f64> {
    #[inline(always)]
    fn cast(self) -> Complex<f32> {
        Complex::new(self.re as f32, self.im as f32)
    }
}

impl CastTo<bool> for Complex<f32> {
    #[inline(always)]
    fn cast(self) -> bool {
        self.re != 0.0
    }
}

impl CastTo<bool> for Complex<f64> {
    #[inline(always)]
    fn cast(self) -> bool {
        self.re != 0.0
    }
}

impl<T> CastTo<Complex<T>> for bool
where
    bool: CastTo<T>,
    T: num_complex_zero::Zero,
{
    #[inline(always)]
    fn cast(self) -> Complex<T> {
        Complex::new(self.cast(), T::ZERO)
    }
}

mod num_complex_zero {
    /// The parts of complex numbers.
    pub trait Zero {
        const ZERO: Self;
    }
    impl Zero for f32 {
        const ZERO: f32 = 0.0;
    }
    impl Zero for f64 {
        const ZERO: f64 = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<B: Copy + Default + Send>(a: &[f32]) -> Vec<B>
    where
        f32: CastTo<B>,
    {
        let mut out = vec![B::default(); a.len()];
        cast(a, &mut out);
        out
    }

    #[test]
    fn every_16_bit_float_is_widened_by_vectors_as_alone() {
        let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        let halves: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        let brains: Vec<bf16> = (0..=u16::MAX).map(bf16::from_bits).collect();
        let mut wide = vec![0f32; halves.len()];
        f16_to_f32(&halves, &mut wide);
        assert!(halves.iter().zip(&wide).all(|(x, y)| same(x.to_f32(), *y) && same(x.to_wide(), *y)));
        let mut back = vec![f16::ZERO; halves.len()];
        f32_to_f16(&wide, &mut back);
        assert!(halves.iter().zip(&back).all(|(x, y)| x.to_bits() == y.to_bits() || x.is_nan()));
        bf16_to_f32(&brains, &mut wide);
        assert!(brains.iter().zip(&wide).all(|(x, y)| same(x.to_f32(), *y) && same(x.to_wide(), *y)));
    }

    /// The values are those of TensorFlow 2.21.
    #[test]
    fn floats_to_integers_as_tensorflow() {
        let x = [f32::NAN, f32::INFINITY, -1e20, 3e9, -3e9, 300.7, -300.7, -1.5, 128.0];
        assert_eq!(all::<i8>(&x), [0, 0, 0, 0, 0, 44, -44, -1, -128]);
        assert_eq!(all::<u8>(&x), [0, 0, 0, 0, 0, 44, 212, 255, 128]);
        let min = i32::MIN;
        assert_eq!(all::<i32>(&x), [min, min, min, min, min, 300, -300, -1, 128]);
        let half = 1 << 31;
        assert_eq!(all::<u32>(&x), [half, half, half, 3_000_000_000, half, 300, 4294966996, u32::MAX, 128]);
        let min = i64::MIN;
        assert_eq!(all::<i64>(&x), [min, min, min, 3_000_000_000, -3_000_000_000, 300, -300, -1, 128]);
        let half = 1 << 63;
        let low = 18446744070709551616;
        assert_eq!(all::<u64>(&x), [half, half, half, 3_000_000_000, low, 300, low + 2999999700, u64::MAX, 128]);
        assert_eq!(all::<bool>(&[f32::NAN, -0.0, 0.1]), [true, false, true]);
    }

    /// The values are those of TensorFlow 2.21.
    #[test]
    fn other_casts_as_tensorflow() {
        let mut small = [0i8; 3];
        cast(&[300i32, -129, i32::MAX], &mut small);
        assert_eq!(small, [44, 127, -1]);
        let mut halves = [f16::ZERO; 2];
        cast(&[300i32, i32::MAX], &mut halves);
        assert_eq!(halves, [f16::from_f32(300.0), f16::INFINITY]);
        let mut real = [0.0f32; 1];
        cast(&[Complex::new(1.0f32, 2.0)], &mut real);
        assert_eq!(real, [1.0]);
        let mut complex = [Complex::new(0.0f64, 0.0)];
        cast(&[true], &mut complex);
        assert_eq!(complex, [Complex::new(1.0, 0.0)]);
    }

    #[test]
    fn every_half_becomes_what_it_is_and_comes_back() {
        let halves = (0..=u16::MAX).map(f16::from_bits).filter(|x| !x.is_nan()).collect::<Vec<_>>();
        let (mut wide, mut back) = (vec![0.0; halves.len()], vec![f16::ZERO; halves.len()]);
        f16_to_f32(&halves, &mut wide);
        f32_to_f16(&wide, &mut back);
        for ((half, wide), back) in halves.iter().zip(wide).zip(back) {
            // The value by its definition: a sign, an exponent and ten bits of a fraction.
            let (bits, sign) = (i32::from(half.to_bits() & 0x7fff), if half.is_sign_negative() { -1.0 } else { 1.0 });
            let (exponent, fraction) = (bits >> 10, f64::from(bits & 0x3ff) / 1024.0);
            let size = match exponent {
                0 => fraction * 2f64.powi(-14),
                31 => f64::INFINITY,
                _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
            };
            assert_eq!((f64::from(wide), back.to_bits()), (sign * size, half.to_bits()));
        }
    }

    #[test]
    fn halves_round_to_even_and_back() {
        // 1 + 2^-8 lies between two bfloat16 values; so does 1 + 3 * 2^-8.
        let x = [1.0039063f32, 1.0117188, f32::NAN, f32::MAX, -0.0, f32::INFINITY, 1e-40];
        let mut brains = [bf16::ZERO; 7];
        f32_to_bf16(&x, &mut brains);
        assert_eq!(brains.map(bf16::to_bits), [0x3f80, 0x3f82, 0x7fc0, 0x7f80, 0x8000, 0x7f80, 0x0001]);
        let mut back = [0.0f32; 7];
        bf16_to_f32(&brains, &mut back);
        assert_eq!(back[..2], [1.0, 1.015625]);
        let mut halves = [f16::ZERO; 7];
        f32_to_f16(&[65519.0, 65520.0, 1.0004883, 1.0014648, 6e-8, 1e-9, -2.0], &mut halves);
        assert_eq!(halves.map(f16::to_bits), [0x7bff, 0x7c00, 0x3c00, 0x3c02, 0x0001, 0x0000, 0xc000]);
        f16_to_f32(&halves, &mut back);
        assert_eq!(back[6], -2.0);
        f32_to_f16(&[], &mut []);
    }
}
