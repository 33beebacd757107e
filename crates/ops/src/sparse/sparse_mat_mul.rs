//! `SparseTensorDenseMatMul`: a sparse matrix times a dense one.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use math::number::Number;
use tensor::{Complex64, Complex128, DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] = &[
        DType::Float,
        DType::Double,
        DType::Int32,
        DType::Int64,
        DType::Half,
        DType::BFloat16,
        DType::Complex64,
        DType::Complex128,
    ];
    r.op("SparseTensorDenseMatMul", "a_indices: Tindices, a_values: T, a_shape: int64, b: T -> product: T")
        .attr("T: type")
        .attr("Tindices: {int32, int64} = int64")
        .attr("adjoint_a: bool = false")
        .attr("adjoint_b: bool = false")
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let b = cx.with_rank(3, 2)?;
    let a = cx.input_as_shape(2).merge(&PartialShape::of_rank(2))?;
    let (adjoint_a, adjoint_b) = (cx.attr_bool("adjoint_a")?, cx.attr_bool("adjoint_b")?);
    let (rows, inner) = if adjoint_a { (a.dim(1), a.dim(0)) } else { (a.dim(0), a.dim(1)) };
    let (inner_b, columns) = if adjoint_b { (b.dim(1), b.dim(0)) } else { (b.dim(0), b.dim(1)) };
    if let (Some(x), Some(y)) = (inner, inner_b) {
        ensure!(x == y, InvalidArgument, "Dimensions must be equal, but are {x} and {y}");
    }
    cx.set(0, PartialShape::new(&[rows, columns]));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (adjoint_a, adjoint_b) = (node.attr_bool("adjoint_a")?, node.attr_bool("adjoint_b")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (indices, values, shape, b) = (cx.input(0)?, cx.input(1)?, cx.input(2)?, cx.input(3)?);
        let product = multiply(indices, values, shape, adjoint_a, b, adjoint_b)?;
        cx.set_output(0, product);
        Ok(())
    }))
}

fn multiply(
    indices: &Tensor,
    values: &Tensor,
    a_shape: &Tensor,
    adjoint_a: bool,
    b: &Tensor,
    adjoint_b: bool,
) -> Result<Tensor> {
    ensure!(b.shape().rank() == 2, InvalidArgument, "Tensor 'b' is not a matrix");
    ensure!(a_shape.shape().rank() == 1, InvalidArgument, "Tensor 'a_shape' is not a vector");
    let &[a_rows, a_columns] = &a_shape.to_i64_vec()?[..] else {
        bail!(InvalidArgument, "Tensor 'a_shape' must have 2 elements")
    };
    ensure!(values.shape().rank() == 1, InvalidArgument, "Tensor 'a_values' is not a vector");
    ensure!(indices.shape().rank() == 2, InvalidArgument, "Tensor 'a_indices' is not a matrix");
    ensure!(
        indices.shape().dim(0) == values.num_elements(),
        InvalidArgument,
        "Number of rows of a_indices does not match number of entries in a_values"
    );
    ensure!(
        indices.shape().dim(1) == 2,
        InvalidArgument,
        "Number of columns of a_indices does not match number of entries in a_shape"
    );
    ensure!(a_rows >= 0 && a_columns >= 0, InvalidArgument, "a_shape must not be negative: [{a_rows},{a_columns}]");
    let (rows, inner) = if adjoint_a { (a_columns, a_rows) } else { (a_rows, a_columns) };
    let (b_rows, b_columns) = (b.shape().dim(0), b.shape().dim(1));
    let (b_inner, columns) = if adjoint_b { (b_columns, b_rows) } else { (b_rows, b_columns) };
    ensure!(
        b_inner as i64 == inner,
        InvalidArgument,
        "Cannot multiply A and B because inner dimension does not match: {inner} vs. {b_inner}.  Did you forget a \
         transpose?  Dimensions of A: [{rows}, {inner}).  Dimensions of B: {}",
        b.shape()
    );
    let pairs = indices.to_i64_vec()?;
    let shape = Shape::new(&[rows, columns as i64])?;
    Tensor::check_size(values.dtype(), &shape)?;
    for (number, pair) in pairs.chunks_exact(2).enumerate() {
        let (row, place) = if adjoint_a { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
        ensure!(
            (0..inner).contains(&place),
            InvalidArgument,
            "k ({place}) from index[{number},{}] out of bounds (>={inner})",
            1 - adjoint_a as i32
        );
        ensure!(
            (0..rows).contains(&row),
            InvalidArgument,
            "m ({row}) from index[{number},{}] out of bounds (>={rows})",
            adjoint_a as i32
        );
    }
    dispatch!(values.dtype(), T in [f32, f64, i32, i64, f16, bf16, Complex64, Complex128] => {
        let (entries, right) = (values.as_slice::<T>()?, b.as_slice::<T>()?);
        Tensor::build(shape, |out: &mut [T]| {
            let mut sums = vec![<T as Number>::Wide::ZERO; out.len()];
            for (pair, value) in pairs.chunks_exact(2).zip(entries) {
                let (row, place) = if adjoint_a { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
                let (row, place) = (row as usize, place as usize);
                let value = conjugate_if(adjoint_a, *value).widen();
                for (column, sum) in sums[row * columns..(row + 1) * columns].iter_mut().enumerate() {
                    let at = if adjoint_b { column * b_columns + place } else { place * b_columns + column };
                    *sum = sum.plus(value.times(conjugate_if(adjoint_b, right[at]).widen()));
                }
            }
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out = T::narrow(sum));
            Ok(())
        })
    })
}

/// Complex numbers have a conjugate, others are their own.
fn conjugate_if<T: Copy + 'static>(wanted: bool, value: T) -> T {
    let mut value = value;
    if wanted {
        let any: &mut dyn std::any::Any = &mut value;
        if let Some(z) = any.downcast_mut::<Complex64>() {
            *z = z.conj();
        } else if let Some(z) = any.downcast_mut::<Complex128>() {
            *z = z.conj();
        }
    }
    value
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    ensure!(!cx.dtype(1).is_complex(), Unimplemented, "the gradient of {} for complex numbers", cx.node.op);
    let (adjoint_a, adjoint_b) = (cx.attr_bool("adjoint_a")?, cx.attr_bool("adjoint_b")?);
    let (graph, dy) = (cx.graph, cx.dy(0)?);
    let transposed = |x: &graph::Output| cx.op("Transpose").input(x).input(graph.constant([1i32, 0])).output();
    let mut db = cx
        .op("SparseTensorDenseMatMul")
        .input(cx.x(0))
        .input(cx.x(1))
        .input(cx.x(2))
        .input(&dy)
        .attr("adjoint_a", !adjoint_a)
        .output();
    if adjoint_b {
        db = transposed(&db);
    }
    let axis = graph.constant(1i32);
    let column = |at: i32| cx.op("GatherV2").input(cx.x(0)).input(graph.constant(at)).input(&axis).output();
    let (rows, columns) = (column(0), column(1));
    let gather = |x: graph::Output, at: &graph::Output| {
        cx.op("GatherV2").input(x).input(at).input(graph.constant(0i32)).output()
    };
    let b = if adjoint_b { transposed(&cx.x(3)) } else { cx.x(3) };
    let (of_a, of_b) = if adjoint_a { (&columns, &rows) } else { (&rows, &columns) };
    let product = cx.op("Mul").input(gather(dy, of_a)).input(gather(b, of_b)).output();
    let da = cx.op("Sum").input(product).input(&axis).output();
    Ok(vec![None, Some(da.into()), None, Some(db.into())])
}
