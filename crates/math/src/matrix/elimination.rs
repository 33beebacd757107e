//! Elimination with pivots, triangles of positive matrices, and what is solved with triangles.

use super::Field;

/// A matrix taken apart by elimination: both triangles in one, the order of the rows, and whether that order is even.
#[derive(Clone, Debug)]
pub struct Eliminated<T> {
    pub size: usize,
    pub values: Vec<T>,
    pub order: Vec<usize>,
    pub even: bool,
}

impl<T: Field> Eliminated<T> {
    pub(super) fn new(matrix: &[T], size: usize) -> Eliminated<T> {
        let (mut values, mut order, mut even) = (matrix.to_vec(), (0..size).collect::<Vec<_>>(), true);
        for column in 0..size {
            let size_of = |row: usize, values: &[T]| values[row * size + column].modulus();
            let pivot = (column..size)
                .fold(column, |best, row| if size_of(row, &values) > size_of(best, &values) { row } else { best });
            if pivot != column {
                (0..size).for_each(|k| values.swap(pivot * size + k, column * size + k));
                order.swap(pivot, column);
                even = !even;
            }
            let (above, below) = values.split_at_mut((column + 1) * size);
            let head = &above[column * size..];
            if head[column] == T::ZERO {
                continue;
            }
            for row in below.chunks_exact_mut(size) {
                let factor = row[column] / head[column];
                row[column] = factor;
                row[column + 1..].iter_mut().zip(&head[column + 1..]).for_each(|(x, y)| *x -= factor * *y);
            }
        }
        Eliminated { size, values, order, even }
    }

    /// What remains on the diagonal.
    pub fn diagonal(&self) -> impl Iterator<Item = T> {
        (0..self.size).map(|at| self.values[at * self.size + at])
    }

    /// The solution for right sides of this width; `None` if the matrix has no inverse.
    pub fn solve(&self, rhs: &[T], width: usize) -> Option<Vec<T>> {
        if self.diagonal().any(|value| value == T::ZERO) {
            return None;
        }
        let size = self.size;
        let mut x: Vec<T> = self.order.iter().flat_map(|row| &rhs[row * width..(row + 1) * width]).copied().collect();
        for row in 0..size {
            let (above, below) = x.split_at_mut(row * width);
            for k in 0..row {
                let factor = self.values[row * size + k];
                below[..width].iter_mut().zip(&above[k * width..]).for_each(|(x, y)| *x -= factor * *y);
            }
        }
        for row in (0..size).rev() {
            let (above, below) = x.split_at_mut((row + 1) * width);
            let current = &mut above[row * width..];
            for k in row + 1..size {
                let factor = self.values[row * size + k];
                current.iter_mut().zip(&below[(k - row - 1) * width..]).for_each(|(x, y)| *x -= factor * *y);
            }
            let head = self.values[row * size + row];
            current.iter_mut().for_each(|x| *x /= head);
        }
        Some(x)
    }
}

pub(super) fn cholesky<T: Field>(matrix: &[T], size: usize) -> Option<Vec<T>> {
    let mut lower = vec![T::ZERO; size * size];
    for row in 0..size {
        for column in 0..=row {
            let (mine, other) =
                (&lower[row * size..row * size + column], &lower[column * size..column * size + column]);
            let inner = mine.iter().zip(other).fold(T::ZERO, |sum, (x, y)| sum + *x * y.conjugate());
            let rest = matrix[row * size + column] - inner;
            lower[row * size + column] = if row != column {
                rest / lower[column * size + column]
            } else if rest.real() > 0.0 && rest.real().is_finite() {
                T::from_real(rest.real().sqrt())
            } else {
                return None;
            };
        }
    }
    Some(lower)
}

pub(super) fn solve_triangle<T: Field>(a: &[T], b: &[T], width: usize, lower: bool, adjoint: bool) -> Vec<T> {
    let size = b.len().checked_div(width).unwrap_or(0);
    let mut x = b.to_vec();
    let at = |row: usize, column: usize| {
        if adjoint { a[column * size + row].conjugate() } else { a[row * size + column] }
    };
    // The adjoint of a lower triangle is an upper one.
    let forward = lower != adjoint;
    for step in 0..size {
        let row = if forward { step } else { size - 1 - step };
        for k in if forward { 0..row } else { row + 1..size } {
            let factor = at(row, k);
            for column in 0..width {
                let known = x[k * width + column];
                x[row * width + column] -= factor * known;
            }
        }
        let head = at(row, row);
        x[row * width..(row + 1) * width].iter_mut().for_each(|x| *x /= head);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_and_eliminations() {
        // [4 2; 2 5] = [2 0; 1 2] [2 1; 0 2]
        assert_eq!(cholesky(&[4.0, 2.0, 2.0, 5.0], 2).unwrap(), [2.0, 0.0, 1.0, 2.0]);
        assert!(cholesky(&[1.0, 2.0, 2.0, 1.0], 2).is_none());
        let parts = Eliminated::new(&[0.0, 2.0, 1.0, 3.0], 2);
        // 0 x + 2 y = 4, x + 3 y = 5
        assert_eq!(parts.solve(&[4.0, 5.0], 1).unwrap(), [-1.0, 2.0]);
        assert_eq!((parts.diagonal().product::<f64>(), parts.even), (2.0, false));
        assert!(Eliminated::new(&[1.0, 2.0, 2.0, 4.0], 2).solve(&[1.0, 1.0], 1).is_none());
        // [2 0; 1 2] x = [4; 6], and the same of the transposed one
        assert_eq!(solve_triangle(&[2.0, 9.0, 1.0, 2.0], &[4.0, 6.0], 1, true, false), [2.0, 2.0]);
        assert_eq!(solve_triangle(&[2.0, 9.0, 1.0, 2.0], &[4.0, 6.0], 1, true, true), [0.5, 3.0]);
    }
}
