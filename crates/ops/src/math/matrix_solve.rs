//! `MatrixSolve` and `BatchMatrixSolve`: solutions of systems of linear equations.

use graph::op::{GradContext, Kernel, OpContext, Registry};
use graph::{Gradient, Node, ReadAttrs};
use tensor::DType::Double;
use tensor::{Result, bail, ensure};

use super::cast::cast;
use super::square_matrices::{ADJOINT, ALLOWED, Eliminated, Squares, TYPES, finish, solve_shape, solved, transposed};

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
        .kernel("T", TYPES, solve_kernel);
}

fn solve_kernel(node: &Node) -> Result<Kernel> {
    let adjoint = node.attr_bool("adjoint")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (matrix, rhs) = (cx.input(0)?, cx.input(1)?);
        let matrices = Squares::of(matrix)?;
        let &[ref outer @ .., rows, width] = rhs.dims() else {
            bail!(InvalidArgument, "Input tensor 1 must have rank >= 2")
        };
        ensure!(outer == matrices.outer, InvalidArgument, "All input tensors must have the same outer dimensions.");
        ensure!(
            rows as usize == matrices.size,
            InvalidArgument,
            "Input matrix and rhs are incompatible: {} and {}",
            matrix.shape(),
            rhs.shape()
        );
        let values = cast(rhs.clone(), Double, false)?;
        let (size, width) = (matrices.size, width as usize);
        let mut out = Vec::with_capacity(rhs.num_elements());
        for (matrix, rhs) in matrices.each().zip(values.as_slice::<f64>()?.chunks_exact((size * width).max(1))) {
            let eliminated =
                if adjoint { Eliminated::new(&transposed(matrix, size), size) } else { Eliminated::new(matrix, size) };
            out.extend(eliminated.solve(rhs, width, "Input matrix")?);
        }
        let output = finish(rhs.dims(), out, rhs.dtype())?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn solve_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let adjoint = cx.attr_bool("adjoint")?;
    let db = cx.op("MatrixSolve").input(cx.x(0)).input(cx.dy(0)?).attr("adjoint", !adjoint).output();
    let da = solved(cx, (&cx.y(0), &db), adjoint);
    Ok(vec![Some(da.into()), Some(db.into())])
}
