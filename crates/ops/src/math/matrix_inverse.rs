//! `MatrixInverse` and `BatchMatrixInverse`: the inverses of square matrices.

use graph::op::{GradContext, Kernel, OpContext, Registry};
use graph::{Gradient, Node, ReadAttrs};
use tensor::Result;

use super::square_matrices::{ADJOINT, ALLOWED, Eliminated, Squares, TYPES, finish, product, square_shape, transposed};

pub(crate) fn register(r: &mut Registry) {
    r.op("MatrixInverse", "input: T -> output: T")
        .attr(ADJOINT)
        .attr(ALLOWED)
        .shape(square_shape)
        .kernel("T", TYPES, inverse_kernel)
        .gradient(inverse_gradient);
    r.op("BatchMatrixInverse", "input: T -> output: T")
        .attr(ADJOINT)
        .attr("T: {double, float}")
        .shape(square_shape)
        .kernel("T", TYPES, inverse_kernel);
}

fn inverse_kernel(node: &Node) -> Result<Kernel> {
    let adjoint = node.attr_bool("adjoint")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let matrices = Squares::of(input)?;
        let size = matrices.size;
        let one: Vec<f64> = (0..size * size).map(|at| if at / size == at % size { 1.0 } else { 0.0 }).collect();
        let mut out = Vec::with_capacity(matrices.values.len());
        for matrix in matrices.each() {
            let inverse = Eliminated::new(matrix, size).solve(&one, size, "Input")?;
            out.extend(if adjoint { transposed(&inverse, size) } else { inverse });
        }
        let output = finish(input.dims(), out, input.dtype())?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn inverse_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (y, adjoint) = (cx.y(0), cx.attr_bool("adjoint")?);
    let inner = product(cx, &cx.dy(0)?, adjoint, &y, !adjoint);
    Ok(vec![Some((-product(cx, &y, !adjoint, &inner, false)).into())])
}
