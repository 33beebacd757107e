//! `ResizeBicubic` and `ResizeBicubicGrad`: images of another size, by cubic curves through 16 pixels.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry};
use tensor::{DType, Result, Shape, Tensor};

use super::resize::{ALIGN, HALF, IMAGES, Options, SOURCES, Scale, as_floats, grad_sizes, gradient_by, shape, sizes};

pub(crate) fn register(r: &mut Registry) {
    r.op("ResizeBicubic", "images: T, size: int32 -> resized_images: float")
        .attr(IMAGES)
        .attr(ALIGN)
        .attr(HALF)
        .shape(shape)
        .kernel("T", SOURCES, cubic_kernel)
        .gradient(|cx| gradient_by(cx, "ResizeBicubicGrad"));
    r.op("ResizeBicubicGrad", "grads: float, original_image: T -> output: T")
        .attr("T: {float, double}")
        .attr(ALIGN)
        .attr(HALF)
        .shape(|cx| {
            let shape = cx.with_rank(1, 4)?;
            cx.set(0, shape);
            Ok(())
        })
        .kernel("T", &[DType::Float, DType::Double], cubic_grad_kernel);
}

/// Four neighbours of a place along an axis, and how much each counts.
type Taps = [(usize, f32); 4];

/// Weights are rounded to those of so many places between two pixels.
const PLACES: i64 = 1024;

/// The weight of the nearer pixels, less than one away, and of the farther ones; the curve depends on `a`.
fn near(a: f64, x: f64) -> f64 {
    ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
}

fn far(a: f64, x: f64) -> f64 {
    let x = x + 1.0;
    ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a
}

fn taps(scale: &Scale, options: &Options, size: usize, place: usize) -> Taps {
    let at = scale.source(place);
    let floor = at.floor();
    let step = (((at - floor) * PLACES as f32).round_ties_even() as i64).clamp(0, PLACES);
    let a = if options.half_pixel { -0.5 } else { -0.75 };
    let x = step as f64 / PLACES as f64;
    let weights = [far(a, x), near(a, x), near(a, 1.0 - x), far(a, 1.0 - x)].map(|weight| weight as f32);
    let first = floor as i64 - 1;
    let mut taps = [(0usize, 0f32); 4];
    for (number, (tap, weight)) in taps.iter_mut().zip(weights).enumerate() {
        let wanted = first + number as i64;
        let bounded = wanted.clamp(0, size as i64 - 1);
        // With centres of pixels, what lies outside does not count; otherwise the edge stands for it.
        *tap = (bounded as usize, if options.half_pixel && bounded != wanted { 0.0 } else { weight });
    }
    if options.half_pixel {
        let sum: f32 = taps.iter().map(|tap| tap.1).sum();
        if sum.abs() >= 1000.0 * f32::MIN_POSITIVE {
            taps.iter_mut().for_each(|tap| tap.1 /= sum);
        }
    }
    taps
}

fn all_taps(options: &Options, from: usize, to: usize) -> Vec<Taps> {
    let scale = Scale::new(from, to, options.align, options.half_pixel);
    (0..to).map(|place| taps(&scale, options, from, place)).collect()
}

fn cubic_kernel(node: &Node) -> Result<Kernel> {
    let options = Options::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let images = cx.input(0)?;
        let ([batch, height, width, channels], [rows, columns]) = sizes(images, cx.input(1)?)?;
        let shape = Shape::new(&[batch, rows, columns, channels].map(|dim| dim as i64))?;
        Tensor::check_size(DType::Float, &shape)?;
        let values = as_floats(images)?;
        let (down, across) = (all_taps(&options, height, rows), all_taps(&options, width, columns));
        let output = Tensor::build(shape, |out: &mut [f32]| {
            for (number, out) in out.chunks_exact_mut(channels).enumerate() {
                let (image, row, column) = (number / (rows * columns), number / columns % rows, number % columns);
                for (channel, out) in out.iter_mut().enumerate() {
                    *out = across[column]
                        .iter()
                        .map(|(x, weight)| {
                            let along = down[row].iter().map(|(y, weight)| {
                                values[((image * height + y) * width + x) * channels + channel] * weight
                            });
                            along.sum::<f32>() * weight
                        })
                        .sum();
                }
            }
            Ok(())
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn cubic_grad_kernel(node: &Node) -> Result<Kernel> {
    let options = Options::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (grads, original) = (cx.input(0)?, cx.input(1)?);
        let ([_, rows, columns, channels], [height, width]) = grad_sizes(grads, original)?;
        let mut sums = vec![0f64; original.num_elements()];
        if grads.num_elements() > 0 {
            let (down, across) = (all_taps(&options, height, rows), all_taps(&options, width, columns));
            for (number, grad) in grads.as_slice::<f32>()?.chunks_exact(channels).enumerate() {
                let (image, row, column) = (number / (rows * columns), number / columns % rows, number % columns);
                for ((y, weight), (x, other)) in
                    down[row].iter().flat_map(|a| across[column].iter().map(move |b| (a, b)))
                {
                    let pixel = ((image * height + y) * width + x) * channels;
                    for (sum, grad) in sums[pixel..].iter_mut().zip(grad) {
                        *sum += *grad as f64 * (*weight * *other) as f64;
                    }
                }
            }
        }
        let output = match original.dtype() {
            DType::Double => Tensor::from_slice(original.shape(), &sums)?,
            _ => Tensor::from_slice(original.shape(), &sums.iter().map(|sum| *sum as f32).collect::<Vec<_>>())?,
        };
        cx.set_output(0, output);
        Ok(())
    }))
}
