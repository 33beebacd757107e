//! Two-dimensional convolution and its gradients.
//!
//! Images are `[batch, height, width, channels]`, filters `[height, width, in, out]`. Nothing is
//! copied into patch matrices: the kernels multiply the patches where they lie. Taps that lie
//! outside of the image are left out, so that an infinite or undefined number in a filter has no
//! effect on an output for which it lies there; a border of zeros would make that output undefined.
//! Scratch memory is bounded. The results do not depend on the number of threads.

mod backward;
mod depthwise;
mod forward;
mod regions;

use crate::kernel::Micro;
use crate::number::Number;
use regions::Axis;

pub use depthwise::Depthwise;

/// Element types that can be convolved. The loops are compiled here, once per type.
///
/// ```
/// use tensorfleet_math::conv::{Conv, ConvGeometry};
///
/// // An image of 2 by 3 pixels and a filter of 2 by 2 ones, without a border: sums of four neighbours.
/// #[rustfmt::skip]
/// let g = ConvGeometry {
///     batch: 1, in_height: 2, in_width: 3, in_channels: 1,
///     filter_height: 2, filter_width: 2, out_channels: 1, out_height: 1, out_width: 2,
///     stride_height: 1, stride_width: 1, dilation_height: 1, dilation_width: 1,
///     pad_top: 0, pad_bottom: 0, pad_left: 0, pad_right: 0,
/// };
/// let (image, filter) = ([1f32, 2.0, 3.0, 4.0, 5.0, 6.0], [1f32; 4]);
/// let mut sums = [0f32; 2];
/// f32::forward(&g, &image, &filter, &mut sums);
/// assert_eq!(sums, [12.0, 16.0]);
///
/// let (mut by_image, mut by_filter) = ([0f32; 6], [0f32; 4]);
/// f32::backward_input(&g, &filter, &[1.0, 1.0], &mut by_image);
/// assert_eq!(by_image, [1.0, 2.0, 1.0, 1.0, 2.0, 1.0]); // how many sums a pixel is in
/// f32::backward_filter(&g, &image, &[1.0, 1.0], &mut by_filter);
/// assert_eq!(by_filter, [3.0, 5.0, 9.0, 11.0]);
/// ```
pub trait Conv: Number {
    /// `output` = the convolution of `input` with `filter`.
    fn forward(g: &ConvGeometry, input: &[Self], filter: &[Self], output: &mut [Self]);
    /// `input_grad` = the gradient by the input, from the filter and the gradient by the output.
    fn backward_input(g: &ConvGeometry, filter: &[Self], output_grad: &[Self], input_grad: &mut [Self]);
    /// `filter_grad` = the gradient by the filter, from the input and the gradient by the output.
    fn backward_filter(g: &ConvGeometry, input: &[Self], output_grad: &[Self], filter_grad: &mut [Self]);
}

macro_rules! convolutions {
    ($($t:ty)*) => {$(
        impl Conv for $t {
            fn forward(g: &ConvGeometry, input: &[Self], filter: &[Self], output: &mut [Self]) {
                forward::forward(Self::kernel(), g, input, filter, output);
            }
            fn backward_input(g: &ConvGeometry, filter: &[Self], output_grad: &[Self], input_grad: &mut [Self]) {
                backward::backward_input(Self::kernel(), g, filter, output_grad, input_grad);
            }
            fn backward_filter(g: &ConvGeometry, input: &[Self], output_grad: &[Self], filter_grad: &mut [Self]) {
                backward::backward_filter(Self::kernel(), g, input, output_grad, filter_grad);
            }
        }
    )*};
}
convolutions!(f32 f64);

/// All sizes of a convolution. Paddings are rows and columns of zeros around the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvGeometry {
    pub batch: usize,
    pub in_height: usize,
    pub in_width: usize,
    pub in_channels: usize,
    pub filter_height: usize,
    pub filter_width: usize,
    pub out_channels: usize,
    pub out_height: usize,
    pub out_width: usize,
    pub stride_height: usize,
    pub stride_width: usize,
    pub dilation_height: usize,
    pub dilation_width: usize,
    pub pad_top: usize,
    pub pad_bottom: usize,
    pub pad_left: usize,
    pub pad_right: usize,
}

impl ConvGeometry {
    /// Elements of the input.
    pub fn input_len(&self) -> usize {
        self.batch * self.in_height * self.in_width * self.in_channels
    }

    /// Elements of the filter.
    pub fn filter_len(&self) -> usize {
        self.depth() * self.out_channels
    }

    /// Elements of the output.
    pub fn output_len(&self) -> usize {
        self.batch * self.out_height * self.out_width * self.out_channels
    }

    /// The output size along an axis: how often the (dilated) filter fits the padded input.
    pub fn out_size(input: usize, filter: usize, stride: usize, dilation: usize, before: usize, after: usize) -> usize {
        let span = (filter.max(1) - 1) * dilation + 1;
        (input + before + after).checked_sub(span).map_or(0, |rest| rest / stride + 1)
    }

    /// Elements of one patch.
    fn depth(&self) -> usize {
        self.filter_height * self.filter_width * self.in_channels
    }

    /// How the filter slides down and across the images.
    fn axes(&self) -> [Axis; 2] {
        let down = Axis {
            input: self.in_height,
            taps: self.filter_height,
            stride: self.stride_height,
            dilation: self.dilation_height,
            before: self.pad_top as isize,
        };
        let across = Axis {
            input: self.in_width,
            taps: self.filter_width,
            stride: self.stride_width,
            dilation: self.dilation_width,
            before: self.pad_left as isize,
        };
        [down, across]
    }

    /// Rows and columns of the image that the outputs reach, border included. Rows of zeros that
    /// no output needs are left out; missing ones are added.
    fn padded_height(&self) -> usize {
        (self.out_height.max(1) - 1) * self.stride_height + (self.filter_height - 1) * self.dilation_height + 1
    }

    fn padded_width(&self) -> usize {
        (self.out_width.max(1) - 1) * self.stride_width + (self.filter_width - 1) * self.dilation_width + 1
    }

    /// True when every output is the product of one pixel with the filter, in order.
    fn is_plain_product(&self) -> bool {
        self.filter_height == 1
            && self.filter_width == 1
            && self.stride_height == 1
            && self.stride_width == 1
            && self.in_height == self.out_height
            && self.in_width == self.out_width
            && self.pad_top == 0
            && self.pad_left == 0
    }

    fn check(&self, input: usize, filter: usize, output: usize) {
        assert_eq!([input, filter, output], [self.input_len(), self.filter_len(), self.output_len()]);
        assert!(self.stride_height > 0 && self.stride_width > 0, "strides are positive");
        assert!(self.dilation_height > 0 && self.dilation_width > 0, "dilations are positive");
        let out = |i, f, s, d, b, a| Self::out_size(i, f, s, d, b, a);
        let height = out(
            self.in_height,
            self.filter_height,
            self.stride_height,
            self.dilation_height,
            self.pad_top,
            self.pad_bottom,
        );
        let width = out(
            self.in_width,
            self.filter_width,
            self.stride_width,
            self.dilation_width,
            self.pad_left,
            self.pad_right,
        );
        assert!(self.out_height <= height && self.out_width <= width, "output larger than the input allows");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemm::GemmElement;
    use crate::kernel::{Kernel, runnable};

    fn values(len: usize, seed: usize) -> Vec<f64> {
        (0..len).map(|i| ((i * 31 + seed * 17) % 13) as f64 - 6.0).collect()
    }

    /// Calls `f(input index, filter index, output index)` for every product of a convolution.
    fn products(g: &ConvGeometry, mut f: impl FnMut(usize, usize, usize)) {
        for b in 0..g.batch {
            for y in 0..g.out_height {
                for x in 0..g.out_width {
                    for ky in 0..g.filter_height {
                        for kx in 0..g.filter_width {
                            let iy = (y * g.stride_height + ky * g.dilation_height).checked_sub(g.pad_top);
                            let ix = (x * g.stride_width + kx * g.dilation_width).checked_sub(g.pad_left);
                            let (Some(iy), Some(ix)) = (iy, ix) else {
                                continue;
                            };
                            if iy >= g.in_height || ix >= g.in_width {
                                continue;
                            }
                            for c in 0..g.in_channels {
                                for o in 0..g.out_channels {
                                    f(
                                        ((b * g.in_height + iy) * g.in_width + ix) * g.in_channels + c,
                                        ((ky * g.filter_width + kx) * g.in_channels + c) * g.out_channels + o,
                                        ((b * g.out_height + y) * g.out_width + x) * g.out_channels + o,
                                    );
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn check(g: ConvGeometry) {
        let (input, filter) = (values(g.input_len(), 1), values(g.filter_len(), 2));
        let grad = values(g.output_len(), 3);
        let (mut out, mut d_input) = (vec![0.0; g.output_len()], vec![0.0; g.input_len()]);
        let mut d_filter = vec![0.0; g.filter_len()];
        products(&g, |i, k, o| {
            out[o] += input[i] * filter[k];
            d_input[i] += grad[o] * filter[k];
            d_filter[k] += grad[o] * input[i];
        });
        fn run<T: Micro + GemmElement>(
            kernel: &Kernel<T>,
            g: &ConvGeometry,
            [input, filter, grad]: [&[f64]; 3],
        ) -> [Vec<f64>; 3] {
            let narrow = |x: &[f64]| x.iter().map(|&x| T::from_f64(x)).collect::<Vec<T>>();
            let widen = |x: Vec<T>| x.into_iter().map(|x| x.to_f64()).collect::<Vec<_>>();
            let (input, filter, grad) = (narrow(input), narrow(filter), narrow(grad));
            let junk = |len| vec![T::from_f64(7.0); len];
            let (mut out, mut d_input, mut d_filter) =
                (junk(g.output_len()), junk(g.input_len()), junk(g.filter_len()));
            forward::forward(kernel, g, &input, &filter, &mut out);
            backward::backward_input(kernel, g, &filter, &grad, &mut d_input);
            backward::backward_filter(kernel, g, &input, &grad, &mut d_filter);
            [widen(out), widen(d_input), widen(d_filter)]
        }
        let want = [out, d_input, d_filter];
        for kernel in runnable() {
            assert_eq!(run::<f64>(kernel, &g, [&input, &filter, &grad]), want, "f64 {:?} {g:?}", kernel.isa);
        }
        for kernel in runnable() {
            assert_eq!(run::<f32>(kernel, &g, [&input, &filter, &grad]), want, "f32 {:?} {g:?}", kernel.isa);
        }
    }

    /// A convolution whose output has the size that the other sizes imply.
    fn geometry(
        [batch, in_height, in_width, in_channels]: [usize; 4],
        [filter_height, filter_width, out_channels]: [usize; 3],
        [stride_height, stride_width]: [usize; 2],
        [dilation_height, dilation_width]: [usize; 2],
        [pad_top, pad_bottom, pad_left, pad_right]: [usize; 4],
    ) -> ConvGeometry {
        let size = ConvGeometry::out_size;
        ConvGeometry {
            batch,
            in_height,
            in_width,
            in_channels,
            filter_height,
            filter_width,
            out_channels,
            out_height: size(in_height, filter_height, stride_height, dilation_height, pad_top, pad_bottom),
            out_width: size(in_width, filter_width, stride_width, dilation_width, pad_left, pad_right),
            stride_height,
            stride_width,
            dilation_height,
            dilation_width,
            pad_top,
            pad_bottom,
            pad_left,
            pad_right,
        }
    }

    #[test]
    fn agrees_with_the_definition() {
        let plain = [1, 1];
        check(geometry([2, 5, 6, 3], [3, 3, 4], plain, plain, [1, 1, 1, 1]));
        check(geometry([1, 7, 5, 1], [5, 5, 17], plain, plain, [2, 2, 2, 2]));
        check(geometry([3, 6, 7, 2], [3, 2, 5], [2, 3], plain, [0, 1, 1, 0]));
        check(geometry([2, 9, 9, 3], [3, 3, 2], plain, [2, 3], [2, 2, 3, 3]));
        check(geometry([2, 9, 8, 2], [3, 3, 20], [2, 1], [2, 2], [1, 3, 0, 4]));
        check(geometry([2, 4, 4, 3], [4, 4, 2], plain, plain, [0, 0, 0, 0]));
        check(geometry([2, 4, 4, 3], [2, 2, 2], plain, plain, [3, 3, 3, 3]));
        check(geometry([1, 5, 5, 2], [2, 2, 3], [3, 3], plain, [0, 0, 0, 0]));
    }

    #[test]
    fn single_pixels_and_strides_beyond_the_filter() {
        check(geometry([2, 3, 4, 5], [1, 1, 6], [1, 1], [1, 1], [0; 4]));
        check(geometry([2, 5, 5, 3], [1, 1, 4], [2, 2], [1, 1], [0; 4]));
        check(geometry([1, 3, 3, 2], [1, 1, 2], [1, 1], [1, 1], [1, 1, 1, 1]));
    }

    #[test]
    fn large_enough_for_threads() {
        check(geometry([9, 14, 14, 8], [5, 5, 19], [1, 1], [1, 1], [2, 2, 2, 2]));
        check(geometry([1, 40, 41, 4], [3, 3, 16], [1, 1], [1, 1], [1, 1, 1, 1]));
        check(geometry([5, 28, 28, 1], [5, 5, 32], [1, 1], [1, 1], [2, 2, 2, 2]));
        check(geometry([4, 20, 20, 6], [3, 3, 9], [2, 2], [1, 1], [0, 1, 0, 1]));
    }

    #[test]
    fn nothing_to_do() {
        check(geometry([0, 3, 3, 2], [2, 2, 3], [1, 1], [1, 1], [0; 4]));
        check(geometry([2, 3, 3, 0], [2, 2, 3], [1, 1], [1, 1], [0; 4]));
        check(geometry([1, 1, 1, 2], [2, 2, 3], [1, 1], [1, 1], [0; 4]));
    }
}
