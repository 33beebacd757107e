//! `Cholesky` and `BatchCholesky`: the triangular factor of matrices that are their own adjoints; `CholeskyGrad` and
//! `BatchCholeskyGrad`: its gradient, as a kernel.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use math::matrix::Field;
use tensor::{Result, Tensor, ensure};

use super::matrices::{
    ALLOWED, Matrices, REAL_TYPES, TYPES, Wide, adjoint, band, eye_like, finish, product, square_shape, turned,
    with_field,
};

pub(crate) fn register(r: &mut Registry) {
    r.op("Cholesky", "input: T -> output: T")
        .attr(ALLOWED)
        .shape(square_shape)
        .kernel("T", TYPES, cholesky_kernel)
        .gradient(cholesky_gradient);
    r.op("BatchCholesky", "input: T -> output: T").attr("T: {double, float}").shape(square_shape).kernel(
        "T",
        REAL_TYPES,
        cholesky_kernel,
    );
    for (name, allowed) in [("CholeskyGrad", "T: {half, float, double}"), ("BatchCholeskyGrad", "T: {float, double}")] {
        r.op(name, "l: T, grad: T -> output: T").attr(allowed).shape(grad_shape).kernel("T", REAL_TYPES, grad_kernel);
    }
}

fn grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    square_shape(cx)
}

fn cholesky_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let output = with_field!(input.dtype(), T => cholesky::<T>(input))?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// A matrix that has no factor gives a triangle without numbers, as in TensorFlow.
fn cholesky<T: Wide>(input: &Tensor) -> Result<Tensor> {
    let matrices = Matrices::<T>::square(input)?;
    let size = matrices.rows;
    let none = |at: usize| if at % size <= at / size { T::from_real(f64::NAN) } else { T::zero() };
    let mut out = Vec::with_capacity(matrices.values.len());
    for matrix in matrices.each() {
        out.extend(T::cholesky(matrix, size).unwrap_or_else(|| (0..size * size).map(none).collect()));
    }
    finish(input.dims(), out, input.dtype())
}

/// With l* dl, of which the lower triangle counts and the diagonal half: l^-* (..) l^-1, and the mean with its adjoint.
fn grad_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (l, grad) = (cx.input(0)?, cx.input(1)?);
        let (lower, grads) = (Matrices::<f64>::square(l)?, Matrices::<f64>::square(grad)?);
        ensure!(
            l.shape() == grad.shape(),
            InvalidArgument,
            "Inputs must have the same shape, got {} and {}",
            l.shape(),
            grad.shape()
        );
        let size = lower.rows;
        let mut out = Vec::with_capacity(lower.values.len());
        for (l, grad) in lower.each().zip(grads.each()) {
            let below = |matrix: &[f64]| -> Vec<f64> {
                matrix.iter().enumerate().map(|(at, x)| if at % size <= at / size { *x } else { 0.0 }).collect()
            };
            let (l, grad) = (below(l), below(grad));
            let mut middle = below(&f64::multiply(&adjoint(&l, size, size), &grad, size, size));
            (0..size).for_each(|at| middle[at * size + at] /= 2.0);
            let left = f64::solve_triangle(&l, &middle, size, true, true);
            let both = adjoint(&f64::solve_triangle(&l, &adjoint(&left, size, size), size, true, true), size, size);
            out.extend((0..size * size).map(|at| (both[at] + both[at % size * size + at / size]) / 2.0));
        }
        let output = finish(l.dims(), out, l.dtype())?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn cholesky_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let l = cx.y(0);
    let inverse = cx.op("MatrixTriangularSolve").input(&l).input(eye_like(cx, &l, false)).output();
    let middle = product(cx, &l, true, &cx.dy(0)?, false);
    // Half of the diagonal, and what is below it: the mean of the triangles with and without the diagonal.
    let middle = band(cx, &middle, -1, 0) - band(cx, &middle, 0, 0) * 0.5;
    let inner = product(cx, &product(cx, &inverse, true, &middle, false), false, &inverse, false);
    let turned = turned(cx, &inner);
    Ok(vec![Some(((inner + turned) * 0.5).into())])
}
