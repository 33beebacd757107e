//! `ResizeBicubic` and `ResizeBicubicGrad`: images of another size, by cubic curves through 16 pixels.

use graph::op::{GradContext, Kernel, OpContext, Registry};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{DType, Result, Shape, Tensor, bail, ensure};

use super::resize::{Options, SOURCES, Scale, as_floats, shape, sizes};

pub(crate) fn register(r: &mut Registry) {
    const HALF: &str = "half_pixel_centers: bool = false";
    r.op("ResizeBicubic", "images: T, size: int32 -> resized_images: float")
        .attr(T)
        .attr(ALIGN)
        .attr(HALF)
        .shape(shape)
        .kernel("T", SOURCES, cubic_kernel)
        .gradient(cubic_gradient);
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

pub(super) const T: &str = "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}";

pub(super) const ALIGN: &str = "align_corners: bool = false";

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
        let (&[batch, rows, columns, channels], &[own_batch, height, width, own_channels]) =
            (grads.dims(), original.dims())
        else {
            bail!(
                InvalidArgument,
                "input_grad and original_image must be 4-dimensional: {} and {}",
                grads.shape(),
                original.shape()
            )
        };
        ensure!(
            batch == own_batch && channels == own_channels,
            InvalidArgument,
            "input_grad {} and original_image {} must have the same batch size and channels",
            grads.shape(),
            original.shape()
        );
        ensure!(
            original.num_elements() > 0 || grads.num_elements() == 0,
            InvalidArgument,
            "original_image must not be empty"
        );
        let [rows, columns, channels, height, width] = [rows, columns, channels, height, width].map(|dim| dim as usize);
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

fn cubic_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    if !matches!(cx.dtype(0), DType::Float | DType::Double) {
        return Ok(vec![None, None]);
    }
    let op = cx.op("ResizeBicubicGrad").input(cx.dy(0)?).input(cx.x(0));
    let op = op.attr("align_corners", cx.attr_bool("align_corners")?);
    let dx = op.attr("half_pixel_centers", cx.attr_bool("half_pixel_centers")?).output();
    Ok(vec![Some(dx.into()), None])
}
