//! Reductions over any set of axes.
//!
//! A plan merges neighbouring axes of the same kind, so that what remains alternates between kept
//! and reduced ones. Sums run in several lanes and are combined in blocks, which keeps `f32`
//! sums accurate; 16-bit floats accumulate in `f32`; integers wrap. The result does not depend
//! on the number of threads.

mod arg;
mod reducers;

pub use arg::{ArgOp, arg_reduce};
pub use reducers::{Reduce, ReduceOp, reduce_bool};

use crate::simd::wide;
use crate::threads::{parallel_units, threads};

/// What a reduction computes from the elements it meets.
pub trait Reducer<T>: Copy + Sync {
    type Acc: Copy + Send + Sync;
    type Out;
    /// The value of no elements.
    fn start(&self) -> Self::Acc;
    fn fold(&self, acc: Self::Acc, x: T) -> Self::Acc;
    fn merge(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// The result from the accumulated value and the number of elements that went into it.
    fn finish(&self, acc: Self::Acc, count: usize) -> Self::Out;
}

/// How a shape is reduced over some axes.
///
/// ```
/// use tensorfleet_math::reduce::ReducePlan;
///
/// let plan = ReducePlan::new(&[2, 3, 4], &[1]);
/// assert_eq!(plan.out_shape(false), [2, 4]);
/// assert_eq!(plan.out_shape(true), [2, 1, 4]);
/// assert_eq!((plan.out_len(), plan.count()), (8, 3));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ReducePlan {
    shape: Vec<i64>,
    reduced: Vec<bool>,
    /// Merged axes, outermost first: size, and whether it is reduced.
    dims: Vec<(usize, bool)>,
    in_len: usize,
    out_len: usize,
    count: usize,
}

impl ReducePlan {
    /// The plan of reducing `shape` (no negative dimension) over `axes` (each below the rank).
    pub fn new(shape: &[i64], axes: &[usize]) -> Self {
        let mut reduced = vec![false; shape.len()];
        for &axis in axes {
            reduced[axis] = true;
        }
        let mut dims: Vec<(usize, bool)> = Vec::new();
        let (mut out_len, mut count) = (1usize, 1usize);
        for (&d, &r) in shape.iter().zip(&reduced) {
            let d = usize::try_from(d).expect("a dimension is not negative");
            if r {
                count *= d
            } else {
                out_len *= d
            }
            match dims.last_mut() {
                _ if d == 1 => {}
                Some(last) if last.1 == r => last.0 *= d,
                _ => dims.push((d, r)),
            }
        }
        if dims.is_empty() {
            dims.push((1, false));
        }
        Self { shape: shape.to_vec(), reduced, dims, in_len: out_len * count, out_len, count }
    }

    /// The shape of the result, the reduced axes kept with size 1 or left out.
    pub fn out_shape(&self, keep_dims: bool) -> Vec<i64> {
        let axes = self.shape.iter().zip(&self.reduced);
        axes.filter(|(_, r)| keep_dims || !**r).map(|(&d, &r)| if r { 1 } else { d }).collect()
    }

    /// The number of elements of the result.
    pub fn out_len(&self) -> usize {
        self.out_len
    }

    /// The number of elements that go into each result.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// Rows of a reduction that are added up before they meet the rest.
const BLOCK_ROWS: usize = 128;
/// Columns that are accumulated side by side.
const STRIP: usize = 512;
/// Elements per partial result when a reduced axis is cut for the threads.
const PART: usize = 64 * 1024;
const LANES: usize = 32;
/// Lanes of what is left of a row.
const FEW: usize = 8;

/// `out = reducer(input)` by `plan`.
///
/// ```
/// use tensorfleet_math::reduce::{ReducePlan, Reducer, reduce};
///
/// /// Counts the positive numbers.
/// #[derive(Clone, Copy)]
/// struct Positive;
///
/// impl Reducer<f32> for Positive {
///     type Acc = usize;
///     type Out = usize;
///     fn start(&self) -> usize {
///         0
///     }
///     fn fold(&self, acc: usize, x: f32) -> usize {
///         acc + usize::from(x > 0.0)
///     }
///     fn merge(&self, a: usize, b: usize) -> usize {
///         a + b
///     }
///     fn finish(&self, acc: usize, _: usize) -> usize {
///         acc
///     }
/// }
///
/// let mut out = [0; 2];
/// reduce(&ReducePlan::new(&[2, 2], &[1]), Positive, &[1f32, -2.0, 3.0, 4.0], &mut out);
/// assert_eq!(out, [1, 2]);
/// ```
pub fn reduce<T, R>(plan: &ReducePlan, reducer: R, input: &[T], out: &mut [R::Out])
where
    T: Copy + Sync,
    R: Reducer<T>,
    R::Out: Send,
{
    assert_eq!([input.len(), out.len()], [plan.in_len, plan.out_len]);
    let mut acc = vec![reducer.start(); plan.out_len];
    if plan.in_len > 0 && plan.out_len > 0 {
        in_parallel(&plan.dims, reducer, input, &mut acc);
    }
    for (o, &a) in out.iter_mut().zip(&acc) {
        *o = reducer.finish(a, plan.count);
    }
}

/// Accumulates on several threads where the size is worth it.
fn in_parallel<T: Copy + Sync, R: Reducer<T>>(dims: &[(usize, bool)], reducer: R, input: &[T], acc: &mut [R::Acc]) {
    let ((len, reduced), rest) = (dims[0], &dims[1..]);
    let inner = input.len() / len;
    if input.len() < 2 * PART {
        return accumulate(dims, reducer, input, acc);
    }
    if !reduced {
        let unit = acc.len() / len;
        if len >= threads() {
            let min = (PART / 2).div_ceil(inner);
            return parallel_units(acc, unit, min, |first, acc| {
                let part = &input[first * inner..first * inner + acc.len() / unit * inner];
                accumulate(&[&[(acc.len() / unit, false)], rest].concat(), reducer, part, acc);
            });
        }
        for (input, acc) in input.chunks(inner).zip(acc.chunks_mut(unit)) {
            in_parallel(rest, reducer, input, acc);
        }
        return;
    }
    let rows = (PART / inner).max(1);
    let parts = len.div_ceil(rows);
    if parts > 1 && acc.len() * parts <= input.len() / 4 {
        // Each block of rows gets its own partial result; they are merged in order.
        let width = acc.len();
        let mut partial = vec![reducer.start(); parts * width];
        parallel_units(&mut partial, width, 1, |first, partial| {
            for (i, acc) in partial.chunks_mut(width).enumerate() {
                let from = (first + i) * rows;
                let many = rows.min(len - from);
                let part = &input[from * inner..(from + many) * inner];
                accumulate(&[&[(many, true)], rest].concat(), reducer, part, acc);
            }
        });
        for partial in partial.chunks(width) {
            for (a, &p) in acc.iter_mut().zip(partial) {
                *a = reducer.merge(*a, p);
            }
        }
    } else if let [(width, false)] = *rest {
        parallel_units(acc, 1, STRIP, |first, acc| columns(reducer, input, width, first, acc));
    } else {
        accumulate(dims, reducer, input, acc);
    }
}

/// Accumulates on this thread.
fn accumulate<T: Copy, R: Reducer<T>>(dims: &[(usize, bool)], reducer: R, input: &[T], acc: &mut [R::Acc]) {
    match *dims {
        [] | [(_, false)] => {
            for (a, &x) in acc.iter_mut().zip(input) {
                *a = reducer.fold(*a, x);
            }
        }
        [(_, true)] => acc[0] = reducer.merge(acc[0], row(reducer, input)),
        [(_, true), (width, false)] => columns(reducer, input, width, 0, acc),
        [(len, false), (width, true)] if len * width == input.len() => {
            for (a, input) in acc.iter_mut().zip(input.chunks_exact(width)) {
                *a = reducer.merge(*a, row(reducer, input));
            }
        }
        [(len, reduced), ref rest @ ..] => {
            let inner = input.len() / len;
            let unit = if reduced { 0 } else { acc.len() / len };
            let width = if reduced { acc.len() } else { unit };
            for (i, input) in input.chunks_exact(inner).enumerate() {
                accumulate(rest, reducer, input, &mut acc[i * unit..i * unit + width]);
            }
        }
    }
}

/// Reduces one row to one value, in lanes, combining halves of long rows.
fn row<T: Copy, R: Reducer<T>>(reducer: R, input: &[T]) -> R::Acc {
    if input.len() > 2048 {
        let (a, b) = input.split_at((input.len() / 2).next_multiple_of(LANES));
        return reducer.merge(row(reducer, a), row(reducer, b));
    }
    if input.len() < LANES {
        return input.iter().fold(reducer.start(), |acc, &x| reducer.fold(acc, x));
    }
    wide(
        #[inline(always)]
        || {
            // Lanes that are indexed by constants only stay in registers.
            let (mut lanes, mut few) = ([reducer.start(); LANES], [reducer.start(); FEW]);
            let (chunks, tail) = input.as_chunks::<LANES>();
            for chunk in chunks {
                for (lane, &x) in lanes.iter_mut().zip(chunk) {
                    *lane = reducer.fold(*lane, x);
                }
            }
            let (chunks, tail) = tail.as_chunks::<FEW>();
            for chunk in chunks {
                for (lane, &x) in few.iter_mut().zip(chunk) {
                    *lane = reducer.fold(*lane, x);
                }
            }
            let rest = tail.iter().fold(reducer.start(), |acc, &x| reducer.fold(acc, x));
            for lanes in lanes.as_chunks::<FEW>().0 {
                for (few, &lane) in few.iter_mut().zip(lanes) {
                    *few = reducer.merge(*few, lane);
                }
            }
            let mut half = FEW / 2;
            while half > 0 {
                for i in 0..half {
                    few[i] = reducer.merge(few[i], few[i + half]);
                }
                half /= 2;
            }
            reducer.merge(few[0], rest)
        },
    )
}

/// Reduces the columns `first..first + acc.len()` of a matrix `width` wide over its rows.
fn columns<T: Copy, R: Reducer<T>>(reducer: R, input: &[T], width: usize, first: usize, acc: &mut [R::Acc]) {
    for block in input.chunks(BLOCK_ROWS * width) {
        let mut at = first;
        let mut rest = &mut *acc;
        while !rest.is_empty() {
            let lanes = if rest.len() >= LANES { LANES } else { rest.len().min(8) };
            let (now, later) = rest.split_at_mut(lanes);
            match lanes {
                LANES => lane_columns::<T, R, LANES>(reducer, block, width, at, now),
                8 => lane_columns::<T, R, 8>(reducer, block, width, at, now),
                _ => {
                    for (i, a) in now.iter_mut().enumerate() {
                        lane_columns::<T, R, 1>(reducer, block, width, at + i, std::slice::from_mut(a));
                    }
                }
            }
            at += lanes;
            rest = later;
        }
    }
}

/// Reduces `N` columns over the rows of a block, their sums in registers.
fn lane_columns<T: Copy, R: Reducer<T>, const N: usize>(
    reducer: R,
    block: &[T],
    width: usize,
    at: usize,
    acc: &mut [R::Acc],
) {
    wide(
        #[inline(always)]
        || {
            let mut lanes = [reducer.start(); N];
            for row in block.chunks_exact(width) {
                let row: &[T; N] = row[at..at + N].try_into().expect("N columns");
                for (lane, &x) in lanes.iter_mut().zip(row) {
                    *lane = reducer.fold(*lane, x);
                }
            }
            for (a, &lane) in acc.iter_mut().zip(&lanes) {
                *a = reducer.merge(*a, lane);
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(shape: &[i64], axes: &[usize], input: &[f32]) -> Vec<f32> {
        let plan = ReducePlan::new(shape, axes);
        let mut out = vec![0.0; plan.out_len()];
        f32::reduce(ReduceOp::Sum, &plan, input, &mut out);
        out
    }

    #[test]
    fn every_set_of_axes_of_a_cube() {
        let input = (0..24).map(|i| i as f32).collect::<Vec<_>>();
        let shape = [2, 3, 4];
        for set in 0..8usize {
            let axes = (0..3).filter(|a| set >> a & 1 == 1).collect::<Vec<_>>();
            let plan = ReducePlan::new(&shape, &axes);
            let mut want = vec![0.0; plan.out_len()];
            for (i, x) in input.iter().enumerate() {
                let index = [i / 12, i / 4 % 3, i % 4];
                let at = (0..3).filter(|a| !axes.contains(a));
                want[at.fold(0, |n, a| n * shape[a] as usize + index[a])] += x;
            }
            assert_eq!(sum(&shape, &axes, &input), want, "axes {axes:?}");
        }
    }

    #[test]
    fn large_sums_are_exact_enough() {
        let ones = vec![1.0f32; 1_000_003];
        assert_eq!(sum(&[1_000_003], &[0], &ones), [1_000_003.0]);
        let tenths = vec![0.1f32; 1 << 20];
        let total = sum(&[1 << 20], &[0], &tenths)[0];
        assert!((total - 104_857.6).abs() < 0.1, "{total}");
        let total = sum(&[1 << 18, 4], &[0], &tenths);
        assert!(total.iter().all(|t| (t - 26_214.4).abs() < 0.1), "{total:?}");
    }

    #[test]
    fn large_shapes_in_parallel() {
        // Each element is its column's number.
        let input = (0..700 * 901).map(|i| (i % 901) as f32).collect::<Vec<_>>();
        let columns = sum(&[700, 901], &[0], &input);
        assert!(columns.iter().enumerate().all(|(i, &s)| s == 700.0 * i as f32));
        let rows = sum(&[700, 901], &[1], &input);
        assert!(rows.iter().all(|&s| s == 405_450.0));
        let outer = sum(&[7, 100, 901], &[0, 2], &input);
        assert!(outer.iter().all(|&s| s == 7.0 * 405_450.0));
        let middle = sum(&[2, 350, 901], &[1], &input);
        assert!(middle.iter().enumerate().all(|(i, &s)| s == 350.0 * (i % 901) as f32));
        let wide = (0..2 * 200_000).map(|i| (i / 200_000) as f32).collect::<Vec<_>>();
        assert!(sum(&[2, 200_000], &[0], &wide).iter().all(|&s| s == 1.0));
    }

    #[test]
    fn shapes_of_results() {
        let plan = ReducePlan::new(&[2, 3, 4], &[1]);
        assert_eq!((plan.out_shape(false), plan.out_shape(true)), (vec![2, 4], vec![2, 1, 4]));
        assert_eq!(sum(&[0, 3], &[0], &[]), [0.0; 3]);
        assert_eq!(sum(&[0, 3], &[1], &[]), [0.0; 0]);
        assert_eq!(sum(&[], &[], &[5.0]), [5.0]);
        assert_eq!(sum(&[1, 1], &[0], &[5.0]), [5.0]);
    }
}
