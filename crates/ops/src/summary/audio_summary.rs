//! `AudioSummary` and `AudioSummaryV2`: sound as WAV files of 16 bits a sample.

use bytes::{BufMut, Bytes, BytesMut};
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, Tensor, bail, ensure};
use wire::summary::value::Value;

use super::scalar_summary::{encoded, entry};

pub(crate) fn register(r: &mut Registry) {
    r.op("AudioSummary", "tag: string, tensor: float -> summary: string")
        .attr("sample_rate: float")
        .attr("max_outputs: int >= 1 = 3")
        .shape(ShapeContext::scalar)
        .any_kernel(kernel)
        .not_differentiable();
    r.op("AudioSummaryV2", "tag: string, tensor: float, sample_rate: float -> summary: string")
        .attr("max_outputs: int >= 1 = 3")
        .shape(ShapeContext::scalar)
        .any_kernel(kernel)
        .not_differentiable();
}

fn kernel(node: &Node) -> Result<Kernel> {
    let max_outputs = node.attr_int("max_outputs")?;
    let fixed = if node.op == "AudioSummary" { Some(node.attr_float("sample_rate")?) } else { None };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let rate = match fixed {
            Some(rate) => rate,
            None => {
                let rate = cx.input(2)?;
                ensure!(
                    rate.shape().is_scalar(),
                    InvalidArgument,
                    "sample_rate must be rank-0 or contain a single value"
                );
                rate.to_scalar::<f32>()?
            }
        };
        let summary = summarize(cx.input(0)?, cx.input(1)?, rate, max_outputs)?;
        cx.set_output(0, summary);
        Ok(())
    }))
}

pub(super) fn summarize(tag: &Tensor, sound: &Tensor, rate: f32, max_outputs: i64) -> Result<Tensor> {
    ensure!(tag.shape().is_scalar(), InvalidArgument, "Tag must be a scalar");
    let (batch, frames, channels) = match *sound.dims() {
        [batch, frames] => (batch, frames, 1),
        [batch, frames, channels] => (batch, frames, channels),
        _ => bail!(InvalidArgument, "Tensor must be 3-D or 2-D, got: {}", sound.shape()),
    };
    let samples = sound.as_slice::<f32>()?;
    let size = (frames * channels) as usize;
    let mut summary = wire::Summary::default();
    for number in 0..batch.min(max_outputs) {
        let suffix = if max_outputs > 1 { format!("/audio/{number}") } else { "/audio".to_owned() };
        let start = number as usize * size;
        let audio = wire::summary::Audio {
            sample_rate: rate,
            num_channels: channels,
            length_frames: frames,
            encoded_audio_string: wav(&samples[start..start + size], rate, channels, frames)?,
            content_type: "audio/wav".to_owned(),
        };
        summary.value.push(entry(&[tag.to_string_scalar()?, suffix.as_bytes()].concat(), Value::Audio(audio)));
    }
    Ok(encoded(&summary))
}

/// The bytes of a WAV file; samples beyond -1 and 1 are cut off.
fn wav(samples: &[f32], rate: f32, channels: i64, frames: i64) -> Result<Bytes> {
    let rate = rate as u32;
    let Some(channels) = u16::try_from(channels).ok().filter(|channels| *channels > 0) else {
        bail!(InvalidArgument, "num_channels must be in (0, 2^16), but got: {channels}")
    };
    ensure!(rate > 0, InvalidArgument, "sample_rate must be in (0, 2^32), but got: {rate}");
    ensure!(frames > 0, InvalidArgument, "num_frames must be positive.");
    let Some(size) = u32::try_from(2 * samples.len()).ok().filter(|size| *size <= u32::MAX - 44) else {
        bail!(InvalidArgument, "too many channels and frames for a WAV file")
    };
    let mut out = BytesMut::with_capacity(44 + size as usize);
    out.put_slice(b"RIFF");
    out.put_u32_le(36 + size);
    out.put_slice(b"WAVEfmt ");
    out.put_u32_le(16);
    out.put_u16_le(1);
    out.put_u16_le(channels);
    out.put_u32_le(rate);
    out.put_u32_le(rate.wrapping_mul(2 * channels as u32));
    out.put_u16_le(channels.wrapping_mul(2));
    out.put_u16_le(16);
    out.put_slice(b"data");
    out.put_u32_le(size);
    for sample in samples {
        out.put_i16_le((sample * 32768.0).round().clamp(-32768.0, 32767.0) as i16);
    }
    Ok(out.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_cut_off_and_rounded() {
        let file = wav(&[0.0, 0.5, 2.0, -2.0], 8000.0, 2, 2).unwrap();
        assert_eq!(file.len(), 52);
        assert_eq!(file[..4], *b"RIFF");
        // 44 bytes of header, then 0, 16384, 32767 and -32768.
        assert_eq!(file[44..], [0, 0, 0, 64, 255, 127, 0, 128]);
        assert!(wav(&[], 8000.0, 1, 0).is_err());
    }
}
