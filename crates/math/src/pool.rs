//! Maximum and average pooling of `[batch, height, width, channels]` images, and their gradients.
//!
//! As in TensorFlow, the padding takes no part: it is never the maximum and does not count in
//! the average. The maximum passes over NaN and is at least the least finite value; its gradient
//! goes to the first greatest element of the window in reading order.

use crate::number::{Number, Real};
use crate::simd::{wide, widest};
use crate::threads::parallel_units;

/// All sizes of a pooling. The padding after the image is implied by the output size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolGeometry {
    pub batch: usize,
    pub in_height: usize,
    pub in_width: usize,
    pub channels: usize,
    pub window_height: usize,
    pub window_width: usize,
    pub stride_height: usize,
    pub stride_width: usize,
    pub pad_top: usize,
    pub pad_left: usize,
    pub out_height: usize,
    pub out_width: usize,
}

impl PoolGeometry {
    /// Elements of the input.
    pub fn input_len(&self) -> usize {
        self.batch * self.in_height * self.in_width * self.channels
    }

    /// Elements of the output.
    pub fn output_len(&self) -> usize {
        self.batch * self.out_height * self.out_width * self.channels
    }

    /// The rows and columns of the image in the window of an output pixel.
    fn window(&self, y: usize, x: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let range = |at: usize, stride: usize, pad: usize, window: usize, size: usize| {
            let start = at * stride;
            let end = (start + window).saturating_sub(pad).min(size);
            start.saturating_sub(pad).min(end)..end
        };
        (
            range(y, self.stride_height, self.pad_top, self.window_height, self.in_height),
            range(x, self.stride_width, self.pad_left, self.window_width, self.in_width),
        )
    }

    /// True when every element of the image lies in exactly one window.
    fn is_partition(&self) -> bool {
        let along = |window: usize, stride: usize, pad: usize, size: usize, out: usize| {
            window == stride && out * stride >= size + pad
        };
        along(self.window_height, self.stride_height, self.pad_top, self.in_height, self.out_height)
            && along(self.window_width, self.stride_width, self.pad_left, self.in_width, self.out_width)
    }

    fn check(&self, input: usize, output: usize) {
        assert_eq!([input, output], [self.input_len(), self.output_len()]);
    }

    fn image_len(&self) -> usize {
        self.in_height * self.in_width * self.channels
    }
}

/// Element types that can be pooled. The loops are compiled here, once per type.
pub trait Pool: Number {
    /// `output` = the greatest element of each window.
    fn max_pool(g: &PoolGeometry, input: &[Self], output: &mut [Self]);
    /// The gradient of the maximum by the input.
    fn max_pool_grad(g: &PoolGeometry, input: &[Self], grad: &[Self], input_grad: &mut [Self]);
    /// The gradient of that by `grad`: of `second`, each window's element at its first maximum.
    fn max_pool_grad_grad(g: &PoolGeometry, input: &[Self], second: &[Self], output: &mut [Self]);
    /// `output` = the average of each window.
    fn avg_pool(g: &PoolGeometry, input: &[Self], output: &mut [Self]);
    /// The gradient of the average by the input.
    fn avg_pool_grad(g: &PoolGeometry, grad: &[Self], input_grad: &mut [Self]);
}

macro_rules! pools {
    ($($t:ty)*) => {$(
        impl Pool for $t {
            fn max_pool(g: &PoolGeometry, input: &[Self], output: &mut [Self]) {
                max_forward(g, input, output);
            }
            fn max_pool_grad(g: &PoolGeometry, input: &[Self], grad: &[Self], input_grad: &mut [Self]) {
                max_backward(g, input, grad, input_grad);
            }
            fn max_pool_grad_grad(g: &PoolGeometry, input: &[Self], second: &[Self], output: &mut [Self]) {
                max_second(g, input, second, output);
            }
            fn avg_pool(g: &PoolGeometry, input: &[Self], output: &mut [Self]) {
                avg_forward(g, input, output);
            }
            fn avg_pool_grad(g: &PoolGeometry, grad: &[Self], input_grad: &mut [Self]) {
                avg_backward(g, grad, input_grad);
            }
        }
    )*};
}
pools!(f32 f64 half::f16 half::bf16 i8 i16 i32 i64 u8 u16 u32 u64);

/// Runs `f(image, row of outputs, its number)` over all rows of outputs in parallel.
fn output_rows<T: Number>(g: &PoolGeometry, input: &[T], output: &mut [T], f: impl Fn(&[T], usize, &mut [T]) + Sync) {
    g.check(input.len(), output.len());
    let row = g.out_width * g.channels;
    let cost = (row * g.window_height * g.window_width).max(1);
    if output.is_empty() {
        return;
    }
    parallel_units(output, row, (32 * 1024usize).div_ceil(cost), |first, rows| {
        for (i, out) in rows.chunks_exact_mut(row).enumerate() {
            let (b, y) = ((first + i) / g.out_height, (first + i) % g.out_height);
            f(&input[b * g.image_len()..(b + 1) * g.image_len()], y, out);
        }
    });
}

fn max_forward<T: Real>(g: &PoolGeometry, input: &[T], output: &mut [T]) {
    output_rows(g, input, output, |image, y, out| {
        for (x, out) in out.chunks_exact_mut(g.channels).enumerate() {
            let window = g.window(y, x);
            by_lanes(g.channels, |at, lanes| match lanes {
                32 => max_of_window::<T, 32>(g, image, &window, at, out),
                8 => max_of_window::<T, 8>(g, image, &window, at, out),
                _ => max_of_window::<T, 1>(g, image, &window, at, out),
            });
        }
    });
}

/// Calls `f(first channel, how many)` for groups of 32, 8 or 1 channels.
#[inline(always)]
fn by_lanes(channels: usize, mut f: impl FnMut(usize, usize)) {
    let mut at = 0;
    while at < channels {
        let lanes = match channels - at {
            32.. => 32,
            8.. => 8,
            _ => 1,
        };
        f(at, lanes);
        at += lanes;
    }
}

type Window = (std::ops::Range<usize>, std::ops::Range<usize>);

/// The maxima of `N` channels of a window, kept in registers.
fn max_of_window<T: Real, const N: usize>(
    g: &PoolGeometry,
    image: &[T],
    (rows, cols): &Window,
    at: usize,
    out: &mut [T],
) {
    wide(
        #[inline(always)]
        || {
            let mut best = [T::LOWEST; N];
            for y in rows.clone() {
                for x in cols.clone() {
                    let values = &image[(y * g.in_width + x) * g.channels + at..][..N];
                    for (best, &v) in best.iter_mut().zip(values) {
                        *best = if v > *best { v } else { *best };
                    }
                }
            }
            out[at..at + N].copy_from_slice(&best);
        },
    );
}

fn avg_forward<T: Number>(g: &PoolGeometry, input: &[T], output: &mut [T]) {
    output_rows(g, input, output, |image, y, out| {
        let mut sums = vec![T::Wide::ZERO; g.channels];
        for (x, out) in out.chunks_exact_mut(g.channels).enumerate() {
            sums.fill(T::Wide::ZERO);
            let (rows, cols) = g.window(y, x);
            let count = T::Wide::from_count(rows.len() * cols.len());
            wide(
                #[inline(always)]
                || {
                    for iy in rows {
                        let line = &image[(iy * g.in_width + cols.start) * g.channels..][..cols.len() * g.channels];
                        for pixel in line.chunks_exact(g.channels) {
                            for (sum, &v) in sums.iter_mut().zip(pixel) {
                                *sum = sum.plus(v.widen());
                            }
                        }
                    }
                    for (o, &sum) in out.iter_mut().zip(&sums) {
                        *o = T::narrow(sum.over(count));
                    }
                },
            );
        }
    });
}

/// Runs `f(number of the image, its gradient)` over all images in parallel.
fn images<T: Number>(g: &PoolGeometry, grad: &[T], input_grad: &mut [T], f: impl Fn(usize, &mut [T]) + Sync) {
    g.check(input_grad.len(), grad.len());
    if input_grad.is_empty() {
        return;
    }
    let len = g.image_len();
    parallel_units(input_grad, len, (16 * 1024usize).div_ceil(len), |first, images| {
        for (i, image) in images.chunks_exact_mut(len).enumerate() {
            f(first + i, image);
        }
    });
}

fn max_backward<T: Real>(g: &PoolGeometry, input: &[T], grad: &[T], input_grad: &mut [T]) {
    assert_eq!(input.len(), input_grad.len());
    if g.is_partition() {
        max_backward_by::<T, true>(g, input, grad, input_grad);
    } else {
        max_backward_by::<T, false>(g, input, grad, input_grad);
    }
}

/// As [`max_backward`]; `ONCE` says that every element lies in exactly one window, so that it is written once.
fn max_backward_by<T: Real, const ONCE: bool>(g: &PoolGeometry, input: &[T], grad: &[T], input_grad: &mut [T]) {
    let channels = g.channels;
    images(g, grad, input_grad, |b, image_grad| {
        if !ONCE {
            image_grad.fill(T::ZERO);
        }
        let image = &input[b * g.image_len()..(b + 1) * g.image_len()];
        for pixel in 0..g.out_height * g.out_width {
            let window = g.window(pixel / g.out_width, pixel % g.out_width);
            if window.0.is_empty() || window.1.is_empty() {
                continue;
            }
            let grad = &grad[(b * g.out_height * g.out_width + pixel) * channels..][..channels];
            by_lanes(channels, |at, lanes| match lanes {
                32 => to_first_maximum::<T, 32, ONCE>(g, image, &window, at, grad, image_grad),
                8 => to_first_maximum::<T, 8, ONCE>(g, image, &window, at, grad, image_grad),
                _ => to_first_maximum::<T, 1, ONCE>(g, image, &window, at, grad, image_grad),
            });
        }
    });
}

fn max_second<T: Real>(g: &PoolGeometry, input: &[T], second: &[T], output: &mut [T]) {
    g.check(input.len(), output.len());
    assert_eq!(input.len(), second.len());
    let pixels = g.out_height * g.out_width;
    for (at, out) in output.iter_mut().enumerate() {
        let (pixel, channel) = (at / g.channels % pixels, at % g.channels);
        let image = at / (g.channels * pixels) * g.image_len();
        let (rows, cols) = g.window(pixel / g.out_width, pixel % g.out_width);
        let mut best: Option<usize> = None;
        for y in rows {
            for x in cols.clone() {
                let here = image + (y * g.in_width + x) * g.channels + channel;
                if best.is_none_or(|best| input[here] > input[best]) {
                    best = Some(here);
                }
            }
        }
        *out = best.map_or(T::ZERO, |best| second[best]);
    }
}

/// Adds the gradients of `N` channels where their window has its first maximum; with `ONCE`, writes them, and zeros
/// elsewhere in the window.
fn to_first_maximum<T: Real, const N: usize, const ONCE: bool>(
    g: &PoolGeometry,
    image: &[T],
    (rows, cols): &Window,
    at: usize,
    grad: &[T],
    image_grad: &mut [T],
) {
    let place = |y: usize, x: usize| (y * g.in_width + x) * g.channels + at;
    widest(
        #[inline(always)]
        || {
            let first = place(rows.start, cols.start);
            let mut best = [T::ZERO; N];
            best.copy_from_slice(&image[first..first + N]);
            for y in rows.clone() {
                for x in cols.clone() {
                    let values = &image[place(y, x)..][..N];
                    for (best, &v) in best.iter_mut().zip(values) {
                        *best = if v > *best { v } else { *best };
                    }
                }
            }
            // The first element that matches takes what is left of the gradient: all of it. A NaN stays the best only when
            // it comes first, and equals nothing: its place takes the gradient before the others are compared.
            let mut left = [T::ZERO; N];
            left.copy_from_slice(&grad[at..at + N]);
            let mut undefined = [T::ZERO; N];
            for ((undefined, left), &best) in undefined.iter_mut().zip(&mut left).zip(&best) {
                *undefined = if best.is_nan() { *left } else { T::ZERO };
                *left = if best.is_nan() { T::ZERO } else { *left };
            }
            for y in rows.clone() {
                for x in cols.clone() {
                    let here = place(y, x);
                    let (values, targets) = (&image[here..here + N], &mut image_grad[here..here + N]);
                    for (((left, &best), &v), target) in left.iter_mut().zip(&best).zip(values).zip(targets) {
                        let part = if v == best { *left } else { T::ZERO };
                        *target = if ONCE { part } else { target.plus(part) };
                        *left = if v == best { T::ZERO } else { *left };
                    }
                }
            }
            if best.iter().any(|best| best.is_nan()) {
                for (target, &part) in image_grad[first..first + N].iter_mut().zip(&undefined) {
                    *target = target.plus(part);
                }
            }
        },
    );
}

fn avg_backward<T: Number>(g: &PoolGeometry, grad: &[T], input_grad: &mut [T]) {
    let channels = g.channels;
    images(g, grad, input_grad, |b, image_grad| {
        image_grad.fill(T::ZERO);
        for pixel in 0..g.out_height * g.out_width {
            let (rows, cols) = g.window(pixel / g.out_width, pixel % g.out_width);
            let count = T::from_count(rows.len() * cols.len());
            let grad = &grad[(b * g.out_height * g.out_width + pixel) * channels..][..channels];
            for y in rows {
                let line = &mut image_grad[(y * g.in_width + cols.start) * channels..][..cols.len() * channels];
                for target in line.chunks_exact_mut(channels) {
                    for (t, &d) in target.iter_mut().zip(grad) {
                        *t = t.plus(d.over(count));
                    }
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(size: usize, channels: usize, window: usize, stride: usize, pad: usize, out: usize) -> PoolGeometry {
        PoolGeometry {
            batch: 1,
            in_height: size,
            in_width: size,
            channels,
            window_height: window,
            window_width: window,
            stride_height: stride,
            stride_width: stride,
            pad_top: pad,
            pad_left: pad,
            out_height: out,
            out_width: out,
        }
    }

    /// The maxima, and the gradient when the output gradient is 1, 2, 3, ...
    fn max(g: PoolGeometry, input: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let (mut out, mut back) = (vec![0.0; g.output_len()], vec![9.0; g.input_len()]);
        f32::max_pool(&g, input, &mut out);
        let grad = (1..=g.output_len()).map(|i| i as f32).collect::<Vec<_>>();
        f32::max_pool_grad(&g, input, &grad, &mut back);
        (out, back)
    }

    /// The values are those of TensorFlow 2.21.
    #[test]
    fn maxima_as_tensorflow() {
        let nan = f32::NAN;
        let two = geometry(2, 1, 2, 2, 0, 1);
        assert_eq!(max(two, &[1.0; 4]), (vec![1.0], vec![1.0, 0.0, 0.0, 0.0]));
        assert_eq!(max(two, &[nan, 1.0, 2.0, 3.0]), (vec![3.0], vec![1.0, 0.0, 0.0, 0.0]));
        assert_eq!(max(two, &[1.0, nan, 2.0, 3.0]), (vec![3.0], vec![0.0, 0.0, 0.0, 1.0]));
        assert_eq!(max(two, &[1.0, 2.0, 3.0, nan]), (vec![3.0], vec![0.0, 0.0, 1.0, 0.0]));
        assert_eq!(max(two, &[nan; 4]), (vec![f32::MIN], vec![1.0, 0.0, 0.0, 0.0]));
        let overlapping = max(geometry(3, 1, 2, 1, 0, 2), &[1.0, 2.0, 2.0, 2.0, 1.0, 2.0, 0.0, 2.0, 2.0]);
        assert_eq!(overlapping, (vec![2.0; 4], vec![0.0, 3.0, 0.0, 3.0, 0.0, 4.0, 0.0, 0.0, 0.0]));
        let nine = (1..=9).map(|i| i as f32).collect::<Vec<_>>();
        let same = (vec![5.0, 6.0, 8.0, 9.0], vec![0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 3.0, 4.0]);
        assert_eq!(max(geometry(3, 1, 2, 2, 0, 2), &nine), same);
        assert_eq!(max(geometry(3, 1, 3, 2, 1, 2), &nine), same);
        let channels = max(geometry(2, 2, 2, 2, 0, 1), &[1.0, 8.0, 1.0, 7.0, 0.0, 8.0, 1.0, 9.0]);
        assert_eq!(channels, (vec![1.0, 9.0], vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0]));
    }

    /// The values are those of TensorFlow 2.21.
    #[test]
    fn averages_as_tensorflow() {
        let input = (0..9).map(|i| i as f32).collect::<Vec<_>>();
        let mut out = [0.0; 4];
        f32::avg_pool(&geometry(3, 1, 2, 2, 0, 2), &input, &mut out);
        assert_eq!(out, [2.0, 3.5, 6.5, 8.0]);
        let mut out = [0.0; 9];
        f32::avg_pool(&geometry(3, 1, 3, 1, 1, 3), &input, &mut out);
        assert_eq!(out, [2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0]);
        let mut back = [9.0; 9];
        f32::avg_pool_grad(&geometry(3, 1, 2, 2, 0, 2), &[1.0, 2.0, 3.0, 4.0], &mut back);
        assert_eq!(back, [0.25, 0.25, 1.0, 0.25, 0.25, 1.0, 1.5, 1.5, 4.0]);
    }

    #[test]
    fn other_types_and_nothing() {
        let mut out = [0; 1];
        i32::max_pool(&geometry(2, 1, 2, 2, 0, 1), &[-5, -3, -9, -4], &mut out);
        assert_eq!(out, [-3]);
        f32::max_pool(&PoolGeometry { batch: 0, ..geometry(2, 1, 2, 2, 0, 1) }, &[], &mut []);
    }
}
