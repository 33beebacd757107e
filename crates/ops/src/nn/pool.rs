//! `MaxPool`, `AvgPool` and their gradients: the greatest or the mean value of each window, in the NHWC layout.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{AttrValue, Gradient, Node, OpBuilder, Output, ReadAttrs};
use math::pool::{Pool, PoolGeometry};
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use super::window::{Windows, inferring};

const FLOATS: &[DType] = &[Float, Double, Half, BFloat16];
const TYPES: &[DType] = &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16];

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

/// The attributes of a pool.
#[derive(Clone, Copy)]
struct Windowing {
    windows: Windows,
    /// Batch, height, width, channels.
    ksize: [i64; 4],
    channel_stride: i64,
}

impl Windowing {
    fn new(node: &Node) -> Result<Windowing> {
        let windows = Windows::new(node)?;
        let sizes = node.attr_ints("ksize")?;
        let Ok(sizes) = <[i64; 4]>::try_from(sizes) else {
            bail!(InvalidArgument, "Sliding window ksize field must specify 4 dimensions");
        };
        let shown = sizes.map(|size| size.to_string()).join(",");
        ensure!(
            sizes.iter().all(|size| (1..=i32::MAX as i64).contains(size)),
            InvalidArgument,
            "Sliding window ksize must be positive. The specified or inferred ksize is: {shown}"
        );
        let [batch, .., channels] = windows.axes();
        let strides = node.attr_ints("strides")?;
        let stride = |axis: usize| strides.get(axis).copied().unwrap_or(1);
        let ksize = windows.axes().map(|axis| sizes[axis]);
        ensure!(
            ksize[0] == 1 && stride(batch) == 1,
            Unimplemented,
            "Pooling is not yet supported on the batch dimension."
        );
        Ok(Windowing { windows, ksize, channel_stride: stride(channels) })
    }

    fn geometry(&self, dims: &[i64]) -> Result<PoolGeometry> {
        let &[batch, in_height, in_width, channels] = dims else {
            bail!(InvalidArgument, "tensor_in_shape must have 2 spatial dimensions. {} 0", dims.len());
        };
        let image = in_height.saturating_mul(in_width).saturating_mul(channels);
        ensure!(image <= u32::MAX as i64, InvalidArgument, "an image of {image} elements is too large");
        if self.ksize[3] > 1 {
            return self.depth_geometry(dims);
        }
        let height = self.windows.extent(0, in_height, self.ksize[1])?;
        let width = self.windows.extent(1, in_width, self.ksize[2])?;
        Ok(PoolGeometry {
            batch: batch as usize,
            in_height: in_height as usize,
            in_width: in_width as usize,
            channels: channels as usize,
            window_height: self.ksize[1] as usize,
            window_width: self.ksize[2] as usize,
            stride_height: self.windows.strides[0] as usize,
            stride_width: self.windows.strides[1] as usize,
            pad_top: height.before as usize,
            pad_left: width.before as usize,
            out_height: height.out as usize,
            out_width: width.out as usize,
        })
    }

    /// Windows of channels: every pixel is an image that is as high as there are channels.
    fn depth_geometry(&self, dims: &[i64]) -> Result<PoolGeometry> {
        let (window, channels) = (self.ksize[3], dims[3]);
        ensure!(
            self.ksize[1] == 1 && self.ksize[2] == 1,
            Unimplemented,
            "MaxPooling supports exactly one of pooling across depth or pooling across width/height."
        );
        ensure!(
            channels % window == 0,
            Unimplemented,
            "Depthwise max pooling requires the depth window to evenly divide the input depth"
        );
        ensure!(
            window == self.channel_stride,
            Unimplemented,
            "Depthwise max pooling requires the depth window to equal the depth stride"
        );
        let pixels = Shape::new(&dims[..3])?.num_elements();
        Ok(PoolGeometry {
            batch: pixels,
            in_height: channels as usize,
            in_width: 1,
            channels: 1,
            window_height: window as usize,
            window_width: 1,
            stride_height: window as usize,
            stride_width: 1,
            pad_top: 0,
            pad_left: 0,
            out_height: (channels / window) as usize,
            out_width: 1,
        })
    }

    fn output_shape(&self, dims: &[i64], g: &PoolGeometry) -> Result<Shape> {
        match dims {
            [batch, height, width, _] if self.ksize[3] > 1 => {
                Shape::new(&[*batch, *height, *width, g.out_height as i64])
            }
            _ => Shape::new(&[g.batch, g.out_height, g.out_width, g.channels].map(|dim| dim as i64)),
        }
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank(0, 4)?;
    let Ok(pool) = Windowing::new(cx.node) else {
        // Sizes that are not supported are reported when the node runs, but strides must make sense.
        inferring(cx, Windows::new(cx.node))?;
        return Ok(());
    };
    let windows = pool.windows;
    let [batch, height, width, channels] = windows.axes().map(|axis| input.dim(axis));
    let height = inferring(cx, windows.inferred(0, height, Some(pool.ksize[1])))?;
    let width = inferring(cx, windows.inferred(1, width, Some(pool.ksize[2])))?;
    let channels = channels.map(|channels| channels / pool.ksize[3]);
    cx.set(0, PartialShape::new(&windows.arrange([batch, height, width, channels])));
    Ok(())
}

fn max_kernel(node: &Node) -> Result<Kernel> {
    let pool = Windowing::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        only_nhwc(&pool, "MaxPoolingOp")?;
        let output = max_pool(&pool, cx.input(0)?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn only_nhwc(pool: &Windowing, op: &str) -> Result<()> {
    ensure!(!pool.windows.channels_first, InvalidArgument, "Default {op} only supports NHWC on device type CPU");
    Ok(())
}

fn max_pool(pool: &Windowing, input: &Tensor) -> Result<Tensor> {
    let geometry = pool.geometry(input.dims())?;
    let shape = pool.output_shape(input.dims(), &geometry)?;
    dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16] => {
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
fn max_pool_grad(pool: &Windowing, input: &Tensor, output: &Shape, grad: &Tensor) -> Result<Tensor> {
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
    dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16] => {
        let (values, grad) = (input.as_slice::<T>()?, grad.as_slice::<T>()?);
        Tensor::build(input.shape().clone(), |out: &mut [T]| {
            T::max_pool_grad(&geometry, values, grad, out);
            Ok(())
        })
    })
}

fn max_grad_grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
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

fn max_pool_grad_grad(pool: &Windowing, input: &Tensor, output: &Shape, grad: &Tensor) -> Result<Tensor> {
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
    dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16] => {
        let (values, grad) = (input.as_slice::<T>()?, grad.as_slice::<T>()?);
        Tensor::build(expected, |out: &mut [T]| {
            T::max_pool_grad_grad(&geometry, values, grad, out);
            Ok(())
        })
    })
}

fn avg_kernel(node: &Node) -> Result<Kernel> {
    let pool = Windowing::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        only_nhwc(&pool, "AvgPoolingOp")?;
        let output = avg_pool(&pool, cx.input(0)?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn avg_pool(pool: &Windowing, input: &Tensor) -> Result<Tensor> {
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
fn avg_pool_grad(pool: &Windowing, sizes: &Tensor, grad: &Tensor) -> Result<Tensor> {
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

fn avg_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("AvgPoolGrad").input(cx.x(0).unary("Shape")).input(cx.dy(0)?);
    Ok(vec![Some(same_windows(cx, node).into())])
}

fn avg_second_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("AvgPool").input(cx.dy(0)?);
    Ok(vec![None, Some(same_windows(cx, node).into())])
}

/// Gives the new node the attributes of the one that is differentiated.
fn same_windows(cx: &GradContext<'_>, node: OpBuilder) -> Output {
    ["ksize", "strides", "padding", "explicit_paddings", "data_format"]
        .into_iter()
        .filter_map(|name| Some((name, cx.attr_map().get(name)?.clone())))
        .fold(node, |node, (name, value)| node.attr(name, value))
        .output()
}

/// The maximum or mean of windows of images (`MaxPool`, `AvgPool`). Sizes and strides of windows are along the four
/// axes, and padding is `"SAME"` or `"VALID"`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let image = g.constant([[1f32, 2.0], [3.0, 4.0]]).reshape(&[1, 2, 2, 1]);
/// let window = [1, 2, 2, 1];
/// assert_eq!(eval(&image.max_pool(window, window, "VALID").reshape(&[1]))?, Tensor::from([4f32]));
/// assert_eq!(eval(&image.avg_pool(window, window, "VALID").reshape(&[1]))?, Tensor::from([2.5f32]));
/// # Ok(())
/// # }
/// ```
pub trait PoolOps {
    /// The greatest value of each window.
    fn max_pool(&self, ksize: [i64; 4], strides: [i64; 4], padding: &'static str) -> Output;
    /// The mean of each window.
    fn avg_pool(&self, ksize: [i64; 4], strides: [i64; 4], padding: &'static str) -> Output;
}

impl PoolOps for Output {
    #[track_caller]
    fn max_pool(&self, ksize: [i64; 4], strides: [i64; 4], padding: &'static str) -> Output {
        pooled(self, "MaxPool", ksize, strides, padding)
    }

    #[track_caller]
    fn avg_pool(&self, ksize: [i64; 4], strides: [i64; 4], padding: &'static str) -> Output {
        pooled(self, "AvgPool", ksize, strides, padding)
    }
}

#[track_caller]
fn pooled(input: &Output, op: &str, ksize: [i64; 4], strides: [i64; 4], padding: &'static str) -> Output {
    input
        .graph()
        .op(op)
        .input(input)
        .attr("ksize", AttrValue::Ints(ksize.to_vec()))
        .attr("strides", AttrValue::Ints(strides.to_vec()))
        .attr("padding", padding)
        .at(std::panic::Location::caller())
        .output()
}

#[cfg(test)]
mod tests {
    use super::super::window::Padding;
    use super::*;

    fn pool(ksize: [i64; 4], strides: [i64; 4], padding: Padding) -> Windowing {
        let windows = Windows { strides: [strides[1], strides[2]], dilations: [1; 2], padding, channels_first: false };
        Windowing { windows, ksize, channel_stride: strides[3] }
    }

    fn image(dims: &[i64]) -> Tensor {
        Tensor::new(dims, (0..dims.iter().product::<i64>()).map(|i| i as f32).collect()).unwrap()
    }

    /// TensorFlow 2.21 gives these.
    #[test]
    fn maxima_and_means() {
        let depth = max_pool(&pool([1, 1, 1, 2], [1, 1, 1, 2], Padding::Valid), &image(&[1, 2, 2, 4])).unwrap();
        assert_eq!(depth, Tensor::new(&[1, 2, 2, 2], vec![1f32, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0]).unwrap());
        let same = pool([1, 2, 2, 1], [1, 2, 2, 1], Padding::Same);
        let mean = avg_pool(&same, &image(&[1, 3, 3, 1])).unwrap();
        assert_eq!(mean.as_slice::<f32>().unwrap(), [2.0, 3.5, 6.5, 8.0]);
        let ones = Tensor::new(&[1, 2, 2, 1], vec![1f32; 4]).unwrap();
        let spread = avg_pool_grad(&same, &Tensor::from([1i32, 3, 3, 1]), &ones).unwrap();
        assert_eq!(spread.as_slice::<f32>().unwrap(), [0.25, 0.25, 0.5, 0.25, 0.25, 0.5, 0.5, 0.5, 1.0]);
        // Of equal values the first one gets the gradient.
        let valid = pool([1, 2, 2, 1], [1, 2, 2, 1], Padding::Valid);
        let input = Tensor::new(&[1, 2, 2, 1], vec![1f32, 5.0, 5.0, 3.0]).unwrap();
        let grad = Tensor::new(&[1, 1, 1, 1], vec![2f32]).unwrap();
        let back = max_pool_grad(&valid, &input, grad.shape(), &grad).unwrap();
        assert_eq!(back.as_slice::<f32>().unwrap(), [0.0, 2.0, 0.0, 0.0]);
    }

    /// TensorFlow 2.21 says this.
    #[test]
    fn what_does_not_fit() {
        let valid = pool([1, 2, 2, 1], [1, 2, 2, 1], Padding::Valid);
        let message = |result: Result<Tensor>| result.unwrap_err().message().to_owned();
        assert_eq!(
            message(max_pool(&valid, &image(&[4, 4, 1]))),
            "tensor_in_shape must have 2 spatial dimensions. 3 0"
        );
        let (input, wrong) = (image(&[1, 2, 2, 1]), image(&[1, 2, 1, 1]));
        assert_eq!(
            message(max_pool_grad(&valid, &input, wrong.shape(), &wrong)),
            "Expected orig_output shape to be [1,1,1,1], but got [1,2,1,1]"
        );
    }
}
