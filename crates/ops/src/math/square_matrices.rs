//! Batches of square matrices, for the ops that decompose, invert and solve: all is computed in double precision.

use graph::Output;
use graph::op::{GradContext, ShapeContext};
use tensor::DType::{self, Double, Float};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use super::cast::cast;

/// An attribute of ops that may use the adjoint of their matrices.
pub(super) const ADJOINT: &str = "adjoint: bool = false";

/// The types of elements in the definitions.
pub(super) const ALLOWED: &str = "T: {double, float, half, complex64, complex128}";

/// The types of elements that there are kernels for.
pub(super) const TYPES: &[DType] = &[Float, Double];

pub(super) fn square(cx: &ShapeContext<'_>) -> Result<PartialShape> {
    let shape = cx.with_rank_at_least(0, 2)?;
    if let Some(&[.., rows, columns]) = shape.raw_dims() {
        ensure!(
            rows < 0 || columns < 0 || rows == columns,
            InvalidArgument,
            "Dimensions must be equal, but are {rows} and {columns} for '{}' (op: '{}')",
            cx.node.name,
            cx.node.op
        );
    }
    Ok(shape)
}

pub(super) fn square_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = square(cx)?;
    cx.set(0, shape);
    Ok(())
}

pub(super) fn solve_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (matrix, rhs) = (square(cx)?, cx.with_rank_at_least(1, 2)?);
    let (Some(&[ref outer @ .., _, columns]), Some(&[ref other @ .., rows, width])) =
        (matrix.raw_dims(), rhs.raw_dims())
    else {
        return Ok(());
    };
    ensure!(
        rows < 0 || columns < 0 || rows == columns,
        InvalidArgument,
        "Dimensions must be equal, but are {columns} and {rows}"
    );
    let outer = if cx.node.op == "MatrixTriangularSolve" {
        graph::op::broadcast_shapes(&PartialShape::from_dims(outer), &PartialShape::from_dims(other))?
    } else {
        PartialShape::from_dims(outer).merge(&PartialShape::from_dims(other))?
    };
    let inner = PartialShape::from_dims(&[if rows >= 0 { rows } else { columns }, width]);
    cx.set(0, outer.concatenate(&inner));
    Ok(())
}

/// Batches of square matrices of doubles.
pub(super) struct Squares {
    pub(super) outer: Vec<i64>,
    pub(super) size: usize,
    pub(super) values: Vec<f64>,
}

impl Squares {
    pub(super) fn of(tensor: &Tensor) -> Result<Squares> {
        let &[ref outer @ .., rows, columns] = tensor.dims() else {
            bail!(InvalidArgument, "Input tensor 0 must have rank >= 2")
        };
        ensure!(rows == columns, InvalidArgument, "Input matrix must be square.");
        let values = cast(tensor.clone(), Double, false)?.as_slice::<f64>()?.to_vec();
        Ok(Squares { outer: outer.to_vec(), size: rows as usize, values })
    }

    pub(super) fn each(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact((self.size * self.size).max(1))
    }
}

pub(super) fn finish(dims: &[i64], values: Vec<f64>, dtype: DType) -> Result<Tensor> {
    cast(Tensor::new(dims, values)?, dtype, false)
}

pub(super) fn transposed(matrix: &[f64], size: usize) -> Vec<f64> {
    (0..size * size).map(|at| matrix[at % size * size + at / size]).collect()
}

/// The lower triangle whose product with its transpose is the matrix; only the matrix's lower triangle is read. A matrix
/// that has none gives a triangle without numbers, as in TensorFlow.
pub(super) fn cholesky(matrix: &[f64], size: usize) -> Vec<f64> {
    let mut lower = vec![0f64; size * size];
    for row in 0..size {
        for column in 0..=row {
            let inner: f64 = (0..column).map(|k| lower[row * size + k] * lower[column * size + k]).sum();
            let rest = matrix[row * size + column] - inner;
            if row != column {
                lower[row * size + column] = rest / lower[column * size + column];
            } else if rest > 0.0 && rest.is_finite() {
                lower[row * size + column] = rest.sqrt();
            } else {
                return (0..size * size).map(|at| if at % size <= at / size { f64::NAN } else { 0.0 }).collect();
            }
        }
    }
    lower
}

/// A matrix taken apart by elimination: both triangles in one, the order of the rows, and the sign of that order.
pub(super) struct Eliminated {
    pub(super) size: usize,
    pub(super) values: Vec<f64>,
    pub(super) order: Vec<usize>,
    pub(super) sign: f64,
}

impl Eliminated {
    pub(super) fn new(matrix: &[f64], size: usize) -> Eliminated {
        let (mut values, mut order, mut sign) = (matrix.to_vec(), (0..size).collect::<Vec<_>>(), 1.0);
        for column in 0..size {
            let size_of = |row: usize, values: &[f64]| values[row * size + column].abs();
            let pivot = (column..size)
                .fold(column, |best, row| if size_of(row, &values) > size_of(best, &values) { row } else { best });
            if pivot != column {
                (0..size).for_each(|k| values.swap(pivot * size + k, column * size + k));
                order.swap(pivot, column);
                sign = -sign;
            }
            let head = values[column * size + column];
            if head == 0.0 {
                continue;
            }
            for row in column + 1..size {
                let factor = values[row * size + column] / head;
                values[row * size + column] = factor;
                for k in column + 1..size {
                    values[row * size + k] -= factor * values[column * size + k];
                }
            }
        }
        Eliminated { size, values, order, sign }
    }

    pub(super) fn diagonal(&self) -> impl Iterator<Item = f64> {
        (0..self.size).map(|at| self.values[at * self.size + at])
    }

    /// # Errors
    /// `InvalidArgument` if the matrix, called `what`, has no inverse.
    pub(super) fn solve(&self, rhs: &[f64], width: usize, what: &str) -> Result<Vec<f64>> {
        ensure!(self.diagonal().all(|value| value != 0.0), InvalidArgument, "{what} is not invertible.");
        let size = self.size;
        let mut x: Vec<f64> = self.order.iter().flat_map(|row| &rhs[row * width..(row + 1) * width]).copied().collect();
        for row in 0..size {
            for k in 0..row {
                let factor = self.values[row * size + k];
                (0..width).for_each(|column| x[row * width + column] -= factor * x[k * width + column]);
            }
        }
        for row in (0..size).rev() {
            for k in row + 1..size {
                let factor = self.values[row * size + k];
                (0..width).for_each(|column| x[row * width + column] -= factor * x[k * width + column]);
            }
            (0..width).for_each(|column| x[row * width + column] /= self.values[row * size + row]);
        }
        Ok(x)
    }
}

/// The number of an element of a tensor of `own` dimensions that is broadcast to `dims`.
pub(super) fn place_of(number: usize, dims: &[i64], own: &[i64]) -> usize {
    let (mut rest, mut place, mut step) = (number, 0, 1);
    for (back, dim) in dims.iter().rev().enumerate() {
        let at = rest % *dim as usize;
        rest /= *dim as usize;
        if let Some(size) = own.len().checked_sub(back + 1).map(|axis| own[axis] as usize) {
            place += if size == 1 { 0 } else { at * step };
            step *= size;
        }
    }
    place
}

/// The product of batches of matrices, the first or second one turned.
pub(super) fn product(cx: &GradContext<'_>, a: &Output, turn_a: bool, b: &Output, turn_b: bool) -> Output {
    cx.op("BatchMatMulV2").input(a).input(b).attr("adj_x", turn_a).attr("adj_y", turn_b).output()
}

pub(super) fn solved(cx: &GradContext<'_>, da_first: (&Output, &Output), adjoint: bool) -> Output {
    let (c, db) = da_first;
    if adjoint { -product(cx, c, false, db, true) } else { -product(cx, db, false, c, true) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_and_eliminations() {
        // [4 2; 2 5] = [2 0; 1 2] [2 1; 0 2]
        assert_eq!(cholesky(&[4.0, 2.0, 2.0, 5.0], 2), [2.0, 0.0, 1.0, 2.0]);
        // TensorFlow 2.21 has no numbers in the triangle either.
        assert!(cholesky(&[1.0, 2.0, 2.0, 1.0], 2)[3].is_nan());
        let parts = Eliminated::new(&[0.0, 2.0, 1.0, 3.0], 2);
        // 0 x + 2 y = 4, x + 3 y = 5
        assert_eq!(parts.solve(&[4.0, 5.0], 1, "").unwrap(), [-1.0, 2.0]);
        assert_eq!(parts.diagonal().fold(parts.sign, |product, value| product * value), -2.0);
        assert!(Eliminated::new(&[1.0, 2.0, 2.0, 4.0], 2).solve(&[1.0, 1.0], 1, "").is_err());
    }

    #[test]
    fn places_of_broadcast_batches() {
        let places = |own: &[i64]| (0..4).map(|number| place_of(number, &[2, 2], own)).collect::<Vec<_>>();
        assert_eq!(places(&[2, 1]), [0, 0, 1, 1]);
        assert_eq!(places(&[2]), [0, 1, 0, 1]);
        assert_eq!(places(&[]), [0, 0, 0, 0]);
    }
}
