//! Depthwise convolution and its gradients: each channel of an image with filters of its own.
//!
//! Filters are `[height, width, channels, multiplier]`; an output pixel holds the outputs of the first channel
//! first, so that [`ConvGeometry::out_channels`] is a multiple of the channels. Taps outside of the image are left
//! out. The results do not depend on the number of threads.

use super::ConvGeometry;
use super::regions::Axis;
use crate::elementwise::add_assign;
use crate::number::{Float, Number};
use crate::simd::wide;
use crate::threads::parallel_units;

/// Multiplications that are worth a second thread.
const GRAIN: usize = 32 * 1024;
/// Elements of partial filter gradients.
const PARTIAL: usize = 1 << 20;

/// Element types that can be convolved by channels. The loops are compiled here, once per type.
///
/// ```
/// use tensorfleet_math::conv::{ConvGeometry, Depthwise};
///
/// // An image of 1 by 2 pixels with 2 channels; the filter has one tap across, and 1 output for each channel.
/// #[rustfmt::skip]
/// let g = ConvGeometry {
///     batch: 1, in_height: 1, in_width: 2, in_channels: 2,
///     filter_height: 1, filter_width: 1, out_channels: 2, out_height: 1, out_width: 2,
///     stride_height: 1, stride_width: 1, dilation_height: 1, dilation_width: 1,
///     pad_top: 0, pad_bottom: 0, pad_left: 0, pad_right: 0,
/// };
/// let mut output = [0f32; 4];
/// f32::depthwise(&g, &[1.0, 2.0, 3.0, 4.0], &[10.0, 100.0], &mut output);
/// assert_eq!(output, [10.0, 200.0, 30.0, 400.0]);
/// ```
pub trait Depthwise: Number {
    /// `output` = each channel of `input`, convolved with its filters.
    fn depthwise(g: &ConvGeometry, input: &[Self], filter: &[Self], output: &mut [Self]);
    /// `input_grad` = the gradient by the input, from the filter and the gradient by the output.
    fn depthwise_backward_input(g: &ConvGeometry, filter: &[Self], output_grad: &[Self], input_grad: &mut [Self]);
    /// `filter_grad` = the gradient by the filter, from the input and the gradient by the output.
    fn depthwise_backward_filter(g: &ConvGeometry, input: &[Self], output_grad: &[Self], filter_grad: &mut [Self]);
}

macro_rules! depthwise {
    ($($t:ty)*) => {$(
        impl Depthwise for $t {
            fn depthwise(g: &ConvGeometry, input: &[Self], filter: &[Self], output: &mut [Self]) {
                forward(g, input, filter, output);
            }
            fn depthwise_backward_input(g: &ConvGeometry, filter: &[Self], output_grad: &[Self], input_grad: &mut [Self]) {
                backward_input(g, filter, output_grad, input_grad);
            }
            fn depthwise_backward_filter(g: &ConvGeometry, input: &[Self], output_grad: &[Self], filter_grad: &mut [Self]) {
                backward_filter(g, input, output_grad, filter_grad);
            }
        }
    )*};
}
depthwise!(f32 f64);

fn check(g: &ConvGeometry, input: usize, filter: usize, output: usize) {
    let filter_len = g.filter_height * g.filter_width * g.out_channels;
    assert_eq!([input, filter, output], [g.input_len(), filter_len, g.output_len()]);
    assert!(g.in_channels == 0 || g.out_channels.is_multiple_of(g.in_channels), "outputs shared evenly by channels");
}

fn forward<T: Float>(g: &ConvGeometry, input: &[T], filter: &[T], output: &mut [T]) {
    check(g, input.len(), filter.len(), output.len());
    if output.is_empty() {
        return;
    }
    let ([down, across], outer) = (g.axes(), g.out_channels);
    let row = g.out_width * outer;
    let work = (row * g.filter_height * g.filter_width).max(1);
    parallel_units(output, row, GRAIN.div_ceil(work), |first, rows| {
        for (i, out) in rows.chunks_exact_mut(row).enumerate() {
            let (image, y) = ((first + i) / g.out_height, (first + i) % g.out_height);
            out.fill(T::ZERO);
            for (x, out) in out.chunks_exact_mut(outer).enumerate() {
                meet(g, (down, y), (across, x), |pixel, tap| {
                    let from = (image * g.in_height * g.in_width + pixel) * g.in_channels;
                    let weights = &filter[tap * outer..(tap + 1) * outer];
                    add_products(out, &input[from..from + g.in_channels], weights);
                });
            }
        }
    });
}

/// Calls `f(pixel of the image, tap)` for the taps of an output that lie inside the image.
#[inline(always)]
fn meet(g: &ConvGeometry, (down, y): (Axis, usize), (across, x): (Axis, usize), mut f: impl FnMut(usize, usize)) {
    let taps_across = across.taps_inside(x);
    for ky in down.taps_inside(y) {
        let line = down.place(y, ky) * g.in_width;
        for kx in taps_across.clone() {
            f(line + across.place(x, kx), ky * g.filter_width + kx);
        }
    }
}

/// `sums[c, m] += values[c] * factors[c, m]`.
fn add_products<T: Float>(sums: &mut [T], values: &[T], factors: &[T]) {
    wide(
        #[inline(always)]
        || {
            if sums.len() == values.len() {
                for ((sum, &value), &factor) in sums.iter_mut().zip(values).zip(factors) {
                    *sum = sum.plus(value.times(factor));
                }
                return;
            }
            let many = sums.len() / values.len();
            let groups = sums.chunks_exact_mut(many).zip(factors.chunks_exact(many));
            for ((sums, factors), &value) in groups.zip(values) {
                for (sum, &factor) in sums.iter_mut().zip(factors) {
                    *sum = sum.plus(value.times(factor));
                }
            }
        },
    );
}

/// `sums[c] += sum over m of values[c, m] * factors[c, m]`.
fn add_inner_products<T: Float>(sums: &mut [T], values: &[T], factors: &[T]) {
    if sums.len() == values.len() {
        return add_products(sums, values, factors);
    }
    let many = values.len() / sums.len();
    for (sum, (values, factors)) in sums.iter_mut().zip(values.chunks_exact(many).zip(factors.chunks_exact(many))) {
        for (&value, &factor) in values.iter().zip(factors) {
            *sum = sum.plus(value.times(factor));
        }
    }
}

fn backward_input<T: Float>(g: &ConvGeometry, filter: &[T], output_grad: &[T], input_grad: &mut [T]) {
    check(g, input_grad.len(), filter.len(), output_grad.len());
    if input_grad.is_empty() {
        return;
    }
    if output_grad.is_empty() {
        return input_grad.fill(T::ZERO);
    }
    let ([down, across], inner, outer) = (g.axes(), g.in_channels, g.out_channels);
    let row = g.in_width * inner;
    let work = (row * g.filter_height * g.filter_width).max(1);
    parallel_units(input_grad, row, GRAIN.div_ceil(work), |first, rows| {
        for (i, sums) in rows.chunks_exact_mut(row).enumerate() {
            let (image, y) = ((first + i) / g.in_height, (first + i) % g.in_height);
            sums.fill(T::ZERO);
            for ky in 0..g.filter_height {
                let Some(from_y) = output_met(down, y, ky, g.out_height) else { continue };
                let line = (image * g.out_height + from_y) * g.out_width;
                for (x, sums) in sums.chunks_exact_mut(inner).enumerate() {
                    for kx in 0..g.filter_width {
                        let Some(from_x) = output_met(across, x, kx, g.out_width) else { continue };
                        let grad = &output_grad[(line + from_x) * outer..][..outer];
                        let weights = &filter[(ky * g.filter_width + kx) * outer..][..outer];
                        add_inner_products(sums, grad, weights);
                    }
                }
            }
        }
    });
}

/// The output, of so many, that an input meets with a tap.
#[inline(always)]
fn output_met(axis: Axis, input: usize, tap: usize, outputs: usize) -> Option<usize> {
    let place = usize::try_from(input as isize + axis.before - (tap * axis.dilation) as isize).ok()?;
    let output = place / axis.stride;
    (output * axis.stride == place && output < outputs).then_some(output)
}

fn backward_filter<T: Float>(g: &ConvGeometry, input: &[T], output_grad: &[T], filter_grad: &mut [T]) {
    check(g, input.len(), filter_grad.len(), output_grad.len());
    filter_grad.fill(T::ZERO);
    if filter_grad.is_empty() || output_grad.is_empty() {
        return;
    }
    let ([down, across], outer, len) = (g.axes(), g.out_channels, filter_grad.len());
    // Groups of images are summed apart, and then in order.
    let groups = (PARTIAL / len).clamp(1, g.batch.min(16));
    let per_group = g.batch.div_ceil(groups);
    let mut partial = vec![T::ZERO; groups * len];
    parallel_units(&mut partial, len, 1, |first, partial| {
        for (i, sums) in partial.chunks_exact_mut(len).enumerate() {
            for image in (first + i) * per_group..((first + i + 1) * per_group).min(g.batch) {
                for pixel in 0..g.out_height * g.out_width {
                    let (y, x) = (pixel / g.out_width, pixel % g.out_width);
                    let grad = &output_grad[(image * g.out_height * g.out_width + pixel) * outer..][..outer];
                    meet(g, (down, y), (across, x), |pixel, tap| {
                        let from = (image * g.in_height * g.in_width + pixel) * g.in_channels;
                        let values = &input[from..from + g.in_channels];
                        add_products(&mut sums[tap * outer..(tap + 1) * outer], values, grad);
                    });
                }
            }
        }
    });
    for partial in partial.chunks_exact(len) {
        add_assign(filter_grad, partial);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(len: usize, seed: usize) -> Vec<f32> {
        (0..len).map(|i| ((i * 31 + seed * 17) % 13) as f32 - 6.0).collect()
    }

    /// Against the definition, with whole numbers.
    fn check(g: ConvGeometry) {
        let many = g.out_channels / g.in_channels;
        let taps = g.filter_height * g.filter_width;
        let (input, filter) = (values(g.input_len(), 1), values(taps * g.out_channels, 2));
        let grad = values(g.output_len(), 3);
        let mut wanted = [vec![0.0; grad.len()], vec![0.0; input.len()], vec![0.0; filter.len()]];
        let [down, across] = g.axes();
        for (image, out) in (0..grad.len() / g.out_channels).map(|i| (i / (g.out_height * g.out_width), i)) {
            let pixel = out % (g.out_height * g.out_width);
            for tap in 0..taps {
                let inside = |axis: Axis, at: usize, tap: usize| {
                    let place = (at * axis.stride + tap * axis.dilation) as isize - axis.before;
                    (0..axis.input as isize).contains(&place).then_some(place as usize)
                };
                let y = inside(down, pixel / g.out_width, tap / g.filter_width);
                let x = inside(across, pixel % g.out_width, tap % g.filter_width);
                let (Some(y), Some(x)) = (y, x) else { continue };
                for o in 0..g.out_channels {
                    let i = ((image * g.in_height + y) * g.in_width + x) * g.in_channels + o / many;
                    let (o, k) = (out * g.out_channels + o, tap * g.out_channels + o);
                    wanted[0][o] += input[i] * filter[k];
                    wanted[1][i] += grad[o] * filter[k];
                    wanted[2][k] += grad[o] * input[i];
                }
            }
        }
        let mut got = wanted.each_ref().map(|wanted| vec![7.0; wanted.len()]);
        f32::depthwise(&g, &input, &filter, &mut got[0]);
        f32::depthwise_backward_input(&g, &filter, &grad, &mut got[1]);
        f32::depthwise_backward_filter(&g, &input, &grad, &mut got[2]);
        assert_eq!(got, wanted, "{g:?}");
    }

    #[test]
    fn agrees_with_the_definition() {
        let g = ConvGeometry {
            batch: 3,
            in_height: 7,
            in_width: 6,
            in_channels: 5,
            filter_height: 3,
            filter_width: 3,
            out_channels: 5,
            out_height: 7,
            out_width: 6,
            stride_height: 1,
            stride_width: 1,
            dilation_height: 1,
            dilation_width: 1,
            pad_top: 1,
            pad_bottom: 1,
            pad_left: 1,
            pad_right: 1,
        };
        check(g);
        check(ConvGeometry { out_channels: 15, ..g });
        check(ConvGeometry { stride_height: 2, stride_width: 2, out_height: 4, out_width: 3, out_channels: 10, ..g });
        check(ConvGeometry { dilation_height: 2, dilation_width: 3, pad_top: 2, pad_left: 3, out_width: 5, ..g });
        check(ConvGeometry { batch: 20, in_channels: 40, out_channels: 40, ..g });
    }
}
