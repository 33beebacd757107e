//! `Lu`: the triangles that square matrices are eliminated to, and the order of their rows.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::{DType, PartialShape, Result, Tensor, ensure};

use super::cast::cast;
use super::matrices::{ALLOWED, Matrices, TYPES, Wide, finish, square, with_field};

pub(crate) fn register(r: &mut Registry) {
    r.op("Lu", "input: T -> lu: T, p: output_idx_type")
        .attr(ALLOWED)
        .attr("output_idx_type: {int32, int64} = int32")
        .shape(shape)
        .kernel("T", TYPES, kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = square(cx)?;
    if let Some([outer @ .., _]) = shape.raw_dims() {
        cx.set(1, PartialShape::from_dims(outer));
    }
    cx.set(0, shape);
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let order_type = cx.node.output_types[1].dtype;
        let (triangles, order) = with_field!(input.dtype(), T => eliminated::<T>(input, order_type))?;
        cx.set_output(0, triangles);
        cx.set_output(1, order);
        Ok(())
    }))
}

fn eliminated<T: Wide>(input: &Tensor, order_type: DType) -> Result<(Tensor, Tensor)> {
    let matrices = Matrices::<T>::square(input)?;
    let size = matrices.rows;
    let (mut values, mut order) = (Vec::with_capacity(matrices.values.len()), Vec::new());
    for matrix in matrices.each() {
        let parts = T::eliminate(matrix, size);
        ensure!(parts.diagonal().all(|value| value != T::zero()), InvalidArgument, "Input is not invertible.");
        order.extend(parts.order.iter().map(|row| *row as i64));
        values.extend(parts.values);
    }
    let order = cast(Tensor::new(matrices.dims(&[size])?, order)?, order_type, false)?;
    Ok((finish(input.dims(), values, input.dtype())?, order))
}
