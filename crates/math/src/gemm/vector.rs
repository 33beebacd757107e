//! A vector times a matrix: bound by memory, so each matrix element is read once, in order.

use crate::number::Number;
use crate::simd::wide;
use crate::threads::parallel_units;

/// Multiplications that are worth a second thread.
const GRAIN: usize = 64 * 1024;

/// `y = x M` (or `y += x M`), where M is stored as `[k,n]`, or as `[n,k]` when `transposed`.
/// `dot` is the inner product of two vectors.
pub(super) fn times_matrix<T: Number>(
    x: &[T],
    matrix: &[T],
    transposed: bool,
    y: &mut [T],
    accumulate: bool,
    dot: fn(&[T], &[T]) -> T,
) {
    let (k, n) = (x.len(), y.len());
    parallel_units(y, 1, GRAIN.div_ceil(k), |first, y| {
        if !transposed {
            return columns(x, matrix, n, first, y, accumulate);
        }
        for (y, row) in y.iter_mut().zip(matrix[first * k..].chunks_exact(k)) {
            let product = dot(x, row);
            *y = if accumulate { y.plus(product) } else { product };
        }
    });
}

/// The inner product, in lanes.
pub(crate) fn dot<T: Number>(x: &[T], y: &[T]) -> T {
    wide(
        #[inline(always)]
        || {
            let mut lanes = [T::Wide::ZERO; 16];
            let (xs, ys) = (x.chunks_exact(16), y.chunks_exact(16));
            let tail = xs.remainder().iter().zip(ys.remainder());
            for (x, y) in xs.zip(ys) {
                for ((lane, &x), &y) in lanes.iter_mut().zip(x).zip(y) {
                    *lane = lane.plus(x.widen().times(y.widen()));
                }
            }
            let sum = lanes.into_iter().fold(T::Wide::ZERO, T::Wide::plus);
            T::narrow(tail.fold(sum, |sum, (&x, &y)| sum.plus(x.widen().times(y.widen()))))
        },
    )
}

/// The columns `first..first + y.len()` of `x M`, in strips whose sums stay in the cache.
fn columns<T: Number>(x: &[T], matrix: &[T], n: usize, first: usize, y: &mut [T], accumulate: bool) {
    const STRIP: usize = 256;
    for (s, y) in y.chunks_mut(STRIP).enumerate() {
        let (at, len) = (first + s * STRIP, y.len());
        wide(
            #[inline(always)]
            || {
                let mut sums = [T::Wide::ZERO; STRIP];
                let sums = &mut sums[..len];
                let mut quads = x.chunks_exact(4);
                let mut p = 0;
                for quad in &mut quads {
                    let [a, b, c, d] = [quad[0].widen(), quad[1].widen(), quad[2].widen(), quad[3].widen()];
                    let row = |i: usize| &matrix[(p + i) * n + at..(p + i) * n + at + len];
                    let rows = row(0).iter().zip(row(1)).zip(row(2)).zip(row(3));
                    for (sum, (((&q, &r), &s), &t)) in sums.iter_mut().zip(rows) {
                        let left = a.times(q.widen()).plus(b.times(r.widen()));
                        let right = c.times(s.widen()).plus(d.times(t.widen()));
                        *sum = sum.plus(left.plus(right));
                    }
                    p += 4;
                }
                for &a in quads.remainder() {
                    let a = a.widen();
                    for (sum, &q) in sums.iter_mut().zip(&matrix[p * n + at..p * n + at + len]) {
                        *sum = sum.plus(a.times(q.widen()));
                    }
                    p += 1;
                }
                for (y, &sum) in y.iter_mut().zip(sums.iter()) {
                    let product = T::narrow(sum);
                    *y = if accumulate { y.plus(product) } else { product };
                }
            },
        );
    }
}
