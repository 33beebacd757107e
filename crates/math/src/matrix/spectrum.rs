//! Singular values, eigenvalues, and the vectors that belong to them.

use nalgebra::{DMatrix, SVD, Schur, SymmetricEigen};
use num_complex::Complex;

use super::reflection::reflect;
use super::{Field, Singular, rows_of};

/// Steps that a search may take for each row or column before it is given up.
const STEPS: usize = 200;

pub(super) fn singular<T: Field>(matrix: &[T], rows: usize, columns: usize, full: bool) -> Option<Singular<T>> {
    if matrix.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let whole = DMatrix::from_row_slice(rows, columns, matrix);
    let short = rows.min(columns);
    let (values, left, right) = if short == 0 {
        (Vec::new(), Vec::new(), Vec::new())
    } else {
        let steps = STEPS * (rows + columns);
        let SVD { u, v_t, singular_values } = SVD::try_new(whole, true, true, 5.0 * f64::EPSILON, steps)?;
        (singular_values.as_slice().to_vec(), rows_of(&u?), rows_of(&v_t?.adjoint()))
    };
    if !full {
        return Some(Singular { values, left, right });
    }
    let (left, right) = (completed(left, rows, short), completed(right, columns, short));
    Some(Singular { values, left, right })
}

/// Orthonormal columns, with others added so that there are as many as rows.
fn completed<T: Field>(columns: Vec<T>, rows: usize, count: usize) -> Vec<T> {
    if count == rows {
        return columns;
    }
    // The first columns that reflections give are those that they were given, up to their signs.
    let (mut q, _) = reflect(&columns, rows, count, true);
    for row in 0..rows {
        q[row * rows..row * rows + count].copy_from_slice(&columns[row * count..(row + 1) * count]);
    }
    q
}

pub(super) fn self_adjoint<T: Field>(matrix: &[T], size: usize) -> Option<(Vec<f64>, Vec<T>)> {
    if size == 0 {
        return Some((Vec::new(), Vec::new()));
    }
    if matrix.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let whole = DMatrix::from_fn(size, size, |row, column| match row.cmp(&column) {
        std::cmp::Ordering::Less => matrix[column * size + row].conjugate(),
        std::cmp::Ordering::Equal => T::from_real(matrix[row * size + row].real()),
        std::cmp::Ordering::Greater => matrix[row * size + column],
    });
    let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::try_new(whole, f64::EPSILON, STEPS * size)?;
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|a, b| eigenvalues[*a].total_cmp(&eigenvalues[*b]));
    let values = order.iter().map(|at| eigenvalues[*at]).collect();
    let vectors = (0..size).flat_map(|row| order.iter().map(move |at| (row, *at))).map(|at| eigenvectors[at]).collect();
    Some((values, vectors))
}

/// The matrix as `q t q*`, with an upper triangle `t`.
pub(super) fn schur(matrix: &[Complex<f64>], size: usize) -> Option<(DMatrix<Complex<f64>>, DMatrix<Complex<f64>>)> {
    if matrix.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let whole = DMatrix::from_row_slice(size, size, matrix);
    if size == 0 {
        return Some((whole.clone(), whole));
    }
    Some(Schur::try_new(whole, f64::EPSILON, STEPS * size)?.unpack())
}

pub(super) fn general(matrix: &[Complex<f64>], size: usize) -> Option<(Vec<Complex<f64>>, Vec<Complex<f64>>)> {
    let (q, t) = schur(matrix, size)?;
    let values: Vec<Complex<f64>> = (0..size).map(|at| t[(at, at)]).collect();
    let scale = t.iter().map(|value| value.norm()).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    // Each column solves (t - value) x = 0, from its own place upwards.
    let mut vectors = DMatrix::<Complex<f64>>::zeros(size, size);
    for column in 0..size {
        vectors[(column, column)] = Complex::new(1.0, 0.0);
        for row in (0..column).rev() {
            let sum: Complex<f64> = (row + 1..=column).map(|k| t[(row, k)] * vectors[(k, column)]).sum();
            let mut head = values[column] - t[(row, row)];
            if head.norm() < f64::EPSILON * scale {
                head = Complex::new(f64::EPSILON * scale, 0.0);
            }
            vectors[(row, column)] = sum / head;
        }
    }
    let mut vectors = q * vectors;
    vectors.column_iter_mut().for_each(|mut column| {
        let norm = column.norm();
        column.unscale_mut(norm);
    });
    Some((values, rows_of(&vectors)))
}
