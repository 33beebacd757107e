//! Eigenvalues and eigenvectors of matrices that are their own adjoints, of which the lower triangles are read:
//! `SelfAdjointEigV2` and `BatchSelfAdjointEigV2`; `SelfAdjointEig` and `BatchSelfAdjointEig` with all in one matrix.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, bail, err};

use super::matrices::{
    ALLOWED, Matrices, REAL_TYPES, TYPES, Wide, band, diagonal, diagonal_part, finish, product, reciprocal_differences,
    square, turned, with_diagonal, with_field,
};

pub(crate) fn register(r: &mut Registry) {
    for (name, allowed) in
        [("SelfAdjointEig", "T: {double, float, half}"), ("BatchSelfAdjointEig", "T: {double, float}")]
    {
        r.op(name, "input: T -> output: T").attr(allowed).shape(joined_shape).kernel("T", REAL_TYPES, joined_kernel);
    }
    r.op("SelfAdjointEigV2", "input: T -> e: T, v: T")
        .attr("compute_v: bool = true")
        .attr(ALLOWED)
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
    r.op("BatchSelfAdjointEigV2", "input: T -> e: T, v: T")
        .attr("compute_v: bool = true")
        .attr("T: {double, float}")
        .shape(shape)
        .kernel("T", REAL_TYPES, kernel);
}

fn joined_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = square(cx)?;
    if let Some(&[ref outer @ .., rows, columns]) = shape.raw_dims() {
        let size = rows.max(columns);
        let inner = [if size < 0 { -1 } else { size + 1 }, size];
        cx.set(0, PartialShape::from_dims(outer).concatenate(&PartialShape::from_dims(&inner)));
    }
    Ok(())
}

pub(super) fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = square(cx)?;
    let vectors = cx.attr_bool("compute_v")?;
    if !vectors {
        cx.set(1, PartialShape::from([0]));
    }
    if let Some(&[ref outer @ .., rows, columns]) = shape.raw_dims() {
        let size = rows.max(columns);
        let dims = |inner: &[i64]| PartialShape::from_dims(outer).concatenate(&PartialShape::from_dims(inner));
        cx.set(0, dims(&[size]));
        if vectors {
            cx.set(1, dims(&[size, size]));
        }
    }
    Ok(())
}

/// The eigenvalues and eigenvectors of all matrices.
struct Spectra<T> {
    matrices: Matrices<T>,
    values: Vec<Vec<f64>>,
    vectors: Vec<Vec<T>>,
}

impl<T: Wide> Spectra<T> {
    fn of(input: &Tensor) -> Result<Spectra<T>> {
        let matrices = Matrices::<T>::square(input)?;
        let (mut values, mut vectors) = (Vec::new(), Vec::new());
        for number in 0..matrices.count() {
            let found = T::self_adjoint_eigen(matrices.one(number), matrices.rows).ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "Self-adjoint eigen decomposition was not successful. The input might not be valid."
                )
            })?;
            values.push(found.0);
            vectors.push(found.1);
        }
        Ok(Spectra { matrices, values, vectors })
    }
}

fn joined_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let Spectra { matrices, values, vectors } = Spectra::<f64>::of(input)?;
        let dims = matrices.dims(&[matrices.rows + 1, matrices.rows])?;
        let both = values.into_iter().zip(vectors).flat_map(|(values, vectors)| values.into_iter().chain(vectors));
        let output = finish(&dims, both.collect(), input.dtype())?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn kernel(node: &Node) -> Result<Kernel> {
    let vectors = node.attr_bool("compute_v")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let (e, v) = with_field!(input.dtype(), T => separate::<T>(input, vectors))?;
        cx.set_output(0, e);
        cx.set_output(1, v);
        Ok(())
    }))
}

fn separate<T: Wide>(input: &Tensor, with_vectors: bool) -> Result<(Tensor, Tensor)> {
    let Spectra { matrices, values, vectors } = Spectra::<T>::of(input)?;
    let size = matrices.rows;
    let values = values.into_iter().flatten().map(T::from_real).collect();
    let e = finish(&matrices.dims(&[size])?, values, input.dtype())?;
    let v = match with_vectors {
        true => finish(&matrices.dims(&[size, size])?, vectors.concat(), input.dtype())?,
        false => finish::<T>(&[0], Vec::new(), input.dtype())?,
    };
    Ok((e, v))
}

/// v (de + f v* dv) v*, with f of the reciprocal differences of the eigenvalues; then all in the lower triangle.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let de = diagonal(cx, &cx.dy(0)?);
    let (middle, v) = if cx.attr_bool("compute_v")? {
        let v = cx.y(1);
        let f = reciprocal_differences(cx, &cx.y(0));
        (de + f * product(cx, &v, true, &cx.dy(1)?, false), v)
    } else {
        let outputs = cx.op("SelfAdjointEigV2").input(cx.x(0)).attr("compute_v", true).outputs();
        let [_, v] = &outputs[..] else { bail!(Internal, "eigenvectors are missing") };
        (de, v.clone())
    };
    let whole = product(cx, &v, false, &product(cx, &middle, false, &v, true), false);
    let lower = band(cx, &(&whole + turned(cx, &whole)), -1, 0);
    let half = diagonal_part(cx, &lower) * 0.5;
    Ok(vec![Some(with_diagonal(cx, &lower, &half).into())])
}
