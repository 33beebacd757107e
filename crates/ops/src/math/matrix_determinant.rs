//! `MatrixDeterminant`, `BatchMatrixDeterminant` and `LogMatrixDeterminant`: determinants of square matrices.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use tensor::{PartialShape, Result, Shape};

use super::square_matrices::{Eliminated, Squares, TYPES, finish, square};

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
        let matrices = Squares::of(input)?;
        let (mut signs, mut sizes) = (Vec::new(), Vec::new());
        let count = Shape::new(&matrices.outer)?.num_elements();
        for number in 0..count {
            let area = matrices.size * matrices.size;
            let parts = Eliminated::new(&matrices.values[number * area..(number + 1) * area], matrices.size);
            if logarithm {
                signs.push(
                    parts
                        .diagonal()
                        .fold(parts.sign, |sign, value| sign * if value == 0.0 { 0.0 } else { value.signum() }),
                );
                sizes.push(parts.diagonal().map(|value| value.abs().ln()).sum());
            } else {
                signs.push(parts.diagonal().fold(parts.sign, |product, value| product * value));
            }
        }
        let dtype = input.dtype();
        let first = finish(&matrices.outer, signs, dtype)?;
        cx.set_output(0, first);
        if logarithm {
            cx.set_output(1, finish(&matrices.outer, sizes, dtype)?);
        }
        Ok(())
    }))
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
