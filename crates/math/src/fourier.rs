//! Discrete Fourier transforms along the axes of an array, by the crate `rustfft`.

use num_complex::Complex;
use rustfft::{FftNum, FftPlanner};

use crate::threads::parallel_units;

/// Numbers that are worth a second thread.
const GRAIN: usize = 16 * 1024;

/// The real numbers whose complex numbers can be transformed. The transforms are compiled here, once per type.
pub trait Wave: FftNum {
    /// Transforms `values`, blocks of `[length, inner]` numbers, along `length`; the inverse is divided by the length.
    ///
    /// ```
    /// use num_complex::Complex;
    /// use tensorfleet_math::fourier::Wave;
    /// let mut values = [1.0, 0.0, 0.0, 0.0].map(|re| Complex::new(re, 0.0));
    /// f64::transform(&mut values, 4, 1, false);
    /// assert_eq!(values, [Complex::new(1.0, 0.0); 4]);
    /// ```
    fn transform(values: &mut [Complex<Self>], length: usize, inner: usize, inverse: bool);
}

impl Wave for f32 {
    fn transform(values: &mut [Complex<f32>], length: usize, inner: usize, inverse: bool) {
        transform(values, length, inner, inverse);
    }
}

impl Wave for f64 {
    fn transform(values: &mut [Complex<f64>], length: usize, inner: usize, inverse: bool) {
        transform(values, length, inner, inverse);
    }
}

fn transform<T: FftNum>(values: &mut [Complex<T>], length: usize, inner: usize, inverse: bool) {
    let block = length * inner;
    if values.is_empty() || block == 0 {
        return;
    }
    assert_eq!(values.len() % block, 0);
    let mut planner = FftPlanner::new();
    let fft = if inverse { planner.plan_fft_inverse(length) } else { planner.plan_fft_forward(length) };
    let scale = if inverse { T::from_f64(1.0 / length as f64) } else { None };
    parallel_units(values, block, GRAIN.div_ceil(block), |_, values| {
        let mut turned = if inner == 1 { Vec::new() } else { vec![Complex::new(T::zero(), T::zero()); block] };
        for block in values.chunks_exact_mut(block) {
            if inner == 1 {
                fft.process(block);
            } else {
                for (row, numbers) in block.chunks_exact(inner).enumerate() {
                    numbers.iter().enumerate().for_each(|(column, number)| turned[column * length + row] = *number);
                }
                fft.process(&mut turned);
                for (row, numbers) in block.chunks_exact_mut(inner).enumerate() {
                    numbers.iter_mut().enumerate().for_each(|(column, number)| *number = turned[column * length + row]);
                }
            }
            if let Some(scale) = scale {
                block.iter_mut().for_each(|number| *number = *number * scale);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Along any axis, the inverse of a transform is the array that it was made of; so for lengths that are prime, too.
    #[test]
    fn the_inverse_undoes_a_transform() {
        for (length, inner) in [(1, 3), (8, 1), (7, 2), (6, 5)] {
            let before: Vec<Complex<f64>> =
                (0..2 * length * inner).map(|at| Complex::new(at as f64, 0.5 - at as f64)).collect();
            let mut values = before.clone();
            f64::transform(&mut values, length, inner, false);
            // The first of the results is the sum.
            let sum: Complex<f64> = (0..length).map(|row| before[row * inner]).sum();
            assert!((values[0] - sum).norm() < 1e-9, "{} is not {sum}", values[0]);
            f64::transform(&mut values, length, inner, true);
            for (value, before) in values.iter().zip(&before) {
                assert!((value - before).norm() < 1e-9, "{value} is not {before}");
            }
        }
    }
}
