//! `DecodeBmp`: pictures out of uncompressed BMP files.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure, err};

pub(crate) fn register(r: &mut Registry) {
    r.op("DecodeBmp", "contents: string -> image: uint8")
        .attr("channels: int = 0")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    let channels = cx.attr_int("channels")?;
    cx.set(0, PartialShape::new(&[None, None, (channels > 0).then_some(channels)]));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let channels = node.attr_int("channels")?;
    ensure!(matches!(channels, 0 | 1 | 3 | 4), InvalidArgument, "channels must be 0, 1, 3 or 4, got {channels}");
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let contents = cx.input(0)?;
        ensure!(
            contents.shape().is_scalar(),
            InvalidArgument,
            "`contents` must be scalar but got shape{}",
            contents.shape()
        );
        let image = decode(contents.to_string_scalar()?, channels)?;
        cx.set_output(0, image);
        Ok(())
    }))
}

pub(super) fn decode(file: &[u8], wanted: i64) -> Result<Tensor> {
    let word = |at: usize| -> Result<i32> {
        let bytes = file.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(i32::from_le_bytes).ok_or_else(|| {
            err!(
                InvalidArgument,
                "Incomplete bmp content, requires at least 32 bytes to find the header size, got {} bytes",
                file.len()
            )
        })
    };
    ensure!(
        file.len() >= 32,
        InvalidArgument,
        "Incomplete bmp content, requires at least 32 bytes to find the header size, width, height, and bpp, got {} bytes",
        file.len()
    );
    ensure!(
        file.starts_with(b"BM"),
        InvalidArgument,
        "Unknown image file format. One of JPEG, PNG, GIF, BMP required."
    );
    let (start, width, height) = (word(10)?, word(18)?, word(22)?);
    let bits = u16::from_le_bytes([file[28], file[29]]) as i64;
    let channels = if wanted > 0 { wanted } else { bits / 8 };
    ensure!(
        bits / 8 == channels || bits == 24 && channels == 4,
        InvalidArgument,
        "channels attribute {channels} does not match bits per pixel from file {}",
        bits / 8
    );
    ensure!(
        matches!(channels, 1 | 3 | 4),
        InvalidArgument,
        "Number of channels inherent in the image must be 1, 3 or 4, was {channels}"
    );
    ensure!(
        width > 0 && height != 0 && height != i32::MIN,
        InvalidArgument,
        "BMP: a picture of {width} x {height} pixels"
    );
    let (high, wide, depth) = (height.unsigned_abs() as usize, width as usize, channels as usize);
    let stored = (bits / 8) as usize;
    // Rows begin at multiples of four bytes.
    let row = (wide * stored).next_multiple_of(4);
    let needed = row.checked_mul(high - 1).and_then(|rows| rows.checked_add(wide * stored));
    let pixels = usize::try_from(start).ok().and_then(|start| file.get(start..));
    let (Some(needed), Some(pixels)) = (needed, pixels) else { bail!(InvalidArgument, "Incomplete bmp content") };
    ensure!(
        pixels.len() >= needed,
        InvalidArgument,
        "Incomplete bmp content, requires at least {needed} bytes of pixels, got {}",
        pixels.len()
    );
    let shape = Shape::new(&[high, wide, depth].map(|dim| dim as i64))?;
    Tensor::build(shape, |out: &mut [u8]| {
        for (number, target) in out.chunks_exact_mut(wide * depth).enumerate() {
            // With a positive height the last row comes first.
            let from = if height > 0 { high - 1 - number } else { number };
            let source = &pixels[from * row..from * row + wide * stored];
            for (target, source) in target.chunks_exact_mut(depth).zip(source.chunks_exact(stored)) {
                target.fill(255);
                target[..stored].copy_from_slice(source);
                if depth >= 3 {
                    target.swap(0, 2);
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of 1 x 2 pixels, stored from below, blue first, in rows of four bytes.
    #[test]
    fn rows_and_colours_are_turned() {
        let mut file = vec![0u8; 54];
        file[..2].copy_from_slice(b"BM");
        (file[10], file[18], file[22], file[28]) = (54, 1, 2, 24);
        file.extend([1, 2, 3, 0, 4, 5, 6, 0]);
        assert_eq!(decode(&file, 0).unwrap(), Tensor::new([2, 1, 3], vec![6u8, 5, 4, 3, 2, 1]).unwrap());
        assert!(decode(&file[..57], 0).is_err());
        assert!(decode(&file, 1).is_err());
    }
}
