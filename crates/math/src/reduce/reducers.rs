//! The named reductions, compiled once per element type.

use super::{ReducePlan, Reducer, reduce};
use crate::number::{Number, Real};
use half::{bf16, f16};
use num_complex::Complex;
use std::marker::PhantomData;

/// A reduction, named as TensorFlow names the op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    Sum,
    Mean,
    Prod,
    Max,
    Min,
}

/// Element types with the reductions of [`ReduceOp`].
///
/// ```
/// use tensorfleet_math::reduce::{Reduce, ReduceOp, ReducePlan};
///
/// let rows = ReducePlan::new(&[2, 2], &[1]);
/// let mut out = [0f32; 2];
/// f32::reduce(ReduceOp::Sum, &rows, &[1.0, 2.0, 3.0, 4.0], &mut out);
/// assert_eq!(out, [3.0, 7.0]);
/// f32::reduce(ReduceOp::Max, &rows, &[1.0, 2.0, 3.0, 4.0], &mut out);
/// assert_eq!(out, [2.0, 4.0]);
/// ```
pub trait Reduce: Number {
    /// `out = op(input)` by `plan`. No elements give 0, NaN (0 for integers), 1, the least and the
    /// greatest value in turn. Panics for Max and Min of complex numbers.
    fn reduce(op: ReduceOp, plan: &ReducePlan, input: &[Self], out: &mut [Self]);
}

/// True when all, or any, of the elements are true.
///
/// ```
/// use tensorfleet_math::reduce::{ReducePlan, reduce_bool};
///
/// let mut out = [true; 2];
/// reduce_bool(true, &ReducePlan::new(&[2, 2], &[1]), &[true, true, true, false], &mut out);
/// assert_eq!(out, [true, false]);
/// ```
pub fn reduce_bool(all: bool, plan: &ReducePlan, input: &[bool], out: &mut [bool]) {
    reduce(plan, Logic { all }, input, out);
}

#[derive(Clone, Copy)]
struct Logic {
    all: bool,
}

impl Reducer<bool> for Logic {
    type Acc = bool;
    type Out = bool;
    #[inline(always)]
    fn start(&self) -> bool {
        self.all
    }
    #[inline(always)]
    fn fold(&self, acc: bool, x: bool) -> bool {
        if self.all { acc & x } else { acc | x }
    }
    #[inline(always)]
    fn merge(&self, a: bool, b: bool) -> bool {
        self.fold(a, b)
    }
    #[inline(always)]
    fn finish(&self, acc: bool, _: usize) -> bool {
        acc
    }
}

/// A reducer whose accumulator is a number: how it starts, combines and ends.
macro_rules! reducer {
    ($name:ident, $bound:path, $acc:ty, $start:expr, $fold:expr, $merge:expr, $finish:expr) => {
        struct $name<T>(PhantomData<T>);
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
        impl<T: $bound> Reducer<T> for $name<T> {
            type Acc = $acc;
            type Out = T;
            #[inline(always)]
            fn start(&self) -> $acc {
                $start
            }
            #[inline(always)]
            fn fold(&self, acc: $acc, x: T) -> $acc {
                $fold(acc, x)
            }
            #[inline(always)]
            fn merge(&self, a: $acc, b: $acc) -> $acc {
                $merge(a, b)
            }
            #[inline(always)]
            fn finish(&self, acc: $acc, count: usize) -> T {
                $finish(acc, count)
            }
        }
    };
}

type Wide<T> = <T as Number>::Wide;
reducer!(Sum, Number, Wide<T>, Wide::<T>::ZERO, |a: Wide<T>, x: T| a.plus(x.widen()), Wide::<T>::plus, |a, _| {
    T::narrow(a)
});
reducer!(Prod, Number, Wide<T>, Wide::<T>::ONE, |a: Wide<T>, x: T| a.times(x.widen()), Wide::<T>::times, |a, _| {
    T::narrow(a)
});
reducer!(
    Mean,
    Number,
    Wide<T>,
    Wide::<T>::ZERO,
    |a: Wide<T>, x: T| a.plus(x.widen()),
    Wide::<T>::plus,
    |a: Wide<T>, n| { T::narrow(a.over(Wide::<T>::from_count(n))) }
);
reducer!(Max, Real, T, T::LEAST, T::greater, T::greater, |a, _| a);
reducer!(Min, Real, T, T::GREATEST, T::lesser, T::lesser, |a, _| a);

/// The mean of integers is computed in 64 bits and rounded towards zero.
#[derive(Clone, Copy)]
struct IntegerMean;

macro_rules! integers {
    ($($t:ident $wide:ident)*) => {$(
        impl Reducer<$t> for IntegerMean {
            type Acc = $wide;
            type Out = $t;
            #[inline(always)]
            fn start(&self) -> $wide { 0 }
            #[inline(always)]
            fn fold(&self, acc: $wide, x: $t) -> $wide { acc.wrapping_add(x as $wide) }
            #[inline(always)]
            fn merge(&self, a: $wide, b: $wide) -> $wide { a.wrapping_add(b) }
            #[inline(always)]
            fn finish(&self, acc: $wide, count: usize) -> $t { acc.over(count as $wide) as $t }
        }

        impl Reduce for $t {
            fn reduce(op: ReduceOp, plan: &ReducePlan, input: &[Self], out: &mut [Self]) {
                match op {
                    ReduceOp::Sum => reduce(plan, Sum(PhantomData), input, out),
                    ReduceOp::Mean => reduce(plan, IntegerMean, input, out),
                    ReduceOp::Prod => reduce(plan, Prod(PhantomData), input, out),
                    ReduceOp::Max => reduce(plan, Max(PhantomData), input, out),
                    ReduceOp::Min => reduce(plan, Min(PhantomData), input, out),
                }
            }
        }
    )*};
}
integers!(i8 i64 i16 i64 i32 i64 i64 i64 u8 u64 u16 u64 u32 u64 u64 u64);

macro_rules! floats {
    ($($t:ident)*) => {$(
        impl Reduce for $t {
            fn reduce(op: ReduceOp, plan: &ReducePlan, input: &[Self], out: &mut [Self]) {
                match op {
                    ReduceOp::Sum => reduce(plan, Sum(PhantomData), input, out),
                    ReduceOp::Mean => reduce(plan, Mean(PhantomData), input, out),
                    ReduceOp::Prod => reduce(plan, Prod(PhantomData), input, out),
                    ReduceOp::Max => reduce(plan, Max(PhantomData), input, out),
                    ReduceOp::Min => reduce(plan, Min(PhantomData), input, out),
                }
            }
        }
    )*};
}
floats!(f32 f64 f16 bf16);

macro_rules! complexes {
    ($($t:ident)*) => {$(
        impl Reduce for Complex<$t> {
            fn reduce(op: ReduceOp, plan: &ReducePlan, input: &[Self], out: &mut [Self]) {
                match op {
                    ReduceOp::Sum => reduce(plan, Sum(PhantomData), input, out),
                    ReduceOp::Mean => reduce(plan, Mean(PhantomData), input, out),
                    ReduceOp::Prod => reduce(plan, Prod(PhantomData), input, out),
                    _ => panic!("complex numbers have no order"),
                }
            }
        }
    )*};
}
complexes!(f32 f64);

#[cfg(test)]
mod tests {
    use super::*;

    fn all<T: Reduce>(op: ReduceOp, input: &[T]) -> T {
        let mut out = [T::ZERO];
        T::reduce(op, &ReducePlan::new(&[input.len() as i64], &[0]), input, &mut out);
        out[0]
    }

    /// The values are those of TensorFlow 2.21.
    #[test]
    fn nan_and_nothing_as_tensorflow() {
        for n in [3usize, 5, 40] {
            for at in [0, 1, n - 1] {
                let mut x = (0..n).map(|i| i as f32).collect::<Vec<_>>();
                x[at] = f32::NAN;
                assert!(all(ReduceOp::Max, &x).is_nan() && all(ReduceOp::Min, &x).is_nan());
            }
        }
        let none: [f32; 0] = [];
        assert_eq!(all(ReduceOp::Max, &none), f32::NEG_INFINITY);
        assert_eq!(all(ReduceOp::Min, &none), f32::INFINITY);
        assert!(all(ReduceOp::Mean, &none).is_nan());
        assert_eq!(all(ReduceOp::Prod, &none), 1.0);
        let none: [i32; 0] = [];
        assert_eq!((all(ReduceOp::Max, &none), all(ReduceOp::Min, &none)), (i32::MIN, i32::MAX));
        assert_eq!((all(ReduceOp::Mean, &none), all(ReduceOp::Sum, &none)), (0, 0));
        assert_eq!(all(ReduceOp::Mean, &[-1, -2, -2]), -1);
        assert_eq!(all(ReduceOp::Mean, &[i32::MAX, i32::MAX]), i32::MAX);
    }

    #[test]
    fn integers_wrap_and_halves_accumulate_wide() {
        assert_eq!(all(ReduceOp::Sum, &[i32::MAX, 1]), i32::MIN);
        assert_eq!(all(ReduceOp::Prod, &[100u8, 3]), 44);
        let ones = vec![f16::ONE; 5000];
        assert_eq!(all(ReduceOp::Sum, &ones), f16::from_f32(5000.0));
    }

    #[test]
    fn logic() {
        let plan = ReducePlan::new(&[2, 2], &[1]);
        let mut out = [false; 2];
        reduce_bool(true, &plan, &[true, true, true, false], &mut out);
        assert_eq!(out, [true, false]);
        reduce_bool(false, &plan, &[false, false, true, false], &mut out);
        assert_eq!(out, [false, true]);
    }
}
