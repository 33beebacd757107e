//! Matrices turned to upper triangles by reflections, with the signs of Householder's in the Eigen library.

use super::Field;

pub(super) fn reflect<T: Field>(matrix: &[T], rows: usize, columns: usize, full: bool) -> (Vec<T>, Vec<T>) {
    let short = rows.min(columns);
    let mut r = matrix.to_vec();
    let mut reflections = Vec::with_capacity(short);
    for at in 0..short {
        let head = r[at * columns + at];
        let tail: f64 = (at + 1..rows).map(|row| r[row * columns + at].modulus_squared()).sum();
        if tail <= f64::MIN_POSITIVE && head.imaginary() * head.imaginary() <= f64::MIN_POSITIVE {
            // Nothing to turn away; what is left is real.
            for row in at..rows {
                r[row * columns + at] = if row == at { T::from_real(head.real()) } else { T::ZERO };
            }
            continue;
        }
        let norm = (head.modulus_squared() + tail).sqrt();
        let end = if head.real() >= 0.0 { -norm } else { norm };
        let scale = head - T::from_real(end);
        let vector: Vec<T> =
            (at..rows).map(|row| if row == at { T::ONE } else { r[row * columns + at] / scale }).collect();
        let tau = ((T::from_real(end) - head) / T::from_real(end)).conjugate();
        apply(&mut r, columns, at, at + 1, &vector, tau);
        for row in at..rows {
            r[row * columns + at] = if row == at { T::from_real(end) } else { T::ZERO };
        }
        reflections.push((at, vector, tau));
    }
    let width = if full { rows } else { short };
    let mut q = vec![T::ZERO; rows * width];
    (0..width).for_each(|at| q[at * width + at] = T::ONE);
    for (at, vector, tau) in reflections.iter().rev() {
        apply(&mut q, width, *at, 0, vector, tau.conjugate());
    }
    r.truncate(width * columns);
    (q, r)
}

/// Reflects what lies from `first` on, in the columns from `from` on: `a -= tau v (v* a)`.
fn apply<T: Field>(a: &mut [T], columns: usize, first: usize, from: usize, vector: &[T], tau: T) {
    let mut inner = vec![T::ZERO; columns - from];
    for (row, v) in vector.iter().enumerate() {
        let values = &a[(first + row) * columns + from..(first + row + 1) * columns];
        let v = v.conjugate();
        inner.iter_mut().zip(values).for_each(|(inner, value)| *inner += v * *value);
    }
    for (row, v) in vector.iter().enumerate() {
        let values = &mut a[(first + row) * columns + from..(first + row + 1) * columns];
        let v = tau * *v;
        values.iter_mut().zip(&inner).for_each(|(value, inner)| *value -= v * *inner);
    }
}
