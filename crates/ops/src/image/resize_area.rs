//! `ResizeArea`: images of another size, by the mean of the area that a pixel covers.

use graph::op::{Kernel, OpContext, Registry};
use graph::{Node, ReadAttrs};
use tensor::{DType, Result, Shape, Tensor};

use super::resize::{ALIGN, IMAGES, SOURCES, Scale, as_floats, shape, sizes};

pub(crate) fn register(r: &mut Registry) {
    r.op("ResizeArea", "images: T, size: int32 -> resized_images: float").attr(IMAGES).attr(ALIGN).shape(shape).kernel(
        "T",
        SOURCES,
        area_kernel,
    );
}

/// The pixels that a pixel of the result covers, along one axis, and how much of each.
fn covered(from: usize, to: usize, align: bool) -> (f32, Vec<Vec<(usize, f32)>>) {
    let scale = Scale::new(from, to, align, false).scale;
    let all = (0..to).map(|place| {
        let (start, end) = (place as f32 * scale, (place + 1) as f32 * scale);
        let mut parts = Vec::new();
        for pixel in start.floor() as i64..end.ceil() as i64 {
            let (low, high) = (pixel as f32, (pixel + 1) as f32);
            let part = match (low < start, high > end) {
                (true, true) => scale,
                (true, false) => high - start,
                (false, true) => end - low,
                (false, false) => 1.0,
            };
            parts.push((pixel.clamp(0, from as i64 - 1) as usize, part));
        }
        parts
    });
    (scale, all.collect())
}

fn area_kernel(node: &Node) -> Result<Kernel> {
    let align = node.attr_bool("align_corners")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let images = cx.input(0)?;
        let ([batch, height, width, channels], [rows, columns]) = sizes(images, cx.input(1)?)?;
        let shape = Shape::new(&[batch, rows, columns, channels].map(|dim| dim as i64))?;
        Tensor::check_size(DType::Float, &shape)?;
        let values = as_floats(images)?;
        let ((high, down), (wide, across)) = (covered(height, rows, align), covered(width, columns, align));
        let scale = 1.0 / (high * wide);
        let output = Tensor::build(shape, |out: &mut [f32]| {
            for (number, out) in out.chunks_exact_mut(channels).enumerate() {
                let (image, row, column) = (number / (rows * columns), number / columns % rows, number % columns);
                out.fill(0.0);
                for ((y, part), (x, other)) in down[row].iter().flat_map(|a| across[column].iter().map(move |b| (a, b)))
                {
                    let pixel = ((image * height + y) * width + x) * channels;
                    let weight = part * other * scale;
                    out.iter_mut().zip(&values[pixel..]).for_each(|(out, value)| *out += value * weight);
                }
            }
            Ok(())
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}
