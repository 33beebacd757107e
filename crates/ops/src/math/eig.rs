//! `Eig`: eigenvalues and eigenvectors of square matrices, which are complex whatever the matrices are.

use graph::op::{GradContext, Kernel, OpContext, Registry};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::{Complex128, DType, Result, bail, ensure, err};

use super::matrices::{Matrices, TYPES, diagonal, diagonal_part, finish, product, reciprocal_differences, turned};
use super::self_adjoint_eig::shape;

pub(crate) fn register(r: &mut Registry) {
    r.op("Eig", "input: T -> e: Tout, v: Tout")
        .attr("compute_v: bool = true")
        .attr("T: {float, double, complex64, complex128}")
        .attr("Tout: {complex64, complex128}")
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
}

fn kernel(node: &Node) -> Result<Kernel> {
    let with_vectors = node.attr_bool("compute_v")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let dtype = cx.node.output_types[0].dtype;
        let wanted =
            if matches!(input.dtype(), DType::Float | DType::Complex64) { DType::Complex64 } else { DType::Complex128 };
        ensure!(dtype == wanted, InvalidArgument, "eigenvalues of {} are {wanted}, not {dtype}", input.dtype());
        let matrices = Matrices::<Complex128>::square(input)?;
        let size = matrices.rows;
        let (mut values, mut vectors) = (Vec::new(), Vec::new());
        for number in 0..matrices.count() {
            let found = math::matrix::eigen(matrices.one(number), size).ok_or_else(|| {
                err!(InvalidArgument, "Eigen decomposition was not successful. The input might not be valid.")
            })?;
            values.extend(found.0);
            if with_vectors {
                vectors.extend(found.1);
            }
        }
        let v_dims = if with_vectors { matrices.dims(&[size, size])? } else { vec![0] };
        let (e, v) = (finish(&matrices.dims(&[size])?, values, dtype)?, finish(&v_dims, vectors, dtype)?);
        cx.set_output(0, e);
        cx.set_output(1, v);
        Ok(())
    }))
}

/// v^-* (de + conj(f) (v* dv - v* v diag(re(v* dv)))) v*, with f of the reciprocal differences of the eigenvalues.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let de = diagonal(cx, &cx.dy(0)?);
    let (middle, v) = if cx.attr_bool("compute_v")? {
        let v = cx.y(1);
        let f = reciprocal_differences(cx, &cx.y(0)).unary("Conj");
        let vdv = product(cx, &v, true, &cx.dy(1)?, false);
        let main = diagonal(cx, &real_part(cx, &diagonal_part(cx, &vdv)));
        let rest = vdv - product(cx, &product(cx, &v, true, &v, false), false, &main, false);
        (de + f * rest, v)
    } else {
        let node = cx
            .op("Eig")
            .input(cx.x(0))
            .attr("compute_v", true)
            .attr("Tout", cx.y(0).dtype().unwrap_or(DType::Complex64));
        let outputs = node.outputs();
        let [_, v] = &outputs[..] else { bail!(Internal, "eigenvectors are missing") };
        (de, v.clone())
    };
    let vt = turned(cx, &v);
    let solved = cx.op("MatrixSolve").input(&vt).input(product(cx, &middle, false, &vt, false)).output();
    Ok(vec![Some(cx.op("Cast").input(solved).attr("DstT", cx.dtype(0)).output().into())])
}

/// The real parts, as complex numbers.
fn real_part(cx: &GradContext<'_>, of: &Output) -> Output {
    let dtype = of.dtype().unwrap_or(DType::Complex64);
    let real = if dtype == DType::Complex128 { DType::Double } else { DType::Float };
    let part = cx.op("Real").input(of).attr("Tout", real).output();
    cx.op("Cast").input(part).attr("DstT", dtype).output()
}
