//! `DepthwiseConv2dNative` and its gradient ops `DepthwiseConv2dNativeBackpropInput` and
//! `DepthwiseConv2dNativeBackpropFilter`: each channel of an image with filters of its own.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{AttrValue, Gradient, Node, OpBuilder};
use math::conv::{ConvGeometry, Depthwise};
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure, err};

use super::window::{Windows, inferring};
use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] = &[Float, Double, Half, BFloat16];
    let mut op = |name: &str, signature: &str, shape, kernel, gradient| {
        r.op(name, signature)
            .attr("T: {half, bfloat16, float, double}")
            .attr("strides: list(int)")
            .attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
            .attr("explicit_paddings: list(int) = []")
            .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
            .attr("dilations: list(int) = [1, 1, 1, 1]")
            .shape(shape)
            .kernel("T", TYPES, kernel)
            .gradient(gradient);
    };
    let forward: graph::op::ShapeFn = forward_shape;
    let build: fn(&Node) -> Result<Kernel> = forward_kernel;
    let gradient: graph::op::GradFn = forward_gradient;
    op("DepthwiseConv2dNative", "input: T, filter: T -> output: T", forward, build, gradient);
    let signature = "input_sizes: int32, filter: T, out_backprop: T -> output: T";
    op("DepthwiseConv2dNativeBackpropInput", signature, sizes_shape, input_kernel, input_gradient);
    let signature = "input: T, filter_sizes: int32, out_backprop: T -> output: T";
    op("DepthwiseConv2dNativeBackpropFilter", signature, sizes_shape, filter_kernel, filter_gradient);
}

fn forward_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (input, filter) = (cx.with_rank(0, 4)?, cx.with_rank(1, 4)?);
    let windows = inferring(cx, Windows::new(cx.node))?;
    let [batch, height, width, channels] = windows.axes().map(|axis| input.dim(axis));
    if let (Some(channels), Some(depth)) = (channels, filter.dim(2)) {
        ensure!(channels == depth, InvalidArgument, "Dimensions must be equal, but are {channels} and {depth}");
    }
    let out_height = inferring(cx, windows.inferred(0, height, filter.dim(0)))?;
    let out_width = inferring(cx, windows.inferred(1, width, filter.dim(1)))?;
    let depth = match (channels.or(filter.dim(2)), filter.dim(3)) {
        (Some(channels), Some(multiplier)) => channels.checked_mul(multiplier),
        _ => None,
    };
    cx.set(0, PartialShape::new(&windows.arrange([batch, out_height, out_width, depth])));
    Ok(())
}

/// The output has the sizes that the op is told.
fn sizes_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let index = if cx.node.op.ends_with("Input") { 0 } else { 1 };
    let shape = cx.input_as_shape(index).merge(&PartialShape::of_rank(4))?;
    cx.set(0, shape);
    Ok(())
}

/// All sizes of a depthwise convolution of an image with filters of four dimensions.
fn geometry(windows: &Windows, input: &[i64], filter: &[i64]) -> Result<ConvGeometry> {
    let (&[batch, in_height, in_width, channels], &[filter_height, filter_width, depth, multiplier]) = (input, filter)
    else {
        bail!(InvalidArgument, "input must be 4-dimensional and filter must be 4-dimensional: {input:?} and {filter:?}")
    };
    ensure!(channels == depth, InvalidArgument, "input and filter must have the same depth: {channels} vs {depth}");
    ensure!(filter[..2].iter().all(|dim| *dim > 0), InvalidArgument, "filter must not have zero elements");
    let (height, width) = (windows.extent(0, in_height, filter_height)?, windows.extent(1, in_width, filter_width)?);
    let outer = channels.checked_mul(multiplier);
    let outer = outer.ok_or_else(|| err!(InvalidArgument, "{channels} channels with {multiplier} outputs each"))?;
    Ok(ConvGeometry {
        batch: batch as usize,
        in_height: in_height as usize,
        in_width: in_width as usize,
        in_channels: channels as usize,
        filter_height: filter_height as usize,
        filter_width: filter_width as usize,
        out_channels: outer as usize,
        out_height: height.out as usize,
        out_width: width.out as usize,
        stride_height: windows.strides[0] as usize,
        stride_width: windows.strides[1] as usize,
        dilation_height: windows.dilations[0] as usize,
        dilation_width: windows.dilations[1] as usize,
        pad_top: height.before as usize,
        pad_bottom: height.after as usize,
        pad_left: width.before as usize,
        pad_right: width.after as usize,
    })
}

fn output_dims(g: &ConvGeometry) -> [i64; 4] {
    [g.batch, g.out_height, g.out_width, g.out_channels].map(|dim| dim as i64)
}

fn windows_of(node: &Node) -> Result<Windows> {
    let windows = Windows::new(node)?;
    ensure!(!windows.channels_first, Unimplemented, "Depthwise convolution on CPU is only supported for NHWC format");
    ensure!(
        windows.strides[0] == windows.strides[1],
        InvalidArgument,
        "Current implementation only supports equal length strides in the row and column dimensions."
    );
    Ok(windows)
}

fn check_rank(tensor: &Tensor, name: &str) -> Result<()> {
    ensure!(tensor.shape().rank() == 4, InvalidArgument, "{name} must be 4-dimensional{}", tensor.shape());
    Ok(())
}

fn narrowed(tensor: Tensor, dtype: DType) -> Result<Tensor> {
    if matches!(dtype, Half | BFloat16) { narrow(&tensor, dtype) } else { Ok(tensor) }
}

fn forward_kernel(node: &Node) -> Result<Kernel> {
    let windows = windows_of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let dtype = cx.input(0)?.dtype();
        let (input, filter) = (widen(cx.input(0)?)?, widen(cx.input(1)?)?);
        check_rank(&input, "input")?;
        check_rank(&filter, "filter")?;
        let g = geometry(&windows, input.dims(), filter.dims())?;
        let shape = Shape::new(&output_dims(&g))?;
        let output = dispatch!(input.dtype(), T in [f32, f64] => {
            let (x, w) = (input.as_slice::<T>()?, filter.as_slice::<T>()?);
            Tensor::build(shape, |out: &mut [T]| {
                T::depthwise(&g, x, w, out);
                Ok(())
            })
        })?;
        cx.set_output(0, narrowed(output, dtype)?);
        Ok(())
    }))
}

/// The dimensions that an input of four integers states.
fn sizes_of(tensor: &Tensor, name: &str) -> Result<Vec<i64>> {
    let dims = crate::arguments::int_vector(tensor, &format!("{name} input must be 1-dim, not "))?;
    ensure!(
        dims.len() == 4 && dims.iter().all(|dim| *dim >= 0),
        InvalidArgument,
        "{name} must be 4 sizes, got {dims:?}"
    );
    Ok(dims)
}

fn check_gradient(g: &ConvGeometry, dy: &Tensor) -> Result<()> {
    check_rank(dy, "out_backprop")?;
    ensure!(
        dy.dims() == output_dims(g),
        InvalidArgument,
        "out_backprop has shape {}, but the output has shape {:?}",
        dy.shape(),
        output_dims(g)
    );
    Ok(())
}

fn input_kernel(node: &Node) -> Result<Kernel> {
    let windows = windows_of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let dims = sizes_of(cx.input(0)?, "input_sizes")?;
        let dtype = cx.input(1)?.dtype();
        let (filter, dy) = (widen(cx.input(1)?)?, widen(cx.input(2)?)?);
        check_rank(&filter, "filter")?;
        let shape = Shape::new(&dims)?;
        let g = geometry(&windows, &dims, filter.dims())?;
        check_gradient(&g, &dy)?;
        let output = dispatch!(filter.dtype(), T in [f32, f64] => {
            let (w, grads) = (filter.as_slice::<T>()?, dy.as_slice::<T>()?);
            Tensor::build(shape, |out: &mut [T]| {
                T::depthwise_backward_input(&g, w, grads, out);
                Ok(())
            })
        })?;
        cx.set_output(0, narrowed(output, dtype)?);
        Ok(())
    }))
}

fn filter_kernel(node: &Node) -> Result<Kernel> {
    let windows = windows_of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let dims = sizes_of(cx.input(1)?, "filter_sizes")?;
        let dtype = cx.input(0)?.dtype();
        let (input, dy) = (widen(cx.input(0)?)?, widen(cx.input(2)?)?);
        check_rank(&input, "input")?;
        let shape = Shape::new(&dims)?;
        let g = geometry(&windows, input.dims(), &dims)?;
        check_gradient(&g, &dy)?;
        let output = dispatch!(input.dtype(), T in [f32, f64] => {
            let (x, grads) = (input.as_slice::<T>()?, dy.as_slice::<T>()?);
            Tensor::build(shape, |out: &mut [T]| {
                T::depthwise_backward_filter(&g, x, grads, out);
                Ok(())
            })
        })?;
        cx.set_output(0, narrowed(output, dtype)?);
        Ok(())
    }))
}

/// A node with this one's strides, padding and so on.
fn alike(cx: &GradContext<'_>, op: &str) -> OpBuilder {
    let mut node = cx.op(op);
    for name in ["strides", "padding", "explicit_paddings", "data_format", "dilations"] {
        if let Some(value) = cx.node.attrs.get(name) {
            node = node.attr(name, AttrValue::clone(value));
        }
    }
    node
}

fn forward_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let shape = |index: usize| cx.op("Shape").input(cx.x(index)).output();
    let dx = alike(cx, "DepthwiseConv2dNativeBackpropInput").input(shape(0)).input(cx.x(1)).input(&dy).output();
    let dw = alike(cx, "DepthwiseConv2dNativeBackpropFilter").input(cx.x(0)).input(shape(1)).input(&dy).output();
    Ok(vec![Some(dx.into()), Some(dw.into())])
}

fn input_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let sizes = cx.op("Shape").input(cx.x(1)).output();
    let dw = alike(cx, "DepthwiseConv2dNativeBackpropFilter").input(&dy).input(sizes).input(cx.x(2)).output();
    let dx = alike(cx, "DepthwiseConv2dNative").input(&dy).input(cx.x(1)).output();
    Ok(vec![None, Some(dw.into()), Some(dx.into())])
}

fn filter_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let sizes = cx.op("Shape").input(cx.x(0)).output();
    let dx = alike(cx, "DepthwiseConv2dNativeBackpropInput").input(sizes).input(&dy).input(cx.x(2)).output();
    let dout = alike(cx, "DepthwiseConv2dNative").input(cx.x(0)).input(&dy).output();
    Ok(vec![Some(dx.into()), None, Some(dout.into())])
}
