//! Pictures of digits: 28 by 28 pixels in shades of grey, as PNG or BMP files.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tensorfleet::datasets::mnist::{DataSet, Mnist, folder};
use tensorfleet::{Code, Result, Status};

/// The length of a side.
pub const SIDE: usize = 28;
pub const PIXELS: usize = SIDE * SIDE;

/// Write MNIST as one picture a digit: OUT/train/7/00042.png and so on.
#[derive(Args)]
#[command(rename_all = "snake_case")]
pub struct Flags {
    /// Directory of the MNIST files [default: wherever they are found, as with `tensorfleet train`].
    #[arg(long)]
    data_dir: Option<PathBuf>,
    /// The folder to write to.
    #[arg(long)]
    out: PathBuf,
    #[arg(long, value_enum, default_value = "png")]
    format: Format,
    /// Write so many training pictures instead of all; of the test pictures, all.
    #[arg(long)]
    count: Option<usize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Png,
    Bmp,
}

pub fn write_mnist(flags: Flags) -> Result<()> {
    let mnist = Mnist::read_with(folder(flags.data_dir.as_deref())?, 0)?;
    for (part, data, limit) in [("train", &mnist.train, flags.count), ("test", &mnist.test, None)] {
        let folder = flags.out.join(part);
        let count = limit.unwrap_or(data.len()).min(data.len());
        write_pictures(&folder, data, count, flags.format)?;
        println!("{count} pictures in {}", folder.display());
    }
    Ok(())
}

fn write_pictures(folder: &Path, data: &DataSet, count: usize, format: Format) -> Result<()> {
    for class in 0..10 {
        std::fs::create_dir_all(folder.join(class.to_string()))?;
    }
    let (images, labels) = (data.images()?, data.labels());
    let images = images.as_slice::<f32>()?.chunks_exact(PIXELS);
    for (number, (image, label)) in images.zip(labels.as_slice::<i64>()?).take(count).enumerate() {
        let pixels: Vec<u8> = image.iter().map(|pixel| (pixel * 255.0).round() as u8).collect();
        let (extension, bytes) = match format {
            Format::Png => ("png", png_bytes(&pixels)?),
            Format::Bmp => ("bmp", bmp_bytes(&pixels)),
        };
        let path = folder.join(label.to_string()).join(format!("{number:05}.{extension}"));
        File::create(&path).and_then(|mut file| file.write_all(&bytes)).map_err(|error| at(&path, error))?;
    }
    Ok(())
}

/// The pixels of a picture, row by row from the top.
pub fn read_picture(path: &Path) -> Result<Vec<u8>> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("png") => read_png(path),
        Some("bmp") => read_bmp(&std::fs::read(path).map_err(|error| at(path, error))?)
            .ok_or_else(|| damaged(path, "not a BMP of 28 by 28 pixels with 8 bits each")),
        _ => Err(Status::new(Code::InvalidArgument, format!("{}: neither .png nor .bmp", path.display()))),
    }
}

fn at(path: &Path, error: std::io::Error) -> Status {
    Status::from(error).context(path.display())
}

fn damaged(path: &Path, what: impl std::fmt::Display) -> Status {
    Status::new(Code::DataLoss, format!("{}: {what}", path.display()))
}

fn png_bytes(pixels: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, SIDE as u32, SIDE as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(pixels));
    written.map_err(|error| Status::new(Code::Internal, error.to_string()))?;
    Ok(bytes)
}

fn read_png(path: &Path) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(|error| at(path, error))?;
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().map_err(|error| damaged(path, error))?;
    let info = reader.info();
    let (size, color, depth) = ((info.width, info.height), info.color_type, info.bit_depth);
    if (size, color, depth) != ((SIDE as u32, SIDE as u32), png::ColorType::Grayscale, png::BitDepth::Eight) {
        return Err(damaged(path, format!("{size:?} pixels, {color:?}, {depth:?}: not 28 by 28 in 8 bits of grey")));
    }
    let mut pixels = vec![0; PIXELS];
    reader.next_frame(&mut pixels).map_err(|error| damaged(path, error))?;
    Ok(pixels)
}

/// Two headers, a palette of greys, and the rows from the bottom up.
fn bmp_bytes(pixels: &[u8]) -> Vec<u8> {
    const HEADERS: usize = 14 + 40 + 4 * 256;
    let mut bytes = b"BM".to_vec();
    bytes.extend(((HEADERS + PIXELS) as u32).to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend((HEADERS as u32).to_le_bytes());
    // The size of the second header, width, height; then planes and bits a pixel; no compression.
    for number in [40, SIDE as u32, SIDE as u32, 1 | 8 << 16, 0, PIXELS as u32, 2835, 2835, 256, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend((0..=255u8).flat_map(|grey| [grey, grey, grey, 0]));
    bytes.extend(pixels.chunks_exact(SIDE).rev().flatten());
    bytes
}

/// `None` for anything but what [`bmp_bytes`] writes, or the same with its rows from the top.
fn read_bmp(bytes: &[u8]) -> Option<Vec<u8>> {
    let number = |at: usize| Some(i32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (start, width, height) = (number(10)?, number(18)?, number(22)?);
    let (bits, compression) = (number(26)? >> 16, number(30)?);
    if bytes.get(..2)? != b"BM" || width != SIDE as i32 || height.abs() != SIDE as i32 || (bits, compression) != (8, 0)
    {
        return None;
    }
    let start = usize::try_from(start).ok()?;
    let rows = bytes.get(start..start.checked_add(PIXELS)?)?.chunks_exact(SIDE);
    Some(if height > 0 { rows.rev().flatten().copied().collect() } else { rows.flatten().copied().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_read_as_they_were_written() {
        let pixels: Vec<u8> = (0..PIXELS).map(|index| (index * 7 % 256) as u8).collect();
        let folder = std::env::temp_dir().join(format!("digits-pictures-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, bytes) in [("a.png", png_bytes(&pixels).unwrap()), ("a.bmp", bmp_bytes(&pixels))] {
            let path = folder.join(name);
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(read_picture(&path).unwrap(), pixels, "{name}");
            // Cut off anywhere, it is an error that names the file.
            for length in [0, 1, 20, bytes.len() / 2, bytes.len() - 1] {
                std::fs::write(&path, &bytes[..length]).unwrap();
                let status = read_picture(&path).err().filter(|status| status.message().contains(name));
                assert!(status.is_some() || name == "a.png" && length == bytes.len() - 1, "{name} of {length} bytes");
            }
        }
        assert!(read_picture(&folder.join("a.gif")).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
