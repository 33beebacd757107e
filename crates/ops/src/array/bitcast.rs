//! `Bitcast`: the same bytes as elements of another type.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

pub(crate) fn register(r: &mut Registry) {
    let types = "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, \
                 complex128, qint8, quint8, qint16, quint16, qint32}";
    r.op("Bitcast", "input: T -> output: type")
        .attr(&format!("T: {types}"))
        .attr(&format!("type: {types}"))
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

/// A larger element takes the place of a last dimension, a smaller one adds one.
fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (from, to) = (cx.attr_type("T")?.size(), cx.attr_type("type")?.size());
    let input = cx.input(0);
    let Some(dims) = input.raw_dims() else { return Ok(()) };
    let mut dims = dims.to_vec();
    if from > to {
        dims.push((from / to) as i64);
    } else if from < to {
        let Some(last) = dims.pop() else {
            bail!(InvalidArgument, "Cannot bitcast due to shape. A scalar has no {} elements to join", to / from)
        };
        let wanted = (to / from) as i64;
        ensure!(
            last < 0 || last == wanted,
            InvalidArgument,
            "Cannot bitcast due to shape. {last} does not match {wanted}"
        );
    }
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("type")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let result = bitcast(cx.input(0)?, dtype)?;
        cx.set_output(0, result);
        Ok(())
    }))
}

fn bitcast(input: &Tensor, dtype: DType) -> Result<Tensor> {
    let (from, to) = (input.dtype().size(), dtype.size());
    let mut dims = input.dims().to_vec();
    if from > to {
        dims.push((from / to) as i64);
    } else if from < to {
        let last = dims.pop();
        ensure!(
            last == Some((to / from) as i64),
            InvalidArgument,
            "Cannot bitcast from {} to {dtype}: shape {} has no last dimension of {}",
            input.dtype(),
            input.shape(),
            to / from
        );
    }
    let Some(buffer) = input.buffer() else { bail!(InvalidArgument, "Cannot bitcast from {}", input.dtype()) };
    Tensor::from_buffer(dtype, Shape::new(&dims)?, buffer.clone())
}
