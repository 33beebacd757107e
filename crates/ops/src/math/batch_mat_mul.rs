//! `BatchMatMul`, `BatchMatMulV2` and `BatchMatMulV3`: products of the matrices in the last two axes. The second and the third
//! broadcast the others; the third takes matrices of two types and gives one of another.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, broadcast_shapes};
use graph::{Gradient, Node, Output, ReadAttrs};
use math::broadcast::{BroadcastPlan, apply};
use math::gemm::{Product, batched};
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Shape, Tensor, ensure, err};

use super::binary_grad::unbroadcast_axes;
use super::cast::cast;
use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] = &[Float, Double, Half, BFloat16, Int32, Int64, Complex64, Complex128];
    const V2_TYPES: &[DType] = &[Float, Double, Half, BFloat16, Int16, Int32, Int64, Complex64, Complex128];
    let ops = [
        ("BatchMatMul", TYPES, "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}"),
        (
            "BatchMatMulV2",
            V2_TYPES,
            "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}",
        ),
    ];
    for (name, types, allowed) in ops {
        r.op(name, "x: T, y: T -> output: T")
            .attr(allowed)
            .attr("adj_x: bool = false")
            .attr("adj_y: bool = false")
            .attr("grad_x: bool = false")
            .attr("grad_y: bool = false")
            .shape(shape)
            .kernel("T", types, kernel)
            .gradient(gradient);
    }
    const MIXED: &str = "{bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}";
    r.op("BatchMatMulV3", "x: Ta, y: Tb -> output: Tout")
        .attr(&format!("Ta: {MIXED}"))
        .attr(&format!("Tb: {MIXED}"))
        .attr("Tout: {bfloat16, half, float, double, int16, int32, int64, complex64, complex128}")
        .attr("adj_x: bool = false")
        .attr("adj_y: bool = false")
        .attr("grad_x: bool = false")
        .attr("grad_y: bool = false")
        .shape(shape)
        .kernel("Tout", V2_TYPES, kernel)
        .gradient(gradient);
}

/// The batch part and the matrix part of a shape that has both.
fn parts(shape: &PartialShape) -> Option<(PartialShape, [Option<i64>; 2])> {
    let dims = shape.dims()?;
    let (batch, matrix) = dims.split_at_checked(dims.len().checked_sub(2)?)?;
    Some((PartialShape::new(batch), [matrix[0], matrix[1]]))
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (x, y) = (cx.with_rank_at_least(0, 2)?, cx.with_rank_at_least(1, 2)?);
    let (Some((batch_x, [rows, inner_x])), Some((batch_y, [inner_y, columns]))) = (parts(&x), parts(&y)) else {
        return Ok(());
    };
    let (rows, inner_x) = if cx.attr_bool("adj_x")? { (inner_x, rows) } else { (rows, inner_x) };
    let (inner_y, columns) = if cx.attr_bool("adj_y")? { (columns, inner_y) } else { (inner_y, columns) };
    if let (Some(a), Some(b)) = (inner_x, inner_y) {
        ensure!(
            a == b,
            InvalidArgument,
            "Dimensions must be equal, but are {a} and {b} for '{}' (op: '{}') with input shapes: {x}, {y}",
            cx.node.name,
            cx.node.op
        );
    }
    let batch =
        if cx.node.op == "BatchMatMul" { batch_x.merge(&batch_y) } else { broadcast_shapes(&batch_x, &batch_y) };
    cx.set(0, batch?.concatenate(&PartialShape::new(&[rows, columns])));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (adj_x, adj_y) = (node.attr_bool("adj_x")?, node.attr_bool("adj_y")?);
    let broadcasts = node.op != "BatchMatMul";
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        // Matrices of other types are first brought to the product's.
        let dtype = cx.node.output_types[0].dtype;
        let [x, y] = [0, 1].map(|index| cx.input(index).and_then(|input| cast(input.clone(), dtype, false)));
        let product = batch_mat_mul(&x?, adj_x, &y?, adj_y, broadcasts)?;
        cx.set_output(0, product);
        Ok(())
    }))
}

fn batch_mat_mul(x: &Tensor, adj_x: bool, y: &Tensor, adj_y: bool, broadcasts: bool) -> Result<Tensor> {
    let (rank_x, rank_y) = (x.shape().rank(), y.shape().rank());
    ensure!(rank_x >= 2, InvalidArgument, "In[0] ndims must be >= 2: {rank_x}");
    ensure!(rank_y >= 2, InvalidArgument, "In[1] ndims must be >= 2: {rank_y}");
    let (batch_x, matrix_x) = x.dims().split_at(rank_x - 2);
    let (batch_y, matrix_y) = y.dims().split_at(rank_y - 2);
    if !broadcasts {
        ensure!(
            rank_x == rank_y,
            InvalidArgument,
            "In[0] and In[1] has different ndims: {} vs. {}",
            x.shape(),
            y.shape()
        );
        if let Some(axis) = (0..batch_x.len()).find(|axis| batch_x[*axis] != batch_y[*axis]) {
            return Err(err!(
                InvalidArgument,
                "In[0].dim({axis}) and In[1].dim({axis}) must be the same: {} vs {}",
                x.shape(),
                y.shape()
            ));
        }
    }
    let plan = BroadcastPlan::new(batch_x, batch_y).ok_or_else(|| {
        err!(InvalidArgument, "In[0] and In[1] must have compatible batch dimensions: {} vs. {}", x.shape(), y.shape())
    })?;
    let (ax, ay) = (adj_x as usize, adj_y as usize);
    let (m, k, n) = (matrix_x[ax], matrix_x[1 - ax], matrix_y[1 - ay]);
    ensure!(matrix_y[ay] == k, InvalidArgument, "Matrix size-incompatible: In[0]: {}, In[1]: {}", x.shape(), y.shape());
    let shape = Shape::new(&[plan.out_shape.as_slice(), &[m, n]].concat())?;
    if shape.num_elements() == 0 || x.num_elements() == 0 {
        return Tensor::zeros(x.dtype(), &shape);
    }
    if matches!(x.dtype(), Half | BFloat16) {
        return narrow(&batch_mat_mul(&widen(x)?, adj_x, &widen(y)?, adj_y, broadcasts)?, x.dtype());
    }
    // The adjoint of complex numbers is conjugate, too.
    let (x, y) = (&conjugate(x, adj_x)?, &conjugate(y, adj_y)?);
    let product = Product {
        m: m as usize,
        k: k as usize,
        n: n as usize,
        a_transposed: adj_x,
        b_transposed: adj_y,
        accumulate: false,
    };
    let [count_x, count_y] = plan.input_lens();
    let (numbers_x, numbers_y): (Vec<usize>, Vec<usize>) = ((0..count_x).collect(), (0..count_y).collect());
    let mut pairs = vec![(0, 0); plan.len()];
    apply(&plan, &numbers_x, &numbers_y, &mut pairs, |i, j| (i, j));
    dispatch!(x.dtype(), T in [f32, f64, i16, i32, i64, tensor::Complex64, tensor::Complex128] => {
        let (a, b) = (x.as_slice::<T>()?, y.as_slice::<T>()?);
        Tensor::build(shape, |out: &mut [T]| {
            batched(&product, &pairs, a, b, out);
            Ok(())
        })
    })
}

/// The conjugate numbers, if they are complex and asked for.
fn conjugate(x: &Tensor, wanted: bool) -> Result<Tensor> {
    let mut x = x.clone();
    match x.dtype() {
        Complex64 if wanted => x.make_mut::<tensor::Complex64>()?.iter_mut().for_each(|z| *z = z.conj()),
        Complex128 if wanted => x.make_mut::<tensor::Complex128>()?.iter_mut().for_each(|z| *z = z.conj()),
        _ => {}
    }
    Ok(x)
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (ax, ay) = (cx.attr_bool("adj_x")?, cx.attr_bool("adj_y")?);
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let mul = |a: &Output, adj_a: bool, b: &Output, adj_b: bool| {
        let op = if cx.node.op == "BatchMatMul" { "BatchMatMul" } else { "BatchMatMulV2" };
        cx.op(op).input(a).input(b).attr("adj_x", adj_a).attr("adj_y", adj_b).output()
    };
    let (for_x, for_y) = match (ax, ay) {
        (false, false) => (mul(&dz, false, &y, true), mul(&x, true, &dz, false)),
        (false, true) => (mul(&dz, false, &y, false), mul(&dz, true, &x, false)),
        (true, false) => (mul(&y, false, &dz, true), mul(&x, false, &dz, false)),
        (true, true) => (mul(&y, true, &dz, true), mul(&dz, true, &x, true)),
    };
    if cx.node.op == "BatchMatMul" {
        return Ok(vec![Some(for_x.into()), Some(for_y.into())]);
    }
    let for_x = without_batch_broadcast(cx, for_x, &x, &y);
    let for_y = without_batch_broadcast(cx, for_y, &y, &x);
    Ok(vec![Some(for_x.into()), Some(for_y.into())])
}

/// Sums over the batch axes in which `mine` was repeated.
fn without_batch_broadcast(cx: &GradContext<'_>, gradient: Output, mine: &Output, other: &Output) -> Output {
    if let (Some((my_batch, _)), Some((other_batch, _))) = (parts(&mine.shape()), parts(&other.shape()))
        && let Some(summed) = unbroadcast_axes(cx, gradient.clone(), &my_batch, &other_batch)
    {
        return summed;
    }
    let shape = mine.unary("Shape");
    let batch = |output: &Output| {
        let ends = [[0i32], [-2], [1]].map(|end| cx.graph.constant(end));
        let slice = cx.op("StridedSlice").input(output.unary("Shape")).input(&ends[0]).input(&ends[1]).input(&ends[2]);
        slice.attr("begin_mask", 1i64).output()
    };
    let axes = cx.op("BroadcastGradientArgs").input(batch(mine)).input(batch(other)).output();
    let sum = cx.op("Sum").input(gradient).input(axes).output();
    cx.op("Reshape").input(sum).input(shape).output()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn batches_broadcast_and_transpose() {
        let x = Tensor::new([2, 1, 2], vec![1f32, 2.0, 3.0, 4.0]).unwrap();
        let y = Tensor::new([2, 2], vec![1f32, 10.0, 100.0, 1000.0]).unwrap();
        let run = |adj_y| batch_mat_mul(&x, false, &y, adj_y, true).unwrap();
        assert_eq!(run(false), Tensor::new([2, 1, 2], vec![201f32, 2010.0, 403.0, 4030.0]).unwrap());
        assert_eq!(run(true), Tensor::new([2, 1, 2], vec![21f32, 2100.0, 43.0, 4300.0]).unwrap());
        let message =
            |x: &Tensor, y: &Tensor, v2| batch_mat_mul(x, false, y, false, v2).unwrap_err().message().to_owned();
        let zeros = |dims: &[i64]| Tensor::zeros(Float, &Shape::new(dims).unwrap()).unwrap();
        assert_eq!(
            message(&zeros(&[2, 2, 3]), &zeros(&[3, 3, 3]), true),
            "In[0] and In[1] must have compatible batch dimensions: [2,2,3] vs. [3,3,3]"
        );
        assert_eq!(
            message(&zeros(&[2, 2, 3]), &zeros(&[1, 3, 3]), false),
            "In[0].dim(0) and In[1].dim(0) must be the same: [2,2,3] vs [1,3,3]"
        );
    }
}
