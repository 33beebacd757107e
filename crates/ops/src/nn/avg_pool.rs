//! `AvgPool` and `AvgPoolGrad`: the mean value of each window, in the NHWC layout.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use math::pool::Pool;
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Shape, Tensor, bf16, ensure, f16};

use super::pool::{Windowing, only_nhwc, same_windows, shape};

pub(crate) fn register(r: &mut Registry) {
    r.op("AvgPool", "value: T -> output: T")
        .attr("ksize: list(int) >= 4")
        .attr("strides: list(int) >= 4")
        .attr("padding: {'SAME', 'VALID'}")
        .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
        .attr("T: {half, bfloat16, float, double}")
        .shape(shape)
        .kernel("T", FLOATS, avg_kernel)
        .gradient(avg_gradient);
    r.op("AvgPoolGrad", "orig_input_shape: int32, grad: T -> output: T")
        .attr("ksize: list(int) >= 4")
        .attr("strides: list(int) >= 4")
        .attr("padding: {'SAME', 'VALID'}")
        .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
        .attr("T: {half, bfloat16, float, double}")
        .shape(avg_grad_shape)
        .kernel("T", FLOATS, avg_grad_kernel)
        .gradient(avg_second_gradient);
}

const FLOATS: &[DType] = &[Float, Double, Half, BFloat16];

fn avg_kernel(node: &Node) -> Result<Kernel> {
    let pool = Windowing::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        only_nhwc(&pool, "AvgPoolingOp")?;
        let output = avg_pool(&pool, cx.input(0)?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

pub(super) fn avg_pool(pool: &Windowing, input: &Tensor) -> Result<Tensor> {
    ensure!(pool.ksize[3] == 1, Unimplemented, "Non-spatial pooling is not yet supported.");
    let geometry = pool.geometry(input.dims())?;
    let shape = pool.output_shape(input.dims(), &geometry)?;
    dispatch!(input.dtype(), T in [f32, f64, f16, bf16] => {
        let values = input.as_slice::<T>()?;
        Tensor::build(shape, |out: &mut [T]| {
            T::avg_pool(&geometry, values, out);
            Ok(())
        })
    })
}

fn avg_grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.input_as_shape(0).merge(&PartialShape::of_rank(4))?;
    cx.set(0, shape);
    Ok(())
}

fn avg_grad_kernel(node: &Node) -> Result<Kernel> {
    let pool = Windowing::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        only_nhwc(&pool, "AvgPoolingGradOp")?;
        let gradient = avg_pool_grad(&pool, cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, gradient);
        Ok(())
    }))
}

/// The gradient of a mean goes to all values of the window, in equal parts.
pub(super) fn avg_pool_grad(pool: &Windowing, sizes: &Tensor, grad: &Tensor) -> Result<Tensor> {
    ensure!(
        sizes.shape().rank() == 1 && sizes.num_elements() == 4,
        InvalidArgument,
        "out_backprop must be 1-dimensional and 4 elements"
    );
    ensure!(grad.shape().rank() == 4, InvalidArgument, "out_backprop must be 4-dimensional");
    ensure!(pool.ksize[3] == 1, Unimplemented, "Non-spatial pooling is not yet supported.");
    let shape = Shape::new(&sizes.to_i64_vec()?)?;
    let geometry = pool.geometry(shape.dims())?;
    let expected = pool.output_shape(shape.dims(), &geometry)?;
    ensure!(
        *grad.shape() == expected,
        InvalidArgument,
        "out_backprop of shape {} is not that of pooling {shape}, which is {expected}",
        grad.shape()
    );
    dispatch!(grad.dtype(), T in [f32, f64, f16, bf16] => {
        let grad = grad.as_slice::<T>()?;
        Tensor::build(shape, |out: &mut [T]| {
            T::avg_pool_grad(&geometry, grad, out);
            Ok(())
        })
    })
}

fn avg_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("AvgPoolGrad").input(cx.x(0).unary("Shape")).input(cx.dy(0)?);
    Ok(vec![Some(same_windows(cx, node).into())])
}

fn avg_second_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("AvgPool").input(cx.dy(0)?);
    Ok(vec![None, Some(same_windows(cx, node).into())])
}
