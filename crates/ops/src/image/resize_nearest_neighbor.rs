//! `ResizeNearestNeighbor` and `ResizeNearestNeighborGrad`: images of another size, by the nearest pixel.

use graph::op::{GradContext, Kernel, OpContext, Registry};
use graph::{Gradient, Node, ReadAttrs};
use math::number::Number;
use tensor::{DType, Result, Shape, Tensor, bf16, f16};

use super::resize::{ALIGN, HALF, Options, Scale, shape, sizes};
use crate::moving::{Move, moved};

pub(crate) fn register(r: &mut Registry) {
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
        .kernel(
            "T",
            &[DType::Float, DType::Double, DType::Half, DType::BFloat16, DType::Int32, DType::Int8, DType::UInt8],
            nearest_grad_kernel,
        );
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
pub(super) fn nearest(
    options: &Options,
    [batch, height, width, _]: [usize; 4],
    [rows, columns]: [usize; 2],
) -> Vec<usize> {
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
        let output = dispatch!(grads.dtype(), T in [f32, f64, f16, bf16, i32, i8, u8] => {
            let grads = grads.as_slice::<T>()?;
            Tensor::build(shape, |out: &mut [T]| {
                out.fill(T::ZERO);
                for (grad, place) in grads.chunks_exact(channels).zip(&places) {
                    let start = place * channels;
                    out[start..start + channels].iter_mut().zip(grad).for_each(|(out, grad)| *out = out.plus(*grad));
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
