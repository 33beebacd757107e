//! `DecodeGif` and `DecodeImage`: the frames of an animation, and a picture out of a file of any kind.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure, err, memory};

use super::decode_bmp;
use super::decode_image::{MAX_PIXELS, contents, jpeg, png};

pub(crate) fn register(r: &mut Registry) {
    r.op("DecodeGif", "contents: string -> image: uint8").shape(gif_shape).any_kernel(gif_kernel);
    r.op("DecodeImage", "contents: string -> image: dtype")
        .attr("channels: int = 0")
        .attr("dtype: {uint8, uint16, float} = uint8")
        .attr("expand_animations: bool = true")
        .shape(image_shape)
        .any_kernel(image_kernel);
}

fn gif_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    cx.set(0, PartialShape::new(&[None, None, None, Some(3)]));
    Ok(())
}

fn image_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    let channels = cx.attr_int("channels")?;
    ensure!(channels >= 0, InvalidArgument, "channels must be non-negative, got {channels}");
    // An animation has one axis more.
    if !cx.attr_bool("expand_animations")? {
        cx.set(0, PartialShape::new(&[None, None, (channels > 0).then_some(channels)]));
    }
    Ok(())
}

fn gif_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let frames = gif(contents(cx)?, usize::MAX)?;
        cx.set_output(0, frames);
        Ok(())
    }))
}

fn image_kernel(node: &Node) -> Result<Kernel> {
    let (channels, dtype) = (node.attr_int("channels")?, node.attr_type("dtype")?);
    ensure!(matches!(channels, 0 | 1 | 3 | 4), InvalidArgument, "channels must be 0, 1, 3, or 4, got {channels}");
    let animations = node.attr_bool("expand_animations")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let file = contents(cx)?;
        // Only a PNG has samples of 16 bits; those of others are moved up.
        let wide = dtype != DType::UInt8;
        let image = match &file[..] {
            [0xff, 0xd8, 0xff, ..] => jpeg(file, channels as usize)?.to_tensor(channels as usize, false)?,
            [0x89, b'P', b'N', b'G', ..] => png(file)?.to_tensor(channels as usize, wide)?,
            [b'G', b'I', b'F', b'8', ..] => {
                ensure!(
                    matches!(channels, 0 | 3),
                    InvalidArgument,
                    "channels must be 0 or 3 for GIF, but got {channels}"
                );
                let frames = gif(file, if animations { usize::MAX } else { 1 })?;
                match animations {
                    true => frames,
                    false => {
                        let frame = Shape::new(&frames.dims()[1..])?;
                        frames.window(0, frame)?
                    }
                }
            }
            [b'B', b'M', ..] => decode_bmp::decode(file, channels)?,
            _ => bail!(InvalidArgument, "Unknown image file format. One of JPEG, PNG, GIF, BMP required."),
        };
        let image = in_type(image, dtype)?;
        cx.set_output(0, image);
        Ok(())
    }))
}

/// Samples of 8 or 16 bits as the type that is wanted: floats go from 0 to 1.
fn in_type(image: Tensor, dtype: DType) -> Result<Tensor> {
    let shape = image.shape().clone();
    match (image.dtype(), dtype) {
        (from, to) if from == to => Ok(image),
        (DType::UInt8, DType::UInt16) => {
            Tensor::from_slice(&shape, &image.as_slice::<u8>()?.iter().map(|x| u16::from(*x) << 8).collect::<Vec<_>>())
        }
        (DType::UInt8, DType::Float) => Tensor::build(shape, |out: &mut [f32]| {
            out.iter_mut().zip(image.as_slice::<u8>()?).for_each(|(out, x)| *out = f32::from(*x) / 255.0);
            Ok(())
        }),
        (DType::UInt16, DType::Float) => Tensor::build(shape, |out: &mut [f32]| {
            out.iter_mut().zip(image.as_slice::<u16>()?).for_each(|(out, x)| *out = f32::from(*x) / 65535.0);
            Ok(())
        }),
        (from, to) => bail!(Internal, "no way from {from} to {to}"),
    }
}

/// The first frames of an animation, each drawn over the one before it.
fn gif(file: &[u8], most: usize) -> Result<Tensor> {
    let wrong = |error: gif::DecodingError| err!(InvalidArgument, "Invalid GIF data (size {}), {error}", file.len());
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(file).map_err(wrong)?;
    let (wide, high) = (usize::from(decoder.width()), usize::from(decoder.height()));
    ensure!(
        wide > 0 && high > 0 && (wide * high) as u64 <= MAX_PIXELS,
        InvalidArgument,
        "Invalid GIF data: {wide} x {high} pixels"
    );
    let (mut canvas, mut frames, mut count) = (vec![0u8; wide * high * 3], Vec::new(), 0);
    while count < most {
        let Some(frame) = decoder.read_next_frame().map_err(wrong)? else { break };
        let (left, top) = (usize::from(frame.left), usize::from(frame.top));
        let (width, height) = (usize::from(frame.width), usize::from(frame.height));
        for (row, pixels) in frame.buffer.chunks_exact((width * 4).max(1)).take(height).enumerate() {
            for (column, pixel) in pixels.as_chunks::<4>().0.iter().enumerate() {
                let (y, x) = (top + row, left + column);
                if y < high && x < wide && pixel[3] > 0 {
                    canvas[(y * wide + x) * 3..][..3].copy_from_slice(&pixel[..3]);
                }
            }
        }
        memory::ensure_free(2 * (frames.len() + canvas.len()) as u64, format_args!("the frames of a GIF"))?;
        frames.extend_from_slice(&canvas);
        count += 1;
    }
    ensure!(count > 0, InvalidArgument, "Invalid GIF data (size {}), there is no frame", file.len());
    Tensor::new([count as i64, high as i64, wide as i64, 3], frames)
}
