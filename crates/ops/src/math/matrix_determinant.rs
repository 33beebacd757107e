//! `MatrixDeterminant`, `BatchMatrixDeterminant` and `LogMatrixDeterminant`: determinants of square matrices.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use tensor::{PartialShape, Result, Tensor};

use super::matrices::{Matrices, TYPES, Wide, finish, square, with_field};

pub(crate) fn register(r: &mut Registry) {
    r.op("MatrixDeterminant", "input: T -> output: T")
        .attr("T: {half, float, double, complex64, complex128}")
        .shape(determinant_shape)
        .kernel("T", TYPES, determinant_kernel)
        .gradient(determinant_gradient);
    r.op("LogMatrixDeterminant", "input: T -> sign: T, log_abs_determinant: T")
        .attr("T: {half, float, double, complex64, complex128}")
        .shape(determinant_shape)
        .kernel("T", TYPES, determinant_kernel)
        .gradient(log_determinant_gradient);
    r.op("BatchMatrixDeterminant", "input: T -> output: T")
        .attr("T: {float, double, complex64, complex128}")
        .shape(determinant_shape)
        .kernel("T", TYPES, determinant_kernel);
}

fn determinant_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = square(cx)?;
    if let Some(&[ref outer @ .., _, _]) = shape.raw_dims() {
        for index in 0..cx.num_outputs() {
            cx.set(index, PartialShape::from_dims(outer));
        }
    }
    Ok(())
}

fn determinant_kernel(node: &Node) -> Result<Kernel> {
    let logarithm = node.op == "LogMatrixDeterminant";
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let (first, second) = with_field!(input.dtype(), T => determinants::<T>(input, logarithm))?;
        cx.set_output(0, first);
        if let Some(second) = second {
            cx.set_output(1, second);
        }
        Ok(())
    }))
}

/// The determinants; or their signs (or directions, if they are complex) and the logarithms of their sizes.
fn determinants<T: Wide>(input: &Tensor, logarithm: bool) -> Result<(Tensor, Option<Tensor>)> {
    let matrices = Matrices::<T>::square(input)?;
    let (mut signs, mut sizes) = (Vec::new(), Vec::new());
    for number in 0..matrices.count() {
        let parts = T::eliminate(matrices.one(number), matrices.rows);
        let start = if parts.even { T::one() } else { -T::one() };
        if logarithm {
            let sign = |value: T| if value == T::zero() { value } else { value.unscale(value.modulus()) };
            signs.push(parts.diagonal().fold(start, |product, value| product * sign(value)));
            sizes.push(T::from_real(parts.diagonal().map(|value| value.modulus().ln()).sum()));
        } else {
            signs.push(parts.diagonal().fold(start, |product, value| product * value));
        }
    }
    let first = finish(&matrices.outer, signs, input.dtype())?;
    let second = if logarithm { Some(finish(&matrices.outer, sizes, input.dtype())?) } else { None };
    Ok((first, second))
}

/// The gradient of a determinant, up to a factor for each matrix, is the inverse, turned.
fn scaled_inverse(cx: &GradContext<'_>, factor: Output) -> Output {
    let inverse = cx.op("MatrixInverse").input(cx.x(0)).attr("adjoint", true).output();
    let shape = factor.unary("Shape");
    let ends = cx.graph.constant([1i32, 1]);
    let shape = cx.op("ConcatV2").input_list(&[shape, ends]).input(cx.graph.constant(0i32)).output();
    cx.op("Reshape").input(factor).input(shape).output() * inverse
}

fn determinant_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(scaled_inverse(cx, cx.dy(0)? * cx.y(0)).into())])
}

fn log_determinant_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(scaled_inverse(cx, cx.dy(1)?).into())])
}
