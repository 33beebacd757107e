//! `Qr`: matrices as products of one with orthonormal columns and an upper triangle.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::DType::{Complex64, Complex128, Double, Float, Half};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use super::matrices::{ALLOWED, Matrices, Wide, band, diagonal, diagonal_part, finish, product, turned, with_field};

pub(crate) fn register(r: &mut Registry) {
    r.op("Qr", "input: T -> q: T, r: T")
        .attr("full_matrices: bool = false")
        .attr(ALLOWED)
        .shape(shape)
        .kernel("T", &[Float, Double, Half, Complex64, Complex128], kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank_at_least(0, 2)?;
    let Some(&[ref outer @ .., rows, columns]) = shape.raw_dims() else { return Ok(()) };
    let short = if rows < 0 || columns < 0 { -1 } else { rows.min(columns) };
    let inner = if cx.attr_bool("full_matrices")? { rows } else { short };
    let dims = |matrix: [i64; 2]| PartialShape::from_dims(outer).concatenate(&PartialShape::from_dims(&matrix));
    cx.set(0, dims([rows, inner]));
    cx.set(1, dims([inner, columns]));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let full = node.attr_bool("full_matrices")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let (q, r) = with_field!(input.dtype(), T => reflected::<T>(input, full))?;
        cx.set_output(0, q);
        cx.set_output(1, r);
        Ok(())
    }))
}

fn reflected<T: Wide>(input: &Tensor, full: bool) -> Result<(Tensor, Tensor)> {
    let matrices = Matrices::<T>::of(input)?;
    let (rows, columns) = (matrices.rows, matrices.columns);
    let inner = if full { rows } else { rows.min(columns) };
    let (q_dims, r_dims) = (matrices.dims(&[rows, inner])?, matrices.dims(&[inner, columns])?);
    let (mut q, mut r) = (Vec::new(), Vec::new());
    for number in 0..matrices.count() {
        let (orthonormal, triangle) = T::reflect(matrices.one(number), rows, columns, full);
        q.extend(orthonormal);
        r.extend(triangle);
    }
    Ok((finish(&q_dims, q, input.dtype())?, finish(&r_dims, r, input.dtype())?))
}

/// x r^-*, for an upper triangle r.
fn over(cx: &GradContext<'_>, x: &Output, r: &Output) -> Output {
    let solve = cx.op("MatrixTriangularSolve").input(r).input(turned(cx, x)).attr("lower", false);
    turned(cx, &solve.output())
}

/// The gradient where there are at least as many rows as columns.
fn deep(cx: &GradContext<'_>, [q, r, dq, dr]: [&Output; 4]) -> Output {
    let qdq = product(cx, q, true, dq, false);
    let rdr = product(cx, r, false, dr, true);
    let skew = |x: &Output| x - turned(cx, x);
    let below = band(cx, &(skew(&qdq) + skew(&rdr)), -1, 0);
    let gradient = product(cx, q, false, &(dr + over(cx, &below, r)), false)
        + over(cx, &(dq - product(cx, q, false, &qdq, false)), r);
    let Some(dtype) = q.dtype().filter(|dtype| dtype.is_complex()) else { return gradient };
    // Of complex numbers the directions of the diagonal count too.
    let main = diagonal(cx, &diagonal_part(cx, &(rdr - turned(cx, &qdq))));
    let real = if dtype == Complex128 { Double } else { Float };
    let part = cx.op("Real").input(&main).attr("Tout", real).output();
    let turn = main - cx.op("Cast").input(part).attr("DstT", dtype).output();
    gradient + over(cx, &product(cx, q, false, &turn, true), r)
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (q, r, dq, dr) = (cx.y(0), cx.y(1), cx.dy(0)?, cx.dy(1)?);
    let (q_shape, r_shape) = (q.shape(), r.shape());
    let (Some(&[.., rows, width]), Some(&[.., inner, columns])) = (q_shape.raw_dims(), r_shape.raw_dims()) else {
        bail!(Unimplemented, "QrGrad not implemented with dynamic shapes")
    };
    ensure!(rows >= 0 && columns >= 0, Unimplemented, "QrGrad not implemented with dynamic shapes");
    ensure!(
        inner <= columns || rows != width,
        Unimplemented,
        "QrGrad not implemented when nrows > ncols and full_matrices is true"
    );
    if rows >= columns {
        return Ok(vec![Some(deep(cx, [&q, &r, &dq, &dr]).into())]);
    }
    // a = [x, y] and r = [u, v]: the first parts are square.
    let part = |of: &Output, first: bool| {
        let (begin, end) = if first { (0, rows as i32) } else { (rows as i32, columns as i32) };
        let ends = [[0, begin], [0, end], [1, 1]].map(|end| cx.graph.constant(end));
        let slice = cx.op("StridedSlice").input(of).input(&ends[0]).input(&ends[1]).input(&ends[2]);
        slice.attr("ellipsis_mask", 1i64).output()
    };
    let (y, u, du, dv) = (part(&cx.x(0), false), part(&r, true), part(&dr, true), part(&dr, false));
    let dy = product(cx, &q, false, &dv, false);
    let dx = deep(cx, [&q, &u, &(dq + product(cx, &y, false, &dv, true)), &du]);
    let both = cx.op("ConcatV2").input_list(&[dx, dy]).input(cx.graph.constant(-1i32)).output();
    Ok(vec![Some(both.into())])
}
