//! Matrices taken apart, and functions of whole matrices: in double precision, real or complex, row by row.
//!
//! Reflections and elimination are written here, with the signs that TensorFlow's have; singular values, eigenvalues and
//! the triangles that general matrices are turned to are those of the crate `nalgebra`.

mod elimination;
mod function;
mod reflection;
mod spectrum;

pub use elimination::Eliminated;

use nalgebra::{ComplexField, DMatrix};
use num_complex::Complex;

use crate::gemm::{GemmElement, Product, product};

/// Singular values, the largest first, and the singular vectors in the columns of two matrices.
pub struct Singular<T> {
    pub values: Vec<f64>,
    pub left: Vec<T>,
    pub right: Vec<T>,
}

/// The elements of matrices. All that is asked of it is compiled here, once per type.
///
/// ```
/// use tensorfleet_math::matrix::Field;
/// // [0 2; 1 3] x = [4; 5]
/// let parts = f64::eliminate(&[0.0, 2.0, 1.0, 3.0], 2);
/// assert_eq!(parts.solve(&[4.0, 5.0], 1).unwrap(), [-1.0, 2.0]);
/// ```
pub trait Field: GemmElement + ComplexField<RealField = f64> {
    /// Takes a square matrix apart by elimination.
    fn eliminate(matrix: &[Self], size: usize) -> Eliminated<Self>;

    /// The lower triangle whose product with its adjoint is the matrix; only the matrix's lower triangle is read.
    fn cholesky(matrix: &[Self], size: usize) -> Option<Vec<Self>>;

    /// `x` with `a x = b` (or the adjoint of `a`) for a triangle `a`, whose other half is not read.
    fn solve_triangle(a: &[Self], b: &[Self], width: usize, lower: bool, adjoint: bool) -> Vec<Self>;

    /// A matrix with orthonormal columns and an upper triangle: their product is the matrix. With `full` the first is
    /// square, otherwise it has as many columns as the matrix has rows or columns.
    fn reflect(matrix: &[Self], rows: usize, columns: usize, full: bool) -> (Vec<Self>, Vec<Self>);

    /// The singular value decomposition; `None` if it does not converge.
    fn singular(matrix: &[Self], rows: usize, columns: usize, full: bool) -> Option<Singular<Self>>;

    /// The eigenvalues of a matrix that is its own adjoint, the smallest first, and its eigenvectors as columns; only the
    /// lower triangle is read. `None` if the search does not converge.
    fn self_adjoint_eigen(matrix: &[Self], size: usize) -> Option<(Vec<f64>, Vec<Self>)>;

    /// The exponential of a square matrix.
    fn exponential(matrix: &[Self], size: usize) -> Vec<Self>;

    /// The product of matrices, the first of `rows`, the second of `columns`.
    fn multiply(a: &[Self], b: &[Self], rows: usize, columns: usize) -> Vec<Self>;
}

macro_rules! fields {
    ($($t:ty),*) => {$(
        impl Field for $t {
            fn eliminate(matrix: &[$t], size: usize) -> Eliminated<$t> {
                Eliminated::new(matrix, size)
            }

            fn cholesky(matrix: &[$t], size: usize) -> Option<Vec<$t>> {
                elimination::cholesky(matrix, size)
            }

            fn solve_triangle(a: &[$t], b: &[$t], width: usize, lower: bool, adjoint: bool) -> Vec<$t> {
                elimination::solve_triangle(a, b, width, lower, adjoint)
            }

            fn reflect(matrix: &[$t], rows: usize, columns: usize, full: bool) -> (Vec<$t>, Vec<$t>) {
                reflection::reflect(matrix, rows, columns, full)
            }

            fn singular(matrix: &[$t], rows: usize, columns: usize, full: bool) -> Option<Singular<$t>> {
                spectrum::singular(matrix, rows, columns, full)
            }

            fn self_adjoint_eigen(matrix: &[$t], size: usize) -> Option<(Vec<f64>, Vec<$t>)> {
                spectrum::self_adjoint(matrix, size)
            }

            fn exponential(matrix: &[$t], size: usize) -> Vec<$t> {
                function::exponential(matrix, size)
            }

            fn multiply(a: &[$t], b: &[$t], rows: usize, columns: usize) -> Vec<$t> {
                multiplied(a, b, rows, columns)
            }
        }
    )*};
}

fields!(f64, Complex<f64>);

/// The eigenvalues of any square matrix and, as columns of length 1, its eigenvectors; `None` if the search does not converge.
pub fn eigen(matrix: &[Complex<f64>], size: usize) -> Option<(Vec<Complex<f64>>, Vec<Complex<f64>>)> {
    spectrum::general(matrix, size)
}

/// The principal square root; without numbers where there is none.
pub fn square_root(matrix: &[Complex<f64>], size: usize) -> Option<Vec<Complex<f64>>> {
    function::square_root(matrix, size)
}

/// The principal logarithm; without numbers where there is none.
pub fn logarithm(matrix: &[Complex<f64>], size: usize) -> Option<Vec<Complex<f64>>> {
    function::logarithm(matrix, size)
}

fn multiplied<T: GemmElement>(a: &[T], b: &[T], rows: usize, columns: usize) -> Vec<T> {
    let inner = a.len().checked_div(rows).or_else(|| b.len().checked_div(columns)).unwrap_or(0);
    let mut out = vec![T::ZERO; rows * columns];
    let sizes = Product { m: rows, k: inner, n: columns, a_transposed: false, b_transposed: false, accumulate: false };
    product(&sizes, a, b, &mut out);
    out
}

#[cfg(test)]
fn adjoint<T: Field>(matrix: &[T], rows: usize, columns: usize) -> Vec<T> {
    let mut out = Vec::with_capacity(matrix.len());
    for column in 0..columns {
        out.extend((0..rows).map(|row| matrix[row * columns + column].conjugate()));
    }
    out
}

#[cfg(test)]
fn identity<T: Field>(size: usize) -> Vec<T> {
    (0..size * size).map(|at| if at / size == at % size { T::ONE } else { T::ZERO }).collect()
}

/// Row by row.
fn rows_of<T: Field>(matrix: &DMatrix<T>) -> Vec<T> {
    matrix.transpose().as_slice().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    type C = Complex<f64>;

    /// Numbers that repeat, so that some matrices have equal or vanishing singular values.
    fn numbers<T: Field>(count: usize, seed: usize, make: impl Fn(f64, f64) -> T) -> Vec<T> {
        let number = |at: usize| ((at * 7 + seed * 13) % 11) as f64 - 5.0;
        (0..count).map(|at| make(number(at), number(at * 3 + 1))).collect()
    }

    fn close<T: Field>(a: &[T], b: &[T], what: &str) {
        assert_eq!(a.len(), b.len(), "{what}");
        let scale = a.iter().chain(b).map(|x| x.modulus()).fold(1.0, f64::max);
        for (x, y) in a.iter().zip(b) {
            assert!((*x - *y).modulus() <= 1e-9 * scale, "{what}: {x} is not {y}");
        }
    }

    fn taken_apart<T: Field>(make: impl Fn(f64, f64) -> T + Copy) {
        for (rows, columns) in [(1, 1), (3, 3), (5, 3), (3, 5), (8, 8), (12, 4)] {
            for seed in 0..6 {
                let matrix = numbers(rows * columns, seed, make);
                for full in [false, true] {
                    let inner = if full { rows } else { rows.min(columns) };
                    let (q, r) = T::reflect(&matrix, rows, columns, full);
                    close(&T::multiply(&q, &r, rows, columns), &matrix, "q r");
                    close(&T::multiply(&adjoint(&q, rows, inner), &q, inner, inner), &identity(inner), "q* q");
                    let Singular { values, left, right } = T::singular(&matrix, rows, columns, full).unwrap();
                    assert!(values.is_sorted_by(|a, b| a >= b) && values.iter().all(|value| *value >= 0.0));
                    let (wide_left, wide_right) = (left.len() / rows, right.len() / columns);
                    let mut middle = vec![T::ZERO; wide_left * wide_right];
                    values
                        .iter()
                        .enumerate()
                        .for_each(|(at, value)| middle[at * wide_right + at] = T::from_real(*value));
                    let turned = adjoint(&right, columns, wide_right);
                    let back = T::multiply(&T::multiply(&left, &middle, rows, wide_right), &turned, rows, columns);
                    close(&back, &matrix, "u s v*");
                    close(&T::multiply(&turned, &right, wide_right, wide_right), &identity(wide_right), "v* v");
                }
            }
        }
        for size in [0, 1, 2, 4, 7] {
            let matrix = numbers(size * size, size, make);
            let hermitian = T::multiply(&adjoint(&matrix, size, size), &matrix, size, size);
            let (values, vectors) = T::self_adjoint_eigen(&hermitian, size).unwrap();
            assert!(values.is_sorted());
            let scaled: Vec<T> = vectors.iter().enumerate().map(|(at, x)| x.scale(values[at % size])).collect();
            close(&T::multiply(&hermitian, &vectors, size, size), &scaled, "a v = v e");
        }
    }

    #[test]
    fn what_is_taken_apart_can_be_put_together() {
        taken_apart::<f64>(|re, _| re);
        taken_apart::<C>(C::new);
    }

    #[test]
    fn eigenvectors_of_general_matrices() {
        for size in [1, 2, 3, 6, 9] {
            let matrix: Vec<C> = numbers(size * size, size + 2, |re, _| C::new(re, 0.0));
            let (values, vectors) = eigen(&matrix, size).unwrap();
            let scaled: Vec<C> = vectors.iter().enumerate().map(|(at, x)| x * values[at % size]).collect();
            close(&C::multiply(&matrix, &vectors, size, size), &scaled, "a v = v e");
        }
    }

    #[test]
    fn roots_and_logarithms() {
        for size in [1, 2, 3, 5] {
            let matrix: Vec<C> = numbers(size * size, size, C::new);
            let mut positive = C::multiply(&adjoint(&matrix, size, size), &matrix, size, size);
            (0..size).for_each(|at| positive[at * size + at] += 1.0);
            let root = square_root(&positive, size).unwrap();
            close(&C::multiply(&root, &root, size, size), &positive, "root times root");
            let logarithm = logarithm(&positive, size).unwrap();
            close(&C::exponential(&logarithm, size), &positive, "exp of log");
        }
    }
}
