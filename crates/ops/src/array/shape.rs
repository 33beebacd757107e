//! `Shape`, `ShapeN`, `Size` and `Rank`: what a tensor is like, as a tensor.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, Output, ReadAttrs};
use tensor::{DType, PartialShape, Result, Tensor, err};

use crate::arguments::int_tensor;

pub(crate) fn register(r: &mut Registry) {
    r.op("Shape", "input: T -> output: out_type")
        .attr("T: type")
        .attr("out_type: {int32, int64} = int32")
        .shape(shape_shape)
        .any_kernel(shape_kernel)
        .not_differentiable();
    r.op("ShapeN", "input: N * T -> output: N * out_type")
        .attr("N: int >= 1")
        .attr("T: type")
        .attr("out_type: {int32, int64} = int32")
        .shape(shape_shape)
        .any_kernel(shape_kernel)
        .not_differentiable();
    r.op("Size", "input: T -> output: out_type")
        .attr("T: type")
        .attr("out_type: {int32, int64} = int32")
        .shape(ShapeContext::scalar)
        .any_kernel(size_kernel)
        .not_differentiable();
    r.op("Rank", "input: T -> output: int32")
        .attr("T: type")
        .shape(ShapeContext::scalar)
        .any_kernel(rank_kernel)
        .not_differentiable();
}

fn shape_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    for index in 0..cx.num_inputs() {
        let rank = cx.input(index).rank();
        cx.set(index, PartialShape::vector(rank.map(|rank| rank as i64)));
    }
    Ok(())
}

fn shape_kernel(node: &Node) -> Result<Kernel> {
    let out_type = node.attr_type("out_type")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        for index in 0..cx.num_inputs() {
            let shape = int_tensor(cx.input(index)?.dims(), out_type)?;
            cx.set_output(index, shape);
        }
        Ok(())
    }))
}

fn size_kernel(node: &Node) -> Result<Kernel> {
    let out_type = node.attr_type("out_type")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let size = size(cx.input(0)?, out_type)?;
        cx.set_output(0, size);
        Ok(())
    }))
}

fn size(tensor: &Tensor, out_type: DType) -> Result<Tensor> {
    let count = tensor.num_elements() as i64;
    match out_type {
        DType::Int64 => Ok(Tensor::scalar(count)),
        _ => match i32::try_from(count) {
            Ok(count) => Ok(Tensor::scalar(count)),
            Err(_) => {
                Err(err!(InvalidArgument, "Number of elements was larger than representable by 32-bit output type"))
            }
        },
    }
}

fn rank_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let rank = cx.input(0)?.shape().rank() as i32;
        cx.set_output(0, rank);
        Ok(())
    }))
}

/// Shapes as tensors, known when the step runs (`Shape`, `Size`, `Rank`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(eval(&x.shape_tensor())?, Tensor::from([2i32, 3]));
/// assert_eq!(eval(&x.size())?, Tensor::from(6i32));
/// assert_eq!(eval(&x.rank())?, Tensor::from(2i32));
/// # Ok(())
/// # }
/// ```
pub trait ShapeOps {
    /// Returns the dimensions, an int32 vector that is known when the step runs. ([`Output::shape`] is what is known
    /// before.)
    fn shape_tensor(&self) -> Output;
    /// Returns the number of elements.
    fn size(&self) -> Output;
    /// Returns the number of axes.
    fn rank(&self) -> Output;
}

impl ShapeOps for Output {
    #[track_caller]
    fn shape_tensor(&self) -> Output {
        self.unary("Shape")
    }

    #[track_caller]
    fn size(&self) -> Output {
        self.unary("Size")
    }

    #[track_caller]
    fn rank(&self) -> Output {
        self.unary("Rank")
    }
}
