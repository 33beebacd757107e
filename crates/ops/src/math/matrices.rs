//! Batches of matrices, for the ops that decompose, invert and solve: all is computed in double precision, real or complex.

use graph::Output;
use graph::op::{GradContext, ShapeContext};
use math::matrix::Field;
use tensor::DType::{self, Double, Float};
use tensor::{Complex128, Element, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::cast::cast;

/// An attribute of ops that may use the adjoint of their matrices.
pub(super) const ADJOINT: &str = "adjoint: bool = false";

/// The types of elements in the definitions.
pub(super) const ALLOWED: &str = "T: {double, float, half, complex64, complex128}";

/// The types of elements of most old ops.
pub(super) const REAL_TYPES: &[DType] = &[Float, Double];

/// The types of elements that there are kernels for.
pub(super) const TYPES: &[DType] = &[Float, Double, DType::Complex64, DType::Complex128];

/// Runs `$body` with `$T` standing for the elements that matrices of the type `$dtype` are computed with.
macro_rules! with_field {
    ($dtype:expr, $T:ident => $body:expr) => {
        if $dtype.is_complex() {
            type $T = tensor::Complex128;
            $body
        } else {
            type $T = f64;
            $body
        }
    };
}
pub(super) use with_field;

/// Numbers that matrices are computed with.
pub(super) trait Wide: Field + Element {}

impl Wide for f64 {}
impl Wide for Complex128 {}

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

/// Batches of matrices.
pub(super) struct Matrices<T> {
    pub(super) outer: Vec<i64>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) values: Vec<T>,
}

impl<T: Wide> Matrices<T> {
    pub(super) fn of(tensor: &Tensor) -> Result<Matrices<T>> {
        let &[ref outer @ .., rows, columns] = tensor.dims() else {
            bail!(InvalidArgument, "Input tensor 0 must have rank >= 2")
        };
        let values = cast(tensor.clone(), T::DTYPE, false)?.as_slice::<T>()?.to_vec();
        Ok(Matrices { outer: outer.to_vec(), rows: rows as usize, columns: columns as usize, values })
    }

    /// # Errors
    /// `InvalidArgument` if the matrices are not square.
    pub(super) fn square(tensor: &Tensor) -> Result<Matrices<T>> {
        if let &[.., rows, columns] = tensor.dims() {
            ensure!(rows == columns, InvalidArgument, "Input matrix must be square.");
        }
        Matrices::of(tensor)
    }

    pub(super) fn each(&self) -> impl Iterator<Item = &[T]> {
        self.values.chunks_exact((self.rows * self.columns).max(1))
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.outer.iter().map(|dim| *dim as usize).product()
    }

    /// The one of this number.
    pub(super) fn one(&self, number: usize) -> &[T] {
        let area = self.rows * self.columns;
        &self.values[number * area..(number + 1) * area]
    }

    /// The dimensions of an output that has an array of these for each matrix.
    ///
    /// # Errors
    /// `ResourceExhausted` if there is no memory for it.
    pub(super) fn dims(&self, inner: &[usize]) -> Result<Vec<i64>> {
        let inner: Vec<i64> = inner.iter().map(|dim| *dim as i64).collect();
        let dims = [&self.outer[..], &inner].concat();
        Tensor::check_size(T::DTYPE, &Shape::new(&dims)?)?;
        Ok(dims)
    }
}

pub(super) fn finish<T: Element>(dims: &[i64], values: Vec<T>, dtype: DType) -> Result<Tensor> {
    cast(Tensor::new(dims, values)?, dtype, false)
}

/// Exchanges rows and columns, of conjugate numbers.
pub(super) fn adjoint<T: Wide>(matrix: &[T], rows: usize, columns: usize) -> Vec<T> {
    (0..rows * columns).map(|at| matrix[at % rows * columns + at / rows].conjugate()).collect()
}

/// Ones on the diagonal.
pub(super) fn identity<T: Wide>(size: usize) -> Vec<T> {
    (0..size * size).map(|at| if at / size == at % size { T::one() } else { T::zero() }).collect()
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

/// Matrices with rows and columns exchanged, of conjugate numbers.
pub(super) fn turned(cx: &GradContext<'_>, matrix: &Output) -> Output {
    // A product with the identity turns batches of any rank.
    product(cx, matrix, true, &eye_like(cx, matrix, false), false)
}

/// Square matrices with ones on the diagonal, as many as the matrices, as large as their rows or columns.
pub(super) fn eye_like(cx: &GradContext<'_>, matrix: &Output, columns: bool) -> Output {
    let graph = cx.graph;
    let axis = graph.constant([if columns { -2i32 } else { -1 }]);
    let sums = cx.op("Sum").input(matrix).input(axis).output();
    diagonal(cx, &sums.unary("OnesLike"))
}

/// Square matrices with these vectors as diagonals.
pub(super) fn diagonal(cx: &GradContext<'_>, vectors: &Output) -> Output {
    let graph = cx.graph;
    let (main, any) = (graph.constant(0i32), graph.constant(-1i32));
    let zero = cx.op("Cast").input(graph.constant(0f32)).attr("DstT", vectors.dtype().unwrap_or(Float)).output();
    cx.op("MatrixDiagV3").input(vectors).input(main).input(&any).input(&any).input(zero).output()
}

/// The diagonals of square matrices.
pub(super) fn diagonal_part(cx: &GradContext<'_>, matrix: &Output) -> Output {
    let zero = cx.op("Cast").input(cx.graph.constant(0f32)).attr("DstT", matrix.dtype().unwrap_or(Float)).output();
    cx.op("MatrixDiagPartV3").input(matrix).input(cx.graph.constant(0i32)).input(zero).output()
}

/// Matrices with other diagonals.
pub(super) fn with_diagonal(cx: &GradContext<'_>, matrix: &Output, vectors: &Output) -> Output {
    cx.op("MatrixSetDiagV3").input(matrix).input(vectors).input(cx.graph.constant(0i32)).output()
}

/// Some of the diagonals below and above the main one, -1 for all.
pub(super) fn band(cx: &GradContext<'_>, matrix: &Output, below: i64, above: i64) -> Output {
    cx.op("MatrixBandPart").input(matrix).input(cx.graph.constant(below)).input(cx.graph.constant(above)).output()
}

/// 1 / (v_j - v_i) in row i and column j, zero on the diagonal, and finite where two are equal.
pub(super) fn reciprocal_differences(cx: &GradContext<'_>, values: &Output) -> Output {
    let expand = |axis: i32| cx.op("ExpandDims").input(values).input(cx.graph.constant(axis)).output();
    let differences = expand(-2) - expand(-1);
    with_diagonal(cx, &safe_reciprocal(&differences), &values.unary("ZerosLike"))
}

/// x / (x^2 + 1e-20)
pub(super) fn safe_reciprocal(x: &Output) -> Output {
    x * &(x * x + 1e-20).unary("Reciprocal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_broadcast_batches() {
        let places = |own: &[i64]| (0..4).map(|number| place_of(number, &[2, 2], own)).collect::<Vec<_>>();
        assert_eq!(places(&[2, 1]), [0, 0, 1, 1]);
        assert_eq!(places(&[2]), [0, 1, 0, 1]);
        assert_eq!(places(&[]), [0, 0, 0, 0]);
    }

    #[test]
    fn adjoints() {
        assert_eq!(adjoint(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }
}
