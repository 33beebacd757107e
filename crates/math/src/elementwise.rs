//! Functions of one or two elements, over whole slices.
//!
//! The named operations ([`UnaryOp`], [`BinaryOp`], [`CompareOp`]) are compiled here, once per
//! element type; [`map`] and [`crate::broadcast::apply`] take any function. NaN, signed zero and
//! integer overflow behave as in TensorFlow: Maximum and Relu pass NaN on, integers wrap. Integer
//! division by zero is 0 here; a caller that must report it looks for zeros first.

mod binary;
mod chain;
mod unary;

pub use binary::{Binary, BinaryOp, Compare, CompareOp};
pub use chain::{ChainOp, ChainStep, Operand, chain};
pub use unary::{Unary, UnaryOp};
pub(crate) use unary::{digamma, erf, erfc, lgamma};

use crate::simd::wide;
use crate::threads::{parallel_for, parallel_units};

/// Elements worth a thread for functions of a few instructions.
pub const CHEAP: usize = 32 * 1024;
/// Elements worth a thread for transcendental functions.
pub const COSTLY: usize = 4 * 1024;

/// `out = f(a)` element by element.
pub fn map<A: Copy + Sync, O: Send>(a: &[A], out: &mut [O], grain: usize, f: impl Fn(A) -> O + Sync) {
    assert_eq!(a.len(), out.len());
    parallel_units(out, 1, grain, |first, out| {
        let a = &a[first..first + out.len()];
        wide(
            #[inline(always)]
            || {
                for (o, &x) in out.iter_mut().zip(a) {
                    *o = f(x);
                }
            },
        );
    });
}

/// `data = f(data)` element by element.
pub fn map_in_place<T: Copy + Send>(data: &mut [T], grain: usize, f: impl Fn(T) -> T + Sync) {
    parallel_units(data, 1, grain, |_, data| {
        wide(
            #[inline(always)]
            || {
                for x in data.iter_mut() {
                    *x = f(*x);
                }
            },
        );
    });
}

/// `data += other`, the sum of gradients.
pub fn add_assign<T: crate::number::Number>(data: &mut [T], other: &[T]) {
    assert_eq!(data.len(), other.len());
    parallel_units(data, 1, CHEAP, |first, data| {
        let other = &other[first..first + data.len()];
        wide(
            #[inline(always)]
            || {
                for (x, &y) in data.iter_mut().zip(other) {
                    *x = x.plus(y);
                }
            },
        );
    });
}

/// True when some element is zero (an integer division would fail).
pub fn has_zero<T: crate::number::Number>(data: &[T]) -> bool {
    data.contains(&T::ZERO)
}

/// `out = parts[0] + parts[1] + ...`, in that order; all of one length.
pub fn add_n<T: crate::number::Number>(parts: &[&[T]], out: &mut [T]) {
    assert!(parts.iter().all(|p| p.len() == out.len()));
    let shared = crate::threads::SharedMut::new(out);
    parallel_for(shared_len(parts), CHEAP, |range| {
        // SAFETY: parallel_for hands out disjoint ranges.
        let out = unsafe { shared.slice(range.clone()) };
        // Blocks that stay in the cache while all parts are added.
        for (n, block) in out.chunks_mut(2048).enumerate() {
            let start = range.start + n * 2048;
            block.copy_from_slice(&parts[0][start..start + block.len()]);
            for part in &parts[1..] {
                let part = &part[start..start + block.len()];
                wide(
                    #[inline(always)]
                    || {
                        for (x, &y) in block.iter_mut().zip(part) {
                            *x = x.plus(y);
                        }
                    },
                );
            }
        }
    });
}

fn shared_len<T>(parts: &[&[T]]) -> usize {
    parts.first().map_or(0, |p| p.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn map_over_odd_sizes() {
        for n in [0usize, 1, 7, 33, 100_003] {
            let a = (0..n).map(|i| i as f32).collect::<Vec<_>>();
            let mut out = vec![0.0; n];
            map(&a, &mut out, 1000, |x| x * 2.0 + 1.0);
            assert!(out.iter().enumerate().all(|(i, &y)| y == i as f32 * 2.0 + 1.0), "{n}");
            map_in_place(&mut out, 1000, |x| x - 1.0);
            assert!(out.iter().enumerate().all(|(i, &y)| y == i as f32 * 2.0), "{n}");
        }
    }

    #[test]
    fn sums_of_several() {
        let mut out = [0i32; 3];
        add_n(&[&[1, 2, 3], &[10, 20, 30], &[100, 200, i32::MAX]], &mut out);
        assert_eq!(out, [111, 222, i32::MIN + 32]);
        add_assign(&mut out, &[1, 1, 1]);
        assert_eq!(out, [112, 223, i32::MIN + 33]);
        assert!(has_zero(&[1, 0]) && !has_zero(&[1.0, 2.0]));
    }
}
