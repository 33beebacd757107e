//! `MatrixTriangularSolve` and `BatchMatrixTriangularSolve`: solutions of systems of linear equations whose matrices are triangular.

use graph::op::{GradContext, Kernel, OpContext, Registry};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::matrices::{ADJOINT, Matrices, REAL_TYPES, TYPES, Wide, finish, place_of, solve_shape, solved, with_field};

pub(crate) fn register(r: &mut Registry) {
    r.op("MatrixTriangularSolve", "matrix: T, rhs: T -> output: T")
        .attr("lower: bool = true")
        .attr(ADJOINT)
        .attr("T: {bfloat16, double, float, half, complex64, complex128}")
        .shape(solve_shape)
        .kernel("T", TYPES, triangular_kernel)
        .gradient(triangular_gradient);
    r.op("BatchMatrixTriangularSolve", "matrix: T, rhs: T -> output: T")
        .attr("lower: bool = true")
        .attr(ADJOINT)
        .attr("T: {double, float}")
        .shape(solve_shape)
        .kernel("T", REAL_TYPES, triangular_kernel);
}

fn triangular_kernel(node: &Node) -> Result<Kernel> {
    let (lower, adjoint) = (node.attr_bool("lower")?, node.attr_bool("adjoint")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (matrix, rhs) = (cx.input(0)?, cx.input(1)?);
        let output = with_field!(rhs.dtype(), T => solve::<T>(matrix, rhs, lower, adjoint))?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn solve<T: Wide>(matrix: &Tensor, rhs: &Tensor, lower: bool, adjoint: bool) -> Result<Tensor> {
    let matrices = Matrices::<T>::square(matrix)?;
    ensure!(rhs.shape().rank() >= 2, InvalidArgument, "In[1] ndims must be >= 2: {}", rhs.shape().rank());
    let sides = Matrices::<T>::of(rhs)?;
    ensure!(
        sides.rows == matrices.rows,
        InvalidArgument,
        "In[0] mismatch In[1] shape: {} vs. {}: {} {}",
        matrices.rows,
        sides.rows,
        matrix.shape(),
        rhs.shape()
    );
    let (a, b) = (PartialShape::from_dims(&matrices.outer), PartialShape::from_dims(&sides.outer));
    let Some(outer) = graph::op::broadcast_shapes(&a, &b)?.to_shape() else { bail!(Internal, "shapes are known here") };
    let dims = [outer.dims(), &[sides.rows as i64, sides.columns as i64]].concat();
    let shape = Shape::new(&dims)?;
    Tensor::check_size(T::DTYPE, &shape)?;
    let mut out = Vec::with_capacity(shape.num_elements());
    for batch in 0..outer.num_elements() {
        let i = place_of(batch, outer.dims(), &matrices.outer);
        let j = place_of(batch, outer.dims(), &sides.outer);
        out.extend(T::solve_triangle(matrices.one(i), sides.one(j), sides.columns, lower, adjoint));
    }
    finish(&dims, out, rhs.dtype())
}

fn triangular_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (adjoint, lower) = (cx.attr_bool("adjoint")?, cx.attr_bool("lower")?);
    let (a, b) = (cx.x(0), cx.x(1));
    let node = cx.op("MatrixTriangularSolve").input(&a).input(cx.dy(0)?).attr("lower", lower);
    let db = node.attr("adjoint", !adjoint).output();
    let da = solved(cx, (&cx.y(0), &db), adjoint);
    let (below, above) = if lower { (-1i64, 0i64) } else { (0, -1) };
    let band = cx.op("MatrixBandPart").input(da);
    let da = band.input(cx.graph.constant(below)).input(cx.graph.constant(above)).output();
    let outer = |shape: &PartialShape| {
        shape.raw_dims().and_then(|dims| dims.len().checked_sub(2).map(|end| dims[..end].to_vec()))
    };
    if a.shape().is_fully_known() && b.shape().is_fully_known() && outer(&a.shape()) == outer(&b.shape()) {
        return Ok(vec![Some(da.into()), Some(db.into())]);
    }
    let graph = cx.graph;
    let (a_shape, b_shape) = (a.unary("Shape"), b.unary("Shape"));
    let cut = |shape: &Output| {
        let (begin, end, step) = (graph.constant([0i32]), graph.constant([-2i32]), graph.constant([1i32]));
        cx.op("StridedSlice").input(shape).input(begin).input(end).input(step).attr("begin_mask", 1i64).output()
    };
    let axes = cx.op("BroadcastGradientArgs").input(cut(&a_shape)).input(cut(&b_shape)).outputs();
    let [a_axes, b_axes] = &axes[..] else { bail!(Internal, "two lists of axes are missing") };
    let reduced = |grad: Output, axes: &Output, shape: Output| {
        let sum = cx.op("Sum").input(grad).input(axes).output();
        cx.op("Reshape").input(sum).input(shape).output()
    };
    Ok(vec![Some(reduced(da, a_axes, a_shape).into()), Some(reduced(db, b_axes, b_shape).into())])
}
