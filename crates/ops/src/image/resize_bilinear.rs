//! `ResizeBilinear` and `ResizeBilinearGrad`: images of another size, by the weighted mean of four pixels.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry};
use tensor::{DType, Result, Shape, Tensor};

use crate::narrow_floats::narrow;

use super::resize::{ALIGN, HALF, Options, SOURCES, Scale, as_floats, grad_sizes, gradient_by, shape, sizes};

pub(crate) fn register(r: &mut Registry) {
    r.op("ResizeBilinear", "images: T, size: int32 -> resized_images: float")
        .attr("T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}")
        .attr(ALIGN)
        .attr(HALF)
        .shape(shape)
        .kernel("T", SOURCES, bilinear_kernel)
        .gradient(|cx| gradient_by(cx, "ResizeBilinearGrad"));
    r.op("ResizeBilinearGrad", "grads: float, original_image: T -> output: T")
        .attr("T: {float, bfloat16, half, double}")
        .attr(ALIGN)
        .attr(HALF)
        .shape(|cx| {
            let shape = cx.with_rank(1, 4)?;
            cx.set(0, shape);
            Ok(())
        })
        .kernel("T", &[DType::Float, DType::Double, DType::Half, DType::BFloat16], bilinear_grad_kernel);
}

fn bilinear_kernel(node: &Node) -> Result<Kernel> {
    let options = Options::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = resize_bilinear(cx.input(0)?, cx.input(1)?, options.align, options.half_pixel)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The images in another size, as floats.
pub(crate) fn resize_bilinear(images: &Tensor, size: &Tensor, align: bool, half_pixel: bool) -> Result<Tensor> {
    let ([batch, height, width, channels], [rows, columns]) = sizes(images, size)?;
    let shape = Shape::new(&[batch, rows, columns, channels].map(|dim| dim as i64))?;
    Tensor::check_size(DType::Float, &shape)?;
    let values = as_floats(images)?;
    let down = Scale::new(height, rows, align, half_pixel);
    let across = Scale::new(width, columns, align, half_pixel);
    Tensor::build(shape, |out: &mut [f32]| {
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
    })
}

fn bilinear_grad_kernel(node: &Node) -> Result<Kernel> {
    let options = Options::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (grads, original) = (cx.input(0)?, cx.input(1)?);
        let ([batch, rows, columns, channels], [height, width]) = grad_sizes(grads, original)?;
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
            dtype => narrow(&Tensor::from_slice(original.shape(), &sums)?, dtype)?,
        };
        cx.set_output(0, output);
        Ok(())
    }))
}
