//! `EncodeJpeg` and `EncodeJpegVariableQuality`: a picture as the bytes of a JPEG file.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use jpeg_encoder::{ColorType, Encoder, EncodingError, PixelDensity, PixelDensityUnit, SamplingFactor};
use tensor::{Result, Tensor, bail, ensure, err};

pub(crate) fn register(r: &mut Registry) {
    r.op("EncodeJpeg", "image: uint8 -> contents: string")
        .attr("format: {'', 'grayscale', 'rgb'} = ''")
        .attr("quality: int = 95")
        .attr("progressive: bool = false")
        .attr("optimize_size: bool = false")
        .attr("chroma_downsampling: bool = true")
        .attr("density_unit: {'in', 'cm'} = 'in'")
        .attr("x_density: int = 300")
        .attr("y_density: int = 300")
        .attr("xmp_metadata: string = ''")
        .shape(shape)
        .any_kernel(kernel);
    r.op("EncodeJpegVariableQuality", "images: uint8, quality: int32 -> contents: string").shape(shape).any_kernel(
        |_| {
            Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
                let quality = cx.input(1)?;
                ensure!(quality.shape().is_scalar(), InvalidArgument, "quality must be scalar: {}", quality.shape());
                let quality = i64::from(quality.to_scalar::<i32>()?);
                let file = encode(cx.input(0)?, &Options { quality: checked(quality)?, ..Options::default() })?;
                cx.set_output(0, Tensor::from(bytes::Bytes::from(file)));
                Ok(())
            }))
        },
    );
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 3)?;
    ShapeContext::scalar(cx)
}

/// How a picture is written.
struct Options {
    /// The channels that there must be; 0 for any.
    channels: i64,
    quality: u8,
    progressive: bool,
    optimize: bool,
    downsampling: bool,
    density: PixelDensity,
    xmp: bytes::Bytes,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            channels: 0,
            quality: 95,
            progressive: false,
            optimize: false,
            downsampling: true,
            density: PixelDensity { density: (300, 300), unit: PixelDensityUnit::Inches },
            xmp: bytes::Bytes::new(),
        }
    }
}

fn checked(quality: i64) -> Result<u8> {
    ensure!((0..=100).contains(&quality), InvalidArgument, "quality must be in [0,100], got {quality}");
    Ok(quality.max(1) as u8)
}

fn kernel(node: &Node) -> Result<Kernel> {
    let unit = match node.attr_str("density_unit")? {
        "cm" => PixelDensityUnit::Centimeters,
        _ => PixelDensityUnit::Inches,
    };
    let density = |name: &str| -> Result<u16> {
        let value = node.attr_int(name)?;
        u16::try_from(value).map_err(|_| err!(InvalidArgument, "{name} must be in [0,65535], got {value}"))
    };
    let options = Options {
        channels: match node.attr_str("format")? {
            "grayscale" => 1,
            "rgb" => 3,
            _ => 0,
        },
        quality: checked(node.attr_int("quality")?)?,
        progressive: node.attr_bool("progressive")?,
        optimize: node.attr_bool("optimize_size")?,
        downsampling: node.attr_bool("chroma_downsampling")?,
        density: PixelDensity { density: (density("x_density")?, density("y_density")?), unit },
        xmp: node.attr_bytes("xmp_metadata")?.clone(),
    };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let file = encode(cx.input(0)?, &options)?;
        cx.set_output(0, Tensor::from(bytes::Bytes::from(file)));
        Ok(())
    }))
}

fn encode(image: &Tensor, options: &Options) -> Result<Vec<u8>> {
    let &[height, width, channels] = image.dims() else {
        bail!(InvalidArgument, "image must be 3-dimensional{}", image.shape())
    };
    let wanted = if options.channels > 0 { options.channels } else { channels };
    ensure!(
        matches!(channels, 1 | 3) && wanted == channels,
        InvalidArgument,
        "image must have {} channels, got {channels}",
        if options.channels > 0 { wanted.to_string() } else { "1 or 3".to_owned() }
    );
    let (Ok(wide @ 1..), Ok(high @ 1..)) = (u16::try_from(width), u16::try_from(height)) else {
        bail!(InvalidArgument, "a JPEG cannot have {width} x {height} pixels")
    };
    let failed = |error: EncodingError| err!(Internal, "JPEG encoding failed: {error}");
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, options.quality);
    encoder.set_progressive(options.progressive);
    encoder.set_optimized_huffman_tables(options.optimize);
    encoder.set_density(options.density);
    encoder.set_sampling_factor(match options.downsampling {
        true => SamplingFactor::R_4_2_0,
        false => SamplingFactor::R_4_4_4,
    });
    if !options.xmp.is_empty() {
        let segment = [b"http://ns.adobe.com/xap/1.0/\0", options.xmp.as_ref()].concat();
        encoder.add_app_segment(1, segment).map_err(failed)?;
    }
    let color = if channels == 1 { ColorType::Luma } else { ColorType::Rgb };
    encoder.encode(image.as_slice()?, wide, high, color).map_err(failed)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A smooth picture comes back as it was, to within what the compression loses.
    #[test]
    fn pictures_come_back() {
        for channels in [1usize, 3] {
            let samples: Vec<u8> =
                (0..16 * 24 * channels).map(|at| (at / channels % 24 * 5 + at / channels / 24 * 6) as u8).collect();
            let image = Tensor::new([16, 24, channels as i64], samples.clone()).unwrap();
            for progressive in [false, true] {
                let options = Options { progressive, ..Options::default() };
                let file = encode(&image, &options).unwrap();
                let mut decoder = jpeg_decoder::Decoder::new(&file[..]);
                let back = decoder.decode().unwrap();
                assert_eq!(back.len(), samples.len());
                let worst = back.iter().zip(&samples).map(|(a, b)| a.abs_diff(*b)).max();
                assert!(worst <= Some(6), "{channels} channels differ by {worst:?}");
            }
        }
        assert!(encode(&Tensor::new([2, 2, 2], vec![0u8; 8]).unwrap(), &Options::default()).is_err());
        assert!(encode(&Tensor::new([0, 2, 1], Vec::<u8>::new()).unwrap(), &Options::default()).is_err());
    }
}
