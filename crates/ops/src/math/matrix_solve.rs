//! `MatrixSolve` and `BatchMatrixSolve`: solutions of systems of linear equations.

use graph::op::{GradContext, Kernel, OpContext, Registry};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{Result, Tensor, ensure, err};

use super::matrices::{
    ADJOINT, ALLOWED, Matrices, REAL_TYPES, TYPES, Wide, adjoint as turned, finish, solve_shape, solved, with_field,
};

pub(crate) fn register(r: &mut Registry) {
    r.op("MatrixSolve", "matrix: T, rhs: T -> output: T")
        .attr(ADJOINT)
        .attr(ALLOWED)
        .shape(solve_shape)
        .kernel("T", TYPES, solve_kernel)
        .gradient(solve_gradient);
    r.op("BatchMatrixSolve", "matrix: T, rhs: T -> output: T")
        .attr(ADJOINT)
        .attr("T: {double, float}")
        .shape(solve_shape)
        .kernel("T", REAL_TYPES, solve_kernel);
}

fn solve_kernel(node: &Node) -> Result<Kernel> {
    let adjoint = node.attr_bool("adjoint")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (matrix, rhs) = (cx.input(0)?, cx.input(1)?);
        let output = with_field!(rhs.dtype(), T => solve::<T>(matrix, rhs, adjoint))?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn solve<T: Wide>(matrix: &Tensor, rhs: &Tensor, adjoint: bool) -> Result<Tensor> {
    let matrices = Matrices::<T>::square(matrix)?;
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
    let size = matrices.rows;
    let mut out = Vec::with_capacity(rhs.num_elements());
    for (matrix, rhs) in matrices.each().zip(sides.each()) {
        let eliminated =
            if adjoint { T::eliminate(&turned(matrix, size, size), size) } else { T::eliminate(matrix, size) };
        let x = eliminated.solve(rhs, sides.columns);
        out.extend(x.ok_or_else(|| err!(InvalidArgument, "Input matrix is not invertible."))?);
    }
    finish(rhs.dims(), out, rhs.dtype())
}

fn solve_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let adjoint = cx.attr_bool("adjoint")?;
    let db = cx.op("MatrixSolve").input(cx.x(0)).input(cx.dy(0)?).attr("adjoint", !adjoint).output();
    let da = solved(cx, (&cx.y(0), &db), adjoint);
    Ok(vec![Some(da.into()), Some(db.into())])
}
