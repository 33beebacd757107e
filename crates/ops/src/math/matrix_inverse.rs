//! `MatrixInverse` and `BatchMatrixInverse`: the inverses of square matrices.

use graph::op::{GradContext, Kernel, OpContext, Registry};
use graph::{Gradient, Node, ReadAttrs};
use tensor::DType::{Complex64, Complex128, Double, Float, Half};
use tensor::{Result, Tensor, err};

use super::matrices::{
    ADJOINT, ALLOWED, Matrices, REAL_TYPES, Wide, adjoint as turned, finish, identity, product, square_shape,
    with_field,
};

pub(crate) fn register(r: &mut Registry) {
    r.op("MatrixInverse", "input: T -> output: T")
        .attr(ADJOINT)
        .attr(ALLOWED)
        .shape(square_shape)
        .kernel("T", &[Float, Double, Half, Complex64, Complex128], inverse_kernel)
        .gradient(inverse_gradient);
    r.op("BatchMatrixInverse", "input: T -> output: T")
        .attr(ADJOINT)
        .attr("T: {double, float}")
        .shape(square_shape)
        .kernel("T", REAL_TYPES, inverse_kernel);
}

fn inverse_kernel(node: &Node) -> Result<Kernel> {
    let adjoint = node.attr_bool("adjoint")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let output = with_field!(input.dtype(), T => inverse::<T>(input, adjoint))?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn inverse<T: Wide>(input: &Tensor, adjoint: bool) -> Result<Tensor> {
    let matrices = Matrices::<T>::square(input)?;
    let size = matrices.rows;
    let one = identity::<T>(size);
    let mut out = Vec::with_capacity(matrices.values.len());
    for matrix in matrices.each() {
        let inverse = T::eliminate(matrix, size).solve(&one, size);
        let inverse = inverse.ok_or_else(|| err!(InvalidArgument, "Input is not invertible."))?;
        out.extend(if adjoint { turned(&inverse, size, size) } else { inverse });
    }
    finish(input.dims(), out, input.dtype())
}

fn inverse_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (y, adjoint) = (cx.y(0), cx.attr_bool("adjoint")?);
    let inner = product(cx, &cx.dy(0)?, adjoint, &y, !adjoint);
    Ok(vec![Some((-product(cx, &y, !adjoint, &inner, false)).into())])
}
