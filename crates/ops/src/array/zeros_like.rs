//! `ZerosLike` and `OnesLike`: tensors of zeros or ones in the shape of another.

use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Node, ReadAttrs};
use tensor::{DType, Result, Tensor};

use super::fill::one;
use crate::arguments::kernel_by_size;
use crate::moving::{Repeat, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("ZerosLike", "x: T -> y: T")
        .attr("T: type")
        .shape(ShapeContext::unchanged)
        .kernel("T", types::ALL, zeros_kernel)
        .not_differentiable();
    r.op("OnesLike", "x: T -> y: T")
        .attr("T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, complex128, bool}")
        .shape(ShapeContext::unchanged)
        .any_kernel(ones_kernel)
        .not_differentiable();
}

fn zeros_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let x = cx.input(0)?;
        let zeros = match x.dtype() {
            DType::Variant => crate::data_flow::zeros_like_variant(x)?,
            dtype => Tensor::zeros(dtype, x.shape())?,
        };
        cx.set_output(0, zeros);
        Ok(())
    }))
}

fn ones_kernel(node: &Node) -> Result<Kernel> {
    let one = one(node.attr_type("T")?)?;
    Ok(kernel_by_size(node, move |cx: &mut OpContext<'_>| {
        let shape = cx.input(0)?.shape().clone();
        let ones = moved(shape, &[&one], &Repeat)?;
        cx.set_output(0, ones);
        Ok(())
    }))
}
