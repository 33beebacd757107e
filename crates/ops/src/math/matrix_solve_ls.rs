//! `MatrixSolveLs` and `BatchMatrixSolveLs`: solutions of systems of linear equations with the least squares of errors.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use math::matrix::Singular;
use tensor::{DType, PartialShape, Result, Tensor, bail, ensure, err};

use super::matrices::{
    ALLOWED, Matrices, REAL_TYPES, TYPES, Wide, adjoint, eye_like, finish, product, turned, with_field,
};

pub(crate) fn register(r: &mut Registry) {
    r.op("MatrixSolveLs", "matrix: T, rhs: T, l2_regularizer: double -> output: T")
        .attr(ALLOWED)
        .attr("fast: bool = true")
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
    r.op("BatchMatrixSolveLs", "matrix: T, rhs: T, l2_regularizer: double -> output: T")
        .attr("T: {double, float}")
        .attr("fast: bool = true")
        .shape(shape)
        .kernel("T", REAL_TYPES, kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(2, 0)?;
    let (matrix, rhs) = (cx.with_rank_at_least(0, 2)?, cx.with_rank_at_least(1, 2)?);
    let (Some(&[ref outer @ .., rows, columns]), Some(&[ref other @ .., height, width])) =
        (matrix.raw_dims(), rhs.raw_dims())
    else {
        return Ok(());
    };
    ensure!(
        rows < 0 || height < 0 || rows == height,
        InvalidArgument,
        "Dimensions must be equal, but are {rows} and {height}"
    );
    let outer = PartialShape::from_dims(outer).merge(&PartialShape::from_dims(other))?;
    cx.set(0, outer.concatenate(&PartialShape::from_dims(&[columns, width])));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let fast = node.attr_bool("fast")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (matrix, rhs, penalty) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        ensure!(
            penalty.shape().is_scalar(),
            InvalidArgument,
            "l2_regularizer must be scalar, got shape {}",
            penalty.shape()
        );
        let penalty = penalty.to_scalar::<f64>()?;
        ensure!(penalty >= 0.0, InvalidArgument, "l2_regularizer must be >= 0.");
        let output = with_field!(rhs.dtype(), T => solve::<T>(matrix, rhs, penalty, fast))?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn solve<T: Wide>(matrix: &Tensor, rhs: &Tensor, penalty: f64, fast: bool) -> Result<Tensor> {
    let matrices = Matrices::<T>::of(matrix)?;
    ensure!(rhs.shape().rank() >= 2, InvalidArgument, "Input tensor 1 must have rank >= 2");
    let sides = Matrices::<T>::of(rhs)?;
    ensure!(sides.outer == matrices.outer, InvalidArgument, "All input tensors must have the same outer dimensions.");
    ensure!(
        sides.rows == matrices.rows,
        InvalidArgument,
        "Input matrix and rhs are incompatible: {} and {}",
        matrix.shape(),
        rhs.shape()
    );
    let (rows, columns, width) = (matrices.rows, matrices.columns, sides.columns);
    let dims = matrices.dims(&[columns, width])?;
    let narrow = matches!(rhs.dtype(), DType::Float | DType::Complex64);
    let mut out = Vec::new();
    for number in 0..matrices.count() {
        let (a, b) = (matrices.one(number), sides.one(number));
        out.extend(if rows == 0 || columns == 0 || width == 0 {
            vec![T::zero(); columns * width]
        } else if fast {
            by_squares(a, b, [rows, columns, width], penalty).ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger \
                     l2_regularizer > 0."
                )
            })?
        } else {
            let tiny = if narrow { f64::from(f32::EPSILON) } else { f64::EPSILON };
            by_singular_values(a, b, [rows, columns, width], tiny)
                .ok_or_else(|| err!(InvalidArgument, "the singular values of an input matrix were not found"))?
        });
    }
    finish(&dims, out, rhs.dtype())
}

/// (a* a + l)^-1 a* b, or a* (a a* + l)^-1 b, whichever matrix is smaller.
fn by_squares<T: Wide>(a: &[T], b: &[T], [rows, columns, width]: [usize; 3], penalty: f64) -> Option<Vec<T>> {
    let turned = adjoint(a, rows, columns);
    let tall = rows >= columns;
    let size = rows.min(columns);
    let mut square = if tall { T::multiply(&turned, a, size, size) } else { T::multiply(a, &turned, size, size) };
    (0..size).for_each(|at| square[at * size + at] += T::from_real(penalty));
    let lower = T::cholesky(&square, size)?;
    let solve =
        |rhs: &[T]| T::solve_triangle(&lower, &T::solve_triangle(&lower, rhs, width, true, false), width, true, true);
    Some(match tall {
        true => solve(&T::multiply(&turned, b, columns, width)),
        false => T::multiply(&turned, &solve(b), columns, width),
    })
}

/// The smallest of the best solutions: singular values that are as good as zero do not count.
fn by_singular_values<T: Wide>(a: &[T], b: &[T], [rows, columns, width]: [usize; 3], tiny: f64) -> Option<Vec<T>> {
    let Singular { values, left, right } = T::singular(a, rows, columns, false)?;
    let short = values.len();
    let least = tiny * short as f64 * values.first().copied().unwrap_or(0.0);
    let mut inner = T::multiply(&adjoint(&left, rows, short), b, short, width);
    for (row, value) in inner.chunks_exact_mut(width).zip(&values) {
        row.iter_mut().for_each(|x| *x = if *value > least { x.unscale(*value) } else { T::zero() });
    }
    Some(T::multiply(&right, &inner, columns, width))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    ensure!(cx.attr_bool("fast")?, InvalidArgument, "Gradient not defined for fast=False");
    let (a, b, x, dx) = (cx.x(0), cx.x(1), cx.y(0), cx.dy(0)?);
    let shape = a.shape();
    let tall = match shape.raw_dims() {
        Some(&[.., rows, columns]) if rows >= 0 && columns >= 0 => rows >= columns,
        _ => bail!(Unimplemented, "the gradient of MatrixSolveLs needs to know rows and columns, not {shape}"),
    };
    let penalty = cx.op("Cast").input(cx.x(2)).attr("DstT", cx.dtype(0)).output();
    // (a* a + l) or (a a* + l), and what solves with it.
    let square = product(cx, &a, tall, &a, !tall) + eye_like(cx, &a, tall) * penalty;
    let lower = square.unary("Cholesky");
    let triangle = |rhs: &Output, turn: bool| {
        cx.op("MatrixTriangularSolve").input(&lower).input(rhs).attr("adjoint", turn).output()
    };
    let solve = |rhs: &Output| triangle(&triangle(rhs, false), true);
    let (da, db) = if tall {
        let z = solve(&dx);
        let xz = product(cx, &x, false, &z, true);
        let both = &xz + turned(cx, &xz);
        (product(cx, &b, false, &z, true) - product(cx, &a, false, &both, false), product(cx, &a, false, &z, false))
    } else {
        let db = solve(&product(cx, &a, false, &dx, false));
        let z = solve(&b);
        let first = product(cx, &db, false, &product(cx, &z, true, &a, false), false);
        let rest = dx - product(cx, &a, true, &db, false);
        (product(cx, &z, false, &rest, true) - first, db)
    };
    Ok(vec![Some(da.into()), Some(db.into()), None])
}
