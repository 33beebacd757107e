//! Filling slices from the distributions of TensorFlow's random ops.

use super::{Philox, Words};
use crate::simd::widest;
use crate::threads::parallel_units;
use half::{bf16, f16};

/// Elements worth a thread.
const GRAIN: usize = 8 * 1024;
/// Outputs that a truncated normal element may use up.
const RESERVED: u64 = 256;
/// Normals at and beyond this many standard deviations are drawn again.
const TRUNCATE_AT: f64 = 2.0;

/// Floats that can be drawn.
pub trait Random: Copy + Send + Sized {
    /// Uniform in `[0, 1)`.
    fn uniform(philox: Philox, out: &mut [Self]);
    /// Normal with mean 0 and standard deviation 1.
    fn normal(philox: Philox, out: &mut [Self]);
    /// Normal, drawn again while two or more standard deviations from the mean.
    fn truncated_normal(philox: Philox, out: &mut [Self]);
}

/// Integers that can be drawn.
pub trait RandomInt: Copy + Send + Sized {
    /// Uniform in `[low, high)`; `low` must be below `high`.
    fn uniform_int(philox: Philox, low: Self, high: Self, out: &mut [Self]);
}

/// Shuffles `items` as RandomShuffle does rows: each place exchanges with a later one.
pub fn shuffle<T>(philox: Philox, items: &mut [T]) {
    let mut words = Words::new(philox);
    let len = items.len();
    for i in 0..len.saturating_sub(1) {
        let left = (len - i) as u64;
        items.swap(i, i + (u64::from(words.next()) % left) as usize);
    }
}

/// Fills groups of `N` elements, each from the output of its own place.
fn groups<T: Copy + Send, const N: usize>(philox: Philox, out: &mut [T], f: impl Fn([u32; 4]) -> [T; N] + Sync) {
    let whole = out.len() / N * N;
    let (body, tail) = out.split_at_mut(whole);
    parallel_units(body, N, GRAIN / N, |first, out| {
        let mut here = philox;
        here.skip(first as u64);
        widest(
            #[inline(always)]
            || {
                for (i, group) in out.chunks_exact_mut(N).enumerate() {
                    group.copy_from_slice(&f(here.at(i as u64)));
                }
            },
        );
    });
    if !tail.is_empty() {
        tail.copy_from_slice(&f(philox.at((whole / N) as u64))[..tail.len()]);
    }
}

/// Fills groups of `N` elements by taking words from each group's place and keeping what `draw`
/// returns while it is not truncated.
fn truncated<T: Copy + Send, const N: usize>(
    philox: Philox,
    out: &mut [T],
    draw: impl Fn(&mut Words) -> [f64; 2] + Sync,
    narrow: impl Fn(f64) -> T + Sync,
) {
    let fill = |index: usize, group: &mut [T]| {
        let mut here = philox;
        here.skip(index as u64 * (N as u64 * RESERVED / 4));
        let mut words = Words::new(here);
        let mut filled = 0;
        while filled < group.len() {
            for z in draw(&mut words) {
                if z.abs() < TRUNCATE_AT && filled < group.len() {
                    group[filled] = narrow(z);
                    filled += 1;
                }
            }
        }
    };
    let whole = out.len() / N * N;
    let (body, tail) = out.split_at_mut(whole);
    parallel_units(body, N, GRAIN / 4 / N, |first, out| {
        for (i, group) in out.chunks_exact_mut(N).enumerate() {
            fill(first + i, group);
        }
    });
    if !tail.is_empty() {
        fill(whole / N, tail);
    }
}

/// 23 bits as the fraction of a float in `[1, 2)`, less 1.
#[inline(always)]
fn unit_f32(x: u32) -> f32 {
    f32::from_bits((x & 0x7f_ffff) | 0x3f80_0000) - 1.0
}

/// 52 bits, the high part from the first word.
#[inline(always)]
fn unit_f64(high: u32, low: u32) -> f64 {
    f64::from_bits((u64::from(high & 0xf_ffff) << 32) | u64::from(low) | 0x3ff0_0000_0000_0000) - 1.0
}

/// Two normals from two uniforms, by Box and Muller.
fn normal_pair_f32(x: u32, y: u32) -> [f32; 2] {
    let u = unit_f32(x).max(1.0e-7);
    // The product is rounded to single precision only at the end.
    let angle = (2.0 * std::f64::consts::PI * f64::from(unit_f32(y))) as f32;
    let radius = (-2.0 * u.ln()).sqrt();
    [angle.sin() * radius, angle.cos() * radius]
}

fn normal_pair_f64(x: [u32; 2], y: [u32; 2]) -> [f64; 2] {
    let u = unit_f64(x[0], x[1]).max(1.0e-7);
    let angle = 2.0 * std::f64::consts::PI * unit_f64(y[0], y[1]);
    let radius = (-2.0 * u.ln()).sqrt();
    [angle.sin() * radius, angle.cos() * radius]
}

impl Random for f64 {
    fn uniform(philox: Philox, out: &mut [f64]) {
        groups(
            philox,
            out,
            #[inline(always)]
            |[a, b, c, d]| [unit_f64(a, b), unit_f64(c, d)],
        );
    }
    fn normal(philox: Philox, out: &mut [f64]) {
        groups(philox, out, |[a, b, c, d]| normal_pair_f64([a, b], [c, d]));
    }
    fn truncated_normal(philox: Philox, out: &mut [f64]) {
        let draw = |words: &mut Words| {
            let x = [words.next(), words.next()];
            normal_pair_f64(x, [words.next(), words.next()])
        };
        truncated::<f64, 2>(philox, out, draw, |z| z);
    }
}

macro_rules! through_f32 {
    ($($t:ty, $unit:expr, $narrow:expr;)*) => {$(
        impl Random for $t {
            fn uniform(philox: Philox, out: &mut [$t]) {
                groups(philox, out, #[inline(always)] |words: [u32; 4]| words.map($unit));
            }
            fn normal(philox: Philox, out: &mut [$t]) {
                groups(philox, out, |[a, b, c, d]| {
                    let ([p, q], [r, s]) = (normal_pair_f32(a, b), normal_pair_f32(c, d));
                    [p, q, r, s].map($narrow)
                });
            }
            fn truncated_normal(philox: Philox, out: &mut [$t]) {
                let draw = |words: &mut Words| {
                    let x = words.next();
                    normal_pair_f32(x, words.next()).map(f64::from)
                };
                truncated::<$t, 4>(philox, out, draw, |z| $narrow(z as f32));
            }
        }
    )*};
}
through_f32!(
    f32, unit_f32, |z: f32| z;
    f16, |x| f16::from_f32(f16::from_bits((x as u16 & 0x3ff) | 0x3c00).to_f32() - 1.0), f16::from_f32;
    bf16, |x| bf16::from_f32(bf16::from_bits((x as u16 & 0x7f) | 0x3f80).to_f32() - 1.0), bf16::from_f32;
);

impl RandomInt for i32 {
    fn uniform_int(philox: Philox, low: i32, high: i32, out: &mut [i32]) {
        let range = high.wrapping_sub(low) as u32;
        assert!(low < high, "no integers from {low} up to {high}");
        groups(philox, out, |words: [u32; 4]| words.map(|x| low.wrapping_add((x % range) as i32)));
    }
}

impl RandomInt for i64 {
    fn uniform_int(philox: Philox, low: i64, high: i64, out: &mut [i64]) {
        let range = high.wrapping_sub(low) as u64;
        assert!(low < high, "no integers from {low} up to {high}");
        groups(philox, out, |[a, b, c, d]| {
            let words = [u64::from(a) | u64::from(b) << 32, u64::from(c) | u64::from(d) << 32];
            words.map(|x| low.wrapping_add((x % range) as i64))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of five elements drawn twice, as one op with seeds 87654321 and 42 draws them in
    /// two steps.
    fn twice<T: Copy, B>(zero: T, fill: impl Fn(Philox, &mut [T]), bits: impl Fn(T) -> B) -> [[B; 5]; 2] {
        let mut stream = Philox::new(87654321, 42);
        [(); 2].map(|()| {
            let mut out = [zero; 5];
            fill(stream.reserve(5), &mut out);
            out.map(&bits)
        })
    }

    /// TensorFlow 2.21 draws these.
    #[test]
    fn uniforms_as_tensorflow() {
        assert_eq!(
            twice(0.0, f32::uniform, f32::to_bits),
            [
                [0x3f73c810, 0x3f2d6a98, 0x3f4b99fa, 0x3f417aea, 0x3ef3b074],
                [0x3f500fe0, 0x3f18f4ee, 0x3f4bd050, 0x3f137534, 0x3e0d35b0],
            ]
        );
        assert_eq!(
            twice(0.0, f64::uniform, f64::to_bits)[1],
            [0x3fe00fe1a998f4ee, 0x3fd7a0a10f26ea68, 0x3fba6b680ab407d0, 0x3fef9c389330603a, 0x3fe7df5443b36f90]
        );
        let halves = twice(f16::ZERO, f16::uniform, f16::to_bits);
        assert_eq!(halves, [[0x2000, 0x3530, 0x33e8, 0x35d4, 0x2740], [0x3be0, 0x38ee, 0x2900, 0x3934, 0x396c]]);
        let brains = twice(bf16::ZERO, bf16::uniform, bf16::to_bits);
        assert_eq!(brains, [[0x3d80, 0x3f18, 0x3f7a, 0x3f6a, 0x3e68], [0x3f60, 0x3f6e, 0x3ea0, 0x3e50, 0x3ed8]]);
    }

    /// TensorFlow 2.21 draws these.
    #[test]
    fn normals_as_tensorflow() {
        assert_eq!(
            twice(0.0, f32::normal, f32::to_bits),
            [
                [0xbe8fc1c0, 0xbe0d0ee3, 0xbf2d23f0, 0x3cc95cdd, 0xbf64c1f5],
                [0xbebd8fca, 0xbf06e1dd, 0xbe9ee658, 0xbf198512, 0x3fd8e8b9],
            ]
        );
        assert_eq!(
            twice(0.0, f64::normal, f64::to_bits)[1],
            [0x3feb855e2ae53af3, 0xbfe993fab4db1d64, 0xbfc4db50ac1b3fbb, 0x4000fffc5b620939, 0xbfc2fb45dc773d2e]
        );
        let halves = twice(f16::ZERO, f16::normal, f16::to_bits);
        assert_eq!(halves, [[0xb47e, 0xb068, 0xb969, 0x264b, 0xbb26], [0xb5ec, 0xb837, 0xb4f7, 0xb8cc, 0x3ec7]]);
        let brains = twice(bf16::ZERO, bf16::normal, bf16::to_bits);
        assert_eq!(brains, [[0xbe90, 0xbe0d, 0xbf2d, 0x3cc9, 0xbf65], [0xbebe, 0xbf07, 0xbe9f, 0xbf1a, 0x3fd9]]);
    }

    /// TensorFlow 2.21 draws these.
    #[test]
    fn truncated_normals_as_tensorflow() {
        assert_eq!(
            twice(0.0, f32::truncated_normal, f32::to_bits),
            [
                [0xbe8fc1c0, 0xbe0d0ee3, 0xbf2d23f0, 0x3cc95cdd, 0xbeefd94c],
                [0xbebd8fca, 0xbf06e1dd, 0xbe9ee658, 0xbf198512, 0xbc6d489a],
            ]
        );
        assert_eq!(
            twice(0.0, f64::truncated_normal, f64::to_bits)[1],
            [0x3feb855e2ae53af3, 0xbfe993fab4db1d64, 0xbfacb1a08576a3fd, 0xbff2513021de55e1, 0x3fe2ee7fa9b002a3]
        );
        let halves = twice(f16::ZERO, f16::truncated_normal, f16::to_bits);
        assert_eq!(halves, [[0xb47e, 0xb068, 0xb969, 0x264b, 0xb77f], [0xb5ec, 0xb837, 0xb4f7, 0xb8cc, 0xa36a]]);
        let brains = twice(bf16::ZERO, bf16::truncated_normal, bf16::to_bits);
        assert_eq!(brains, [[0xbe90, 0xbe0d, 0xbf2d, 0x3cc9, 0xbef0], [0xbebe, 0xbf07, 0xbe9f, 0xbf1a, 0xbc6d]]);
    }

    /// TensorFlow 2.21 draws these.
    #[test]
    fn integers_and_shuffles_as_tensorflow() {
        assert_eq!(
            twice(0, |p, out: &mut [i32]| i32::uniform_int(p, -7, 1000003, out), |x| x),
            [[0xdf327, 0xcc2dd, 0x63e6c, 0x94374, 0x91de2], [0x1249b, 0x20e7c, 0xc5a3b, 0x44fe9, 0x17d8f]]
        );
        assert_eq!(
            twice(0, |p, out: &mut [i64]| i64::uniform_int(p, -7, 1 << 41, out), |x| x)[1],
            [0x77b1ff3c3e, 0x9a7c78a616, 0x7d4f4f4f4f, 0x1dd4de396d, 0x1c8bc8575a6]
        );
        let mut stream = Philox::new(87654321, 42);
        for want in [[2, 1, 3, 4, 0], [1, 0, 2, 4, 3]] {
            let mut items = [0, 1, 2, 3, 4];
            shuffle(stream.reserve_shuffle(5), &mut items);
            assert_eq!(items, want);
        }
    }

    /// The last two of 5003 elements in TensorFlow 2.21, seeds 1 and 2.
    #[test]
    fn far_elements_as_tensorflow() {
        fn last<T: Copy>(zero: T, fill: impl Fn(Philox, &mut [T])) -> [T; 2] {
            let mut out = [zero; 5003];
            fill(Philox::new(1, 2), &mut out);
            [out[5001], out[5002]]
        }
        assert_eq!(last(0.0, f32::uniform).map(f32::to_bits), [0x3f5daae2, 0x3e3f8790]);
        assert_eq!(last(0.0, f32::truncated_normal).map(f32::to_bits), [0x3fafd8e1, 0xbfb6c578]);
        assert_eq!(last(0.0, f64::normal).map(f64::to_bits), [0xbff8ab428e447e4d, 0x3fd4384b7fc661f1]);
    }

    #[test]
    fn threads_do_not_change_the_numbers() {
        let mut all = vec![0.0f32; 100_003];
        f32::normal(Philox::new(3, 4), &mut all);
        let mut part = vec![0.0f32; 1000];
        f32::normal(Philox::new(3, 4), &mut part);
        assert_eq!(all[..1000], part);
        f32::uniform(Philox::new(3, 4), &mut []);
        shuffle::<u8>(Philox::new(3, 4), &mut []);
    }
}
