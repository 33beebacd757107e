//! The innermost loop of matrix products and convolutions.
//!
//! A kernel computes some rows by some columns of a result while it stays in registers; how many
//! depends on the instructions that it is made of. Its left operand is given by one pointer per row
//! and a list of runs, so that the patches of an image can be multiplied where they lie; its right
//! operand is a panel of as many columns as the kernel is wide. There is one kernel, written for
//! vectors of any kind ([`vector`]), and an instance of it for each kind.

mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::caches::Caches;
use crate::isa::Isa;
use crate::number::Float;
use crate::scratch::Plain;

/// Rows that any kernel computes at most.
pub(crate) const MAX_ROWS: usize = 12;

/// One call of a kernel: for each row i, the sum over the runs (x, y), and over q in `0..len`, of
/// `a[i][x + q * step] * b[y + q * width ..][..cols]`.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a, T> {
    pub a: [*const T; MAX_ROWS],
    /// From 1 to the kernel's `rows`.
    pub rows: usize,
    /// Where the runs begin in each row of `a`, and in `b`.
    pub runs: &'a [(usize, usize)],
    pub len: usize,
    pub step: usize,
    pub b: *const T,
    /// Where the rows of the result begin.
    pub c: [*mut T; MAX_ROWS],
    /// Columns to write, from 1 to the kernel's `width`; the panel has `width` in any case.
    pub cols: usize,
    /// Add to the result instead of overwriting it.
    pub accumulate: bool,
}

/// A kernel of one element type for one kind of processor.
pub(crate) struct Kernel<T: 'static> {
    /// The instructions that it is made of.
    pub isa: Isa,
    /// Rows that it computes at most.
    pub rows: usize,
    /// Columns of a panel.
    pub width: usize,
    run: unsafe fn(&Call<T>),
    dot: unsafe fn(&[T], &[T]) -> T,
    transpose: Option<Transpose<T>>,
}

/// Transposes some rows, given by the first and their distance, into a panel of a depth and width, and
/// returns how many depths are done.
type Transpose<T> = unsafe fn(*const T, usize, usize, usize, *mut T) -> usize;

/// How a product is cut for a kernel and the caches of the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    /// Depth that is multiplied at a time: a panel of this depth and the rows that meet it stay in the second-level cache.
    pub depth: usize,
    /// Tiles of rows in a block of the result: so many rows of this depth stay in the second level.
    pub tiles: usize,
    /// Elements of the right operand that are packed at a time: they stay in the last level.
    pub packed: usize,
}

impl<T: Micro> Kernel<T> {
    /// Computes a tile.
    ///
    /// # Safety
    /// Everything the call reaches must be valid to read, and `c` to write, by this call alone.
    #[inline(always)]
    pub unsafe fn run(&self, call: &Call<T>) {
        debug_assert!((1..=self.rows).contains(&call.rows) && (1..=self.width).contains(&call.cols));
        // SAFETY: the caller's promise; kernels whose instructions are missing here are not handed out.
        unsafe { (self.run)(call) }
    }

    /// The inner product of vectors of one length.
    pub fn dot(&self, x: &[T], y: &[T]) -> T {
        assert_eq!(x.len(), y.len());
        // SAFETY: the lengths agree, and kernels whose instructions are missing here are not handed out.
        unsafe { (self.dot)(x, y) }
    }

    /// Writes `panel[p][j] = rows[j * row_step + p]` for `depth` values of p and `width` of j.
    pub fn transpose_panel(&self, rows: &[T], row_step: usize, depth: usize, width: usize, panel: &mut [T]) {
        assert!(rows.len() >= (width - 1) * row_step + depth && panel.len() >= width * depth);
        // SAFETY: both slices reach far enough, and kernels whose instructions are missing here are not handed out.
        let transpose = |f: Transpose<T>| unsafe { f(rows.as_ptr(), row_step, depth, width, panel.as_mut_ptr()) };
        let done = self.transpose.map_or(0, transpose);
        for j in 0..width {
            for p in done..depth {
                panel[p * width + j] = rows[j * row_step + p];
            }
        }
    }

    /// How products are cut on this machine.
    pub fn blocks(&self) -> Blocks {
        self.blocks_for(Caches::get())
    }

    fn blocks_for(&self, caches: Caches) -> Blocks {
        let size = size_of::<T>();
        // A panel is read in order, so the second level feeds it fast enough, and the result is written less often.
        let depth = (caches.second / 8 / (self.width * size) / 32 * 32).clamp(64, 384);
        let tiles = (caches.second / 4 / (depth * size * self.rows)).clamp(8, 64);
        Blocks { depth, tiles, packed: caches.last / 2 / size }
    }
}

/// Element types with kernels.
pub(crate) trait Micro: Float + Plain {
    /// The kernels that are compiled in, from the oldest instructions to the newest.
    fn kernels() -> &'static [Kernel<Self>];

    /// The best kernel of this machine.
    fn kernel() -> &'static Kernel<Self> {
        let best = Isa::best();
        let usable = Self::kernels().iter().rev().find(|kernel| kernel.isa <= best);
        // The first one needs nothing special.
        usable.unwrap_or(&Self::kernels()[0])
    }

    /// The inner product by the best kernel of this machine.
    fn dot(x: &[Self], y: &[Self]) -> Self {
        Self::kernel().dot(x, y)
    }
}

macro_rules! kernels {
    ($t:ty, $portable:ident, $avx2:ident, $avx512:ident, $transpose:expr) => {
        impl Micro for $t {
            fn kernels() -> &'static [Kernel<$t>] {
                const PORTABLE: Kernel<$t> = Kernel {
                    isa: Isa::Portable,
                    rows: vector::$portable::ROWS,
                    width: vector::$portable::WIDTH,
                    run: vector::$portable::run,
                    dot: vector::$portable::dot,
                    transpose: None,
                };
                #[cfg(target_arch = "x86_64")]
                static KERNELS: [Kernel<$t>; 3] = [
                    PORTABLE,
                    Kernel {
                        isa: Isa::Avx2,
                        rows: x86::$avx2::ROWS,
                        width: x86::$avx2::WIDTH,
                        run: x86::$avx2::run,
                        dot: x86::$avx2::dot,
                        transpose: $transpose,
                    },
                    Kernel {
                        isa: Isa::Avx512,
                        rows: x86::$avx512::ROWS,
                        width: x86::$avx512::WIDTH,
                        run: x86::$avx512::run,
                        dot: x86::$avx512::dot,
                        transpose: $transpose,
                    },
                ];
                #[cfg(not(target_arch = "x86_64"))]
                static KERNELS: [Kernel<$t>; 1] = [PORTABLE];
                &KERNELS
            }
        }
    };
}
kernels!(f32, portable_f32, avx2_f32, avx512_f32, Some(x86::transpose_f32));
kernels!(f64, portable_f64, avx2_f64, avx512_f64, None);

/// The kernels that this machine can run: tests try them all.
#[cfg(test)]
pub(crate) fn runnable<T: Micro>() -> impl Iterator<Item = &'static Kernel<T>> {
    T::kernels().iter().filter(|kernel| kernel.isa <= Isa::best())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a call asks for, by its definition.
    fn by_definition<T: Micro>(call: &Call<T>, width: usize, a: [&[T]; MAX_ROWS], b: &[T], c: &mut [T]) {
        for i in 0..call.rows {
            for j in 0..call.cols {
                let mut sum = T::ZERO;
                for (x, y) in call.runs {
                    for q in 0..call.len {
                        sum = sum.plus(a[i][x + q * call.step].times(b[y + q * width + j]));
                    }
                }
                let c = &mut c[i * 40 + j];
                *c = if call.accumulate { c.plus(sum) } else { sum };
            }
        }
    }

    fn check<T: Micro + std::fmt::Debug>() {
        // Small integers, so that every order of summation is exact.
        let a = (0..400).map(|i| T::from_f64((i % 7) as f64 - 3.0)).collect::<Vec<_>>();
        let b = (0..800).map(|i| T::from_f64((i % 5) as f64 - 2.0)).collect::<Vec<_>>();
        for kernel in runnable::<T>() {
            for (rows, cols) in (1..=kernel.rows).flat_map(|rows| (1..=kernel.width).map(move |cols| (rows, cols))) {
                let accumulate = (rows + cols) % 2 == 0;
                let (mut c, mut wanted) = (vec![T::ONE; MAX_ROWS * 40], vec![T::ONE; MAX_ROWS * 40]);
                let starts: [&[T]; MAX_ROWS] = std::array::from_fn(|i| &a[i * 3..]);
                let call = Call {
                    a: starts.map(|row| row.as_ptr()),
                    rows,
                    runs: &[(0, 3), (50, 200), (110, 460)],
                    len: 5,
                    step: 2,
                    b: b.as_ptr(),
                    c: std::array::from_fn(|i| c.as_mut_ptr().wrapping_add(i * 40)),
                    cols,
                    accumulate,
                };
                // SAFETY: the offsets, steps and sizes above stay inside the vectors.
                unsafe { kernel.run(&call) };
                by_definition(&call, kernel.width, starts, &b, &mut wanted);
                assert_eq!(c, wanted, "{:?}: {rows} x {cols}", kernel.isa);
            }
        }
    }

    #[test]
    fn kernels_do_what_is_asked_and_touch_nothing_else() {
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn inner_products_of_every_length() {
        fn check<T: Micro + std::fmt::Debug>() {
            for (kernel, len) in runnable::<T>().flat_map(|kernel| (0..150).map(move |len| (kernel, len))) {
                let x = (0..len).map(|i| T::from_f64((i % 7) as f64 - 3.0)).collect::<Vec<_>>();
                let y = (0..len).map(|i| T::from_f64((i % 5) as f64 - 1.0)).collect::<Vec<_>>();
                let wanted = x.iter().zip(&y).fold(T::ZERO, |sum, (&x, &y)| sum.plus(x.times(y)));
                assert_eq!(kernel.dot(&x, &y), wanted, "{:?}: {len}", kernel.isa);
            }
        }
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn panels_are_transposed() {
        fn check<T: Micro + std::fmt::Debug>() {
            for kernel in runnable::<T>() {
                let (depth, step) = (19, 23);
                for width in [1, 4, 6, 12, 13, kernel.width] {
                    let rows = (0..width * step).map(|i| T::from_f64(i as f64)).collect::<Vec<_>>();
                    let mut panel = vec![T::ZERO; width * depth];
                    kernel.transpose_panel(&rows, step, depth, width, &mut panel);
                    let right = |i: usize| panel[i] == rows[i % width * step + i / width];
                    assert!((0..width * depth).all(right), "{:?}: {width}", kernel.isa);
                }
            }
        }
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn blocks_fit_the_caches() {
        for (second, last) in [(256 << 10, 8 << 20), (2 << 20, 32 << 20)] {
            for kernel in f32::kernels() {
                let blocks = kernel.blocks_for(Caches { second, last });
                let (panel, rows) = (blocks.depth * kernel.width * 4, blocks.tiles * kernel.rows * blocks.depth * 4);
                assert!(panel + rows <= second, "{:?}: {blocks:?}", kernel.isa);
            }
        }
    }
}
