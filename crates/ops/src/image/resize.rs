//! `ResizeBilinear`, `ResizeNearestNeighbor` and their gradient ops.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use crate::moving::{Move, moved};

pub(crate) fn register(r: &mut Registry) {
    const ALIGN: &str = "align_corners: bool = false";
    const HALF: &str = "half_pixel_centers: bool = false";
    r.op("ResizeBilinear", "images: T, size: int32 -> resized_images: float")
        .attr("T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}")
        .attr(ALIGN)
        .attr(HALF)
        .shape(shape)
        .kernel("T", SOURCES, bilinear_kernel)
        .gradient(bilinear_gradient);
    r.op("ResizeBilinearGrad", "grads: float, original_image: T -> output: T")
        .attr("T: {float, bfloat16, half, double}")
        .attr(ALIGN)
        .attr(HALF)
        .shape(|cx| {
            let shape = cx.with_rank(1, 4)?;
            cx.set(0, shape);
            Ok(())
        })
        .kernel("T", &[DType::Float, DType::Double], bilinear_grad_kernel);
    r.op("ResizeNearestNeighbor", "images: T, size: int32 -> resized_images: T")
        .attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
        .attr(ALIGN)
        .attr(HALF)
        .shape(shape)
        .any_kernel(nearest_kernel)
        .gradient(nearest_gradient);
    r.op("ResizeNearestNeighborGrad", "grads: T, size: int32 -> output: T")
        .attr("T: {uint8, int8, int32, half, float, double, bfloat16}")
        .attr(ALIGN)
        .attr(HALF)
        .shape(shape)
        .kernel("T", &[DType::Float, DType::Double], nearest_grad_kernel);
}

pub(super) const SOURCES: &[DType] = &[
    DType::Float,
    DType::Double,
    DType::Half,
    DType::BFloat16,
    DType::Int8,
    DType::UInt8,
    DType::Int16,
    DType::UInt16,
    DType::Int32,
    DType::Int64,
];

pub(super) fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let images = cx.with_rank(0, 4)?;
    cx.with_rank(1, 1)?;
    let size = cx.ints(1).unwrap_or_default();
    let dim = |at: usize| size.get(at).copied().filter(|size| *size > 0);
    cx.set(0, PartialShape::new(&[images.dim(0), dim(0), dim(1), images.dim(3)]));
    Ok(())
}

/// How places of the result lie on the image, along one axis.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) scale: f32,
    half_pixel: bool,
    align: bool,
    size: usize,
}

impl Scale {
    pub(super) fn new(from: usize, to: usize, align: bool, half_pixel: bool) -> Scale {
        let scale = if align && to > 1 {
            from.saturating_sub(1) as f32 / (to - 1) as f32
        } else {
            from as f32 / to.max(1) as f32
        };
        Scale { scale, half_pixel, align, size: from }
    }

    pub(super) fn source(self, place: usize) -> f32 {
        if self.half_pixel { (place as f32 + 0.5) * self.scale - 0.5 } else { place as f32 * self.scale }
    }

    /// The two neighbours, and how much of the second one counts.
    fn between(self, place: usize) -> (usize, usize, f32) {
        let at = self.source(place);
        let floor = at.floor();
        let last = self.size.saturating_sub(1) as f32;
        let low = floor.clamp(0.0, last);
        let high = at.ceil().clamp(0.0, last);
        (low as usize, high as usize, at - floor)
    }

    fn nearest(self, place: usize) -> usize {
        let at = if self.half_pixel { (place as f32 + 0.5) * self.scale } else { place as f32 * self.scale };
        let at = if self.align { at.round() } else { at.floor() };
        (at.max(0.0) as usize).min(self.size.saturating_sub(1))
    }
}

pub(super) struct Options {
    pub(super) align: bool,
    pub(super) half_pixel: bool,
}

impl Options {
    pub(super) fn of(node: &Node) -> Result<Options> {
        let options =
            Options { align: node.attr_bool("align_corners")?, half_pixel: node.attr_bool("half_pixel_centers")? };
        ensure!(
            !(options.align && options.half_pixel),
            InvalidArgument,
            "If half_pixel_centers is True, align_corners must be False."
        );
        Ok(options)
    }
}

/// Batch, height, width and channels of the images, and the height and width wanted.
pub(super) fn sizes(images: &Tensor, size: &Tensor) -> Result<([usize; 4], [usize; 2])> {
    let &[batch, height, width, channels] = images.dims() else {
        bail!(InvalidArgument, "input must be 4-dimensional{}", images.shape())
    };
    ensure!(
        size.shape().rank() == 1 && size.num_elements() == 2,
        InvalidArgument,
        "shape_t must have two elements{}",
        size.shape()
    );
    let size = size.to_i64_vec()?;
    ensure!(size.iter().all(|size| *size > 0), InvalidArgument, "output dimensions must be positive");
    ensure!(height > 0 && width > 0 && channels > 0, InvalidArgument, "input image must be of non-zero size");
    Shape::new(&[batch, size[0], size[1], channels])?;
    Ok(([batch as usize, height as usize, width as usize, channels as usize], [size[0] as usize, size[1] as usize]))
}

pub(super) fn as_floats(images: &Tensor) -> Result<Vec<f32>> {
    macro_rules! read {
        ($($t:ty => $f:expr),*) => {
            $(if let Ok(values) = images.as_slice::<$t>() {
                return Ok(values.iter().map(|value| $f(*value)).collect());
            })*
        };
    }
    read!(f32 => |v| v, f64 => |v: f64| v as f32, f16 => |v: f16| v.to_f32(), bf16 => |v: bf16| v.to_f32(), u8 => |v: u8| v as f32,
          i8 => |v: i8| v as f32, u16 => |v: u16| v as f32, i16 => |v: i16| v as f32, i32 => |v: i32| v as f32, i64 => |v: i64| v as f32);
    bail!(Internal, "no code for images of type {}", images.dtype())
}

fn bilinear_kernel(node: &Node) -> Result<Kernel> {
    let options = Options::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let images = cx.input(0)?;
        let ([batch, height, width, channels], [rows, columns]) = sizes(images, cx.input(1)?)?;
        let shape = Shape::new(&[batch, rows, columns, channels].map(|dim| dim as i64))?;
        Tensor::check_size(DType::Float, &shape)?;
        let values = as_floats(images)?;
        let down = Scale::new(height, rows, options.align, options.half_pixel);
        let across = Scale::new(width, columns, options.align, options.half_pixel);
        let output = Tensor::build(shape, |out: &mut [f32]| {
            let mut next = 0;
            for image in 0..batch {
                for row in 0..rows {
                    let (top, bottom, y) = down.between(row);
                    for column in 0..columns {
                        let (left, right, x) = across.between(column);
                        let at = |row: usize, column: usize| ((image * height + row) * width + column) * channels;
                        for channel in 0..channels {
                            let value = |row, column| values[at(row, column) + channel];
                            let upper = value(top, left) + (value(top, right) - value(top, left)) * x;
                            let lower = value(bottom, left) + (value(bottom, right) - value(bottom, left)) * x;
                            out[next] = upper + (lower - upper) * y;
                            next += 1;
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

fn bilinear_grad_kernel(node: &Node) -> Result<Kernel> {
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
        let [batch, rows, columns, channels] = [batch, rows, columns, channels].map(|dim| dim as usize);
        let (height, width) = (height as usize, width as usize);
        ensure!(
            original.num_elements() > 0 || grads.num_elements() == 0,
            InvalidArgument,
            "original_image must not be empty"
        );
        let down = Scale::new(height, rows, options.align, options.half_pixel);
        let across = Scale::new(width, columns, options.align, options.half_pixel);
        let source = grads.as_slice::<f32>()?;
        let mut sums = vec![0f32; original.num_elements()];
        let mut next = 0;
        for image in 0..batch {
            for row in 0..rows {
                let (top, bottom, y) = down.between(row);
                for column in 0..columns {
                    let (left, right, x) = across.between(column);
                    let at = |row: usize, column: usize| ((image * height + row) * width + column) * channels;
                    for channel in 0..channels {
                        let grad = source[next];
                        next += 1;
                        sums[at(top, left) + channel] += grad * (1.0 - y) * (1.0 - x);
                        sums[at(top, right) + channel] += grad * (1.0 - y) * x;
                        sums[at(bottom, left) + channel] += grad * y * (1.0 - x);
                        sums[at(bottom, right) + channel] += grad * y * x;
                    }
                }
            }
        }
        let output = match original.dtype() {
            DType::Double => {
                Tensor::from_slice(original.shape(), &sums.iter().map(|sum| *sum as f64).collect::<Vec<_>>())?
            }
            _ => Tensor::from_slice(original.shape(), &sums)?,
        };
        cx.set_output(0, output);
        Ok(())
    }))
}

fn bilinear_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    if !matches!(cx.dtype(0), DType::Float | DType::Double) {
        return Ok(vec![None, None]);
    }
    let op = cx.op("ResizeBilinearGrad").input(cx.dy(0)?).input(cx.x(0));
    let op = op.attr("align_corners", cx.attr_bool("align_corners")?);
    let dx = op.attr("half_pixel_centers", cx.attr_bool("half_pixel_centers")?).output();
    Ok(vec![Some(dx.into()), None])
}

/// Pixels taken from their places.
struct Pixels {
    places: Vec<usize>,
    channels: usize,
}

impl Move for Pixels {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        for (out, place) in out.chunks_exact_mut(self.channels.max(1)).zip(&self.places) {
            let start = place * self.channels;
            out.clone_from_slice(&inputs[0][start..start + self.channels]);
        }
    }
}

/// The pixel that each pixel of the result is like.
fn nearest(options: &Options, [batch, height, width, _]: [usize; 4], [rows, columns]: [usize; 2]) -> Vec<usize> {
    let down = Scale::new(height, rows, options.align, options.half_pixel);
    let across = Scale::new(width, columns, options.align, options.half_pixel);
    let mut places = Vec::with_capacity(batch * rows * columns);
    for image in 0..batch {
        for row in 0..rows {
            for column in 0..columns {
                places.push((image * height + down.nearest(row)) * width + across.nearest(column));
            }
        }
    }
    places
}

fn nearest_kernel(node: &Node) -> Result<Kernel> {
    let options = Options::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let images = cx.input(0)?;
        let (from, to) = sizes(images, cx.input(1)?)?;
        let shape = Shape::new(&[from[0], to[0], to[1], from[3]].map(|dim| dim as i64))?;
        Tensor::check_size(DType::Int64, &shape)?;
        let output = moved(shape, &[images], &Pixels { places: nearest(&options, from, to), channels: from[3] })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn nearest_grad_kernel(node: &Node) -> Result<Kernel> {
    let options = Options::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let grads = cx.input(0)?;
        let (from, to) = sizes(grads, cx.input(1)?)?;
        let [batch, rows, columns, channels] = from;
        let shape = Shape::new(&[batch, to[0], to[1], channels].map(|dim| dim as i64))?;
        let places = nearest(&options, [batch, to[0], to[1], channels], [rows, columns]);
        let output = dispatch!(grads.dtype(), T in [f32, f64] => {
            let grads = grads.as_slice::<T>()?;
            Tensor::build(shape, |out: &mut [T]| {
                out.fill(0.0);
                for (grad, place) in grads.chunks_exact(channels).zip(&places) {
                    let start = place * channels;
                    out[start..start + channels].iter_mut().zip(grad).for_each(|(out, grad)| *out += grad);
                }
                Ok(())
            })
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn nearest_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let graph = cx.graph;
    let shape = cx.op("Shape").input(cx.x(0)).output();
    let (begin, end, step) = (graph.constant([1i32]), graph.constant([3i32]), graph.constant([1i32]));
    let size = cx.op("StridedSlice").input(shape).input(begin).input(end).input(step).output();
    let op = cx.op("ResizeNearestNeighborGrad").input(cx.dy(0)?).input(size);
    let op = op.attr("align_corners", cx.attr_bool("align_corners")?);
    let dx = op.attr("half_pixel_centers", cx.attr_bool("half_pixel_centers")?).output();
    Ok(vec![Some(dx.into()), None])
}
