//! `DecodeWav` and `EncodeWav`: sound as WAV files of 16 bits a sample.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("DecodeWav", "contents: string -> audio: float, sample_rate: int32")
        .attr("desired_channels: int = -1")
        .attr("desired_samples: int = -1")
        .shape(decode_shape)
        .any_kernel(decode_kernel);
    r.op("EncodeWav", "audio: float, sample_rate: int32 -> contents: string")
        .shape(|cx| {
            cx.with_rank(0, 2)?;
            cx.with_rank(1, 0)?;
            cx.set(0, PartialShape::scalar());
            Ok(())
        })
        .any_kernel(|_| Ok(Kernel::compute(encode)));
}

fn decode_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    let given = |name: &str| -> Result<Option<i64>> {
        match cx.attr_int(name)? {
            -1 => Ok(None),
            count if count >= 0 => Ok(Some(count)),
            count => bail!(InvalidArgument, "{name} must be non-negative, got {count}"),
        }
    };
    let dims = [given("desired_samples")?, given("desired_channels")?];
    cx.set(0, PartialShape::new(&dims));
    cx.set(1, PartialShape::scalar());
    Ok(())
}

/// A sound as a file holds it.
struct Sound<'a> {
    channels: usize,
    rate: u32,
    /// Two bytes for each channel of each sample.
    samples: &'a [u8],
}

impl Sound<'_> {
    fn read(file: &[u8]) -> Result<Sound<'_>> {
        let mut rest = file;
        let mut take = |count: usize, what: &str| -> Result<&[u8]> {
            ensure!(rest.len() >= count, InvalidArgument, "Data too short when trying to read {what}");
            let (taken, left) = rest.split_at(count);
            rest = left;
            Ok(taken)
        };
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |number, byte| number << 8 | u32::from(*byte));
        ensure!(take(4, "string")? == b"RIFF", InvalidArgument, "Header mismatch: Expected RIFF but found other bytes");
        take(4, "the size of the file")?;
        ensure!(take(4, "string")? == b"WAVE", InvalidArgument, "Header mismatch: Expected WAVE but found other bytes");
        ensure!(take(4, "string")? == b"fmt ", InvalidArgument, "Header mismatch: Expected fmt  but found other bytes");
        let size = number(take(4, "the size of the format")?);
        ensure!(
            size == 16 || size == 18,
            InvalidArgument,
            "Bad format chunk size for WAV: Expected 16 or 18, but got {size}"
        );
        let format = number(take(2, "the format")?);
        ensure!(format == 1, InvalidArgument, "Bad audio format for WAV: Expected 1 (PCM), but got {format}");
        let channels = number(take(2, "the channels")?);
        let rate = number(take(4, "the rate")?);
        let per_second = number(take(4, "the bytes a second")?);
        let per_sample = number(take(2, "the bytes a sample")?);
        let bits = number(take(2, "the bits a sample")?);
        ensure!(bits == 16, InvalidArgument, "Can only read 16-bit WAV files, but received {bits}");
        ensure!(channels > 0, InvalidArgument, "Bad channel count for WAV: Expected at least 1, but got {channels}");
        let wanted = (bits * channels).div_ceil(8);
        ensure!(
            per_sample == wanted,
            InvalidArgument,
            "Bad bytes per sample in WAV header: Expected {wanted} but got {per_sample}"
        );
        let wanted = u64::from(per_sample) * u64::from(rate);
        ensure!(
            u64::from(per_second) == wanted,
            InvalidArgument,
            "Bad bytes per second in WAV header: Expected {wanted} but got {per_second}"
        );
        take(size as usize - 16, "the end of the format")?;
        loop {
            let name = take(4, "string")?;
            let size = number(take(4, "the size of a chunk")?) as usize;
            let chunk = take(size, "a chunk")?;
            if name == b"data" {
                let whole = chunk.len() / per_sample as usize * per_sample as usize;
                return Ok(Sound { channels: channels as usize, rate, samples: &chunk[..whole] });
            }
            // Chunks begin at even places.
            if size % 2 == 1 {
                take(1, "the end of a chunk")?;
            }
        }
    }
}

fn decode_kernel(node: &Node) -> Result<Kernel> {
    let (channels, samples) = (node.attr_int("desired_channels")?, node.attr_int("desired_samples")?);
    for (name, count) in [("desired_channels", channels), ("desired_samples", samples)] {
        ensure!(count >= -1, InvalidArgument, "{name} must be at least -1, got {count}");
    }
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let contents = cx.input(0)?;
        ensure!(
            contents.shape().is_scalar(),
            InvalidArgument,
            "contents must be scalar, got shape {}",
            contents.shape()
        );
        let sound = Sound::read(contents.to_string_scalar()?)?;
        let there = sound.samples.len() / (2 * sound.channels);
        let samples = if samples == -1 { there as i64 } else { samples };
        let channels = if channels == -1 { sound.channels as i64 } else { channels };
        let shape = Shape::new(&[samples, channels])?;
        let audio = Tensor::build(shape, |out: &mut [f32]| {
            for (sample, out) in out.chunks_exact_mut((channels as usize).max(1)).enumerate() {
                for (channel, out) in out.iter_mut().enumerate() {
                    // Channels that are missing are like the last one; samples that are missing are silence.
                    let at = 2 * (sample * sound.channels + channel.min(sound.channels - 1));
                    *out = match sound.samples.get(at..at + 2) {
                        Some(&[low, high]) if sample < there => f32::from(i16::from_le_bytes([low, high])) / 32768.0,
                        _ => 0.0,
                    };
                }
            }
            Ok(())
        })?;
        let rate = sound.rate as i32;
        cx.set_output(0, audio);
        cx.set_output(1, Tensor::scalar(rate));
        Ok(())
    }))
}

fn encode(cx: &mut OpContext<'_>) -> Result<()> {
    let (audio, rate) = (cx.input(0)?, cx.input(1)?);
    let &[samples, channels] = audio.dims() else {
        bail!(InvalidArgument, "audio must be 2-dimensional{}", audio.shape())
    };
    ensure!(
        rate.shape().is_scalar(),
        InvalidArgument,
        "Input sample_rate should be a scalar tensor, got {}",
        rate.shape()
    );
    let rate = rate.to_scalar::<i32>()?;
    ensure!(rate > 0, InvalidArgument, "sample_rate must be in (0, 2^32), got: {rate}");
    ensure!(
        channels > 0 && channels <= i64::from(u16::MAX) / 2,
        InvalidArgument,
        "channel_count must be in (0, 2^15), got: {channels}"
    );
    ensure!(samples > 0, InvalidArgument, "num_frames must be positive, got: {samples}");
    let data = audio.num_elements() * 2;
    let (Ok(whole), Ok(size)) = (u32::try_from(data + 36), u32::try_from(data)) else {
        bail!(InvalidArgument, "Provided channels and frames cannot be encoded as a WAV: {}", audio.shape())
    };
    let per_sample = channels as u16 * 2;
    let Some(per_second) = (rate as u32).checked_mul(u32::from(per_sample)) else {
        bail!(InvalidArgument, "{rate} samples of {per_sample} bytes a second cannot be encoded as a WAV")
    };
    let mut file = Vec::with_capacity(data + 44);
    file.extend(b"RIFF");
    file.extend(whole.to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend(1u16.to_le_bytes());
    file.extend((channels as u16).to_le_bytes());
    file.extend((rate as u32).to_le_bytes());
    file.extend(per_second.to_le_bytes());
    file.extend(per_sample.to_le_bytes());
    file.extend(16u16.to_le_bytes());
    file.extend(b"data");
    file.extend(size.to_le_bytes());
    for value in audio.as_slice::<f32>()? {
        let sample = (value * 32768.0).round().clamp(-32768.0, 32767.0) as i16;
        file.extend(sample.to_le_bytes());
    }
    debug_assert_eq!(audio.dtype(), DType::Float);
    cx.set_output(0, Tensor::from_strings(Shape::scalar(), vec![Bytes::from(file)])?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_cut_off_anywhere_are_refused() {
        let mut file =
            b"RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x04\0\0\0".to_vec();
        file.extend([0, 0x40, 0, 0xc0]);
        let sound = Sound::read(&file).unwrap();
        assert_eq!((sound.channels, sound.rate, sound.samples.len()), (1, 8000, 4));
        for end in 0..file.len() {
            assert!(Sound::read(&file[..end]).is_err(), "{end} bytes");
        }
    }
}
