//! Exponentials, square roots and logarithms of square matrices.

use nalgebra::DMatrix;
use num_complex::Complex;

use super::spectrum::schur;
use super::{Field, rows_of};

/// Square roots that are taken before a logarithm: enough for the largest and smallest numbers.
const ROOTS: usize = 64;

/// Places and weights of Gauss' rule with seven points on [-1, 1], of which all but the first have a mirror.
const GAUSS: [(f64, f64); 4] = [
    (0.0, 0.417_959_183_673_469_4),
    (0.405_845_151_377_397_2, 0.381_830_050_505_118_9),
    (0.741_531_185_599_394_3, 0.279_705_391_489_276_64),
    (0.949_107_912_342_758_5, 0.129_484_966_168_869_7),
];

type Triangle = DMatrix<Complex<f64>>;

pub(super) fn exponential<T: Field>(matrix: &[T], size: usize) -> Vec<T> {
    if matrix.iter().any(|value| !value.is_finite()) {
        return vec![T::from_real(f64::NAN); matrix.len()];
    }
    // Beyond this every result overflows, and so would the number of squarings.
    let norm = matrix.iter().map(|value| value.modulus()).fold(0.0, f64::max);
    if size == 0 || norm > 1e12 {
        return matrix.iter().map(|_| T::from_real(f64::NAN)).collect();
    }
    rows_of(&DMatrix::from_row_slice(size, size, matrix).exp())
}

pub(super) fn square_root(matrix: &[Complex<f64>], size: usize) -> Option<Vec<Complex<f64>>> {
    let (q, t) = schur(matrix, size)?;
    Some(rows_of(&(&q * root(&t) * q.adjoint())))
}

/// The square root of an upper triangle, diagonal by diagonal.
fn root(t: &Triangle) -> Triangle {
    let size = t.nrows();
    let mut root = Triangle::zeros(size, size);
    for column in 0..size {
        root[(column, column)] = t[(column, column)].sqrt();
        for row in (0..column).rev() {
            let inner: Complex<f64> = (row + 1..column).map(|k| root[(row, k)] * root[(k, column)]).sum();
            let rest = t[(row, column)] - inner;
            let sum = root[(row, row)] + root[(column, column)];
            root[(row, column)] = if rest == Complex::ZERO { rest } else { rest / sum };
        }
    }
    root
}

/// log(t) = 2^k log(t^(1/2^k)); of a triangle x near one, log is the integral of (x - 1) / (1 + s (x - 1)) over s in [0, 1].
pub(super) fn logarithm(matrix: &[Complex<f64>], size: usize) -> Option<Vec<Complex<f64>>> {
    let (q, mut t) = schur(matrix, size)?;
    let one = Triangle::identity(size, size);
    let far =
        |t: &Triangle| (t - &one).column_iter().map(|column| column.iter().map(|x| x.norm()).sum()).fold(0.0, f64::max);
    let mut roots = 0;
    while roots < ROOTS && far(&t) > 0.25 {
        t = root(&t);
        roots += 1;
    }
    let rest = &t - &one;
    let mut sum = Triangle::zeros(size, size);
    for (place, weight) in GAUSS {
        for place in if place == 0.0 { vec![place] } else { vec![place, -place] } {
            let step = Complex::new((place + 1.0) / 2.0, 0.0);
            let below = &one + &rest * step;
            sum += below.solve_upper_triangular(&rest)? * Complex::new(weight / 2.0, 0.0);
        }
    }
    let scaled = sum * Complex::new(2f64.powi(roots as i32), 0.0);
    Some(rows_of(&(&q * scaled * q.adjoint())))
}
