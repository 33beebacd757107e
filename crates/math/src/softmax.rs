//! Softmax and its cross entropies over the rows of a `[batch, classes]` matrix.
//!
//! The row's maximum is subtracted first, so large logits do not overflow.

use crate::number::Float;
use crate::simd::{wide, widest};
use crate::threads::{SharedMut, parallel_for, parallel_units};

/// Elements worth a thread.
const GRAIN: usize = 4 * 1024;

/// Element types with softmax. The loops are compiled here, once per type.
pub trait Softmax: Float {
    /// `out` = e^x / sum of e^x in each row.
    fn softmax(classes: usize, logits: &[Self], out: &mut [Self]);
    /// `out` = x - ln(sum of e^x) in each row.
    fn log_softmax(classes: usize, logits: &[Self], out: &mut [Self]);
    /// The cross entropy of each row with its row of labels (a distribution), and its derivative
    /// by the logits, softmax - labels.
    fn cross_entropy(classes: usize, logits: &[Self], labels: &[Self], loss: &mut [Self], backprop: &mut [Self]);
    /// As `cross_entropy` with one class per row for its label. A label outside `0..classes` makes
    /// its row NaN.
    fn sparse_cross_entropy(classes: usize, logits: &[Self], labels: &[i64], loss: &mut [Self], backprop: &mut [Self]);
    /// `data`, the derivative by the logarithm of clipped probabilities, becomes that by the probabilities: divided by what was
    /// clipped, and 0 where clipping decided. At most two clippings, one after the other.
    fn log_gradient(probabilities: &[Self], clips: &[Clip<Self>], data: &mut [Self]);
    /// `data`, the derivative by the probabilities, becomes that by the logits: `(data - sum) * probability`, with the sum of
    /// `data * probability` of each row.
    fn softmax_gradient(probabilities: &[Self], sums: &[Self], data: &mut [Self]);
}

/// A limit to probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip<T> {
    /// Whether nothing is less than the bound, or nothing greater.
    pub lower: bool,
    /// The bound.
    pub bound: T,
}

macro_rules! softmaxes {
    ($($t:ty)*) => {$(
        impl Softmax for $t {
            fn softmax(classes: usize, logits: &[Self], out: &mut [Self]) {
                softmax(classes, logits, out);
            }
            fn log_softmax(classes: usize, logits: &[Self], out: &mut [Self]) {
                log_softmax(classes, logits, out);
            }
            fn cross_entropy(
                classes: usize,
                logits: &[Self],
                labels: &[Self],
                loss: &mut [Self],
                backprop: &mut [Self],
            ) {
                cross_entropy(classes, logits, labels, loss, backprop);
            }
            fn sparse_cross_entropy(
                classes: usize,
                logits: &[Self],
                labels: &[i64],
                loss: &mut [Self],
                backprop: &mut [Self],
            ) {
                sparse_cross_entropy(classes, logits, labels, loss, backprop);
            }
            fn log_gradient(probabilities: &[Self], clips: &[Clip<Self>], data: &mut [Self]) {
                match clips {
                    [] => log_gradient(probabilities, [], data),
                    [one] => log_gradient(probabilities, [*one], data),
                    [one, two] => log_gradient(probabilities, [*one, *two], data),
                    more => panic!("{} clippings", more.len()),
                }
            }
            fn softmax_gradient(probabilities: &[Self], sums: &[Self], data: &mut [Self]) {
                softmax_gradient(probabilities, sums, data);
            }
        }
    )*};
}
softmaxes!(f32 f64);

/// `out` = e^x / sum of e^x in each row.
fn softmax<T: Float>(classes: usize, logits: &[T], out: &mut [T]) {
    rows(classes, logits, out, |_, logits, out| {
        shift(classes, logits, out);
        exponentials(out);
        for row in out.chunks_exact_mut(classes) {
            let scale = T::ONE.over(sum(row));
            wide(
                #[inline(always)]
                || {
                    for x in row.iter_mut() {
                        *x = x.times(scale);
                    }
                },
            );
        }
    });
}

/// `out` = x - ln(sum of e^x) in each row.
fn log_softmax<T: Float>(classes: usize, logits: &[T], out: &mut [T]) {
    rows(classes, logits, out, |_, logits, out| {
        shift(classes, logits, out);
        let mut exps = vec![T::ZERO; classes];
        for row in out.chunks_exact_mut(classes) {
            exps.copy_from_slice(row);
            exponentials(&mut exps);
            let log = sum(&exps).ln();
            for x in row.iter_mut() {
                *x = x.minus(log);
            }
        }
    });
}

/// The cross entropy of each row with its row of labels (a distribution), and its derivative by
/// the logits, softmax - labels.
fn cross_entropy<T: Float>(classes: usize, logits: &[T], labels: &[T], loss: &mut [T], backprop: &mut [T]) {
    assert_eq!(labels.len(), logits.len());
    losses(classes, logits, loss, backprop, |row, shifted, log_sum, backprop| {
        let labels = &labels[row * classes..(row + 1) * classes];
        let mut loss = T::ZERO;
        for ((&label, &x), b) in labels.iter().zip(shifted).zip(backprop) {
            loss = loss.plus(label.times(log_sum.minus(x)));
            *b = b.minus(label);
        }
        loss
    });
}

/// As `cross_entropy` with one class per row for its label. A label outside `0..classes` makes
/// its row NaN.
fn sparse_cross_entropy<T: Float>(classes: usize, logits: &[T], labels: &[i64], loss: &mut [T], backprop: &mut [T]) {
    assert_eq!(labels.len(), loss.len());
    losses(classes, logits, loss, backprop, |row, shifted, log_sum, backprop| {
        let label = usize::try_from(labels[row]).ok().filter(|&l| l < classes);
        let Some(label) = label else {
            backprop.fill(T::NAN);
            return T::NAN;
        };
        backprop[label] = backprop[label].minus(T::ONE);
        log_sum.minus(shifted[label])
    });
}

fn log_gradient<T: Float, const N: usize>(probabilities: &[T], clips: [Clip<T>; N], data: &mut [T]) {
    assert_eq!(probabilities.len(), data.len());
    parallel_units(data, 1, GRAIN, |first, data| {
        let probabilities = &probabilities[first..first + data.len()];
        wide(
            #[inline(always)]
            || {
                for (d, &p) in data.iter_mut().zip(probabilities) {
                    let (mut p, mut unchanged) = (p, true);
                    for clip in clips {
                        unchanged &= if clip.lower { p >= clip.bound } else { p <= clip.bound };
                        p = if clip.lower { p.greater(clip.bound) } else { p.lesser(clip.bound) };
                    }
                    let by_log = d.times(T::ONE.over(p));
                    *d = if unchanged { by_log } else { T::ZERO };
                }
            },
        );
    });
}

fn softmax_gradient<T: Float>(probabilities: &[T], sums: &[T], data: &mut [T]) {
    assert_eq!(probabilities.len(), data.len());
    if sums.is_empty() {
        return;
    }
    let classes = data.len() / sums.len();
    rows(classes, probabilities, data, |first, probabilities, data| {
        for (row, (data, probabilities)) in
            data.chunks_exact_mut(classes.max(1)).zip(probabilities.chunks_exact(classes.max(1))).enumerate()
        {
            let sum = sums[first + row];
            wide(
                #[inline(always)]
                || {
                    for (d, &p) in data.iter_mut().zip(probabilities) {
                        *d = d.minus(sum).times(p);
                    }
                },
            );
        }
    });
}

/// Computes softmax into `backprop`, then lets `finish(row, shifted logits, ln of the sum,
/// softmax)` turn it into the derivative and return the loss.
fn losses<T: Float>(
    classes: usize,
    logits: &[T],
    loss: &mut [T],
    backprop: &mut [T],
    finish: impl Fn(usize, &[T], T, &mut [T]) -> T + Sync,
) {
    assert!(classes > 0, "a row has at least one class");
    assert_eq!(logits.len(), backprop.len());
    assert_eq!(logits.len(), loss.len() * classes);
    let (loss, backprop) = (SharedMut::new(loss), SharedMut::new(backprop));
    parallel_for(logits.len() / classes, GRAIN.div_ceil(classes), |rows| {
        // SAFETY: parallel_for hands out disjoint ranges of rows.
        let loss = unsafe { loss.slice(rows.clone()) };
        // SAFETY: the rows are disjoint, so their elements are.
        let backprop = unsafe { backprop.slice(rows.start * classes..rows.end * classes) };
        let logits = &logits[rows.start * classes..rows.end * classes];
        let mut shifted = vec![T::ZERO; logits.len()];
        shift(classes, logits, &mut shifted);
        backprop.copy_from_slice(&shifted);
        exponentials(backprop);
        for (i, backprop) in backprop.chunks_exact_mut(classes).enumerate() {
            let total = sum(backprop);
            let scale = T::ONE.over(total);
            for b in backprop.iter_mut() {
                *b = b.times(scale);
            }
            let shifted = &shifted[i * classes..(i + 1) * classes];
            loss[i] = finish(rows.start + i, shifted, total.ln(), backprop);
        }
    });
}

fn rows<T: Float>(classes: usize, logits: &[T], out: &mut [T], f: impl Fn(usize, &[T], &mut [T]) + Sync) {
    assert!(classes > 0 || logits.is_empty(), "a row has at least one class");
    assert_eq!(logits.len(), out.len());
    parallel_units(out, classes.max(1), GRAIN.div_ceil(classes.max(1)), |first, out| {
        f(first, &logits[first * classes..first * classes + out.len()], out);
    });
}

/// `out` = x - the row's maximum.
fn shift<T: Float>(classes: usize, logits: &[T], out: &mut [T]) {
    for (row, out) in logits.chunks_exact(classes).zip(out.chunks_exact_mut(classes)) {
        wide(
            #[inline(always)]
            || {
                let max = lanes(row, T::LEAST, T::greater);
                for (o, &x) in out.iter_mut().zip(row) {
                    *o = x.minus(max);
                }
            },
        );
    }
}

fn exponentials<T: Float>(data: &mut [T]) {
    widest(
        #[inline(always)]
        || {
            for x in data.iter_mut() {
                *x = x.exp();
            }
        },
    );
}

fn sum<T: Float>(row: &[T]) -> T {
    wide(
        #[inline(always)]
        || lanes(row, T::ZERO, T::plus),
    )
}

/// Folds a row in eight lanes.
#[inline(always)]
fn lanes<T: Float>(row: &[T], start: T, f: impl Fn(T, T) -> T) -> T {
    let mut lanes = [start; 8];
    let chunks = row.chunks_exact(8);
    let tail = chunks.remainder();
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane = f(*lane, x);
        }
    }
    let total = lanes.into_iter().reduce(&f).unwrap_or(start);
    tail.iter().fold(total, |total, &x| f(total, x))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close<T: Float>(got: &[T], want: &[f64], tolerance: f64) {
        assert_eq!(got.len(), want.len());
        for (g, w) in got.iter().zip(want) {
            assert!((g.to_f64() - w).abs() <= tolerance, "{} is not {w}", g.to_f64());
        }
    }

    const LOGITS: [f64; 6] = [1.0, 2.0, 3.0, -1.0, 0.0, 1000.0];
    const SOFTMAX: [f64; 3] = [0.090_030_573, 0.244_728_47, 0.665_240_96];

    #[test]
    fn rows_sum_to_one_and_large_logits_do_not_overflow() {
        let logits = LOGITS.map(|x| x as f32);
        let mut out = [0.0f32; 6];
        softmax(3, &logits, &mut out);
        close(&out, &[SOFTMAX[0], SOFTMAX[1], SOFTMAX[2], 0.0, 0.0, 1.0], 1e-7);
        log_softmax(3, &logits, &mut out);
        close(&out, &[-2.407_606, -1.407_606, -0.407_606, -1001.0, -1000.0, 0.0], 1e-6);
        let mut wide = [0.0f64; 6];
        softmax(3, &LOGITS, &mut wide);
        close(&wide, &[SOFTMAX[0], SOFTMAX[1], SOFTMAX[2], 0.0, 0.0, 1.0], 1e-8);
        softmax::<f32>(3, &[], &mut []);
    }

    #[test]
    fn losses_and_their_derivatives() {
        let (mut loss, mut back) = ([0.0f64; 2], [0.0f64; 6]);
        let labels = [0.0, 0.0, 1.0, 0.5, 0.5, 0.0];
        cross_entropy(3, &[1.0, 2.0, 3.0, 1.0, 2.0, 3.0], &labels, &mut loss, &mut back);
        close(&loss, &[0.407_605_96, 1.907_605_96], 1e-8);
        let want = [SOFTMAX[0], SOFTMAX[1], SOFTMAX[2] - 1.0];
        close(&back[..3], &want, 1e-8);
        close(&back[3..], &[SOFTMAX[0] - 0.5, SOFTMAX[1] - 0.5, SOFTMAX[2]], 1e-8);
        let (mut loss, mut back) = ([0.0f32; 2], [0.0f32; 6]);
        sparse_cross_entropy(3, &[1.0, 2.0, 3.0, 1.0, 2.0, 3.0], &[2, 3], &mut loss, &mut back);
        close(&loss[..1], &[0.407_605_96], 1e-7);
        close(&back[..3], &want, 1e-7);
        assert!(loss[1].is_nan() && back[3..].iter().all(|b| b.is_nan()));
    }
}
