//! `ImageSummary`: images as PNG. Floats are stretched to the range of a byte, each image by itself.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, Result, Tensor, bail, ensure, err, f16};
use wire::summary::value::Value;

use super::scalar_summary::{encoded, entry, numbers};

pub(crate) fn register(r: &mut Registry) {
    r.op("ImageSummary", "tag: string, tensor: T -> summary: string")
        .attr("max_images: int >= 1 = 3")
        .attr("T: {uint8, float, half, double} = float")
        .attr("bad_color: tensor = [255, 0, 0, 255]")
        .shape(ShapeContext::scalar)
        .any_kernel(kernel)
        .not_differentiable();
}

fn kernel(node: &Node) -> Result<Kernel> {
    let max_images = node.attr_int("max_images")?;
    let bad_color = node.attr_tensor("bad_color")?;
    ensure!(bad_color.dtype() == DType::UInt8, InvalidArgument, "bad_color must be uint8, got {}", bad_color.dtype());
    ensure!(
        bad_color.shape().rank() == 1,
        InvalidArgument,
        "bad_color must be a vector, got shape {}",
        bad_color.shape()
    );
    let bad_color = bad_color.as_slice::<u8>()?.to_vec();
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let summary = summarize(cx.input(0)?, cx.input(1)?, max_images, &bad_color)?;
        cx.set_output(0, summary);
        Ok(())
    }))
}

pub(super) fn summarize(tag: &Tensor, images: &Tensor, max_images: i64, bad_color: &[u8]) -> Result<Tensor> {
    ensure!(tag.shape().is_scalar(), InvalidArgument, "Tags must be a scalar");
    let &[batch, height, width, depth @ (1 | 3 | 4)] = images.dims() else {
        bail!(InvalidArgument, "Tensor must be 4-D with last dim 1, 3, or 4, not {}", images.shape())
    };
    let (Ok(high), Ok(wide)) = (u32::try_from(height), u32::try_from(width)) else {
        bail!(InvalidArgument, "Tensor too large for summary {}", images.shape())
    };
    ensure!(
        depth as usize <= bad_color.len(),
        InvalidArgument,
        "expected depth <= bad_color.size, got depth = {depth}, bad_color.size = {}",
        bad_color.len()
    );
    let mut summary = wire::Summary::default();
    for number in 0..batch.min(max_images) {
        ensure!(
            height > 0 && width > 0,
            InvalidArgument,
            "input tensor must have non-zero dims. Found: [{batch}, {height}, {width}, {depth}]."
        );
        let size = (height * width * depth) as usize;
        let image = images.window(number as usize * size, tensor::Shape::vector(size))?;
        let pixels = match image.dtype() {
            DType::UInt8 => image.as_slice::<u8>()?.to_vec(),
            DType::Half => stretched(&numbers(&image)?, |x| f16::from_f64(x).to_f64(), depth as usize, bad_color),
            DType::Float => stretched(&numbers(&image)?, |x| x as f32 as f64, depth as usize, bad_color),
            _ => stretched(&numbers(&image)?, |x| x, depth as usize, bad_color),
        };
        let base = tag.to_string_scalar()?;
        let suffix = if max_images > 1 { format!("/image/{number}") } else { "/image".to_owned() };
        let image = wire::summary::Image {
            height: height as i32,
            width: width as i32,
            colorspace: depth as i32,
            encoded_image_string: png(&pixels, wide, high, depth)?.into(),
        };
        summary.value.push(entry(&[base, suffix.as_bytes()].concat(), Value::Image(image)));
    }
    Ok(encoded(&summary))
}

/// The values of one image as bytes: from 0 to the largest value, or, with negative ones, to both sides of the middle.
/// A pixel that is not a number gets a colour of its own. Every step is rounded as numbers of the image's type are.
fn stretched(values: &[f64], round: fn(f64) -> f64, depth: usize, bad_color: &[u8]) -> Vec<u8> {
    const NEARLY_ZERO: f64 = 1e-6;
    let finite = |pixel: &[f64]| pixel.iter().all(|value| value.is_finite());
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for pixel in values.chunks_exact(depth).filter(|pixel| finite(pixel)) {
        for value in pixel {
            (low, high) = (low.min(*value), high.max(*value));
        }
    }
    let (top, room, offset) = if low < 0.0 { (low.abs().max(high.abs()), 127.0, 128.0) } else { (high, 255.0, 0.0) };
    let scale = if top < NEARLY_ZERO { 0.0 } else { round(room / top) };
    let mut bytes = Vec::with_capacity(values.len());
    for pixel in values.chunks_exact(depth) {
        match finite(pixel) {
            true => bytes.extend(pixel.iter().map(|value| round(round(*value * scale) + offset) as u8)),
            false => bytes.extend_from_slice(&bad_color[..depth]),
        }
    }
    bytes
}

fn png(pixels: &[u8], width: u32, height: u32, depth: i64) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(match depth {
        1 => png::ColorType::Grayscale,
        3 => png::ColorType::Rgb,
        _ => png::ColorType::Rgba,
    });
    let failed = |error: png::EncodingError| err!(Internal, "an image of {width} x {height} pixels: {error}");
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use tensor::Shape;

    use super::*;

    const RED: [u8; 4] = [255, 0, 0, 255];

    #[test]
    fn values_are_stretched_to_a_byte() {
        assert_eq!(stretched(&[0.0, 1.0, 2.0], |x| x, 1, &RED), [0, 127, 255]);
        assert_eq!(stretched(&[-2.0, 0.0, 1.0], |x| x, 1, &RED), [1, 128, 191]);
        assert_eq!(stretched(&[0.0, 0.0], |x| x, 1, &RED), [0, 0]);
        assert_eq!(stretched(&[1.0, 2.0, f64::NAN, 4.0, 4.0, 4.0], |x| x, 3, &RED), [255, 0, 0, 255, 255, 255]);
    }

    #[test]
    fn images_are_numbered_unless_there_is_one() {
        let images = Tensor::zeros(DType::Float, &Shape::new(&[5, 2, 2, 1]).unwrap()).unwrap();
        let tags = |max_images: i64| -> Vec<String> {
            let summary = summarize(&Tensor::from("a"), &images, max_images, &RED).unwrap();
            let summary = wire::Summary::decode(summary.strings().unwrap()[0].clone()).unwrap();
            summary.value.into_iter().map(|value| value.tag).collect()
        };
        assert_eq!(tags(2), ["a/image/0", "a/image/1"]);
        assert_eq!(tags(1), ["a/image"]);
        let flat = Tensor::zeros(DType::Float, &Shape::new(&[1, 2, 2, 2]).unwrap()).unwrap();
        let status = summarize(&Tensor::from("a"), &flat, 1, &RED).unwrap_err();
        // TensorFlow 2.21 gives exactly this.
        assert_eq!(status.message(), "Tensor must be 4-D with last dim 1, 3, or 4, not [1,2,2,2]");
    }
}
