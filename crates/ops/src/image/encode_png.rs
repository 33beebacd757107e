//! `EncodePng`: a picture as the bytes of a PNG file.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, Result, Tensor, bail, ensure, err};

pub(crate) fn register(r: &mut Registry) {
    r.op("EncodePng", "image: T -> contents: string")
        .attr("compression: int = -1")
        .attr("T: {uint8, uint16} = uint8")
        .shape(ShapeContext::scalar)
        .kernel("T", &[DType::UInt8, DType::UInt16], kernel)
        .not_differentiable();
}

fn kernel(node: &Node) -> Result<Kernel> {
    let compression = node.attr_int("compression")?;
    ensure!((-1..=9).contains(&compression), InvalidArgument, "compression should be in [-1,9], got {compression}");
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let file = encode(cx.input(0)?, compression)?;
        cx.set_output(0, Tensor::from(bytes::Bytes::from(file)));
        Ok(())
    }))
}

fn encode(image: &Tensor, compression: i64) -> Result<Vec<u8>> {
    let &[height, width, channels] = image.dims() else {
        bail!(InvalidArgument, "image must be 3-dimensional{}", image.shape())
    };
    ensure!(image.num_elements() > 0, InvalidArgument, "Invalid image size: {}", image.shape());
    let (Ok(wide), Ok(high)) = (u32::try_from(width), u32::try_from(height)) else {
        bail!(InvalidArgument, "image too large for PNG: {}", image.shape())
    };
    let color = match channels {
        1 => png::ColorType::Grayscale,
        2 => png::ColorType::GrayscaleAlpha,
        3 => png::ColorType::Rgb,
        4 => png::ColorType::Rgba,
        _ => bail!(InvalidArgument, "image must have 1, 2, 3, or 4 channels, got {channels}"),
    };
    let (depth, samples) = match image.dtype() {
        DType::UInt8 => (png::BitDepth::Eight, image.as_slice::<u8>()?.to_vec()),
        _ => (png::BitDepth::Sixteen, image.as_slice::<u16>()?.iter().flat_map(|value| value.to_be_bytes()).collect()),
    };
    let failed = |error: png::EncodingError| err!(Internal, "an image of {width} x {height} pixels: {error}");
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, wide, high);
    encoder.set_depth(depth);
    encoder.set_color(color);
    encoder.set_compression(match compression {
        0..=2 => png::Compression::Fast,
        7..=9 => png::Compression::High,
        _ => png::Compression::Balanced,
    });
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&samples).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(out)
}
