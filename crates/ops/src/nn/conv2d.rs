//! `Conv2D` and `_FusedConv2D`: images times filters, in the NHWC layout.

use graph::op::{GradContext, GradFn, Kernel, OpContext, Registry, ShapeContext, ShapeFn};
use graph::{Gradient, Node, OpBuilder, Output, ReadAttrs};
use math::conv::{Conv, ConvGeometry};
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::window::{DataFormat, Padding, Windows, inferring};
use crate::math::fused_mat_mul::{Epilogue, at_part};
use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    let signature = "input: T, filter: T -> output: T";
    enter(r, "Conv2D", signature, WITH_INTEGERS, forward_shape, forward_kernel, forward_gradient);
    r.op("_FusedConv2D", "input: T, filter: T, args: TArgs, host_args: num_host_args * float -> output: T")
        .attr("T: {half, float, double, int8, qint8}")
        .attr("TArgs: list(type) >= 1")
        .attr("num_args: int >= 0")
        .attr("num_host_args: int >= 0 = 0")
        .attr("strides: list(int)")
        .attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
        .attr("explicit_paddings: list(int) = []")
        .attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
        .attr("filter_format: {'HWIO', 'OIHW', 'OIHW_VECT_I'} = 'HWIO'")
        .attr("dilations: list(int) = [1, 1, 1, 1]")
        .attr("use_cudnn_on_gpu: bool = true")
        .attr("fused_ops: list(string) = []")
        .attr("epsilon: float = 0.0001")
        .attr("leakyrelu_alpha: float = 0.2")
        .shape(forward_shape)
        .kernel("T", &[Float, Double, Half], fused_kernel);
}

/// Registers a convolution or one of its gradient ops, which have the same attributes.
pub(super) fn enter(
    r: &mut Registry,
    name: &str,
    signature: &str,
    allowed: &str,
    shape: ShapeFn,
    kernel: fn(&Node) -> Result<Kernel>,
    gradient: GradFn,
) {
    r.op(name, signature)
        .attr(allowed)
        .attr("strides: list(int)")
        .attr("use_cudnn_on_gpu: bool = true")
        .attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
        .attr("explicit_paddings: list(int) = []")
        .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
        .attr("dilations: list(int) = [1, 1, 1, 1]")
        .shape(shape)
        .kernel("T", if allowed == WITH_INTEGERS { INTEGER_TYPES } else { TYPES }, kernel)
        .gradient(gradient);
}

/// The types of convolutions that may be of integers, in their definitions.
pub(super) const WITH_INTEGERS: &str = "T: {half, bfloat16, float, double, int32}";

const TYPES: &[DType] = &[Float, Double, Half, BFloat16];
const INTEGER_TYPES: &[DType] = &[Float, Double, Half, BFloat16, Int32];

fn forward_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (input, filter) = (cx.with_rank(0, 4)?, cx.with_rank(1, 4)?);
    let windows = inferring(cx, Windows::new(cx.node))?;
    let [batch, height, width, channels] = windows.axes().map(|axis| input.dim(axis));
    if let (Some(channels), Some(depth)) = (channels, filter.dim(2)) {
        let divides = depth > 0 && channels % depth == 0;
        let mismatch = || -> Result<()> {
            bail!(InvalidArgument, "Depth of input ({channels}) is not a multiple of input depth of filter ({depth})")
        };
        inferring(cx, if divides { Ok(()) } else { mismatch() })?;
    }
    let out_height = inferring(cx, windows.inferred(0, height, filter.dim(0)))?;
    let out_width = inferring(cx, windows.inferred(1, width, filter.dim(1)))?;
    cx.set(0, PartialShape::new(&windows.arrange([batch, out_height, out_width, filter.dim(3)])));
    Ok(())
}

pub(super) fn forward_kernel(node: &Node) -> Result<Kernel> {
    let windows = conv_windows(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        only_nhwc(&windows, cx.node)?;
        let output = forward(&windows, cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn fused_kernel(node: &Node) -> Result<Kernel> {
    let windows = conv_windows(node)?;
    let epilogue = Epilogue::new(node, node.attr_int("num_args")?)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        only_nhwc(&windows, cx.node)?;
        let output = forward(&windows, cx.input(0)?, cx.input(1)?).map_err(|status| at_part(status, cx.node, 0))?;
        let output = epilogue.apply(output, &cx.inputs(2..2 + epilogue.arguments())?);
        let output = output.map_err(|status| at_part(status, cx.node, 1))?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The attributes of a convolution, which moves over height and width alone.
pub(super) fn conv_windows(node: &Node) -> Result<Windows> {
    let windows = Windows::new(node)?;
    let [batch, .., channels] = windows.axes();
    for (attr, what) in [("strides", "strides"), ("dilations", "dilations")] {
        let values = node.attr_ints(attr)?;
        let plain = |axis: usize| values.get(axis).is_none_or(|value| *value == 1);
        ensure!(
            plain(batch) && plain(channels),
            Unimplemented,
            "Current implementation does not yet support {what} in the batch and depth dimensions."
        );
    }
    Ok(windows)
}

fn only_nhwc(windows: &Windows, node: &Node) -> Result<()> {
    ensure!(
        !windows.channels_first,
        Unimplemented,
        "The {} op currently only supports the NHWC tensor format on the CPU. The op was given the format: NCHW",
        node.op
    );
    Ok(())
}

/// All sizes of a convolution, from the dimensions of input and filter.
pub(super) fn geometry(windows: &Windows, input: &[i64], filter: &[i64]) -> Result<ConvGeometry> {
    let (&[batch, in_height, in_width, in_channels], &[filter_height, filter_width, depth, out_channels]) =
        (input, filter)
    else {
        bail!(Internal, "a convolution of {input:?} with {filter:?}");
    };
    // No output channels are fine: the result is then empty.
    ensure!(
        filter[..3].iter().all(|dim| *dim > 0),
        InvalidArgument,
        "filter must not have zero elements (i.e. all dimensions must be non-zero)"
    );
    ensure!(
        in_channels % depth == 0,
        InvalidArgument,
        "input depth must be evenly divisible by filter depth: {in_channels} vs {depth}"
    );
    let groups = in_channels / depth;
    ensure!(
        groups <= 1 || out_channels % groups == 0,
        InvalidArgument,
        "{groups} groups of input channels do not share {out_channels} output channels evenly"
    );
    let height = windows.extent(0, in_height, filter_height)?;
    let width = windows.extent(1, in_width, filter_width)?;
    // The image with its border is worked on in parts, which must be sensible in size.
    let padded = [(in_height, height), (in_width, width)].map(|(size, extent)| size + extent.before + extent.after);
    let area = padded[0].saturating_mul(padded[1]).saturating_mul(in_channels);
    let image = in_height.saturating_mul(in_width).saturating_mul(in_channels);
    ensure!(
        area <= 1 << 28 || area / 4 <= image,
        ResourceExhausted,
        "an image of {image} elements is padded to {area}"
    );
    Ok(ConvGeometry {
        batch: batch as usize,
        in_height: in_height as usize,
        in_width: in_width as usize,
        in_channels: in_channels as usize,
        filter_height: filter_height as usize,
        filter_width: filter_width as usize,
        out_channels: out_channels as usize,
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

pub(super) fn output_dims(g: &ConvGeometry) -> [i64; 4] {
    [g.batch, g.out_height, g.out_width, g.out_channels].map(|dim| dim as i64)
}

pub(super) fn forward(windows: &Windows, input: &Tensor, filter: &Tensor) -> Result<Tensor> {
    ensure!(input.shape().rank() == 4, InvalidArgument, "convolution input must be 4-dimensional: {}", input.shape());
    ensure!(
        filter.shape().rank() == 4,
        InvalidArgument,
        "convolution filter must be 4-dimensional: {}",
        filter.shape()
    );
    let geometry = geometry(windows, input.dims(), filter.dims())?;
    let shape = Shape::new(&output_dims(&geometry))?;
    if shape.num_elements() == 0 {
        return Tensor::zeros(input.dtype(), &shape);
    }
    if matches!(input.dtype(), Half | BFloat16) {
        return narrow(&forward(windows, &widen(input)?, &widen(filter)?)?, input.dtype());
    }
    if input.dtype() == Int32 {
        let (x, w) = (input.as_slice::<i32>()?, filter.as_slice::<i32>()?);
        return Tensor::build(shape, |out: &mut [i32]| {
            out.fill(0);
            each_product(&geometry, filter.shape().dim(2), |x_at, w_at, y_at| {
                out[y_at] = out[y_at].wrapping_add(x[x_at].wrapping_mul(w[w_at]));
            });
            Ok(())
        });
    }
    if input.dims()[3] != filter.dims()[2] {
        return forward_in_groups(&geometry, shape, input, filter);
    }
    dispatch!(input.dtype(), T in [f32, f64] => {
        let (x, w) = (input.as_slice::<T>()?, filter.as_slice::<T>()?);
        Tensor::build(shape, |out: &mut [T]| {
            <T as Conv>::forward(&geometry, x, w, out);
            Ok(())
        })
    })
}

/// Calls `f` with the places in input, filter and output of all products that a convolution sums, one by one: for integers.
pub(super) fn each_product(g: &ConvGeometry, depth: usize, mut f: impl FnMut(usize, usize, usize)) {
    let groups = (g.in_channels / depth).max(1);
    let per_group = g.out_channels / groups;
    for image in 0..g.batch {
        for (row, column) in (0..g.out_height).flat_map(|row| (0..g.out_width).map(move |column| (row, column))) {
            let output = ((image * g.out_height + row) * g.out_width + column) * g.out_channels;
            for (down, across) in (0..g.filter_height).flat_map(|y| (0..g.filter_width).map(move |x| (y, x))) {
                let y = (row * g.stride_height + down * g.dilation_height).checked_sub(g.pad_top);
                let x = (column * g.stride_width + across * g.dilation_width).checked_sub(g.pad_left);
                let (Some(y), Some(x)) = (y.filter(|y| *y < g.in_height), x.filter(|x| *x < g.in_width)) else {
                    continue;
                };
                let input = ((image * g.in_height + y) * g.in_width + x) * g.in_channels;
                let filter = (down * g.filter_width + across) * depth;
                for channel in 0..depth {
                    for out in 0..g.out_channels {
                        let source = input + out / per_group * depth + channel;
                        f(source, (filter + channel) * g.out_channels + out, output + out);
                    }
                }
            }
        }
    }
}

/// A convolution whose filter takes a part of the input's channels at a time, and yields as many parts of the output's.
fn forward_in_groups(whole: &ConvGeometry, shape: Shape, input: &Tensor, filter: &Tensor) -> Result<Tensor> {
    let depth = filter.shape().dim(2);
    let groups = whole.in_channels / depth;
    let part = ConvGeometry { in_channels: depth, out_channels: whole.out_channels / groups, ..*whole };
    dispatch!(input.dtype(), T in [f32, f64] => {
        let (x, w) = (input.as_slice::<T>()?, filter.as_slice::<T>()?);
        Tensor::build(shape, |out: &mut [T]| {
            let mut result = vec![0 as T; part.output_len()];
            for group in 0..groups {
                let x = columns(x, whole.in_channels, depth, group);
                let w = columns(w, whole.out_channels, part.out_channels, group);
                <T as Conv>::forward(&part, &x, &w, &mut result);
                let rows = out.chunks_exact_mut(whole.out_channels);
                for (row, result) in rows.zip(result.chunks_exact(part.out_channels)) {
                    row[group * part.out_channels..(group + 1) * part.out_channels].copy_from_slice(result);
                }
            }
            Ok(())
        })
    })
}

/// The columns of one group out of rows of `width`, where each group has `part` of them.
pub(super) fn columns<T: Copy>(rows: &[T], width: usize, part: usize, group: usize) -> Vec<T> {
    rows.chunks_exact(width).flat_map(|row| &row[group * part..(group + 1) * part]).copied().collect()
}

fn forward_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (x, w, dy) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let for_input = cx.op("Conv2DBackpropInput").input(sizes(cx, &x)).input(&w).input(&dy);
    let for_filter = cx.op("Conv2DBackpropFilter").input(&x).input(sizes(cx, &w)).input(&dy);
    Ok(vec![Some(same_windows(cx, for_input).into()), Some(same_windows(cx, for_filter).into())])
}

/// The shape of an output as a tensor; a constant, where it is known.
pub(super) fn sizes(cx: &GradContext<'_>, output: &Output) -> Output {
    match output.shape().to_shape() {
        Some(shape) => {
            let dims: Vec<i32> = shape.dims().iter().map(|dim| *dim as i32).collect();
            cx.graph.constant(Tensor::vector(&dims))
        }
        None => output.unary("Shape"),
    }
}

/// Gives the new node the attributes of the one that is differentiated.
pub(super) fn same_windows(cx: &GradContext<'_>, node: OpBuilder) -> Output {
    let names = ["strides", "use_cudnn_on_gpu", "padding", "explicit_paddings", "data_format", "dilations"];
    names
        .into_iter()
        .filter_map(|name| Some((name, cx.attr_map().get(name)?.clone())))
        .fold(node, |node, (name, value)| node.attr(name, value))
        .output()
}

/// What [`conv2d_with`](Conv2dOps::conv2d_with) can be told.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::ops::Conv2dOptions;
/// let g = Graph::new();
/// let images = g.placeholder(DType::Float, [None, Some(28), Some(28), Some(3)]);
/// let filter = g.zeros([5, 5, 3, 8], DType::Float);
/// let options = Conv2dOptions { dilations: [2, 2], padding: Padding::Valid, ..Default::default() };
/// let wide = images.conv2d_with(&filter, options); // windows of 9 by 9 elements
/// assert_eq!(wide.shape(), PartialShape::from([None, Some(20), Some(20), Some(8)]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv2dOptions {
    /// How far windows are from each other, along height and width.
    pub strides: [i64; 2],
    /// The zeros around the images.
    pub padding: Padding,
    /// How far the elements of a window are from each other, along height and width.
    pub dilations: [i64; 2],
    /// Where the channels are.
    pub data_format: DataFormat,
}

impl Default for Conv2dOptions {
    fn default() -> Conv2dOptions {
        Conv2dOptions {
            strides: [1, 1],
            padding: Padding::default(),
            dilations: [1, 1],
            data_format: DataFormat::default(),
        }
    }
}

/// Images convolved with filters (`Conv2D`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let image = g.constant([[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]]).reshape(&[1, 2, 3, 1]);
/// let sum_of_four = g.ones(&[2, 2, 1, 1], DType::Float);
/// let y = image.conv2d(&sum_of_four, [1, 1], Padding::Valid);
/// assert_eq!(eval(&y.reshape(&[2]))?, Tensor::from([12f32, 16.0]));
/// # Ok(())
/// # }
/// ```
///
/// With options:
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::ops::Conv2dOptions;
/// let g = Graph::new();
/// let (images, filter) = (g.zeros([8, 28, 28, 3], DType::Float), g.zeros([5, 5, 3, 16], DType::Float));
/// let options = Conv2dOptions { dilations: [2, 2], padding: Padding::Explicit([[4, 4], [4, 4]]), ..Default::default() };
/// assert_eq!(images.conv2d_with(&filter, options).shape().to_string(), "[8,28,28,16]");
/// ```
pub trait Conv2dOps {
    /// Returns images of shape [batch, height, width, channels] times filters of shape
    /// [height, width, channels, outputs], with strides along height and width.
    fn conv2d(&self, filter: &Output, strides: [i64; 2], padding: Padding) -> Output;
    /// Returns what [`conv2d`](Conv2dOps::conv2d) does, with all options.
    fn conv2d_with(&self, filter: &Output, options: Conv2dOptions) -> Output;
}

impl Conv2dOps for Output {
    #[track_caller]
    fn conv2d(&self, filter: &Output, strides: [i64; 2], padding: Padding) -> Output {
        self.conv2d_with(filter, Conv2dOptions { strides, padding, ..Default::default() })
    }

    #[track_caller]
    fn conv2d_with(&self, filter: &Output, options: Conv2dOptions) -> Output {
        let Conv2dOptions { strides, padding, dilations, data_format } = options;
        let node = self.graph().op("Conv2D").input(self).input(filter).attr("strides", data_format.four(strides));
        let node = node.attr("dilations", data_format.four(dilations)).attr("data_format", data_format.name());
        padding.on(node, data_format).at(std::panic::Location::caller()).output()
    }
}

#[cfg(test)]
mod tests {
    use super::super::conv2d_backprop::{backprop_filter, backprop_input};
    use super::*;

    fn windows(padding: Padding) -> Windows {
        Windows { strides: [1; 2], dilations: [1; 2], padding, channels_first: false }
    }

    fn ones(dims: &[i64]) -> Tensor {
        Tensor::new(dims, vec![1f32; dims.iter().product::<i64>() as usize]).unwrap()
    }

    /// TensorFlow 2.21 gives these.
    #[test]
    fn a_convolution_and_its_gradients() {
        let valid = windows(Padding::Valid);
        let output = forward(&valid, &ones(&[1, 3, 3, 1]), &ones(&[2, 2, 1, 1])).unwrap();
        assert_eq!(output, Tensor::new([1, 2, 2, 1], vec![4f32; 4]).unwrap());
        let padded = forward(&windows(Padding::Explicit([[1, 0], [0, 1]])), &ones(&[1, 2, 2, 1]), &ones(&[2, 2, 1, 1]));
        assert_eq!(padded.unwrap().as_slice::<f32>().unwrap(), [2.0, 1.0, 4.0, 2.0]);
        let (filter, dy) = (ones(&[2, 2, 1, 1]), ones(&[1, 2, 2, 1]));
        let dx = backprop_input(&valid, &Tensor::from([1i32, 3, 3, 1]), &filter, &dy).unwrap();
        assert_eq!(dx.as_slice::<f32>().unwrap(), [1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0]);
        assert_eq!(backprop_input(&valid, &Tensor::from([3i32, 3]), &filter, &dy).unwrap(), dx);
        let dw = backprop_filter(&valid, &ones(&[1, 3, 3, 1]), &Tensor::from([2i32, 2, 1, 1]), &dy).unwrap();
        assert_eq!(dw.as_slice::<f32>().unwrap(), [4.0; 4]);
    }

    /// TensorFlow 2.21 says this.
    #[test]
    fn what_does_not_fit() {
        let valid = windows(Padding::Valid);
        let message = |result: Result<Tensor>| result.unwrap_err().message().to_owned();
        assert_eq!(
            message(forward(&valid, &ones(&[1, 3, 3]), &ones(&[2, 2, 1, 1]))),
            "convolution input must be 4-dimensional: [1,3,3]"
        );
        assert_eq!(
            message(forward(&valid, &ones(&[1, 3, 3, 3]), &ones(&[2, 2, 2, 1]))),
            "input depth must be evenly divisible by filter depth: 3 vs 2"
        );
        let (filter, sizes) = (ones(&[2, 2, 1, 1]), Tensor::from([1i32, 3, 3, 1]));
        assert_eq!(
            message(backprop_input(&valid, &sizes, &filter, &ones(&[1, 3, 2, 1]))),
            "Conv2DCustomBackpropInput: Size of out_backprop doesn't match computed: actual = 3, computed = 2 \
             spatial_dim: 1 input: 3 filter: 2 output: 3 stride: 1 dilation: 1"
        );
        assert_eq!(
            message(backprop_input(&valid, &Tensor::from([1i32, -3, 3, 1]), &filter, &ones(&[1, 2, 2, 1]))),
            "Dimension -3 must be >= 0"
        );
        let grouped = forward(&valid, &ones(&[1, 3, 3, 4]), &ones(&[2, 2, 2, 4])).unwrap();
        assert_eq!(grouped, Tensor::new([1, 2, 2, 4], vec![8f32; 16]).unwrap());
        let empty = forward(&valid, &ones(&[0, 3, 3, 1]), &ones(&[2, 2, 1, 1])).unwrap();
        assert_eq!(empty.dims(), [0, 2, 2, 1]);
    }
}
