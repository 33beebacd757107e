//! `SparseMatMul`: the product of two matrices of floats, of which either may be mostly zeros.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::DType::{self, BFloat16, Float};
use tensor::{PartialShape, Result, ensure};

use super::mat_mul::mat_mul;
use crate::narrow_floats::widen;

pub(crate) fn register(r: &mut Registry) {
    r.op("SparseMatMul", "a: Ta, b: Tb -> product: float")
        .attr("transpose_a: bool = false")
        .attr("transpose_b: bool = false")
        .attr("a_is_sparse: bool = false")
        .attr("b_is_sparse: bool = false")
        .attr("Ta: {float, bfloat16} = float")
        .attr("Tb: {float, bfloat16} = float")
        .shape(shape)
        .kernel("Ta", &[Float, BFloat16], kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (a, b) = (cx.with_rank(0, 2)?, cx.with_rank(1, 2)?);
    let (ta, tb) = (cx.attr_bool("transpose_a")? as usize, cx.attr_bool("transpose_b")? as usize);
    if let (Some(x), Some(y)) = (a.dim(1 - ta), b.dim(tb)) {
        ensure!(x == y, InvalidArgument, "Dimensions must be equal, but are {x} and {y}");
    }
    cx.set(0, PartialShape::new(&[a.dim(ta), b.dim(1 - tb)]));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (ta, tb) = (node.attr_bool("transpose_a")?, node.attr_bool("transpose_b")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let product = mat_mul(&widen(cx.input(0)?)?, ta, &widen(cx.input(1)?)?, tb)?;
        cx.set_output(0, product);
        Ok(())
    }))
}

/// As of a dense product, with word of what is sparse passed on.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (ta, tb) = (cx.attr_bool("transpose_a")?, cx.attr_bool("transpose_b")?);
    let (sparse_a, sparse_b) = (cx.attr_bool("a_is_sparse")?, cx.attr_bool("b_is_sparse")?);
    let (a, b, dy) = (cx.x(0), cx.x(1), cx.dy(0)?);
    // TensorFlow takes the gradient for sparse where a Relu made it.
    let sparse_dy = cx.graph.read(|graph| dy.endpoint().is_some_and(|at| graph.node(at.node).op == "ReluGrad"));
    let product = |x: (&Output, bool, bool), y: (&Output, bool, bool), dtype: DType| {
        let node = cx.op("SparseMatMul").input(x.0).input(y.0).attr("transpose_a", x.1).attr("transpose_b", y.1);
        let product = node.attr("a_is_sparse", x.2).attr("b_is_sparse", y.2).output();
        let product = if dtype == Float { product } else { cx.op("Cast").input(product).attr("DstT", dtype).output() };
        Some(Gradient::from(product))
    };
    let (da, db) = (cx.dtype(0), cx.dtype(1));
    Ok(match (ta, tb) {
        (false, false) => vec![
            product((&dy, false, sparse_dy), (&b, true, sparse_b), da),
            product((&a, true, sparse_a), (&dy, false, sparse_dy), db),
        ],
        (false, true) => vec![
            product((&dy, false, sparse_dy), (&b, false, sparse_b), da),
            product((&dy, true, sparse_dy), (&a, false, sparse_a), db),
        ],
        (true, false) => vec![
            product((&b, false, sparse_b), (&dy, true, sparse_dy), da),
            product((&a, false, sparse_a), (&dy, false, sparse_dy), db),
        ],
        (true, true) => vec![
            product((&b, true, sparse_b), (&dy, true, sparse_dy), da),
            product((&dy, true, sparse_dy), (&a, true, sparse_a), db),
        ],
    })
}
