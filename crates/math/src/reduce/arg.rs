//! The place of the greatest or least element along an axis.

use crate::number::Real;
use crate::threads::parallel_units;

/// Which element is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgOp {
    Max,
    Min,
}

/// For input of shape `[outer, len, inner]`, the index of the extreme element along the middle
/// axis, into `out` of shape `[outer, inner]`. The first of equal elements counts; NaN is passed
/// over; the answer is 0 when nothing else is there.
///
/// ```
/// use tensorfleet_math::reduce::{ArgOp, arg_reduce};
///
/// let mut out = [0; 2];
/// arg_reduce(ArgOp::Max, 3, 1, &[1f32, 3.0, 2.0, 6.0, 4.0, 5.0], &mut out);
/// assert_eq!(out, [1, 0]);
/// ```
pub fn arg_reduce<T: Real>(op: ArgOp, len: usize, inner: usize, input: &[T], out: &mut [i64]) {
    assert!(len > 0 && inner > 0, "an axis of {len} elements, inner size {inner}");
    assert_eq!(input.len(), out.len() * len);
    let min = (32 * 1024usize).div_ceil(len * inner);
    parallel_units(out, inner, min, |first, out| {
        let mut best = vec![T::ZERO; inner];
        for (o, out) in out.chunks_mut(inner).enumerate() {
            let block = &input[(first + o) * len * inner..][..len * inner];
            match op {
                ArgOp::Max => extreme(block, &mut best, out, T::LEAST, |x, best| x > best),
                ArgOp::Min => extreme(block, &mut best, out, T::GREATEST, |x, best| x < best),
            }
        }
    });
}

fn extreme<T: Real>(block: &[T], best: &mut [T], out: &mut [i64], start: T, better: impl Fn(T, T) -> bool) {
    best.fill(start);
    out.fill(0);
    for (i, row) in block.chunks_exact(best.len()).enumerate() {
        for ((b, o), &x) in best.iter_mut().zip(out.iter_mut()).zip(row) {
            if better(x, *b) {
                *b = x;
                *o = i as i64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arg(op: ArgOp, input: &[f32]) -> i64 {
        let mut out = [9];
        arg_reduce(op, input.len(), 1, input, &mut out);
        out[0]
    }

    /// The values are those of TensorFlow 2.21.
    #[test]
    fn ties_and_nan_as_tensorflow() {
        let nan = f32::NAN;
        assert_eq!((arg(ArgOp::Max, &[1.0, 3.0, 3.0, 1.0]), arg(ArgOp::Min, &[1.0, 0.0, 0.0])), (1, 1));
        assert_eq!((arg(ArgOp::Max, &[nan, 1.0, 2.0]), arg(ArgOp::Min, &[nan, 1.0, 2.0])), (2, 1));
        assert_eq!((arg(ArgOp::Max, &[nan; 3]), arg(ArgOp::Max, &[0.0, 1.0, nan])), (0, 1));
    }

    #[test]
    fn middle_axis() {
        // [2, 2, 2]: columns (1,3) (5,2) then (0,7) (4,4)
        let mut out = [0; 4];
        arg_reduce(ArgOp::Max, 2, 2, &[1, 5, 3, 2, 0, 4, 7, 4], &mut out);
        assert_eq!(out, [1, 0, 1, 0]);
    }
}
