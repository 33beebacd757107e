//! `Svd` and `BatchSvd`: singular values and vectors of matrices.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use math::matrix::Singular;
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use super::matrices::{
    ALLOWED, Matrices, TYPES, Wide, diagonal, diagonal_part, finish, product, reciprocal_differences, safe_reciprocal,
    turned, with_field,
};

pub(crate) fn register(r: &mut Registry) {
    for (name, allowed) in [("Svd", ALLOWED), ("BatchSvd", "T: {double, float, complex64, complex128}")] {
        let entry = r
            .op(name, "input: T -> s: T, u: T, v: T")
            .attr("compute_uv: bool = true")
            .attr("full_matrices: bool = false")
            .attr(allowed)
            .shape(shape)
            .kernel("T", TYPES, kernel);
        if name == "Svd" {
            entry.gradient(gradient);
        }
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank_at_least(0, 2)?;
    let (vectors, full) = (cx.attr_bool("compute_uv")?, cx.attr_bool("full_matrices")?);
    if !vectors {
        cx.set(1, PartialShape::from([0]));
        cx.set(2, PartialShape::from([0]));
    }
    let Some(&[ref outer @ .., rows, columns]) = shape.raw_dims() else { return Ok(()) };
    let short = if rows < 0 || columns < 0 { -1 } else { rows.min(columns) };
    let dims = |inner: &[i64]| PartialShape::from_dims(outer).concatenate(&PartialShape::from_dims(inner));
    cx.set(0, dims(&[short]));
    if vectors {
        cx.set(1, dims(&[rows, if full { rows } else { short }]));
        cx.set(2, dims(&[columns, if full { columns } else { short }]));
    }
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (vectors, full) = (node.attr_bool("compute_uv")?, node.attr_bool("full_matrices")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let outputs = with_field!(input.dtype(), T => singular::<T>(input, vectors, full))?;
        outputs.into_iter().enumerate().for_each(|(index, output)| cx.set_output(index, output));
        Ok(())
    }))
}

fn singular<T: Wide>(input: &Tensor, vectors: bool, full: bool) -> Result<[Tensor; 3]> {
    let matrices = Matrices::<T>::of(input)?;
    let (rows, columns) = (matrices.rows, matrices.columns);
    let (short, full) = (rows.min(columns), full && vectors);
    let widths = if full { (rows, columns) } else { (short, short) };
    let s_dims = matrices.dims(&[short])?;
    let (u_dims, v_dims) = match vectors {
        true => (matrices.dims(&[rows, widths.0])?, matrices.dims(&[columns, widths.1])?),
        false => (vec![0], vec![0]),
    };
    let (mut s, mut u, mut v) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..matrices.count() {
        // Without numbers where none are found, as in TensorFlow.
        let nan = |count: usize| vec![T::from_real(f64::NAN); count];
        let found = T::singular(matrices.one(number), rows, columns, full).unwrap_or_else(|| Singular {
            values: vec![f64::NAN; short],
            left: nan(rows * widths.0),
            right: nan(columns * widths.1),
        });
        s.extend(found.values.into_iter().map(T::from_real));
        if vectors {
            u.extend(found.left);
            v.extend(found.right);
        }
    }
    let dtype = input.dtype();
    Ok([finish(&s_dims, s, dtype)?, finish(&u_dims, u, dtype)?, finish(&v_dims, v, dtype)?])
}

/// Some of the columns.
fn columns(cx: &GradContext<'_>, of: &Output, begin: i64, end: i64) -> Output {
    let ends = [[0, begin as i32], [0, end as i32], [1, 1]].map(|end| cx.graph.constant(end));
    let slice = cx.op("StridedSlice").input(of).input(&ends[0]).input(&ends[1]).input(&ends[2]);
    slice.attr("ellipsis_mask", 1i64).output()
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (a, ds) = (cx.x(0), cx.dy(0)?);
    let ds_matrix = diagonal(cx, &ds);
    if !cx.attr_bool("compute_uv")? {
        let outputs = cx.op("Svd").input(&a).attr("compute_uv", true).attr("full_matrices", false).outputs();
        let [_, u, v] = &outputs[..] else { bail!(Internal, "singular vectors are missing") };
        return Ok(vec![Some(product(cx, u, false, &product(cx, &ds_matrix, false, v, true), false).into())]);
    }
    let full = cx.attr_bool("full_matrices")?;
    let shape = a.shape();
    let (mut m, mut n) = match shape.raw_dims() {
        Some(&[.., m, n]) if m >= 0 && n >= 0 => (m, n),
        _ => bail!(Unimplemented, "SVD gradient has not been implemented for input with unknown inner matrix shape"),
    };
    let (s, mut u, mut v, mut du, mut dv) = (cx.y(0), cx.y(1), cx.y(2), cx.dy(1)?, cx.dy(2)?);
    // A matrix with more rows than columns is taken for its adjoint.
    let tall = m > n;
    if tall {
        std::mem::swap(&mut m, &mut n);
        std::mem::swap(&mut u, &mut v);
        std::mem::swap(&mut du, &mut dv);
    }
    ensure!(
        !full || n - m <= 1,
        Unimplemented,
        "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True"
    );
    let f = reciprocal_differences(cx, &(&s * &s));
    let (s_matrix, s_inverse) = (diagonal(cx, &s), diagonal(cx, &safe_reciprocal(&s)));
    let (v1, dv1) = (columns(cx, &v, 0, m), columns(cx, &dv, 0, m));
    let vdv = product(cx, &v1, true, &dv1, false);
    let (fu, fv) = (&f * product(cx, &u, true, &du, false), &f * &vdv);
    let both = |x: &Output| x + turned(cx, x);
    let middle =
        ds_matrix + product(cx, &both(&fu), false, &s_matrix, false) + product(cx, &s_matrix, false, &both(&fv), false);
    let mut gradient = product(cx, &u, false, &product(cx, &middle, false, &v1, true), false);
    if m != n {
        let dv1_turned = turned(cx, &dv1);
        let mut rest = &dv1_turned - product(cx, &product(cx, &dv1_turned, false, &v1, false), false, &v1, true);
        if full {
            let (v2, dv2) = (columns(cx, &v, m, n), columns(cx, &dv, m, n));
            rest = rest - product(cx, &product(cx, &v1, true, &dv2, false), false, &v2, true);
        }
        gradient = gradient + product(cx, &product(cx, &u, false, &s_inverse, false), false, &rest, false);
    }
    if cx.dtype(0).is_complex() {
        let l = diagonal(cx, &diagonal_part(cx, &vdv));
        let turn = product(cx, &s_inverse, false, &(turned(cx, &l) - l), false);
        gradient = gradient + product(cx, &u, false, &product(cx, &turn, false, &v1, true), false) * 0.5;
    }
    Ok(vec![Some(if tall { turned(cx, &gradient) } else { gradient }.into())])
}
