//! What the ops that pool images share: their windows and shapes, and the methods for Rust programs.

use graph::op::{GradContext, ShapeContext};
use graph::{Node, OpBuilder, Output, ReadAttrs};
use math::pool::PoolGeometry;
use tensor::{PartialShape, Result, Shape, bail, ensure};

use super::window::{DataFormat, Padding, Windows, inferring};

/// The attributes of a pool.
#[derive(Clone, Copy)]
pub(super) struct Windowing {
    pub(super) windows: Windows,
    /// Batch, height, width, channels.
    pub(super) ksize: [i64; 4],
    pub(super) channel_stride: i64,
}

impl Windowing {
    pub(super) fn new(node: &Node) -> Result<Windowing> {
        let windows = Windows::new(node)?;
        let sizes = node.attr_ints("ksize")?;
        let Ok(sizes) = <[i64; 4]>::try_from(sizes) else {
            bail!(InvalidArgument, "Sliding window ksize field must specify 4 dimensions");
        };
        let shown = sizes.map(|size| size.to_string()).join(",");
        ensure!(
            sizes.iter().all(|size| (1..=i32::MAX as i64).contains(size)),
            InvalidArgument,
            "Sliding window ksize must be positive. The specified or inferred ksize is: {shown}; each ksize must be a \
             positive int32 value"
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

    pub(super) fn geometry(&self, dims: &[i64]) -> Result<PoolGeometry> {
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
        if let Padding::Explicit(pads) = self.windows.padding {
            let names = [["Top", "Bottom"], ["Left", "Right"]];
            for (axis, side) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (pad, window) = (pads[axis][side], self.ksize[axis + 1]);
                ensure!(
                    pad < window,
                    InvalidArgument,
                    "{} padding {pad} needs to be smaller than the window size {window}",
                    names[axis][side]
                );
            }
        }
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
    pub(super) fn depth_geometry(&self, dims: &[i64]) -> Result<PoolGeometry> {
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

    pub(super) fn output_shape(&self, dims: &[i64], g: &PoolGeometry) -> Result<Shape> {
        match dims {
            [batch, height, width, _] if self.ksize[3] > 1 => {
                Shape::new(&[*batch, *height, *width, g.out_height as i64])
            }
            _ => Shape::new(&[g.batch, g.out_height, g.out_width, g.channels].map(|dim| dim as i64)),
        }
    }
}

pub(super) fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank(0, 4)?;
    if let Some(output) = shape_of(cx, cx.node, &input)? {
        cx.set(0, output);
    }
    Ok(())
}

/// The output's shape, by the attributes of a node; nothing if they are not supported.
pub(super) fn shape_of(cx: &ShapeContext<'_>, node: &Node, input: &PartialShape) -> Result<Option<PartialShape>> {
    let Ok(pool) = Windowing::new(node) else {
        // Sizes that are not supported are reported when the node runs, but strides must make sense.
        inferring(cx, Windows::new(node))?;
        return Ok(None);
    };
    let windows = pool.windows;
    let [batch, height, width, channels] = windows.axes().map(|axis| input.dim(axis));
    let height = inferring(cx, windows.inferred(0, height, Some(pool.ksize[1])))?;
    let width = inferring(cx, windows.inferred(1, width, Some(pool.ksize[2])))?;
    let channels = channels.map(|channels| channels / pool.ksize[3]);
    Ok(Some(PartialShape::new(&windows.arrange([batch, height, width, channels]))))
}

pub(super) fn only_nhwc(pool: &Windowing, op: &str) -> Result<()> {
    ensure!(!pool.windows.channels_first, InvalidArgument, "Default {op} only supports NHWC on device type CPU");
    Ok(())
}

/// Gives the new node the attributes of the one that is differentiated.
pub(super) fn same_windows(cx: &GradContext<'_>, node: OpBuilder) -> Output {
    ["ksize", "strides", "padding", "explicit_paddings", "data_format"]
        .into_iter()
        .filter_map(|name| Some((name, cx.attr_map().get(name)?.clone())))
        .fold(node, |node, (name, value)| node.attr(name, value))
        .output()
}

/// The maximum or mean of windows of images of shape [batch, height, width, channels] (`MaxPool`, `AvgPool`). Sizes and
/// strides of windows are along height and width.
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let image = g.constant([[1f32, 2.0], [3.0, 4.0]]).reshape(&[1, 2, 2, 1]);
/// assert_eq!(eval(&image.max_pool([2, 2], [2, 2], Padding::Valid).reshape([1]))?, Tensor::from([4f32]));
/// assert_eq!(eval(&image.avg_pool([2, 2], [2, 2], Padding::Valid).reshape([1]))?, Tensor::from([2.5f32]));
/// # Ok(())
/// # }
/// ```
pub trait PoolOps {
    /// Returns the greatest value of each window.
    fn max_pool(&self, ksize: [i64; 2], strides: [i64; 2], padding: Padding) -> Output;
    /// Returns the mean of each window.
    fn avg_pool(&self, ksize: [i64; 2], strides: [i64; 2], padding: Padding) -> Output;
}

impl PoolOps for Output {
    #[track_caller]
    fn max_pool(&self, ksize: [i64; 2], strides: [i64; 2], padding: Padding) -> Output {
        pooled(self, "MaxPool", ksize, strides, padding)
    }

    #[track_caller]
    fn avg_pool(&self, ksize: [i64; 2], strides: [i64; 2], padding: Padding) -> Output {
        pooled(self, "AvgPool", ksize, strides, padding)
    }
}

#[track_caller]
fn pooled(input: &Output, op: &str, ksize: [i64; 2], strides: [i64; 2], padding: Padding) -> Output {
    let format = DataFormat::default();
    let node =
        input.graph().op(op).input(input).attr("ksize", format.four(ksize)).attr("strides", format.four(strides));
    padding.on(node, format).at(std::panic::Location::caller()).output()
}

#[cfg(test)]
mod tests {
    use tensor::Tensor;

    use super::super::avg_pool::{avg_pool, avg_pool_grad};
    use super::super::max_pool::{max_pool, max_pool_grad};
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
        assert_eq!(depth, Tensor::new([1, 2, 2, 2], vec![1f32, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0]).unwrap());
        let same = pool([1, 2, 2, 1], [1, 2, 2, 1], Padding::Same);
        let mean = avg_pool(&same, &image(&[1, 3, 3, 1])).unwrap();
        assert_eq!(mean.as_slice::<f32>().unwrap(), [2.0, 3.5, 6.5, 8.0]);
        let ones = Tensor::new([1, 2, 2, 1], vec![1f32; 4]).unwrap();
        let spread = avg_pool_grad(&same, &Tensor::from([1i32, 3, 3, 1]), &ones).unwrap();
        assert_eq!(spread.as_slice::<f32>().unwrap(), [0.25, 0.25, 0.5, 0.25, 0.25, 0.5, 0.5, 0.5, 1.0]);
        // Of equal values the first one gets the gradient.
        let valid = pool([1, 2, 2, 1], [1, 2, 2, 1], Padding::Valid);
        let input = Tensor::new([1, 2, 2, 1], vec![1f32, 5.0, 5.0, 3.0]).unwrap();
        let grad = Tensor::new([1, 1, 1, 1], vec![2f32]).unwrap();
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
