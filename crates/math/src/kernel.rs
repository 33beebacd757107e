//! The innermost loop of matrix products and convolutions.
//!
//! A kernel computes up to 6 rows by [`Micro::WIDTH`] columns of a result while it stays in
//! registers. Its left operand is given by one pointer per row and a list of runs, so that the
//! patches of an image can be multiplied where they lie; its right operand is a panel of
//! `WIDTH` columns.

#[cfg(target_arch = "x86_64")]
mod avx2;

use crate::number::Float;
use crate::scratch::Plain;

/// Rows a kernel computes at most.
pub(crate) const ROWS: usize = 6;

/// One call of a kernel: for each row i, the sum over the runs r, and over q in `0..len`, of
/// `a[i][offsets[r] + q * step] * b[(r * len + q) * b_step ..][..cols]`.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a, T> {
    pub a: [*const T; ROWS],
    pub rows: usize,
    pub offsets: &'a [usize],
    pub len: usize,
    pub step: usize,
    pub b: *const T,
    pub b_step: usize,
    pub c: *mut T,
    pub c_row: usize,
    /// Columns to write; the panel has `WIDTH` in any case.
    pub cols: usize,
    /// Add to the result instead of overwriting it.
    pub accumulate: bool,
}

/// A kernel of one element type for one kind of processor.
///
/// Safety: everything the call reaches must be valid to read, and `c` to write, by this call alone.
pub(crate) type Kernel<T> = unsafe fn(&Call<T>);

/// Element types with kernels.
pub(crate) trait Micro: Float + Plain {
    /// Columns of a panel.
    const WIDTH: usize;
    /// The best kernel of this machine.
    fn kernel() -> Kernel<Self>;
    /// The best inner product of this machine, of vectors of one length.
    fn dot() -> fn(&[Self], &[Self]) -> Self;
    /// Writes `panel[p][j] = rows[j * row_step + p]` for `depth` values of p and `WIDTH` of j.
    fn transpose_panel(rows: &[Self], row_step: usize, depth: usize, panel: &mut [Self]) {
        for j in 0..Self::WIDTH {
            let row = &rows[j * row_step..j * row_step + depth];
            for (p, &x) in row.iter().enumerate() {
                panel[p * Self::WIDTH + j] = x;
            }
        }
    }
}

impl Micro for f32 {
    const WIDTH: usize = 16;

    fn kernel() -> Kernel<f32> {
        #[cfg(target_arch = "x86_64")]
        if crate::simd::has_avx2() {
            return avx2::kernel_f32;
        }
        portable::<f32, 16>
    }

    fn dot() -> fn(&[f32], &[f32]) -> f32 {
        #[cfg(target_arch = "x86_64")]
        if crate::simd::has_avx2() {
            return avx2::dot_f32;
        }
        crate::gemm::vector::dot
    }

    #[cfg(target_arch = "x86_64")]
    fn transpose_panel(rows: &[f32], row_step: usize, depth: usize, panel: &mut [f32]) {
        assert!(rows.len() >= 15 * row_step + depth && panel.len() >= 16 * depth);
        let done = if crate::simd::has_avx2() {
            // SAFETY: the processor has AVX2 and both slices reach far enough.
            unsafe { avx2::transpose_f32(rows.as_ptr(), row_step, depth, panel.as_mut_ptr()) }
        } else {
            0
        };
        for j in 0..16 {
            for p in done..depth {
                panel[p * 16 + j] = rows[j * row_step + p];
            }
        }
    }
}

impl Micro for f64 {
    const WIDTH: usize = 8;

    fn kernel() -> Kernel<f64> {
        #[cfg(target_arch = "x86_64")]
        if crate::simd::has_avx2() {
            return avx2::kernel_f64;
        }
        portable::<f64, 8>
    }

    fn dot() -> fn(&[f64], &[f64]) -> f64 {
        #[cfg(target_arch = "x86_64")]
        if crate::simd::has_avx2() {
            return avx2::dot_f64;
        }
        crate::gemm::vector::dot
    }
}

/// The kernel in plain Rust.
///
/// # Safety
/// See [`Kernel`].
unsafe fn portable<T: Float, const WIDTH: usize>(call: &Call<T>) {
    for i in 0..call.rows {
        let mut sums = [T::ZERO; WIDTH];
        let mut b = call.b;
        for &offset in call.offsets {
            for q in 0..call.len {
                // SAFETY: inside the operands, by the caller's promise.
                let (x, row) =
                    unsafe { (*call.a[i].add(offset + q * call.step), std::slice::from_raw_parts(b, WIDTH)) };
                for (sum, &y) in sums.iter_mut().zip(row) {
                    *sum = sum.plus(x.times(y));
                }
                b = b.wrapping_add(call.b_step);
            }
        }
        // SAFETY: row i of the result, by the caller's promise.
        let c = unsafe { std::slice::from_raw_parts_mut(call.c.add(i * call.c_row), call.cols) };
        for (c, &sum) in c.iter_mut().zip(&sums) {
            *c = if call.accumulate { c.plus(sum) } else { sum };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the machine's kernel and the portable one on the same strided operands.
    fn check<T: Micro + std::fmt::Debug, const WIDTH: usize>() {
        let a = (0..400).map(|i| T::from_f64((i % 7) as f64 - 3.0)).collect::<Vec<_>>();
        let b = (0..400).map(|i| T::from_f64((i % 5) as f64 - 2.0)).collect::<Vec<_>>();
        for rows in 1..=ROWS {
            for (cols, accumulate) in [(WIDTH, false), (WIDTH, true), (WIDTH - 3, false), (1, true)] {
                let run = |kernel: Kernel<T>| {
                    let mut c = vec![T::ONE; ROWS * 20];
                    let call = Call {
                        a: std::array::from_fn(|i| a[i * 3..].as_ptr()),
                        rows,
                        offsets: &[0, 50, 110],
                        len: 5,
                        step: 2,
                        b: b.as_ptr(),
                        b_step: WIDTH + 1,
                        c: c.as_mut_ptr(),
                        c_row: 20,
                        cols,
                        accumulate,
                    };
                    // SAFETY: the offsets, steps and sizes above stay inside the vectors.
                    unsafe { kernel(&call) };
                    c
                };
                assert_eq!(run(T::kernel()), run(portable::<T, WIDTH>), "{rows} x {cols}");
            }
        }
    }

    #[test]
    fn kernels_agree() {
        check::<f32, 16>();
        check::<f64, 8>();
    }

    #[test]
    fn panels_are_transposed() {
        let (depth, step) = (19, 23);
        let rows = (0..16 * step).map(|i| i as f32).collect::<Vec<_>>();
        let mut panel = vec![0.0; 16 * depth];
        f32::transpose_panel(&rows, step, depth, &mut panel);
        assert!((0..16 * depth).all(|i| panel[i] == rows[i % 16 * step + i / 16]));
    }
}
