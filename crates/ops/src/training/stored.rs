//! How variables store the numbers that optimizers compute with: narrow floats are widened for a step, complex numbers go
//! one by one.

use smallvec::SmallVec;
use tensor::{Complex64, Complex128, Element, bf16, f16};

use super::formula::Formula;

/// The type of a variable's elements: a float, or a narrow one that is computed as `f32`.
pub(crate) trait Stored: Element {
    fn from_count(count: i64) -> Self;
    fn step<A: Formula>(formula: &A, variables: &mut [&mut [Self]], grad: &[Self], scalars: &[Self]);
}

macro_rules! stored_as_is {
    ($($t:ty),*) => {$(
        impl Stored for $t {
            fn from_count(count: i64) -> $t {
                count as $t
            }

            fn step<A: Formula>(formula: &A, variables: &mut [&mut [$t]], grad: &[$t], scalars: &[$t]) {
                formula.step(variables, grad, scalars);
            }
        }
    )*};
}

stored_as_is!(f32, f64);

macro_rules! stored_narrow {
    ($($t:ty),*) => {$(
        impl Stored for $t {
            fn from_count(count: i64) -> $t {
                <$t>::from_f32(count as f32)
            }

            fn step<A: Formula>(formula: &A, variables: &mut [&mut [$t]], grad: &[$t], scalars: &[$t]) {
                let widen = |values: &[$t]| values.iter().map(|value| value.to_f32()).collect::<Vec<f32>>();
                let mut wide: SmallVec<[Vec<f32>; 4]> = variables.iter().map(|part| widen(part)).collect();
                let mut parts: SmallVec<[&mut [f32]; 4]> = wide.iter_mut().map(|part| &mut part[..]).collect();
                formula.step(&mut parts, &widen(grad), &widen(scalars));
                drop(parts);
                for (part, wide) in variables.iter_mut().zip(&wide) {
                    part.iter_mut().zip(wide).for_each(|(narrow, wide)| *narrow = <$t>::from_f32(*wide));
                }
            }
        }
    )*};
}

stored_narrow!(f16, bf16);

macro_rules! stored_complex {
    ($($t:ty, $part:ty);*) => {$(
        impl Stored for $t {
            fn from_count(count: i64) -> $t {
                <$t>::new(count as $part, 0.0)
            }

            fn step<A: Formula>(formula: &A, variables: &mut [&mut [$t]], grad: &[$t], scalars: &[$t]) {
                let wide = |z: $t| Complex128::new(f64::from(z.re), f64::from(z.im));
                let scalars: SmallVec<[Complex128; 8]> = scalars.iter().map(|z| wide(*z)).collect();
                for (at, grad) in grad.iter().enumerate() {
                    let mut numbers: SmallVec<[Complex128; 4]> = variables.iter().map(|part| wide(part[at])).collect();
                    formula.complex_step(&mut numbers, wide(*grad), &scalars);
                    for (part, z) in variables.iter_mut().zip(numbers) {
                        part[at] = <$t>::new(z.re as $part, z.im as $part);
                    }
                }
            }
        }
    )*};
}

stored_complex!(Complex64, f32; Complex128, f64);
