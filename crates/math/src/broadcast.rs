//! Walking arrays of different shapes together, as TensorFlow broadcasts them.
//!
//! A plan is made once from the shapes: it lines them up from the right, merges dimensions that
//! lie behind one another in every input, and leaves rows in which each input either runs along
//! (step 1) or stands still (step 0). All inputs are dense and row-major.

use crate::simd::wide;
use crate::threads::{SharedMut, parallel_for};
use std::ops::Range;
use std::sync::LazyLock;

/// How `N` inputs broadcast to one output.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<const N: usize> {
    /// The shape of the output.
    pub out_shape: Vec<i64>,
    /// Merged dimensions, outermost first; the last one is the row.
    dims: Vec<Dim<N>>,
    total: usize,
    lens: [usize; N],
}

/// The plan of a binary operation.
pub type BroadcastPlan = Plan<2>;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Dim<const N: usize> {
    len: usize,
    /// Elements an input moves per step; 0 where it is repeated.
    steps: [usize; N],
}

impl Plan<2> {
    /// The plan of two shapes; none when they do not broadcast together.
    pub fn new(a: &[i64], b: &[i64]) -> Option<Self> {
        Self::of([a, b])
    }

    /// The plan of two single elements, made once.
    pub fn of_scalars() -> &'static Self {
        static PLAN: LazyLock<BroadcastPlan> = LazyLock::new(|| Plan {
            out_shape: Vec::new(),
            dims: vec![Dim { len: 1, steps: [1; 2] }],
            total: 1,
            lens: [1; 2],
        });
        &PLAN
    }
}

impl Plan<1> {
    /// The plan of copying one shape into a larger one; none when it does not broadcast to it.
    pub fn to_shape(from: &[i64], to: &[i64]) -> Option<Self> {
        let both = Plan::<2>::of([from, to])?;
        (both.out_shape == to).then(|| Plan {
            out_shape: both.out_shape,
            dims: merge(both.dims.iter().map(|d| Dim { len: d.len, steps: [d.steps[0]] })),
            total: both.total,
            lens: [both.lens[0]],
        })
    }
}

impl<const N: usize> Plan<N> {
    /// The plan of `N` shapes; none when they do not broadcast together, when a dimension is
    /// negative, or when the output would have more elements than can be counted.
    pub fn of(shapes: [&[i64]; N]) -> Option<Self> {
        let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
        let dim = |input: usize, axis: usize| {
            let shape = shapes[input];
            (axis + shape.len()).checked_sub(rank).map_or(1, |i| shape[i])
        };
        let mut out_shape = Vec::with_capacity(rank);
        for axis in 0..rank {
            let mut out = 1;
            for input in 0..N {
                let d = dim(input, axis);
                if d < 0 || (d != 1 && out != 1 && d != out) {
                    return None;
                }
                if d != 1 {
                    out = d;
                }
            }
            out_shape.push(out);
        }
        let total = count(&out_shape)?;
        let mut lens = [1usize; N];
        let mut dims = Vec::with_capacity(rank);
        for axis in (0..rank).rev() {
            let mut steps = [0; N];
            for input in 0..N {
                let d = dim(input, axis) as usize;
                if d != 1 {
                    steps[input] = lens[input];
                    lens[input] = lens[input].checked_mul(d)?;
                }
            }
            dims.push(Dim { len: out_shape[axis] as usize, steps });
        }
        dims.reverse();
        Some(Self { out_shape, dims: merge(dims.into_iter()), total, lens })
    }

    /// The number of output elements.
    pub fn len(&self) -> usize {
        self.total
    }

    /// True when the output has no elements.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The number of elements of each input.
    pub fn input_lens(&self) -> [usize; N] {
        self.lens
    }

    /// True when every input has the output's shape, or both are single elements.
    pub fn is_same_shape(&self) -> bool {
        self.dims.len() == 1 && self.dims[0].steps.iter().all(|&s| s == 1)
    }

    /// Calls `f(offsets, steps, part)` for the parts of rows that make up the output elements of
    /// `range`; `offsets` is where each input starts, `steps` 0 or 1 for each.
    #[inline]
    fn rows(&self, range: Range<usize>, mut f: impl FnMut([usize; N], [usize; N], Range<usize>)) {
        let Some((row, outer)) = self.dims.split_last() else { return };
        if range.is_empty() {
            return;
        }
        let mut index = vec![0usize; outer.len()];
        let mut rest = range.start / row.len;
        for (i, dim) in index.iter_mut().zip(outer).rev() {
            *i = rest % dim.len;
            rest /= dim.len;
        }
        let mut base = [0usize; N];
        for (i, dim) in index.iter().zip(outer) {
            for (b, step) in base.iter_mut().zip(dim.steps) {
                *b += i * step;
            }
        }
        let mut at = range.start;
        let mut inside = range.start % row.len;
        while at < range.end {
            let len = (row.len - inside).min(range.end - at);
            let mut offsets = base;
            for (o, step) in offsets.iter_mut().zip(row.steps) {
                *o += inside * step;
            }
            f(offsets, row.steps, at..at + len);
            at += len;
            inside = 0;
            for (i, dim) in index.iter_mut().zip(outer).rev() {
                *i += 1;
                for (b, step) in base.iter_mut().zip(dim.steps) {
                    *b += step;
                }
                if *i < dim.len {
                    break;
                }
                *i = 0;
                for (b, step) in base.iter_mut().zip(dim.steps) {
                    *b -= step * dim.len;
                }
            }
        }
    }
}

/// Merges neighbours that every input walks through without a jump; drops dimensions of size 1
/// and always leaves at least one.
fn merge<const N: usize>(dims: impl Iterator<Item = Dim<N>>) -> Vec<Dim<N>> {
    let mut merged: Vec<Dim<N>> = Vec::new();
    for dim in dims.filter(|d| d.len != 1) {
        match merged.last_mut() {
            Some(last) if (0..N).all(|i| last.steps[i] == dim.steps[i] * dim.len) => {
                *last = Dim { len: last.len * dim.len, steps: dim.steps };
            }
            _ => merged.push(dim),
        }
    }
    if merged.is_empty() {
        merged.push(Dim { len: 1, steps: [1; N] });
    }
    merged
}

fn count(shape: &[i64]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1usize, |n, &d| n.checked_mul(usize::try_from(d).ok()?))
}

/// What one operation does to rows: both inputs running, or one of them standing still.
pub trait RowKernel<A, B, O>: Sync {
    fn both(&self, a: &[A], b: &[B], out: &mut [O]);
    fn right_fixed(&self, a: &[A], b: B, out: &mut [O]);
    fn left_fixed(&self, a: A, b: &[B], out: &mut [O]);
}

/// The row kernel of an element function; its loops vectorise.
pub struct Each<F>(pub F);

impl<A: Copy, B: Copy, O, F: Fn(A, B) -> O + Sync> RowKernel<A, B, O> for Each<F> {
    fn both(&self, a: &[A], b: &[B], out: &mut [O]) {
        wide(
            #[inline(always)]
            || {
                for ((o, &x), &y) in out.iter_mut().zip(a).zip(b) {
                    *o = (self.0)(x, y);
                }
            },
        )
    }

    fn right_fixed(&self, a: &[A], b: B, out: &mut [O]) {
        wide(
            #[inline(always)]
            || {
                for (o, &x) in out.iter_mut().zip(a) {
                    *o = (self.0)(x, b);
                }
            },
        )
    }

    fn left_fixed(&self, a: A, b: &[B], out: &mut [O]) {
        wide(
            #[inline(always)]
            || {
                for (o, &y) in out.iter_mut().zip(b) {
                    *o = (self.0)(a, y);
                }
            },
        )
    }
}

/// `out = f(a, b)`, broadcast by `plan`, in parallel when the output is large.
///
/// ```
/// use tensorfleet_math::broadcast::{BroadcastPlan, apply};
///
/// let plan = BroadcastPlan::new(&[2, 1], &[3]).unwrap();
/// assert_eq!(plan.out_shape, [2, 3]);
/// let mut out = [0; 6];
/// apply(&plan, &[10, 20], &[1, 2, 3], &mut out, |x, y| x + y);
/// assert_eq!(out, [11, 12, 13, 21, 22, 23]);
/// assert_eq!(BroadcastPlan::new(&[2], &[3]), None);
/// ```
pub fn apply<A, B, O>(plan: &BroadcastPlan, a: &[A], b: &[B], out: &mut [O], f: impl Fn(A, B) -> O + Sync)
where
    A: Copy + Sync,
    B: Copy + Sync,
    O: Send,
{
    apply_rows(plan, a, b, out, &Each(f), 32 * 1024);
}

/// As [`apply`], with a row kernel and the least number of elements worth a thread.
pub fn apply_rows<A, B, O>(
    plan: &BroadcastPlan,
    a: &[A],
    b: &[B],
    out: &mut [O],
    kernel: &dyn RowKernel<A, B, O>,
    grain: usize,
) where
    A: Copy + Sync,
    B: Copy + Sync,
    O: Send,
{
    assert_eq!([a.len(), b.len(), out.len()], [plan.lens[0], plan.lens[1], plan.total]);
    let shared = SharedMut::new(out);
    parallel_for(plan.total, grain, |range| {
        plan.rows(range, |[i, j], steps, part| {
            let len = part.len();
            // SAFETY: the parts of different ranges and rows are disjoint.
            let out = unsafe { shared.slice(part) };
            match steps {
                [0, _] => kernel.left_fixed(a[i], &b[j..j + len], out),
                [_, 0] => kernel.right_fixed(&a[i..i + len], b[j], out),
                _ => kernel.both(&a[i..i + len], &b[j..j + len], out),
            }
        });
    });
}

/// `data = f(data, b)`, where `plan` is that of data's shape and b's shape and data already has
/// the output's shape.
pub fn apply_in_place<A, B>(
    plan: &BroadcastPlan,
    data: &mut [A],
    b: &[B],
    kernel: &dyn RowKernel<A, B, A>,
    grain: usize,
) where
    A: Copy + Default + Send + Sync,
    B: Copy + Sync,
{
    assert_eq!([data.len(), b.len(), data.len()], [plan.lens[0], plan.lens[1], plan.total]);
    let shared = SharedMut::new(data);
    parallel_for(plan.total, grain, |range| {
        // The row goes through a buffer that stays in the cache, so one set of loops serves both
        // the case of a separate output and this one.
        let mut buffer = [A::default(); STAGE];
        plan.rows(range, |[_, j], [_, step], part| {
            // SAFETY: the parts of different ranges and rows are disjoint.
            let row = unsafe { shared.slice(part) };
            for (n, piece) in row.chunks_mut(STAGE).enumerate() {
                let old = &mut buffer[..piece.len()];
                old.copy_from_slice(piece);
                let j = j + n * STAGE * step;
                if step == 0 {
                    kernel.right_fixed(old, b[j], piece);
                } else {
                    kernel.both(old, &b[j..j + piece.len()], piece);
                }
            }
        });
    });
}

/// `data = f(a, data)`, where `plan` is that of a's shape and data's shape and data already has
/// the output's shape.
pub fn apply_in_place_right<A, B>(
    plan: &BroadcastPlan,
    a: &[A],
    data: &mut [B],
    kernel: &dyn RowKernel<A, B, B>,
    grain: usize,
) where
    A: Copy + Sync,
    B: Copy + Default + Send + Sync,
{
    assert_eq!([a.len(), data.len(), data.len()], [plan.lens[0], plan.lens[1], plan.total]);
    let shared = SharedMut::new(data);
    parallel_for(plan.total, grain, |range| {
        let mut buffer = [B::default(); STAGE];
        plan.rows(range, |[i, _], [step, _], part| {
            // SAFETY: the parts of different ranges and rows are disjoint.
            let row = unsafe { shared.slice(part) };
            for (n, piece) in row.chunks_mut(STAGE).enumerate() {
                let old = &mut buffer[..piece.len()];
                old.copy_from_slice(piece);
                let i = i + n * STAGE * step;
                if step == 0 {
                    kernel.left_fixed(a[i], old, piece);
                } else {
                    kernel.both(&a[i..i + piece.len()], old, piece);
                }
            }
        });
    });
}

/// Elements that pass through the stack at a time when an operation works in place.
pub(crate) const STAGE: usize = 512;

/// `out = f(a, b, c)`, broadcast by `plan`; meant for Select and the like.
///
/// ```
/// use tensorfleet_math::broadcast::{Plan, apply3};
///
/// let plan = Plan::of([&[2], &[2], &[]]).unwrap();
/// let mut out = [0; 2];
/// apply3(&plan, &[true, false], &[1, 2], &[9], &mut out, |choose, x, y| if choose { x } else { y });
/// assert_eq!(out, [1, 9]);
/// ```
pub fn apply3<A, B, C, O>(plan: &Plan<3>, a: &[A], b: &[B], c: &[C], out: &mut [O], f: impl Fn(A, B, C) -> O + Sync)
where
    A: Copy + Sync,
    B: Copy + Sync,
    C: Copy + Sync,
    O: Send,
{
    assert_eq!([a.len(), b.len(), c.len()], plan.lens);
    assert_eq!(out.len(), plan.total);
    let shared = SharedMut::new(out);
    parallel_for(plan.total, 32 * 1024, |range| {
        plan.rows(range, |[i, j, k], steps, part| {
            let len = part.len();
            // SAFETY: the parts of different ranges and rows are disjoint.
            let out = unsafe { shared.slice(part) };
            if steps == [1, 1, 1] {
                let (a, b, c) = (&a[i..i + len], &b[j..j + len], &c[k..k + len]);
                wide(
                    #[inline(always)]
                    || {
                        for (((o, &x), &y), &z) in out.iter_mut().zip(a).zip(b).zip(c) {
                            *o = f(x, y, z);
                        }
                    },
                );
            } else {
                for (n, o) in out.iter_mut().enumerate() {
                    *o = f(a[i + n * steps[0]], b[j + n * steps[1]], c[k + n * steps[2]]);
                }
            }
        });
    });
}

/// Copies `src` into the larger shape of `plan` (see [`Plan::to_shape`]).
///
/// ```
/// use tensorfleet_math::broadcast::{Plan, broadcast_copy};
///
/// let plan = Plan::to_shape(&[2, 1], &[2, 2]).unwrap();
/// let mut out = [0; 4];
/// broadcast_copy(&plan, &[1, 2], &mut out);
/// assert_eq!(out, [1, 1, 2, 2]);
/// ```
pub fn broadcast_copy<T: Clone + Send + Sync>(plan: &Plan<1>, src: &[T], out: &mut [T]) {
    assert_eq!([src.len(), out.len()], [plan.lens[0], plan.total]);
    let shared = SharedMut::new(out);
    parallel_for(plan.total, 64 * 1024, |range| {
        plan.rows(range, |[i], [step], part| {
            let len = part.len();
            // SAFETY: the parts of different ranges and rows are disjoint.
            let out = unsafe { shared.slice(part) };
            if step == 0 {
                out.fill(src[i].clone());
            } else {
                out.clone_from_slice(&src[i..i + len]);
            }
        });
    });
}

/// The axes over which the gradient of a broadcast operation is summed, for the left and for the
/// right input; none when the shapes do not broadcast together. Where the shapes are equal both
/// lists are empty; otherwise an axis of size 1 (or absent) on a side is listed for that side,
/// also when it is 1 on both.
///
/// ```
/// use tensorfleet_math::broadcast::gradient_axes;
///
/// assert_eq!(gradient_axes(&[2, 3], &[3]), Some((vec![], vec![0])));
/// assert_eq!(gradient_axes(&[2, 3], &[2]), None);
/// ```
pub fn gradient_axes(a: &[i64], b: &[i64]) -> Option<(Vec<i64>, Vec<i64>)> {
    let plan = BroadcastPlan::new(a, b)?;
    if a == b {
        return Some((Vec::new(), Vec::new()));
    }
    let rank = plan.out_shape.len();
    let ones = |shape: &[i64]| {
        (0..rank)
            .filter(|axis| (axis + shape.len()).checked_sub(rank).is_none_or(|i| shape[i] == 1))
            .map(|axis| axis as i64)
            .collect()
    };
    Some((ones(a), ones(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(a: (&[i64], &[i32]), b: (&[i64], &[i32])) -> (Vec<i64>, Vec<i32>) {
        let plan = BroadcastPlan::new(a.0, b.0).unwrap();
        let mut out = vec![0; plan.len()];
        apply(&plan, a.1, b.1, &mut out, |x, y| x + y);
        (plan.out_shape, out)
    }

    #[test]
    fn shapes_meet_from_the_right() {
        assert_eq!(add((&[], &[1]), (&[], &[2])), (vec![], vec![3]));
        assert_eq!(add((&[2], &[1, 2]), (&[], &[10])), (vec![2], vec![11, 12]));
        assert_eq!(add((&[], &[10]), (&[2], &[1, 2])), (vec![2], vec![11, 12]));
        let matrix: (&[i64], &[i32]) = (&[2, 3], &[1, 2, 3, 4, 5, 6]);
        assert_eq!(add(matrix, (&[3], &[10, 20, 30])).1, [11, 22, 33, 14, 25, 36]);
        assert_eq!(add(matrix, (&[2, 1], &[10, 20])).1, [11, 12, 13, 24, 25, 26]);
        assert_eq!(add((&[2, 1], &[1, 2]), (&[1, 3], &[10, 20, 30])), (vec![2, 3], vec![11, 21, 31, 12, 22, 32]));
        assert_eq!(add((&[0, 3], &[]), (&[3], &[1, 2, 3])), (vec![0, 3], vec![]));
        assert_eq!(add((&[1, 1], &[4]), (&[1], &[5])), (vec![1, 1], vec![9]));
    }

    #[test]
    fn scalars_have_the_plan_of_their_shapes() {
        assert_eq!(Some(BroadcastPlan::of_scalars()), BroadcastPlan::new(&[], &[]).as_ref());
    }

    #[test]
    fn middle_dimensions_repeat() {
        // [2,1,2] + [2,3,1] -> [2,3,2]
        let (shape, out) = add((&[2, 1, 2], &[0, 1, 2, 3]), (&[2, 3, 1], &[0, 10, 20, 30, 40, 50]));
        assert_eq!(shape, [2, 3, 2]);
        assert_eq!(out, [0, 1, 10, 11, 20, 21, 32, 33, 42, 43, 52, 53]);
    }

    #[test]
    fn large_outputs_agree_with_the_plain_formula() {
        let (rows, cols) = (517i64, 211i64);
        let a = (0..rows * cols).map(|i| i as i32).collect::<Vec<_>>();
        let b = (0..cols).map(|i| i as i32 * 3).collect::<Vec<_>>();
        let (_, out) = add((&[rows, cols], &a), (&[cols], &b));
        assert!(out.iter().enumerate().all(|(i, &o)| o == a[i] + b[i % cols as usize]));
        let plan = BroadcastPlan::new(&[rows, cols], &[cols]).unwrap();
        let mut data = a.clone();
        apply_in_place(&plan, &mut data, &b, &Each(|x, y| x + y), 1000);
        assert_eq!(data, out);
        let plan = BroadcastPlan::new(&[cols], &[rows, cols]).unwrap();
        let mut data = a;
        apply_in_place_right(&plan, &b, &mut data, &Each(|x, y| x + y), 1000);
        assert_eq!(data, out);
    }

    #[test]
    fn incompatible_shapes_have_no_plan() {
        assert_eq!(BroadcastPlan::new(&[2], &[3]), None);
        assert_eq!(BroadcastPlan::new(&[2, 3], &[2]), None);
        assert_eq!(BroadcastPlan::new(&[-1], &[1]), None);
        assert_eq!(BroadcastPlan::new(&[1 << 40, 1], &[1 << 40]), None);
        assert_eq!(Plan::to_shape(&[2, 3], &[3]), None);
    }

    #[test]
    fn select_and_copy() {
        let plan = Plan::of([&[2, 1], &[2, 2], &[]]).unwrap();
        let mut out = [0; 4];
        apply3(&plan, &[true, false], &[1, 2, 3, 4], &[9], &mut out, |c, a, b| if c { a } else { b });
        assert_eq!(out, [1, 2, 9, 9]);
        let plan = Plan::to_shape(&[2, 1], &[2, 2, 3]).unwrap();
        let mut out = [0; 12];
        broadcast_copy(&plan, &[7, 8], &mut out);
        assert_eq!(out, [7, 7, 7, 8, 8, 8, 7, 7, 7, 8, 8, 8]);
    }

    /// The axes are those of TensorFlow 2.21's BroadcastGradientArgs.
    #[test]
    fn gradient_axes_are_tensorflows() {
        let axes = |a: &[i64], b: &[i64]| gradient_axes(a, b).unwrap();
        assert_eq!(axes(&[2, 3], &[2, 3]), (vec![], vec![]));
        assert_eq!(axes(&[2, 3], &[3]), (vec![], vec![0]));
        assert_eq!(axes(&[1, 1], &[1, 1]), (vec![], vec![]));
        assert_eq!(axes(&[2, 1, 3], &[1, 3]), (vec![1], vec![0, 1]));
        assert_eq!(axes(&[1, 5, 1], &[5]), (vec![0, 2], vec![0, 1]));
        assert_eq!(axes(&[1], &[]), (vec![0], vec![0]));
        assert_eq!(axes(&[0], &[1]), (vec![], vec![0]));
        assert_eq!(gradient_axes(&[2], &[3]), None);
    }
}
