//! `ScaleAndTranslate` and `ScaleAndTranslateGrad`: images scaled and moved, each pixel the sum of those under a filter.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::resize::{SOURCES, as_floats};

pub(crate) fn register(r: &mut Registry) {
    r.op("ScaleAndTranslate", "images: T, size: int32, scale: float, translation: float -> resized_images: float")
        .attr("T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}")
        .attr("kernel_type: string = 'lanczos3'")
        .attr("antialias: bool = true")
        .shape(shape)
        .kernel("T", SOURCES, kernel)
        .gradient(gradient);
    r.op("ScaleAndTranslateGrad", "grads: T, original_image: T, scale: float, translation: float -> output: T")
        .attr("T: {float}")
        .attr("kernel_type: string = 'lanczos3'")
        .attr("antialias: bool = true")
        .shape(|cx| {
            let shape = cx.with_rank(1, 4)?;
            cx.set(0, shape);
            Ok(())
        })
        .kernel("T", &[DType::Float], grad_kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let images = cx.with_rank(0, 4)?;
    cx.with_rank(1, 1)?;
    let size = cx.ints(1).unwrap_or_default();
    let side = |axis: usize| size.get(axis).copied().filter(|side| *side > 0);
    cx.set(0, PartialShape::new(&[images.dim(0), side(0), side(1), images.dim(3)]));
    Ok(())
}

/// The weight of a pixel by its distance.
#[derive(Clone, Copy)]
enum Filter {
    Lanczos(f32),
    Gaussian,
    Box,
    Triangle,
    KeysCubic,
    MitchellCubic,
}

impl Filter {
    fn of(node: &Node) -> Result<Filter> {
        Ok(match node.attr_str("kernel_type")?.to_ascii_lowercase().as_str() {
            "lanczos1" => Filter::Lanczos(1.0),
            "lanczos3" => Filter::Lanczos(3.0),
            "lanczos5" => Filter::Lanczos(5.0),
            "gaussian" => Filter::Gaussian,
            "box" => Filter::Box,
            "triangle" => Filter::Triangle,
            "keyscubic" => Filter::KeysCubic,
            "mitchellcubic" => Filter::MitchellCubic,
            other => bail!(InvalidArgument, "Unrecognized kernel type: {other}"),
        })
    }

    fn radius(self) -> f32 {
        match self {
            Filter::Lanczos(radius) => radius,
            Filter::Gaussian => 1.5,
            Filter::Box | Filter::Triangle => 1.0,
            Filter::KeysCubic | Filter::MitchellCubic => 2.0,
        }
    }

    fn weight(self, at: f32) -> f32 {
        let x = at.abs();
        match self {
            Filter::Lanczos(radius) => {
                if x > radius {
                    0.0
                } else if x <= 1e-3 {
                    1.0
                } else {
                    let angle = std::f32::consts::PI * x;
                    radius * angle.sin() * (angle / radius).sin() / (angle * angle)
                }
            }
            Filter::Gaussian if x >= 1.5 => 0.0,
            // A standard deviation is a third of the radius.
            Filter::Gaussian => (-x * x / (2.0 * 0.5 * 0.5)).exp(),
            Filter::Box => {
                if x < 0.5 {
                    1.0
                } else if x == 0.5 {
                    0.5
                } else {
                    0.0
                }
            }
            Filter::Triangle => (1.0 - x).max(0.0),
            Filter::KeysCubic if x >= 2.0 => 0.0,
            Filter::KeysCubic if x >= 1.0 => ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0,
            Filter::KeysCubic => (1.5 * x - 2.5) * x * x + 1.0,
            Filter::MitchellCubic if x >= 2.0 => 0.0,
            Filter::MitchellCubic if x >= 1.0 => (((-7.0 / 18.0) * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0,
            Filter::MitchellCubic => ((7.0 / 6.0) * x - 2.0) * x * x + 8.0 / 9.0,
        }
    }

    /// For each place of an axis of the result: the first place of the image under the filter, and the weights from there.
    fn spans(
        self,
        from: usize,
        to: usize,
        scale: f32,
        move_by: f32,
        antialias: bool,
    ) -> Result<Vec<(usize, Vec<f32>)>> {
        ensure!(scale > 0.0 && scale.is_finite(), InvalidArgument, "scale must be greater than zero, not {scale}");
        let back = 1.0 / scale;
        let shift = -back * move_by;
        let stretch = if antialias { back.max(1.0) } else { 1.0 };
        let reach = self.radius() * stretch;
        let last = from as f32 - 1.0;
        let mut spans = Vec::with_capacity(to);
        for place in 0..to {
            let at = (place as f32 + 0.5) * back + shift;
            // Beyond the image there is nothing.
            if !(at >= 0.0 && at <= from as f32) {
                spans.push((0, Vec::new()));
                continue;
            }
            let first = (at - reach - 0.5).ceil().max(0.0).min(last) as usize;
            let end = (at + reach - 0.5).floor().max(0.0).min(last) as usize;
            let mut weights: Vec<f32> =
                (first..=end).map(|source| self.weight((source as f32 + 0.5 - at) / stretch)).collect();
            let sum: f32 = weights.iter().sum();
            let counts = sum.abs() >= 1000.0 * f32::MIN_POSITIVE;
            weights.iter_mut().for_each(|weight| *weight = if counts { *weight * (1.0 / sum) } else { 0.0 });
            spans.push((first, weights));
        }
        Ok(spans)
    }
}

/// Two floats for height and width.
fn pair(tensor: &Tensor, name: &str) -> Result<[f32; 2]> {
    ensure!(tensor.dims() == [2], InvalidArgument, "{name} must have two elements, not the shape {}", tensor.shape());
    Ok(<[f32; 2]>::try_from(tensor.as_slice::<f32>()?).unwrap_or_default())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (filter, antialias) = (Filter::of(node)?, node.attr_bool("antialias")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let images = cx.input(0)?;
        let ([batch, height, width, channels], [rows, columns]) = super::resize::sizes(images, cx.input(1)?)?;
        let (scale, move_by) = (pair(cx.input(2)?, "scale")?, pair(cx.input(3)?, "translation")?);
        let shape = Shape::new(&[batch, rows, columns, channels].map(|dim| dim as i64))?;
        Tensor::check_size(DType::Float, &shape)?;
        // What is between the two passes: all rows of the image, and the columns of the result.
        let between = Shape::new(&[height, columns, channels].map(|dim| dim as i64))?;
        Tensor::check_size(DType::Float, &between)?;
        let down = filter.spans(height, rows, scale[0], move_by[0], antialias)?;
        let across = filter.spans(width, columns, scale[1], move_by[1], antialias)?;
        let values = as_floats(images)?;
        let output = Tensor::build(shape, |out: &mut [f32]| {
            out.fill(0.0);
            let area = (rows * columns * channels).max(1);
            for (image, out) in out.chunks_exact_mut(area).enumerate() {
                let image = &values[image * height * width * channels..][..height * width * channels];
                let mut middle = vec![0f32; height * columns * channels];
                for row in 0..height {
                    for (column, (first, weights)) in across.iter().enumerate() {
                        let target = &mut middle[(row * columns + column) * channels..][..channels];
                        for (at, weight) in weights.iter().enumerate() {
                            let source = &image[(row * width + first + at) * channels..][..channels];
                            target.iter_mut().zip(source).for_each(|(sum, x)| *sum += weight * x);
                        }
                    }
                }
                let line = columns * channels;
                for (row, (first, weights)) in down.iter().enumerate() {
                    let target = &mut out[row * line..][..line];
                    for (at, weight) in weights.iter().enumerate() {
                        let source = &middle[(first + at) * line..][..line];
                        target.iter_mut().zip(source).for_each(|(sum, x)| *sum += weight * x);
                    }
                }
            }
            Ok(())
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// What each pixel gave goes back to it, by the same weights.
fn grad_kernel(node: &Node) -> Result<Kernel> {
    let (filter, antialias) = (Filter::of(node)?, node.attr_bool("antialias")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (grads, original) = (cx.input(0)?, cx.input(1)?);
        let (&[batch, rows, columns, channels], &[images, height, width, depth]) = (grads.dims(), original.dims())
        else {
            bail!(InvalidArgument, "input_grad must be 4-dimensional: {} and {}", grads.shape(), original.shape())
        };
        ensure!(
            batch == images && channels == depth,
            InvalidArgument,
            "gradients {} of images {}",
            grads.shape(),
            original.shape()
        );
        let (scale, move_by) = (pair(cx.input(2)?, "scale")?, pair(cx.input(3)?, "translation")?);
        let [rows, columns, channels, height, width] = [rows, columns, channels, height, width].map(|dim| dim as usize);
        let down = filter.spans(height, rows, scale[0], move_by[0], antialias)?;
        let across = filter.spans(width, columns, scale[1], move_by[1], antialias)?;
        let values = grads.as_slice::<f32>()?;
        let output = Tensor::build(original.shape().clone(), |out: &mut [f32]| {
            out.fill(0.0);
            let area = (height * width * channels).max(1);
            for (image, out) in out.chunks_exact_mut(area).enumerate() {
                let image = &values[image * rows * columns * channels..][..rows * columns * channels];
                for (row, (top, by_row)) in down.iter().enumerate() {
                    for (column, (left, by_column)) in across.iter().enumerate() {
                        let source = &image[(row * columns + column) * channels..][..channels];
                        for (y, first) in by_row.iter().enumerate() {
                            for (x, second) in by_column.iter().enumerate() {
                                let target = &mut out[((top + y) * width + left + x) * channels..][..channels];
                                let weight = first * second;
                                target.iter_mut().zip(source).for_each(|(sum, grad)| *sum += weight * grad);
                            }
                        }
                    }
                }
            }
            Ok(())
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("ScaleAndTranslateGrad").input(cx.dy(0)?).input(cx.x(0)).input(cx.x(2)).input(cx.x(3));
    let node =
        node.attr("kernel_type", cx.attr_str("kernel_type")?.to_owned()).attr("antialias", cx.attr_bool("antialias")?);
    Ok(vec![Some(node.output().into()), None, None, None])
}
