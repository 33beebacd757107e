//! The kernels for processors of x86-64: vectors of AVX2, 6 rows by 2 of them with 12 sums in 16 registers, and of
//! AVX-512, 12 rows by 2 with 24 sums in 32 registers.

use super::Call;
use super::vector::{Vector, dot, instance, tile};
use std::arch::x86_64::*;

/// A kind of vector, by its instructions.
macro_rules! vector {
    ($name:ident, $raw:ty, $t:ty, $lanes:literal, $zero:ident, $load:ident, $store:ident, $spread:ident, $fma:ident,
     $add:ident, $load_some:ident, $store_some:ident, $mask:ident) => {
        #[derive(Clone, Copy)]
        pub(super) struct $name($raw);

        impl Vector for $name {
            type Element = $t;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the processor has the instruction, by the caller's promise.
                Self(unsafe { $zero() })
            }

            #[inline(always)]
            unsafe fn load(from: *const $t) -> Self {
                // SAFETY: the caller's promise.
                Self(unsafe { $load(from) })
            }

            #[inline(always)]
            unsafe fn load_some(from: *const $t, count: usize) -> Self {
                // SAFETY: only the first lanes are read, which the caller promises.
                Self(unsafe { $load_some(from, $mask(count)) })
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $t) {
                // SAFETY: the caller's promise.
                unsafe { $store(to, self.0) }
            }

            #[inline(always)]
            unsafe fn store_some(self, to: *mut $t, count: usize) {
                // SAFETY: only the first lanes are written, which the caller promises.
                unsafe { $store_some(to, $mask(count), self.0) }
            }

            #[inline(always)]
            unsafe fn spread(from: *const $t) -> Self {
                // SAFETY: the caller's promise.
                Self(unsafe { $spread(*from) })
            }

            #[inline(always)]
            unsafe fn plus(self, other: Self) -> Self {
                // SAFETY: the processor has the instruction, by the caller's promise.
                Self(unsafe { $add(self.0, other.0) })
            }

            #[inline(always)]
            unsafe fn times_plus(self, factor: Self, sum: Self) -> Self {
                // SAFETY: the processor has the instruction, by the caller's promise.
                Self(unsafe { $fma(self.0, factor.0, sum.0) })
            }
        }
    };
}

vector!(
    Avx2F32,
    __m256,
    f32,
    8,
    _mm256_setzero_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_set1_ps,
    _mm256_fmadd_ps,
    _mm256_add_ps,
    _mm256_maskload_ps,
    _mm256_maskstore_ps,
    lanes_of_32
);
vector!(
    Avx2F64,
    __m256d,
    f64,
    4,
    _mm256_setzero_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_set1_pd,
    _mm256_fmadd_pd,
    _mm256_add_pd,
    _mm256_maskload_pd,
    _mm256_maskstore_pd,
    lanes_of_64
);
vector!(
    Avx512F32,
    __m512,
    f32,
    16,
    _mm512_setzero_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_set1_ps,
    _mm512_fmadd_ps,
    _mm512_add_ps,
    load_some_f32,
    _mm512_mask_storeu_ps,
    bits_16
);
vector!(
    Avx512F64,
    __m512d,
    f64,
    8,
    _mm512_setzero_pd,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_set1_pd,
    _mm512_fmadd_pd,
    _mm512_add_pd,
    load_some_f64,
    _mm512_mask_storeu_pd,
    bits_8
);

instance!(#[target_feature(enable = "avx2,fma")] avx2_f32, Avx2F32, f32, 6, 1 2 3 4 5);
instance!(#[target_feature(enable = "avx2,fma")] avx2_f64, Avx2F64, f64, 6, 1 2 3 4 5);
instance!(#[target_feature(enable = "avx512f")] avx512_f32, Avx512F32, f32, 12, 1 2 3 4 5 6 7 8 9 10 11);
instance!(#[target_feature(enable = "avx512f")] avx512_f64, Avx512F64, f64, 12, 1 2 3 4 5 6 7 8 9 10 11);

/// The first lanes of 32 bits.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn lanes_of_32(count: usize) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)) }
}

/// The first lanes of 64 bits.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn lanes_of_64(count: usize) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_cmpgt_epi64(_mm256_set1_epi64x(count as i64), _mm256_setr_epi64x(0, 1, 2, 3)) }
}

/// The first lanes of up to 16, fewer than all.
#[inline(always)]
fn bits_16(count: usize) -> __mmask16 {
    (1 << count) - 1
}

/// The first lanes of up to 8, fewer than all.
#[inline(always)]
fn bits_8(count: usize) -> __mmask8 {
    (1 << count) - 1
}

/// # Safety
/// The processor must have AVX-512, and what the mask names must be valid to read.
#[inline(always)]
unsafe fn load_some_f32(from: *const f32, mask: __mmask16) -> __m512 {
    // SAFETY: the caller's promise.
    unsafe { _mm512_maskz_loadu_ps(mask, from) }
}

/// # Safety
/// The processor must have AVX-512, and what the mask names must be valid to read.
#[inline(always)]
unsafe fn load_some_f64(from: *const f64, mask: __mmask8) -> __m512d {
    // SAFETY: the caller's promise.
    unsafe { _mm512_maskz_loadu_pd(mask, from) }
}

/// Transposes rows into a panel of a width, 8 depths at a time; returns how many depths are done.
///
/// # Safety
/// `rows` must reach `width` rows `row_step` apart and `panel` `width` times `depth` elements; the processor must have
/// AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn transpose_f32(
    rows: *const f32,
    row_step: usize,
    depth: usize,
    width: usize,
    panel: *mut f32,
) -> usize {
    let blocks = depth / 8;
    for block in 0..blocks {
        for part in 0..width / 8 {
            // SAFETY: the 8 by 8 block lies inside both, by the caller's promise.
            unsafe {
                let from = rows.add(part * 8 * row_step + block * 8);
                let to = panel.add(block * 8 * width + part * 8);
                let r: [__m256; 8] = std::array::from_fn(|i| _mm256_loadu_ps(from.add(i * row_step)));
                // Pairs of rows are interleaved, then quadruples, then the two halves exchanged.
                let t0 = _mm256_unpacklo_ps(r[0], r[1]);
                let t1 = _mm256_unpackhi_ps(r[0], r[1]);
                let t2 = _mm256_unpacklo_ps(r[2], r[3]);
                let t3 = _mm256_unpackhi_ps(r[2], r[3]);
                let t4 = _mm256_unpacklo_ps(r[4], r[5]);
                let t5 = _mm256_unpackhi_ps(r[4], r[5]);
                let t6 = _mm256_unpacklo_ps(r[6], r[7]);
                let t7 = _mm256_unpackhi_ps(r[6], r[7]);
                let u0 = _mm256_shuffle_ps(t0, t2, 0x44);
                let u1 = _mm256_shuffle_ps(t0, t2, 0xee);
                let u2 = _mm256_shuffle_ps(t1, t3, 0x44);
                let u3 = _mm256_shuffle_ps(t1, t3, 0xee);
                let u4 = _mm256_shuffle_ps(t4, t6, 0x44);
                let u5 = _mm256_shuffle_ps(t4, t6, 0xee);
                let u6 = _mm256_shuffle_ps(t5, t7, 0x44);
                let u7 = _mm256_shuffle_ps(t5, t7, 0xee);
                _mm256_storeu_ps(to, _mm256_permute2f128_ps(u0, u4, 0x20));
                _mm256_storeu_ps(to.add(width), _mm256_permute2f128_ps(u1, u5, 0x20));
                _mm256_storeu_ps(to.add(2 * width), _mm256_permute2f128_ps(u2, u6, 0x20));
                _mm256_storeu_ps(to.add(3 * width), _mm256_permute2f128_ps(u3, u7, 0x20));
                _mm256_storeu_ps(to.add(4 * width), _mm256_permute2f128_ps(u0, u4, 0x31));
                _mm256_storeu_ps(to.add(5 * width), _mm256_permute2f128_ps(u1, u5, 0x31));
                _mm256_storeu_ps(to.add(6 * width), _mm256_permute2f128_ps(u2, u6, 0x31));
                _mm256_storeu_ps(to.add(7 * width), _mm256_permute2f128_ps(u3, u7, 0x31));
            }
        }
        let mut column = width / 8 * 8;
        if width - column >= 4 {
            // SAFETY: the 4 by 8 block lies inside both, by the caller's promise.
            unsafe {
                let from = rows.add(column * row_step + block * 8);
                let to = panel.add(block * 8 * width + column);
                let r: [__m256; 4] = std::array::from_fn(|i| _mm256_loadu_ps(from.add(i * row_step)));
                let t0 = _mm256_unpacklo_ps(r[0], r[1]);
                let t1 = _mm256_unpackhi_ps(r[0], r[1]);
                let t2 = _mm256_unpacklo_ps(r[2], r[3]);
                let t3 = _mm256_unpackhi_ps(r[2], r[3]);
                // Each holds a depth in its lower half, and the fourth after that in its upper.
                let pairs = [
                    _mm256_shuffle_ps(t0, t2, 0x44),
                    _mm256_shuffle_ps(t0, t2, 0xee),
                    _mm256_shuffle_ps(t1, t3, 0x44),
                    _mm256_shuffle_ps(t1, t3, 0xee),
                ];
                for (depth, pair) in pairs.into_iter().enumerate() {
                    _mm_storeu_ps(to.add(depth * width), _mm256_castps256_ps128(pair));
                    _mm_storeu_ps(to.add((depth + 4) * width), _mm256_extractf128_ps(pair, 1));
                }
            }
            column += 4;
        }
        for column in column..width {
            for depth in block * 8..block * 8 + 8 {
                // SAFETY: row and depth are inside, by the caller's promise.
                unsafe { *panel.add(depth * width + column) = *rows.add(column * row_step + depth) };
            }
        }
    }
    blocks * 8
}
