//! `MaxPool`, `MaxPoolGrad` and `MaxPoolGradGrad`: the greatest value of each window, in the NHWC layout.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use math::pool::Pool;
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Shape, Tensor, bf16, ensure, f16};

use super::pool::{Windowing, only_nhwc, same_windows, shape};

pub(crate) fn register(r: &mut Registry) {
    r.op("MaxPool", "input: T -> output: T")
        .attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float")
        .attr("ksize: list(int) >= 4")
        .attr("strides: list(int) >= 4")
        .attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
        .attr("explicit_paddings: list(int) = []")
        .attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
        .shape(shape)
        .kernel("T", TYPES, max_kernel)
        .gradient(max_gradient);
    r.op("MaxPoolGrad", "orig_input: T, orig_output: T, grad: T -> output: T")
        .attr("ksize: list(int) >= 4")
        .attr("strides: list(int) >= 4")
        .attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
        .attr("explicit_paddings: list(int) = []")
        .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
        .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = float")
        .shape(ShapeContext::unchanged)
        .kernel("T", TYPES, max_grad_kernel)
        .gradient(max_second_gradient);
    r.op("MaxPoolGradGrad", "orig_input: T, orig_output: T, grad: T -> output: T")
        .attr("ksize: list(int) >= 4")
        .attr("strides: list(int) >= 4")
        .attr("padding: {'SAME', 'VALID'}")
        .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
        .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
        .shape(max_grad_grad_shape)
        .kernel("T", TYPES, max_grad_grad_kernel)
        .gradient(max_third_gradient);
}

pub(super) const TYPES: &[DType] =
    &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64];

fn max_kernel(node: &Node) -> Result<Kernel> {
    let pool = Windowing::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        only_nhwc(&pool, "MaxPoolingOp")?;
        let output = max_pool(&pool, cx.input(0)?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

pub(super) fn max_pool(pool: &Windowing, input: &Tensor) -> Result<Tensor> {
    let geometry = pool.geometry(input.dims())?;
    let shape = pool.output_shape(input.dims(), &geometry)?;
    dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
        let values = input.as_slice::<T>()?;
        Tensor::build(shape, |out: &mut [T]| {
            T::max_pool(&geometry, values, out);
            Ok(())
        })
    })
}

fn max_grad_kernel(node: &Node) -> Result<Kernel> {
    let pool = Windowing::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        only_nhwc(&pool, "MaxPoolingGradOp")?;
        let gradient = max_pool_grad(&pool, cx.input(0)?, cx.input(1)?.shape(), cx.input(2)?)?;
        cx.set_output(0, gradient);
        Ok(())
    }))
}

/// The gradient goes to the first of the greatest values of each window.
pub(super) fn max_pool_grad(pool: &Windowing, input: &Tensor, output: &Shape, grad: &Tensor) -> Result<Tensor> {
    ensure!(input.shape().rank() == 4, InvalidArgument, "tensor_in must be 4-dimensional");
    ensure!(pool.ksize[3] == 1, Unimplemented, "MaxPoolGrad is not supported on the depth dimension");
    let geometry = pool.geometry(input.dims())?;
    let expected = pool.output_shape(input.dims(), &geometry)?;
    ensure!(*output == expected, InvalidArgument, "Expected orig_output shape to be {expected}, but got {output}");
    ensure!(
        *grad.shape() == expected,
        InvalidArgument,
        "Expected grad shape to be {expected}, but got {}",
        grad.shape()
    );
    dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
        let (values, grad) = (input.as_slice::<T>()?, grad.as_slice::<T>()?);
        Tensor::build(input.shape().clone(), |out: &mut [T]| {
            T::max_pool_grad(&geometry, values, grad, out);
            Ok(())
        })
    })
}

pub(super) fn max_grad_grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let output = cx.input(1).merge(&PartialShape::of_rank(4))?;
    cx.set(0, output);
    Ok(())
}

fn max_grad_grad_kernel(node: &Node) -> Result<Kernel> {
    let pool = Windowing::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        only_nhwc(&pool, "MaxPoolingGradGradOp")?;
        let output = max_pool_grad_grad(&pool, cx.input(0)?, cx.input(1)?.shape(), cx.input(2)?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

pub(super) fn max_pool_grad_grad(pool: &Windowing, input: &Tensor, output: &Shape, grad: &Tensor) -> Result<Tensor> {
    ensure!(input.shape().rank() == 4, InvalidArgument, "tensor_in must be 4-dimensional");
    ensure!(pool.ksize[3] == 1, Unimplemented, "MaxPoolingGradGrad is not yet supported on the depth dimension.");
    let geometry = pool.geometry(input.dims())?;
    let expected = pool.output_shape(input.dims(), &geometry)?;
    ensure!(*output == expected, InvalidArgument, "Expected orig_output shape to be {expected}, but got {output}");
    ensure!(
        grad.shape() == input.shape(),
        InvalidArgument,
        "Expected grad shape to be {}, but got {}",
        input.shape(),
        grad.shape()
    );
    dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
        let (values, grad) = (input.as_slice::<T>()?, grad.as_slice::<T>()?);
        Tensor::build(expected, |out: &mut [T]| {
            T::max_pool_grad_grad(&geometry, values, grad, out);
            Ok(())
        })
    })
}

fn max_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("MaxPoolGrad").input(cx.x(0)).input(cx.y(0)).input(cx.dy(0)?);
    Ok(vec![Some(same_windows(cx, node).into())])
}

fn max_second_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    max_inner_gradient(cx, "MaxPoolGradGrad")
}

fn max_third_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    max_inner_gradient(cx, "MaxPoolGrad")
}

/// Which element is the greatest does not change a little way around; only the gradient passes.
fn max_inner_gradient(cx: &GradContext<'_>, op: &str) -> Result<Vec<Option<Gradient>>> {
    let (input, output) = (cx.x(0), cx.x(1));
    let node = cx.op(op).input(&input).input(&output).input(cx.dy(0)?);
    let passed = same_windows(cx, node);
    Ok(vec![Some(input.unary("ZerosLike").into()), Some(output.unary("ZerosLike").into()), Some(passed.into())])
}
