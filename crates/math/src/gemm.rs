//! Products of row-major matrices.
//!
//! `f32` and `f64` products use our own kernels; those of complex numbers are cut into tiles that our
//! own threads share and the kernels of the `gemm` crate multiply. 16-bit floats go through `f32`;
//! integers wrap. How a product is cut depends only on its sizes, the number of threads and the
//! processor, so the same product gives the same bits again.

mod blocked;
pub(crate) mod vector;

use crate::convert;
use crate::kernel::Micro;
use crate::number::Number;
use crate::scratch::with_scratch;
use crate::threads::{SharedMut, parallel_for, threads};
use half::{bf16, f16};
use num_complex::Complex;

/// Multiplications that are worth a second thread.
const GRAIN: usize = 256 * 1024;

/// Element types of matrices.
pub trait GemmElement: Number {
    /// The whole product, of operands that are not empty and whose sizes are checked. It is
    /// compiled here, once per type.
    fn whole(p: &Product, a: &[Self], b: &[Self], c: &mut [Self]);

    /// The largest depth whose products are summed in one go, if that is known.
    fn depth() -> Option<usize> {
        None
    }
}

/// Element types whose products are cut into tiles.
trait Tiles: Number {
    /// The product of the part of the matrices that `tile` names, on this thread.
    ///
    /// # Safety
    /// All elements that the tile's pointers, strides and sizes reach must be valid, and nobody
    /// else may use those of `c`.
    unsafe fn tile(tile: Tile<Self>);
}

/// The sizes of a product `c[m,n] = a[m,k] b[k,n]`; a transposed operand is stored as `[k,m]` or
/// `[n,k]`. With `accumulate` the product is added to `c`.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    pub m: usize,
    pub k: usize,
    pub n: usize,
    pub a_transposed: bool,
    pub b_transposed: bool,
    pub accumulate: bool,
}

/// A part of a product: pointers to the first elements and the steps between rows and columns.
#[derive(Clone, Copy)]
struct Tile<T> {
    m: usize,
    k: usize,
    n: usize,
    a: *const T,
    a_steps: (usize, usize),
    b: *const T,
    b_steps: (usize, usize),
    c: *mut T,
    c_row: usize,
    accumulate: bool,
}

/// `c = a b`, or `c += a b` with `accumulate`; see [`Product`] for the layouts.
///
/// ```
/// use tensorfleet_math::gemm::gemm;
///
/// let (a, b) = ([1f32, 2.0, 3.0, 4.0], [1f32, 10.0]); // [2,2] and [2,1]
/// let mut c = [0f32; 2];
/// gemm(2, 2, 1, &a, false, &b, false, &mut c, false);
/// assert_eq!(c, [21.0, 43.0]);
/// gemm(2, 2, 1, &a, true, &b, false, &mut c, true);
/// assert_eq!(c, [21.0 + 31.0, 43.0 + 42.0]);
/// ```
pub fn gemm<T: GemmElement>(
    m: usize,
    k: usize,
    n: usize,
    a: &[T],
    a_transposed: bool,
    b: &[T],
    b_transposed: bool,
    c: &mut [T],
    accumulate: bool,
) {
    product(&Product { m, k, n, a_transposed, b_transposed, accumulate }, a, b, c);
}

/// As [`gemm`], with the sizes in a struct.
pub fn product<T: GemmElement>(p: &Product, a: &[T], b: &[T], c: &mut [T]) {
    assert_eq!([a.len(), b.len(), c.len()], [p.m * p.k, p.k * p.n, p.m * p.n]);
    if c.is_empty() {
        return;
    }
    if p.k == 0 {
        if !p.accumulate {
            c.fill(T::ZERO);
        }
        return;
    }
    T::whole(p, a, b, c);
}

/// Whether all that a product with `accumulate` adds to an element is summed before it is added, so that the result has the
/// bits of a product and a sum made one after the other. Deep products are added in several parts.
pub fn is_added_last<T: GemmElement>(p: &Product) -> bool {
    p.m > 1 && p.n > 1 && T::depth().is_some_and(|depth| p.k <= depth)
}

/// Products with a vector on one side; false when both sides are matrices.
fn is_vector_product<T: Number>(p: &Product, a: &[T], b: &[T], c: &mut [T], dot: fn(&[T], &[T]) -> T) -> bool {
    if p.m == 1 {
        vector::times_matrix(a, b, p.b_transposed, c, p.accumulate, dot);
    } else if p.n == 1 {
        vector::times_matrix(b, a, !p.a_transposed, c, p.accumulate, dot);
    }
    p.m == 1 || p.n == 1
}

/// Many products of one size: `c[i] = a[x] b[y]` where `(x, y)` is `pairs[i]`, the numbers of the
/// matrices in `a` and `b` (which may repeat, as in a broadcast batch).
///
/// ```
/// use tensorfleet_math::gemm::{Product, batched};
///
/// let p = Product { m: 1, k: 2, n: 1, a_transposed: false, b_transposed: false, accumulate: false };
/// let (a, b) = ([1f32, 2.0], [1f32, 1.0, 10.0, 10.0]); // one matrix times two
/// let mut c = [0f32; 2];
/// batched(&p, &[(0, 0), (0, 1)], &a, &b, &mut c);
/// assert_eq!(c, [3.0, 30.0]);
/// ```
pub fn batched<T: GemmElement>(p: &Product, pairs: &[(usize, usize)], a: &[T], b: &[T], c: &mut [T]) {
    let (a_len, b_len, c_len) = (p.m * p.k, p.k * p.n, p.m * p.n);
    assert_eq!(c.len(), pairs.len() * c_len);
    if c.is_empty() {
        return;
    }
    let one = |i: usize, c: &mut [T]| {
        let (x, y) = pairs[i];
        product(p, &a[x * a_len..(x + 1) * a_len], &b[y * b_len..(y + 1) * b_len], c);
    };
    let work = (p.m * p.n * p.k).max(1);
    if pairs.len() >= threads() || work < GRAIN {
        crate::threads::parallel_units(c, c_len, GRAIN.div_ceil(work), |first, c| {
            for (i, c) in c.chunks_mut(c_len).enumerate() {
                one(first + i, c);
            }
        });
    } else {
        for (i, c) in c.chunks_mut(c_len).enumerate() {
            one(i, c);
        }
    }
}

/// Cuts the result into tiles, one or more a thread.
fn tiled<T: Tiles>(p: &Product, a: &[T], b: &[T], c: &mut [T]) {
    let &Product { m, k, n, .. } = p;
    let work = m * n * k;
    let parts = (work / GRAIN).clamp(1, threads());
    if parts > 1 && m * n <= 64 * 64 && k >= 16 * m.max(n) {
        return split_depth(p, a, b, c, parts);
    }
    // A row or column of tiles; the longer side is cut, in multiples that suit the kernels.
    let by_rows = m >= n;
    let (side, unit) = if by_rows { (m, 4) } else { (n, 16) };
    let step = side.div_ceil(parts).next_multiple_of(unit);
    let tiles = side.div_ceil(step);
    let c = SharedMut::new(c);
    parallel_for(tiles, 1, |range| {
        for t in range {
            let (from, len) = (t * step, step.min(side - t * step));
            let (row, col) = if by_rows { (from, 0) } else { (0, from) };
            let (m, n) = if by_rows { (len, n) } else { (m, len) };
            // SAFETY: `product` checked the lengths; tiles are disjoint parts of the result.
            unsafe { T::tile(part(p, a, b, c.start(), (row, m), (0, k), (col, n), p.accumulate)) };
        }
    });
}

/// For small results of long sums: each thread sums a part of the depth.
fn split_depth<T: Tiles>(p: &Product, a: &[T], b: &[T], c: &mut [T], parts: usize) {
    let &Product { m, k, n, .. } = p;
    let step = k.div_ceil(parts);
    let mut partial = vec![T::ZERO; parts * m * n];
    crate::threads::parallel_units(&mut partial, m * n, 1, |first, partial| {
        for (i, c) in partial.chunks_mut(m * n).enumerate() {
            let from = ((first + i) * step).min(k);
            let len = step.min(k - from);
            if len > 0 {
                // SAFETY: `product` checked the lengths; every part has its own result.
                unsafe { T::tile(part(p, a, b, c.as_mut_ptr(), (0, m), (from, len), (0, n), false)) };
            }
        }
    });
    if !p.accumulate {
        c.fill(T::ZERO);
    }
    for partial in partial.chunks(m * n) {
        for (c, &x) in c.iter_mut().zip(partial) {
            *c = c.plus(x);
        }
    }
}

/// The tile of rows, depths and columns given as (first, count).
///
/// # Safety
/// The parts must lie inside the matrices.
unsafe fn part<T>(
    p: &Product,
    a: &[T],
    b: &[T],
    c: *mut T,
    rows: (usize, usize),
    depth: (usize, usize),
    cols: (usize, usize),
    accumulate: bool,
) -> Tile<T> {
    let a_steps = if p.a_transposed { (1, p.m) } else { (p.k, 1) };
    let b_steps = if p.b_transposed { (1, p.k) } else { (p.n, 1) };
    // SAFETY: the first elements lie inside the matrices, by the caller's promise.
    unsafe {
        Tile {
            m: rows.1,
            k: depth.1,
            n: cols.1,
            a: a.as_ptr().add(rows.0 * a_steps.0 + depth.0 * a_steps.1),
            a_steps,
            b: b.as_ptr().add(depth.0 * b_steps.0 + cols.0 * b_steps.1),
            b_steps,
            c: c.add(rows.0 * p.n + cols.0),
            c_row: p.n,
            accumulate,
        }
    }
}

macro_rules! by_kernels {
    ($($t:ty)*) => {$(
        impl GemmElement for $t {
            fn whole(p: &Product, a: &[Self], b: &[Self], c: &mut [Self]) {
                if !is_vector_product(p, a, b, c, Self::dot) {
                    blocked::multiply(Self::kernel(), p, a, b, c);
                }
            }

            fn depth() -> Option<usize> {
                Some(Self::kernel().blocks().depth)
            }
        }
    )*};
}
by_kernels!(f32 f64);

macro_rules! by_tiles {
    ($($t:ty)*) => {$(
        impl GemmElement for $t {
            fn whole(p: &Product, a: &[Self], b: &[Self], c: &mut [Self]) {
                if !is_vector_product(p, a, b, c, vector::dot) {
                    tiled(p, a, b, c);
                }
            }
        }
    )*};
}
by_tiles!(i8 i16 i32 i64 u8 u16 u32 u64 Complex<f32> Complex<f64>);

macro_rules! crate_tiles {
    ($($t:ty)*) => {$(
        impl Tiles for $t {
            unsafe fn tile(t: Tile<Self>) {
                // SAFETY: the caller's promise about the tile is what the kernel asks for.
                unsafe {
                    gemm::gemm(
                        t.m, t.n, t.k,
                        t.c, 1, t.c_row as isize, t.accumulate,
                        t.a, t.a_steps.1 as isize, t.a_steps.0 as isize,
                        t.b, t.b_steps.1 as isize, t.b_steps.0 as isize,
                        <$t>::ONE, <$t>::ONE,
                        false, false, false,
                        gemm::Parallelism::None,
                    );
                }
            }
        }
    )*};
}
crate_tiles!(Complex<f32> Complex<f64>);

macro_rules! plain_tiles {
    ($($t:ty)*) => {$(
        impl Tiles for $t {
            unsafe fn tile(t: Tile<Self>) {
                // SAFETY: the caller's promise about the tile.
                unsafe { plain_tile(t) };
            }
        }
    )*};
}
plain_tiles!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! by_f32 {
    ($($t:ty, $widen:path, $narrow:path;)*) => {$(
        impl GemmElement for $t {
            fn whole(p: &Product, a: &[Self], b: &[Self], c: &mut [Self]) {
                with_scratch(a.len() + b.len() + c.len(), |wide: &mut [f32]| {
                    let (wide_a, rest) = wide.split_at_mut(a.len());
                    let (wide_b, wide_c) = rest.split_at_mut(b.len());
                    $widen(a, wide_a);
                    $widen(b, wide_b);
                    if p.accumulate {
                        $widen(c, wide_c);
                    }
                    f32::whole(p, wide_a, wide_b, wide_c);
                    $narrow(wide_c, c);
                });
            }
        }
    )*};
}
by_f32!(
    f16, convert::f16_to_f32, convert::f32_to_f16;
    bf16, convert::bf16_to_f32, convert::f32_to_bf16;
);

/// A tile by rows: `c[i] += a[i,p] * b[p]`, where b's rows are made contiguous first.
///
/// # Safety
/// As for [`Tiles::tile`].
unsafe fn plain_tile<T: Number>(t: Tile<T>) {
    let mut copied = Vec::new();
    if t.b_steps.1 != 1 {
        for p in 0..t.k {
            for j in 0..t.n {
                // SAFETY: inside the tile.
                copied.push(unsafe { *t.b.add(p * t.b_steps.0 + j * t.b_steps.1) });
            }
        }
    }
    for i in 0..t.m {
        // SAFETY: row i of the tile's result, used by nobody else.
        let c = unsafe { std::slice::from_raw_parts_mut(t.c.add(i * t.c_row), t.n) };
        if !t.accumulate {
            c.fill(T::ZERO);
        }
        for p in 0..t.k {
            // SAFETY: inside the tile.
            let x = unsafe { *t.a.add(i * t.a_steps.0 + p * t.a_steps.1) };
            let row = if copied.is_empty() {
                // SAFETY: row p of the tile's right operand, contiguous.
                unsafe { std::slice::from_raw_parts(t.b.add(p * t.b_steps.0), t.n) }
            } else {
                &copied[p * t.n..(p + 1) * t.n]
            };
            crate::simd::wide(
                #[inline(always)]
                || {
                    for (c, &y) in c.iter_mut().zip(row) {
                        *c = c.plus(x.times(y));
                    }
                },
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small integers with some spread, so that every type computes the product exactly.
    fn matrix<T: Number>(len: usize, seed: usize) -> Vec<T> {
        (0..len).map(|i| T::from_count((i * 7 + seed * 3 + i / 5) % 4)).collect()
    }

    fn check<T: GemmElement + std::fmt::Debug>(m: usize, k: usize, n: usize) {
        for case in 0..8 {
            let (at, bt, accumulate) = (case & 1 == 1, case & 2 == 2, case & 4 == 4);
            let (a, b) = (matrix::<T>(m * k, 1), matrix::<T>(k * n, 2));
            let mut c = vec![T::ONE; m * n];
            gemm(m, k, n, &a, at, &b, bt, &mut c, accumulate);
            for i in 0..m {
                for j in 0..n {
                    let start = if accumulate { T::ONE.widen() } else { T::ZERO.widen() };
                    let want = (0..k).fold(start, |sum, p| {
                        let x = if at { a[p * m + i] } else { a[i * k + p] };
                        let y = if bt { b[j * k + p] } else { b[p * n + j] };
                        sum.plus(x.widen().times(y.widen()))
                    });
                    assert_eq!(c[i * n + j], T::narrow(want), "{m}x{k}x{n} case {case} at {i},{j}");
                }
            }
        }
    }

    #[test]
    fn all_layouts_and_types() {
        for (m, k, n) in [(1, 1, 1), (2, 3, 4), (5, 7, 3), (1, 9, 33), (17, 40, 1), (3, 0, 2)] {
            check::<f32>(m, k, n);
            check::<f64>(m, k, n);
            check::<i32>(m, k, n);
            check::<i64>(m, k, n);
            check::<f16>(m, k, n);
            check::<Complex<f32>>(m, k, n);
        }
        check::<u8>(3, 5, 2);
        check::<bf16>(3, 5, 2);
    }

    #[test]
    fn sizes_that_are_cut_for_threads() {
        for (m, k, n) in [(130, 67, 101), (9, 3000, 31), (67, 130, 257), (1, 700, 1500), (1500, 700, 1)] {
            check::<f32>(m, k, n);
            check::<i32>(m, k, n);
        }
    }

    /// Every kernel of the machine, on sizes at and around its own and those of its blocks.
    fn check_kernels<T: GemmElement + Micro + std::fmt::Debug>() {
        for kernel in crate::kernel::runnable::<T>() {
            let (rows, width, blocks) = (kernel.rows, kernel.width, kernel.blocks());
            let sizes = [
                (2, 1, 2),
                (rows, 9, width),
                (rows + 1, blocks.depth, width - 1),
                (3 * rows - 1, blocks.depth + 1, 2 * width + 1),
                (257, 37, 4 * width + 3),
                (2 * rows, 2 * blocks.depth + 5, 520),
            ];
            for ((m, k, n), case) in sizes.into_iter().flat_map(|size| (0..8).map(move |case| (size, case))) {
                let p = Product {
                    m,
                    k,
                    n,
                    a_transposed: case & 1 == 1,
                    b_transposed: case & 2 == 2,
                    accumulate: case & 4 == 4,
                };
                let (a, b) = (matrix::<T>(m * k, 1), matrix::<T>(k * n, 2));
                let (mut c, mut wanted) = (vec![T::ONE; m * n], vec![T::ONE; m * n]);
                blocked::multiply(kernel, &p, &a, &b, &mut c);
                // SAFETY: the tile is the whole product, of vectors of its sizes.
                unsafe { plain_tile(part(&p, &a, &b, wanted.as_mut_ptr(), (0, m), (0, k), (0, n), p.accumulate)) };
                assert_eq!(c, wanted, "{:?} {p:?}", kernel.isa);
            }
        }
    }

    #[test]
    fn all_kernels() {
        check_kernels::<f32>();
        check_kernels::<f64>();
    }

    #[test]
    fn what_is_added_last_has_the_bits_of_a_product_and_a_sum() {
        let number = |i: usize| ((i * 7919) % 1013) as f32 / 1013.0 - 0.5;
        for (m, k, n) in [(2, 1, 2), (64, 32, 96), (130, 64, 33), (33, 17, 600)] {
            for (a_transposed, b_transposed) in [(false, false), (true, false), (false, true), (true, true)] {
                let p = Product { m, k, n, a_transposed, b_transposed, accumulate: true };
                assert!(is_added_last::<f32>(&p));
                let a: Vec<f32> = (0..m * k).map(number).collect();
                let b: Vec<f32> = (0..k * n).map(|i| number(i + 31)).collect();
                let before: Vec<f32> = (0..m * n).map(|i| number(i + 77)).collect();
                let (mut sum, mut alone) = (before.clone(), vec![0f32; m * n]);
                product(&p, &a, &b, &mut sum);
                product(&Product { accumulate: false, ..p }, &a, &b, &mut alone);
                let wanted = before.iter().zip(&alone).map(|(x, y)| (x + y).to_bits());
                assert!(sum.iter().map(|x| x.to_bits()).eq(wanted), "{p:?}");
            }
        }
        let p = Product { m: 2, k: 4096, n: 2, a_transposed: false, b_transposed: false, accumulate: true };
        assert!(!is_added_last::<f32>(&p) && !is_added_last::<i32>(&Product { k: 2, ..p }));
        assert!(!is_added_last::<f32>(&Product { m: 1, k: 2, ..p }), "a vector's products are summed otherwise");
    }

    #[test]
    fn empty_results_and_batches() {
        gemm::<f32>(0, 3, 2, &[], false, &[0.0; 6], false, &mut [], false);
        let p = Product { m: 1, k: 2, n: 1, a_transposed: false, b_transposed: false, accumulate: false };
        let mut c = [0.0f32; 3];
        batched(&p, &[(0, 0), (1, 0), (0, 1)], &[1.0, 2.0, 3.0, 4.0], &[1.0, 1.0, 0.0, 5.0], &mut c);
        assert_eq!(c, [3.0, 7.0, 10.0]);
    }
}
