//! `DecodePng`, `DecodeJpeg`, `DecodeAndCropJpeg` and `ExtractJpegShape`: pictures out of files, parts of them, and their
//! sizes.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Tensor, bail, ensure, err};

pub(crate) fn register(r: &mut Registry) {
    r.op("DecodePng", "contents: string -> image: dtype")
        .attr("channels: int = 0")
        .attr("dtype: {uint8, uint16} = uint8")
        .shape(shape)
        .any_kernel(png_kernel)
        .not_differentiable();
    r.op("DecodeJpeg", "contents: string -> image: uint8")
        .attr("channels: int = 0")
        .attr("ratio: int = 1")
        .attr("fancy_upscaling: bool = true")
        .attr("try_recover_truncated: bool = false")
        .attr("acceptable_fraction: float = 1.0")
        .attr("dct_method: string = ''")
        .shape(shape)
        .any_kernel(jpeg_kernel)
        .not_differentiable();
    r.op("DecodeAndCropJpeg", "contents: string, crop_window: int32 -> image: uint8")
        .attr("channels: int = 0")
        .attr("ratio: int = 1")
        .attr("fancy_upscaling: bool = true")
        .attr("try_recover_truncated: bool = false")
        .attr("acceptable_fraction: float = 1.0")
        .attr("dct_method: string = ''")
        .shape(crop_shape)
        .any_kernel(crop_kernel);
    r.op("ExtractJpegShape", "contents: string -> image_shape: output_type")
        .attr("output_type: {int32, int64} = int32")
        .shape(size_shape)
        .any_kernel(size_kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    let channels = cx.attr_int("channels")?;
    cx.set(0, PartialShape::new(&[None, None, (channels > 0).then_some(channels)]));
    Ok(())
}

fn crop_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    PartialShape::vector(Some(4)).merge(&cx.with_rank(1, 1)?)?;
    let channels = cx.attr_int("channels")?;
    let window = cx.ints(1).filter(|window| window.len() == 4);
    let side = |at: usize| window.as_ref().map(|window| window[at]).filter(|side| *side >= 0);
    cx.set(0, PartialShape::new(&[side(2), side(3), (channels > 0).then_some(channels)]));
    Ok(())
}

fn size_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    cx.set(0, PartialShape::vector(Some(3)));
    Ok(())
}

/// A picture larger than this is refused before memory is taken for it.
pub(super) const MAX_PIXELS: u64 = 1 << 28;

pub(super) struct Picture {
    height: usize,
    width: usize,
    channels: usize,
    samples: Vec<u16>,
    /// Whether samples go to 65535 instead of 255.
    wide: bool,
}

fn wanted_channels(node: &Node) -> Result<usize> {
    let channels = node.attr_int("channels")?;
    ensure!(matches!(channels, 0 | 1 | 3 | 4), InvalidArgument, "channels must be 0, 1, 3 or 4, got {channels}");
    Ok(channels as usize)
}

pub(super) fn contents<'a>(cx: &'a OpContext<'_>) -> Result<&'a bytes::Bytes> {
    let input = cx.input(0)?;
    ensure!(input.shape().is_scalar(), InvalidArgument, "contents must be scalar, got shape {}", input.shape());
    input.to_string_scalar()
}

fn png_kernel(node: &Node) -> Result<Kernel> {
    let channels = wanted_channels(node)?;
    let wide = node.attr_type("dtype")? == DType::UInt16;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let bytes = contents(cx)?;
        let picture = if bytes.starts_with(&[0xff, 0xd8, 0xff]) { jpeg(bytes, channels)? } else { png(bytes)? };
        let image = picture.to_tensor(channels, wide)?;
        cx.set_output(0, image);
        Ok(())
    }))
}

fn jpeg_kernel(node: &Node) -> Result<Kernel> {
    let channels = wanted_channels(node)?;
    ensure!(node.attr_int("ratio")? == 1, Unimplemented, "a JPEG can only be decoded in its own size here");
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let bytes = contents(cx)?;
        let picture = if bytes.starts_with(b"\x89PNG") { png(bytes)? } else { jpeg(bytes, channels)? };
        let image = picture.to_tensor(channels, false)?;
        cx.set_output(0, image);
        Ok(())
    }))
}

fn crop_kernel(node: &Node) -> Result<Kernel> {
    let channels = wanted_channels(node)?;
    ensure!(node.attr_int("ratio")? == 1, Unimplemented, "a JPEG can only be decoded in its own size here");
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (bytes, window) = (contents(cx)?, cx.input(1)?);
        ensure!(
            window.shape().rank() == 1 && window.num_elements() == 4,
            InvalidArgument,
            "crop_window must have four elements{}",
            window.shape()
        );
        let picture = jpeg(bytes, channels)?;
        let sides = window.to_i64_vec()?;
        let inside = |from: i64, length: i64, size: usize| from >= 0 && length > 0 && from + length <= size as i64;
        ensure!(
            inside(sides[0], sides[2], picture.height) && inside(sides[1], sides[3], picture.width),
            InvalidArgument,
            "Invalid JPEG data or crop window, data size {}: {sides:?} of {} x {} pixels",
            bytes.len(),
            picture.height,
            picture.width
        );
        let image = picture.cropped([sides[0], sides[1], sides[2], sides[3]]).to_tensor(channels, false)?;
        cx.set_output(0, image);
        Ok(())
    }))
}

fn size_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("output_type")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let bytes = contents(cx)?;
        let mut decoder = jpeg_decoder::Decoder::new(std::io::Cursor::new(bytes));
        let read = decoder.read_info();
        let info = decoder.info().filter(|_| read.is_ok());
        let Some(info) = info else { bail!(InvalidArgument, "Invalid JPEG data, size {}", bytes.len()) };
        let channels = info.pixel_format.pixel_bytes() as i64;
        let size = [i64::from(info.height), i64::from(info.width), channels];
        cx.set_output(0, crate::arguments::int_tensor(&size, dtype)?);
        Ok(())
    }))
}

pub(super) fn png(bytes: &[u8]) -> Result<Picture> {
    let wrong = |error: png::DecodingError| err!(InvalidArgument, "Invalid PNG data, size {}: {error}", bytes.len());
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(wrong)?;
    let (width, height) = (reader.info().width, reader.info().height);
    ensure!(width as u64 * height as u64 <= MAX_PIXELS, InvalidArgument, "PNG size too large: {width} by {height}");
    let Some(size) = reader.output_buffer_size() else {
        bail!(InvalidArgument, "PNG size too large: {width} by {height}")
    };
    let mut buffer = vec![0; size];
    let info = reader.next_frame(&mut buffer).map_err(wrong)?;
    buffer.truncate(info.buffer_size());
    let wide = info.bit_depth == png::BitDepth::Sixteen;
    let samples = match wide {
        true => buffer.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect(),
        false => buffer.iter().map(|byte| *byte as u16).collect(),
    };
    let channels = info.color_type.samples();
    Ok(Picture { height: height as usize, width: width as usize, channels, samples, wide })
}

pub(super) fn jpeg(bytes: &[u8], wanted: usize) -> Result<Picture> {
    ensure!(wanted != 4, InvalidArgument, "channels must be 0, 1 or 3 for a JPEG, got 4");
    let wrong = |error: jpeg_decoder::Error| {
        err!(InvalidArgument, "Invalid JPEG data or crop window, data size {}: {error}", bytes.len())
    };
    let mut decoder = jpeg_decoder::Decoder::new(std::io::Cursor::new(bytes));
    decoder.read_info().map_err(wrong)?;
    let Some(info) = decoder.info() else { bail!(InvalidArgument, "Invalid JPEG data or crop window") };
    ensure!(
        info.width as u64 * info.height as u64 <= MAX_PIXELS,
        InvalidArgument,
        "JPEG size too large: {} by {}",
        info.width,
        info.height
    );
    let channels = match info.pixel_format {
        jpeg_decoder::PixelFormat::L8 => 1,
        jpeg_decoder::PixelFormat::RGB24 => 3,
        other => bail!(Unimplemented, "a JPEG of the format {other:?}"),
    };
    let samples = decoder.decode().map_err(wrong)?.into_iter().map(u16::from).collect();
    Ok(Picture { height: info.height as usize, width: info.width as usize, channels, samples, wide: false })
}

impl Picture {
    /// The part that begins at a row and column and has so many of each.
    fn cropped(&self, [top, left, height, width]: [i64; 4]) -> Picture {
        let [top, left, height, width] = [top, left, height, width].map(|side| side as usize);
        let rows = self.samples.chunks_exact((self.width * self.channels).max(1)).skip(top).take(height);
        let samples =
            rows.flat_map(|row| &row[left * self.channels..(left + width) * self.channels]).copied().collect();
        Picture { height, width, channels: self.channels, samples, wide: self.wide }
    }

    /// The samples with so many channels (0 for as many as there are), of 8 or 16 bits.
    pub(super) fn to_tensor(&self, channels: usize, wide: bool) -> Result<Tensor> {
        let channels = if channels == 0 { self.channels } else { channels };
        let most = if self.wide { u16::MAX } else { 255 };
        let mut out = Vec::with_capacity(self.height * self.width * channels);
        for pixel in self.samples.chunks_exact(self.channels.max(1)) {
            let grey = |pixel: &[u16]| -> u16 {
                // The weights of red, green and blue in brightness.
                let [r, g, b] = [pixel[0], pixel[1], pixel[2]].map(|x| x as u32);
                ((r * 9798 + g * 19235 + b * 3735) >> 15) as u16
            };
            let (color, alpha): (&[u16], Option<u16>) = match pixel {
                [_, alpha] | [_, _, _, alpha] => (&pixel[..pixel.len() - 1], Some(*alpha)),
                color => (color, None),
            };
            match (channels, color.len()) {
                (1, 3) => out.push(grey(color)),
                (2, 1) => out.extend([color[0], alpha.unwrap_or(most)]),
                (3 | 4, 1) => out.extend([color[0]; 3]),
                _ => out.extend_from_slice(color),
            }
            if channels == 4 {
                out.push(alpha.unwrap_or(most));
            }
        }
        let dims = [self.height as i64, self.width as i64, channels as i64];
        match (wide, self.wide) {
            (true, true) => Tensor::new(dims, out),
            (true, false) => Tensor::new(dims, out.into_iter().map(|sample| sample * 257).collect::<Vec<u16>>()),
            (false, true) => Tensor::new(dims, out.into_iter().map(|sample| (sample >> 8) as u8).collect::<Vec<u8>>()),
            (false, false) => Tensor::new(dims, out.into_iter().map(|sample| sample as u8).collect::<Vec<u8>>()),
        }
    }
}
