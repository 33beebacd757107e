//! `MatMul`: the product of two matrices, either of which may be transposed first.

use graph::op::{GradContext, Kernel, OpContext, Registry, Replacement, Rewrite, ShapeContext, Site};
use graph::{AttrValue, Gradient, Node, Output, ReadAttrs};
use tensor::{Complex64, Complex128, DType, PartialShape, Result, Shape, Tensor, ensure};

use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    r.op("MatMul", "a: T, b: T -> product: T")
        .attr("transpose_a: bool = false")
        .attr("transpose_b: bool = false")
        .attr("T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}")
        .attr("grad_a: bool = false")
        .attr("grad_b: bool = false")
        .shape(shape)
        .kernel(
            "T",
            &[
                DType::Float,
                DType::Double,
                DType::Half,
                DType::BFloat16,
                DType::Int32,
                DType::Int64,
                DType::Complex64,
                DType::Complex128,
            ],
            kernel,
        )
        .gradient(gradient);
}

/// Takes a factor that is transposed first as it is, and transposes it on the way.
pub(crate) const REWRITE: Rewrite =
    Rewrite { name: "transposed factors", begins_at: |op| op == "MatMul", find: without_transposes };

fn without_transposes(site: &Site<'_>) -> Option<Replacement> {
    let node = site.node();
    let (mut inputs, mut attrs) = (node.inputs.clone(), node.attrs.clone());
    for (input, name) in inputs.iter_mut().zip(["transpose_a", "transpose_b"]) {
        let Some(transpose) = site.producer(*input).filter(|node| node.op == "Transpose") else { continue };
        let [matrix, order] = transpose.inputs[..] else { continue };
        let order = site.graph.node(order.node).attr_tensor("value").ok().and_then(|order| order.to_i64_vec().ok());
        if order.as_deref() != Some(&[1, 0]) {
            continue;
        }
        let turned = node.attr_bool(name).ok()?;
        attrs.insert(name.to_owned(), AttrValue::Bool(!turned));
        *input = matrix;
    }
    let attrs = ["transpose_a", "transpose_b", "T", "grad_a", "grad_b"]
        .into_iter()
        .filter_map(|name| Some((name, attrs.get(name)?.clone())))
        .collect();
    (inputs != node.inputs).then_some(Replacement { op: "MatMul", inputs, attrs })
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (a, b) = (cx.with_rank(0, 2)?, cx.with_rank(1, 2)?);
    let (ta, tb) = (cx.attr_bool("transpose_a")? as usize, cx.attr_bool("transpose_b")? as usize);
    if let (Some(inner_a), Some(inner_b)) = (a.dim(1 - ta), b.dim(tb)) {
        ensure!(
            inner_a == inner_b,
            InvalidArgument,
            "Dimensions must be equal, but are {inner_a} and {inner_b} for '{}' (op: 'MatMul') with input shapes: {a}, {b}",
            cx.node.name
        );
    }
    cx.set(0, PartialShape::new(&[a.dim(ta), b.dim(1 - tb)]));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (transpose_a, transpose_b) = (node.attr_bool("transpose_a")?, node.attr_bool("transpose_b")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let product = mat_mul(cx.input(0)?, transpose_a, cx.input(1)?, transpose_b)?;
        cx.set_output(0, product);
        Ok(())
    }))
}

/// The product of two matrices.
pub(crate) fn mat_mul(a: &Tensor, transpose_a: bool, b: &Tensor, transpose_b: bool) -> Result<Tensor> {
    ensure!(a.shape().rank() == 2, InvalidArgument, "In[0] is not a matrix. Instead it has shape {}", a.shape());
    ensure!(b.shape().rank() == 2, InvalidArgument, "In[1] is not a matrix. Instead it has shape {}", b.shape());
    let (ta, tb) = (transpose_a as usize, transpose_b as usize);
    let (m, k, n) = (a.shape().dim(ta), a.shape().dim(1 - ta), b.shape().dim(1 - tb));
    ensure!(
        b.shape().dim(tb) == k,
        InvalidArgument,
        "Matrix size-incompatible: In[0]: {}, In[1]: {}",
        a.shape(),
        b.shape()
    );
    let shape = Shape::new(&[m as i64, n as i64])?;
    // Narrow floats multiply as floats and are rounded once, at the end.
    if a.dtype() == DType::Half || a.dtype() == DType::BFloat16 {
        let (wide_a, wide_b) = (widen(a)?, widen(b)?);
        let product = mat_mul(&wide_a, transpose_a, &wide_b, transpose_b)?;
        return narrow(&product, a.dtype());
    }
    dispatch!(a.dtype(), T in [f32, f64, i32, i64, Complex64, Complex128] => {
        let (x, y) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
        Tensor::build(shape, |out: &mut [T]| {
            math::gemm::gemm(m, k, n, x, transpose_a, y, transpose_b, out, false);
            Ok(())
        })
    })
}

/// With y = a b: da = dy b^T, db = a^T dy, and the same with the transposed ones turned.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (ta, tb) = (cx.attr_bool("transpose_a")?, cx.attr_bool("transpose_b")?);
    let (a, b, dy) = (conjugate(cx, 0), conjugate(cx, 1), cx.dy(0)?);
    let mul = |x: &Output, tx: bool, y: &Output, ty: bool| -> Option<Gradient> {
        let product = cx.op("MatMul").input(x).input(y).attr("transpose_a", tx).attr("transpose_b", ty).output();
        Some(product.into())
    };
    Ok(match (ta, tb) {
        (false, false) => vec![mul(&dy, false, &b, true), mul(&a, true, &dy, false)],
        (false, true) => vec![mul(&dy, false, &b, false), mul(&dy, true, &a, false)],
        (true, false) => vec![mul(&b, false, &dy, true), mul(&a, false, &dy, false)],
        (true, true) => vec![mul(&b, true, &dy, true), mul(&dy, true, &a, true)],
    })
}

/// An input, of conjugate numbers if they are complex.
fn conjugate(cx: &GradContext<'_>, index: usize) -> Output {
    let x = cx.x(index);
    if cx.dtype(index).is_complex() { x.unary("Conj") } else { x }
}

/// What [`matmul_with`](MatMulOps::matmul_with) can be told.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::ops::MatMulOptions;
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0]]);
/// let options = MatMulOptions { transpose_b: true, ..Default::default() };
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<[f32; 1]>, _>(&x.matmul_with(&x, options))?, [[5.0]]);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatMulOptions {
    /// Transpose the left matrix first.
    pub transpose_a: bool,
    /// Transpose the right matrix first.
    pub transpose_b: bool,
}

/// Products of matrices (`MatMul`).
///
/// ```
/// use tensorfleet::ops::MatMulOptions;
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let (a, b) = (g.constant([[1f32, 2.0], [3.0, 4.0]]), g.constant([[1f32], [10.0]]));
/// assert_eq!(eval(&a.matmul(&b))?, Tensor::from([[21f32], [43.0]]));
/// let transposed = MatMulOptions { transpose_a: true, ..Default::default() };
/// assert_eq!(eval(&a.matmul_with(&b, transposed))?, Tensor::from([[31f32], [42.0]]));
/// # Ok(())
/// # }
/// ```
pub trait MatMulOps {
    /// Returns the matrix product of this and `b`; where one has more than two dimensions, those of all their matrices
    /// (`BatchMatMulV2`).
    fn matmul(&self, b: &Output) -> Output;
    /// Returns what [`matmul`](MatMulOps::matmul) does, of transposed matrices.
    fn matmul_with(&self, b: &Output, options: MatMulOptions) -> Output;
}

impl MatMulOps for Output {
    #[track_caller]
    fn matmul(&self, b: &Output) -> Output {
        self.matmul_with(b, MatMulOptions::default())
    }

    #[track_caller]
    fn matmul_with(&self, b: &Output, options: MatMulOptions) -> Output {
        let MatMulOptions { transpose_a, transpose_b } = options;
        let batches = [self, b].iter().any(|side| side.shape().rank().is_some_and(|rank| rank > 2));
        let node = if batches {
            self.graph().op("BatchMatMulV2").attr("adj_x", transpose_a).attr("adj_y", transpose_b)
        } else {
            self.graph().op("MatMul").attr("transpose_a", transpose_a).attr("transpose_b", transpose_b)
        };
        node.name("MatMul").input(self).input(b).at(std::panic::Location::caller()).output()
    }
}
