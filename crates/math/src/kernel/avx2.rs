//! The kernels for processors with AVX2 and FMA: 6 rows by 2 vectors, 12 sums in registers.

use super::Call;
use std::arch::x86_64::*;

macro_rules! kernel {
    ($name:ident, $body:ident, $t:ty, $width:literal, $zero:ident, $load:ident, $store:ident, $spread:ident, $fma:ident, $add:ident) => {
        /// # Safety
        /// See [`super::Kernel`]; the processor must have AVX2 and FMA.
        pub(super) unsafe fn $name(call: &Call<$t>) {
            // SAFETY: passed on to the caller.
            unsafe {
                match call.rows {
                    1 => $body::<1>(call),
                    2 => $body::<2>(call),
                    3 => $body::<3>(call),
                    4 => $body::<4>(call),
                    5 => $body::<5>(call),
                    _ => $body::<6>(call),
                }
            }
        }

        /// # Safety
        /// See [`super::Kernel`].
        #[target_feature(enable = "avx2,fma")]
        unsafe fn $body<const ROWS: usize>(call: &Call<$t>) {
            const HALF: usize = $width / 2;
            let mut sums = [[$zero(); 2]; ROWS];
            let mut b = call.b;
            for &offset in call.offsets {
                let mut index = offset;
                for _ in 0..call.len {
                    // SAFETY: the elements lie inside the operands, by the caller's promise; the
                    // same holds for the blocks below.
                    unsafe {
                        let (left, right) = ($load(b), $load(b.add(HALF)));
                        for i in 0..ROWS {
                            let x = $spread(&*call.a[i].add(index));
                            sums[i][0] = $fma(x, left, sums[i][0]);
                            sums[i][1] = $fma(x, right, sums[i][1]);
                        }
                    }
                    index += call.step;
                    b = b.wrapping_add(call.b_step);
                }
            }
            for (i, [left, right]) in sums.into_iter().enumerate() {
                // SAFETY: row i of the result, by the caller's promise.
                unsafe {
                    let c = call.c.add(i * call.c_row);
                    if call.cols == $width {
                        let (mut left, mut right) = (left, right);
                        if call.accumulate {
                            left = $add(left, $load(c));
                            right = $add(right, $load(c.add(HALF)));
                        }
                        $store(c, left);
                        $store(c.add(HALF), right);
                    } else {
                        let mut row = [0.0; $width];
                        $store(row.as_mut_ptr(), left);
                        $store(row.as_mut_ptr().add(HALF), right);
                        for (j, x) in row[..call.cols].iter().enumerate() {
                            *c.add(j) = if call.accumulate { *c.add(j) + x } else { *x };
                        }
                    }
                }
            }
        }
    };
}

kernel!(
    kernel_f32,
    body_f32,
    f32,
    16,
    _mm256_setzero_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_broadcast_ss,
    _mm256_fmadd_ps,
    _mm256_add_ps
);
kernel!(
    kernel_f64,
    body_f64,
    f64,
    8,
    _mm256_setzero_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_broadcast_sd,
    _mm256_fmadd_pd,
    _mm256_add_pd
);

macro_rules! dot {
    ($name:ident, $body:ident, $t:ty, $lanes:literal, $zero:ident, $load:ident, $store:ident, $fma:ident, $add:ident) => {
        /// The inner product; only to be called where the processor has AVX2 and FMA.
        pub(super) fn $name(x: &[$t], y: &[$t]) -> $t {
            assert_eq!(x.len(), y.len());
            // SAFETY: `Micro::dot` hands this function out only after asking the processor.
            unsafe { $body(x, y) }
        }

        #[target_feature(enable = "avx2,fma")]
        fn $body(x: &[$t], y: &[$t]) -> $t {
            const BLOCK: usize = 4 * $lanes;
            let mut sums = [$zero(); 4];
            let whole = x.len() / BLOCK * BLOCK;
            for at in (0..whole).step_by(BLOCK) {
                for (i, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: a whole block from `at` on lies inside both vectors.
                    unsafe {
                        let (x, y) = (x.as_ptr().add(at + i * $lanes), y.as_ptr().add(at + i * $lanes));
                        *sum = $fma($load(x), $load(y), *sum);
                    }
                }
            }
            let mut lanes = [0.0; $lanes];
            let sum = $add($add(sums[0], sums[1]), $add(sums[2], sums[3]));
            // SAFETY: the array holds one vector.
            unsafe { $store(lanes.as_mut_ptr(), sum) };
            let tail = x[whole..].iter().zip(&y[whole..]);
            lanes.iter().sum::<$t>() + tail.map(|(x, y)| x * y).sum::<$t>()
        }
    };
}

dot!(
    dot_f32,
    body_dot_f32,
    f32,
    8,
    _mm256_setzero_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_fmadd_ps,
    _mm256_add_ps
);
dot!(
    dot_f64,
    body_dot_f64,
    f64,
    4,
    _mm256_setzero_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_fmadd_pd,
    _mm256_add_pd
);

/// Transposes 16 rows into a panel, 8 depths at a time; returns how many depths are done.
///
/// # Safety
/// `rows` must reach 16 rows `row_step` apart and `panel` 16 times `depth` elements.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn transpose_f32(rows: *const f32, row_step: usize, depth: usize, panel: *mut f32) -> usize {
    let blocks = depth / 8;
    for block in 0..blocks {
        for half in 0..2 {
            // SAFETY: the 8 by 8 block lies inside both, by the caller's promise.
            unsafe {
                let from = rows.add(half * 8 * row_step + block * 8);
                let to = panel.add(block * 128 + half * 8);
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
                _mm256_storeu_ps(to.add(16), _mm256_permute2f128_ps(u1, u5, 0x20));
                _mm256_storeu_ps(to.add(32), _mm256_permute2f128_ps(u2, u6, 0x20));
                _mm256_storeu_ps(to.add(48), _mm256_permute2f128_ps(u3, u7, 0x20));
                _mm256_storeu_ps(to.add(64), _mm256_permute2f128_ps(u0, u4, 0x31));
                _mm256_storeu_ps(to.add(80), _mm256_permute2f128_ps(u1, u5, 0x31));
                _mm256_storeu_ps(to.add(96), _mm256_permute2f128_ps(u2, u6, 0x31));
                _mm256_storeu_ps(to.add(112), _mm256_permute2f128_ps(u3, u7, 0x31));
            }
        }
    }
    blocks * 8
}
