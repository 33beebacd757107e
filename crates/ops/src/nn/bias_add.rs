//! `BiasAdd`, `BiasAddV1` and `BiasAddGrad`: one number a channel, added to all its places.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Operand, Output, ReadAttrs};
use math::broadcast::BroadcastPlan;
use math::elementwise::{Binary, BinaryOp};
use math::reduce::{Reduce, ReduceOp};
use tensor::DType::{self, *};
use tensor::{Complex64, Complex128, PartialShape, Result, Shape, Tensor, bf16, ensure, err, f16};

use crate::math::reduce::reduce_plan;

const TYPES: &[DType] =
    &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Complex64, Complex128];
const ALLOWED: &str = "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, \
                       bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}";

pub(crate) fn register(r: &mut Registry) {
    r.op("BiasAdd", "value: T, bias: T -> output: T")
        .attr(ALLOWED)
        .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
    r.op("BiasAddV1", "value: T, bias: T -> output: T")
        .attr(ALLOWED)
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
    r.op("BiasAddGrad", "out_backprop: T -> output: T")
        .attr(ALLOWED)
        .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
        .shape(grad_shape)
        .kernel("T", TYPES, grad_kernel)
        .gradient(second_gradient);
}

fn channels_first(node: &impl ReadAttrs) -> bool {
    node.attr_str("data_format").is_ok_and(|format| format == "NCHW")
}

/// The axis of the channels: the last, or counted after the batch's.
fn channel_axis(rank: usize, channels_first: bool) -> usize {
    if channels_first { 1 } else { rank - 1 }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (value, bias) = (cx.with_rank_at_least(0, 2)?, cx.with_rank(1, 1)?);
    let Some(mut dims) = value.dims() else { return Ok(()) };
    let axis = channel_axis(dims.len(), channels_first(cx));
    if let (Some(channels), Some(biases)) = (dims[axis], bias.dim(0)) {
        ensure!(
            channels == biases,
            InvalidArgument,
            "Dimensions must be equal, but are {channels} and {biases} for '{}' (op: '{}') with input shapes: {}",
            cx.node.name,
            cx.node.op,
            cx.shown()
        );
    }
    dims[axis] = dims[axis].or(bias.dim(0));
    cx.set(0, PartialShape::new(&dims));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let channels_first = channels_first(node);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let value = cx.take_input(0)?;
        let sum = bias_add(value, cx.input(1)?, channels_first)?;
        cx.set_output(0, sum);
        Ok(())
    }))
}

/// Adds the bias, in place if nobody else holds the value.
pub(crate) fn bias_add(mut value: Tensor, bias: &Tensor, channels_first: bool) -> Result<Tensor> {
    let rank = value.shape().rank();
    ensure!(rank >= 2, InvalidArgument, "Input tensor must be at least 2D: {}", value.shape());
    ensure!(bias.shape().rank() == 1, InvalidArgument, "Biases must be 1D: {}", bias.shape());
    let axis = channel_axis(rank, channels_first);
    ensure!(
        bias.dims()[0] == value.dims()[axis],
        InvalidArgument,
        "Must provide as many biases as the last dimension of the input tensor: {} vs. {}",
        bias.shape(),
        value.shape()
    );
    let mut along = vec![1i64; rank - axis];
    along[0] = bias.dims()[0];
    let plan = BroadcastPlan::new(value.dims(), &along)
        .ok_or_else(|| err!(InvalidArgument, "Incompatible shapes: {} vs. {}", value.shape(), bias.shape()))?;
    let unique = value.is_unique();
    dispatch!(
        value.dtype(),
        T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
            let bias = bias.as_slice::<T>()?;
            if unique {
                T::binary_in_place(BinaryOp::Add, &plan, value.make_mut::<T>()?, bias);
                return Ok(value);
            }
            let values = value.as_slice::<T>()?;
            Tensor::build(value.shape().clone(), |out: &mut [T]| {
                T::binary(BinaryOp::Add, &plan, values, bias, out);
                Ok(())
            })
        }
    )
}

fn grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let value = cx.with_rank_at_least(0, 2)?;
    let channels = value.rank().and_then(|rank| value.dim(channel_axis(rank, channels_first(cx))));
    cx.set(0, PartialShape::vector(channels));
    Ok(())
}

fn grad_kernel(node: &Node) -> Result<Kernel> {
    let channels_first = channels_first(node);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let sum = bias_add_grad(cx.input(0)?, channels_first)?;
        cx.set_output(0, sum);
        Ok(())
    }))
}

/// The sum over all axes but the channels'.
fn bias_add_grad(gradient: &Tensor, channels_first: bool) -> Result<Tensor> {
    let rank = gradient.shape().rank();
    ensure!(rank >= 2, InvalidArgument, "Input tensor must be at least 2D: {}", gradient.shape());
    let channels = channel_axis(rank, channels_first);
    let others: Vec<usize> = (0..rank).filter(|axis| *axis != channels).collect();
    let plan = reduce_plan(gradient.shape(), &others)?;
    let shape = Shape::new(&plan.out_shape(false))?;
    dispatch!(
        gradient.dtype(),
        T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
            let values = gradient.as_slice::<T>()?;
            Tensor::build(shape, |out: &mut [T]| {
                T::reduce(ReduceOp::Sum, &plan, values, out);
                Ok(())
            })
        }
    )
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let format = if channels_first(cx) { "NCHW" } else { "NHWC" };
    let for_bias = cx.op("BiasAddGrad").input(&dy).attr("data_format", format).output();
    Ok(vec![Some(dy.into()), Some(for_bias.into())])
}

/// The gradient of a sum goes back to all places.
fn second_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let mut dy = cx.dy(0)?;
    if channels_first(cx) {
        // [-1, 1, ..]: as many ones as there are axes after the channels.
        let after = cx.x(0).unary("Rank") - 2;
        let after = cx.op("Reshape").input(after).input(cx.graph.constant([1i32])).output();
        let ones = cx.op("Fill").input(after).input(cx.graph.constant(1i32)).output();
        let parts = [cx.graph.constant([-1i32]), ones];
        let shape = cx.op("ConcatV2").name("concat").input_list(&parts).input(cx.graph.constant(0i32)).output();
        dy = cx.op("Reshape").input(dy).input(shape).output();
    }
    let spread = cx.op("BroadcastTo").input(dy).input(cx.x(0).unary("Shape")).output();
    Ok(vec![Some(spread.into())])
}

/// Adds one number a channel, as layers do (`BiasAdd`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let (x, b) = (g.constant([[1f32, 2.0]]), g.constant([10f32, 20.0]));
/// assert_eq!(eval(&x.bias_add(&b))?, Tensor::from([[11f32, 22.0]]));
/// let w = g.constant([[1f32, 0.0], [0.0, -1.0]]);
/// assert_eq!(eval(&x.xw_plus_b(&w, &b))?, Tensor::from([[11f32, 18.0]]));
/// # Ok(())
/// # }
/// ```
pub trait BiasAddOps {
    /// Returns this plus one number a channel, where the last axis is the channels'.
    fn bias_add(&self, bias: &Output) -> Output;
    /// Returns a layer: this times `weights`, plus `biases`.
    fn xw_plus_b(&self, weights: &Output, biases: &Output) -> Output;
}

impl BiasAddOps for Output {
    #[track_caller]
    fn bias_add(&self, bias: &Output) -> Output {
        self.binary("BiasAdd", "BiasAdd", bias.to_output(self.graph(), self.dtype()))
    }

    #[track_caller]
    fn xw_plus_b(&self, weights: &Output, biases: &Output) -> Output {
        let at = std::panic::Location::caller();
        self.graph().with_name_scope("xw_plus_b", |graph| {
            let product = graph.op("MatMul").input(self).input(weights).at(at).output();
            graph.op("BiasAdd").input(product).input(biases).at(at).output()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_last_and_first() {
        let value = Tensor::new([1, 2, 2], vec![1f32, 2.0, 3.0, 4.0]).unwrap();
        let bias = Tensor::from([10f32, 20.0]);
        let sum = |channels_first| bias_add(value.clone(), &bias, channels_first).unwrap();
        assert_eq!(sum(false).as_slice::<f32>().unwrap(), [11.0, 22.0, 13.0, 24.0]);
        assert_eq!(sum(true).as_slice::<f32>().unwrap(), [11.0, 12.0, 23.0, 24.0]);
        assert_eq!(bias_add_grad(&value, false).unwrap(), Tensor::from([4f32, 6.0]));
        assert_eq!(bias_add_grad(&value, true).unwrap(), Tensor::from([3f32, 7.0]));
    }

    /// TensorFlow 2.21 says this.
    #[test]
    fn biases_that_do_not_fit() {
        let message = |value: Tensor, bias: Tensor| bias_add(value, &bias, false).unwrap_err().message().to_owned();
        assert_eq!(message(Tensor::from([1f32]), Tensor::from([1f32])), "Input tensor must be at least 2D: [1]");
        assert_eq!(message(Tensor::from([[1f32]]), Tensor::from([[1f32]])), "Biases must be 1D: [1,1]");
        assert_eq!(
            message(Tensor::from([[1f32; 3]; 2]), Tensor::from([1f32; 2])),
            "Must provide as many biases as the last dimension of the input tensor: [2] vs. [2,3]"
        );
    }
}
