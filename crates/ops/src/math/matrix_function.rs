//! Functions of square matrices: `MatrixExponential`, `MatrixLogarithm`, `MatrixSquareRoot`.

use graph::op::{GradContext, Kernel, OpContext, Registry};
use graph::{Gradient, Node, Output};
use math::matrix::{logarithm, square_root};
use tensor::{Complex128, DType, Result, Tensor};

use super::matrices::{ALLOWED, Matrices, TYPES, Wide, finish, square_shape, with_field};

pub(crate) fn register(r: &mut Registry) {
    r.op("MatrixExponential", "input: T -> output: T").attr(ALLOWED).shape(square_shape).kernel(
        "T",
        TYPES,
        exponential_kernel,
    );
    r.op("MatrixLogarithm", "input: T -> output: T").attr("T: {complex64, complex128}").shape(square_shape).kernel(
        "T",
        &[DType::Complex64, DType::Complex128],
        kernel,
    );
    r.op("MatrixSquareRoot", "input: T -> output: T")
        .attr(ALLOWED)
        .shape(square_shape)
        .kernel("T", TYPES, kernel)
        .gradient(root_gradient);
}

fn exponential_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let output = with_field!(input.dtype(), T => exponentials::<T>(input))?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn exponentials<T: Wide>(input: &Tensor) -> Result<Tensor> {
    let matrices = Matrices::<T>::square(input)?;
    let out = matrices.each().flat_map(|matrix| T::exponential(matrix, matrices.rows)).collect();
    finish(input.dims(), out, input.dtype())
}

/// Roots of real matrices are found among the complex ones.
fn kernel(node: &Node) -> Result<Kernel> {
    let function = if node.op == "MatrixLogarithm" { logarithm } else { square_root };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let matrices = Matrices::<Complex128>::square(input)?;
        let none = || vec![Complex128::new(f64::NAN, f64::NAN); matrices.rows * matrices.rows];
        let found = matrices.each().flat_map(|matrix| function(matrix, matrices.rows).unwrap_or_else(none));
        let output = match input.dtype().is_complex() {
            true => finish(input.dims(), found.collect(), input.dtype())?,
            // A root that is not real is none.
            false => {
                let real = |z: Complex128| if z.im.abs() <= 1e-6 * (1.0 + z.re.abs()) { z.re } else { f64::NAN };
                finish(input.dims(), found.map(real).collect(), input.dtype())?
            }
        };
        cx.set_output(0, output);
        Ok(())
    }))
}

/// With a = r r: da = r dr + dr r, which is solved for dr as one system of equations.
fn root_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (r, dr, graph) = (cx.y(0), cx.dy(0)?, cx.graph);
    let eye = super::matrices::eye_like(cx, &r, false);
    let swapped =
        |x: &Output| cx.op("Einsum").input_list(std::slice::from_ref(x)).attr("equation", "...ij->...ji").output();
    // The product of all elements of the one with all of the other: [.., i, j] and [.., k, l] to [.., i k, j l].
    let shape = r.unary("Shape");
    let slice = |begin: i32, end: i32, begin_mask: i64, end_mask: i64| {
        let ends = [[begin], [end], [1]].map(|end| graph.constant(end));
        let node = cx.op("StridedSlice").input(&shape).input(&ends[0]).input(&ends[1]).input(&ends[2]);
        node.attr("begin_mask", begin_mask).attr("end_mask", end_mask).output()
    };
    let (outer, size) = (slice(0, -2, 1, 0), slice(-1, 0, 0, 1));
    let join = |parts: &[Output]| cx.op("ConcatV2").input_list(parts).input(graph.constant(0i32)).output();
    let area = &size * &size;
    let wide = join(&[outer.clone(), area.clone(), area.clone()]);
    let kronecker = |a: &Output, b: &Output| {
        let both =
            cx.op("Einsum").input_list(&[a.clone(), b.clone()]).attr("equation", "...ij,...kl->...ikjl").output();
        cx.op("Reshape").input(both).input(&wide).output()
    };
    let sum = kronecker(&eye, &swapped(&r)) + kronecker(&r, &eye);
    let one = graph.constant([1i32]);
    let column = cx.op("Reshape").input(swapped(&dr)).input(join(&[outer, area, one])).output();
    let solved = cx.op("MatrixSolve").input(sum).input(column).output();
    let turned = cx.op("Reshape").input(solved).input(&shape).output();
    Ok(vec![Some(swapped(&turned).into())])
}
