//! `Cholesky` and `BatchCholesky`: the triangular factor of symmetric matrices.

use graph::op::{GradContext, Kernel, OpContext, Registry};
use graph::{Gradient, Node};
use tensor::{Result, Shape, Tensor};

use super::square_matrices::{ALLOWED, Squares, TYPES, cholesky, finish, product, square_shape};

pub(crate) fn register(r: &mut Registry) {
    r.op("Cholesky", "input: T -> output: T")
        .attr(ALLOWED)
        .shape(square_shape)
        .kernel("T", TYPES, cholesky_kernel)
        .gradient(cholesky_gradient);
    r.op("BatchCholesky", "input: T -> output: T").attr("T: {double, float}").shape(square_shape).kernel(
        "T",
        TYPES,
        cholesky_kernel,
    );
}

fn cholesky_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let matrices = Squares::of(input)?;
        let mut out = Vec::with_capacity(matrices.values.len());
        for matrix in matrices.each() {
            out.extend(cholesky(matrix, matrices.size));
        }
        let output = finish(input.dims(), out, input.dtype())?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn cholesky_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (l, graph) = (cx.y(0), cx.graph);
    let zero = graph.constant(Tensor::zeros(cx.dtype(0), &Shape::scalar())?);
    // The identity: ones on the diagonals, as many and as long as those of l.
    let main = graph.constant(0i32);
    let part = cx.op("MatrixDiagPartV3").input(&l).input(&main).input(&zero).output().unary("OnesLike");
    let any = graph.constant(-1i32);
    let eye = cx.op("MatrixDiagV3").input(part).input(&main).input(&any).input(&any).input(&zero).output();
    let inverse = cx.op("MatrixTriangularSolve").input(&l).input(&eye).output();
    let middle = product(cx, &l, true, &cx.dy(0)?, false);
    // Half of the diagonal, and what is below it: the mean of the triangles with and without the diagonal.
    let below = |lower: i64, upper: i64| {
        cx.op("MatrixBandPart").input(&middle).input(graph.constant(lower)).input(graph.constant(upper)).output()
    };
    let middle = below(-1, 0) - below(0, 0) * 0.5;
    let inner = product(cx, &product(cx, &inverse, true, &middle, false), false, &inverse, false);
    let turned = product(cx, &inner, true, &eye, false);
    Ok(vec![Some(((inner + turned) * 0.5).into())])
}
