//! The kernel and the inner product, for vectors of any kind, and their instance in plain Rust.

use super::Call;
use crate::number::Float;

/// Some numbers that are computed with at once.
///
/// All methods are inlined into functions that are compiled for the instructions they need.
pub(super) trait Vector: Copy {
    type Element: Float;
    const LANES: usize;

    /// Returns zeros.
    ///
    /// # Safety
    /// The processor must have the instructions that this kind of vector needs; so it is for all methods.
    unsafe fn zero() -> Self;
    /// Reads `LANES` numbers.
    ///
    /// # Safety
    /// They must be valid to read.
    unsafe fn load(from: *const Self::Element) -> Self;
    /// Reads `count` numbers, fewer than `LANES`; the others are zero.
    ///
    /// # Safety
    /// They must be valid to read; what lies behind them is not touched.
    unsafe fn load_some(from: *const Self::Element, count: usize) -> Self;
    /// Writes `LANES` numbers.
    ///
    /// # Safety
    /// They must be valid to write.
    unsafe fn store(self, to: *mut Self::Element);
    /// Writes the first `count` numbers, fewer than `LANES`.
    ///
    /// # Safety
    /// They must be valid to write; what lies behind them is not touched.
    unsafe fn store_some(self, to: *mut Self::Element, count: usize);
    /// Returns one number in all lanes.
    ///
    /// # Safety
    /// It must be valid to read.
    unsafe fn spread(from: *const Self::Element) -> Self;
    /// Returns the sum.
    ///
    /// # Safety
    /// As for all methods.
    unsafe fn plus(self, other: Self) -> Self;
    /// Returns `self * factor + sum`.
    ///
    /// # Safety
    /// As for all methods.
    unsafe fn times_plus(self, factor: Self, sum: Self) -> Self;
}

#[expect(
    clippy::needless_range_loop,
    reason = "loops over registers, which the compiler unrolls, count through several arrays at once"
)]
/// Computes `ROWS` rows and the columns of `VECTORS` vectors, which must be the rows of the call and enough for its
/// columns. A panel is two vectors wide in any case.
///
/// # Safety
/// As for [`super::Kernel::run`], and as [`Vector`] says.
#[inline(always)]
pub(super) unsafe fn tile<V: Vector, const ROWS: usize, const VECTORS: usize>(call: &Call<V::Element>) {
    debug_assert!(call.rows == ROWS && call.cols <= VECTORS * V::LANES);
    // SAFETY: all elements lie inside the operands and the result, by the caller's promise.
    unsafe {
        // The result may lie far apart in memory: it is fetched while the sums are made.
        for i in 0..ROWS {
            for v in 0..VECTORS {
                fetch_ahead(call.c[i].add(v * V::LANES));
            }
            fetch_ahead(call.c[i].add(call.cols - 1));
        }
        let mut sums = [[V::zero(); VECTORS]; ROWS];
        for &(mut index, place) in call.runs {
            let mut b = call.b.add(place);
            for _ in 0..call.len {
                let mut columns = [V::zero(); VECTORS];
                for v in 0..VECTORS {
                    columns[v] = V::load(b.add(v * V::LANES));
                }
                for i in 0..ROWS {
                    let x = V::spread(call.a[i].add(index));
                    for v in 0..VECTORS {
                        sums[i][v] = x.times_plus(columns[v], sums[i][v]);
                    }
                }
                index += call.step;
                b = b.wrapping_add(2 * V::LANES);
            }
        }
        for i in 0..ROWS {
            for v in 0..VECTORS {
                let (to, sum) = (call.c[i].add(v * V::LANES), sums[i][v]);
                let cols = call.cols - v * V::LANES;
                if cols >= V::LANES {
                    (if call.accumulate { sum.plus(V::load(to)) } else { sum }).store(to);
                } else {
                    (if call.accumulate { sum.plus(V::load_some(to, cols)) } else { sum }).store_some(to, cols);
                }
            }
        }
    }
}

/// Asks for a place in memory that will be used soon; does nothing where the processor cannot be asked.
#[inline(always)]
fn fetch_ahead<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of the target has the instruction, which is a hint: any address will do.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[expect(
    clippy::needless_range_loop,
    reason = "loops over registers, which the compiler unrolls, count through several arrays at once"
)]
/// The inner product.
///
/// # Safety
/// The lengths must agree, and as [`Vector`] says.
#[inline(always)]
pub(super) unsafe fn dot<V: Vector>(x: &[V::Element], y: &[V::Element]) -> V::Element {
    const MOST_LANES: usize = 16;
    debug_assert!(x.len() == y.len() && V::LANES <= MOST_LANES);
    let (len, x, y) = (x.len(), x.as_ptr(), y.as_ptr());
    let mut lanes = [<V::Element as crate::number::Number>::ZERO; MOST_LANES];
    // SAFETY: nothing is read at or behind `len`, and the array holds one vector.
    unsafe {
        let mut sums = [V::zero(); 4];
        let mut at = 0;
        while at + 4 * V::LANES <= len {
            for i in 0..4 {
                let place = at + i * V::LANES;
                sums[i] = V::load(x.add(place)).times_plus(V::load(y.add(place)), sums[i]);
            }
            at += 4 * V::LANES;
        }
        while at + V::LANES <= len {
            sums[0] = V::load(x.add(at)).times_plus(V::load(y.add(at)), sums[0]);
            at += V::LANES;
        }
        if at < len {
            let rest = V::load_some(y.add(at), len - at);
            sums[1] = V::load_some(x.add(at), len - at).times_plus(rest, sums[1]);
        }
        sums[0].plus(sums[1]).plus(sums[2].plus(sums[3])).store(lanes.as_mut_ptr());
    }
    let mut sum = lanes[0];
    for &lane in &lanes[1..V::LANES] {
        sum = crate::number::Number::plus(sum, lane);
    }
    sum
}

/// The functions of a [`super::Kernel`] for a kind of vector, up to the given numbers of rows, compiled for the given
/// instructions.
macro_rules! instance {
    ($(#[$features:meta])* $name:ident, $vector:ty, $t:ty, $most:literal, $($rows:literal)*) => {
        pub(super) mod $name {
            use super::*;

            pub(in crate::kernel) const ROWS: usize = $most;
            pub(in crate::kernel) const WIDTH: usize = 2 * <$vector as Vector>::LANES;

            /// # Safety
            /// As for [`super::tile`], with at most `ROWS` rows and `WIDTH` columns.
            pub(in crate::kernel) unsafe fn run(call: &Call<$t>) {
                // SAFETY: passed on to the caller.
                unsafe {
                    if call.cols > <$vector as Vector>::LANES {
                        match call.rows {
                            $($rows => body::<$rows, 2>(call),)*
                            _ => body::<$most, 2>(call),
                        }
                    } else {
                        match call.rows {
                            $($rows => body::<$rows, 1>(call),)*
                            _ => body::<$most, 1>(call),
                        }
                    }
                }
            }

            /// # Safety
            /// As for [`super::tile`].
            $(#[$features])*
            unsafe fn body<const ROWS: usize, const VECTORS: usize>(call: &Call<$t>) {
                // SAFETY: passed on to the caller.
                unsafe { tile::<$vector, ROWS, VECTORS>(call) }
            }

            /// # Safety
            /// As for [`super::dot`].
            $(#[$features])*
            pub(in crate::kernel) unsafe fn dot(x: &[$t], y: &[$t]) -> $t {
                // SAFETY: passed on to the caller.
                unsafe { super::dot::<$vector>(x, y) }
            }
        }
    };
}
pub(super) use instance;

/// Numbers side by side, for the compiler to make vectors of.
#[derive(Clone, Copy)]
pub(super) struct Lanes<T, const N: usize>([T; N]);

impl<T: Float, const N: usize> Vector for Lanes<T, N> {
    type Element = T;
    const LANES: usize = N;

    #[inline(always)]
    unsafe fn zero() -> Self {
        Self([T::ZERO; N])
    }

    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { from.cast::<[T; N]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn load_some(from: *const T, count: usize) -> Self {
        let mut lanes = [T::ZERO; N];
        for (i, lane) in lanes.iter_mut().enumerate().take(count) {
            // SAFETY: the caller's promise.
            *lane = unsafe { *from.add(i) };
        }
        Self(lanes)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[T; N]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn store_some(self, to: *mut T, count: usize) {
        for (i, lane) in self.0.into_iter().enumerate().take(count) {
            // SAFETY: the caller's promise.
            unsafe { *to.add(i) = lane };
        }
    }

    #[inline(always)]
    unsafe fn spread(from: *const T) -> Self {
        // SAFETY: the caller's promise.
        Self([unsafe { *from }; N])
    }

    #[inline(always)]
    unsafe fn plus(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].plus(other.0[i]);
        }
        self
    }

    #[inline(always)]
    unsafe fn times_plus(mut self, factor: Self, sum: Self) -> Self {
        for i in 0..N {
            // Only where every processor of the target has it is the fused product not a call of a library.
            self.0[i] = if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
                self.0[i].mul_add(factor.0[i], sum.0[i])
            } else {
                self.0[i].times(factor.0[i]).plus(sum.0[i])
            };
        }
        self
    }
}

/// Bytes of a portable vector: twice the registers where there are twice as many.
const BYTES: usize = if cfg!(target_arch = "aarch64") { 32 } else { 16 };

instance!(portable_f32, Lanes<f32, { BYTES / 4 }>, f32, 6, 1 2 3 4 5);
instance!(portable_f64, Lanes<f64, { BYTES / 8 }>, f64, 6, 1 2 3 4 5);
