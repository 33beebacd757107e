//! `Mfcc`: the coefficients of a spectrogram on the scale of hearing, as speech recognition uses them.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

/// Channels and coefficients beyond this are refused.
const MOST: i64 = 1 << 16;

pub(crate) fn register(r: &mut Registry) {
    r.op("Mfcc", "spectrogram: float, sample_rate: int32 -> output: float")
        .attr("upper_frequency_limit: float = 4000.0")
        .attr("lower_frequency_limit: float = 20.0")
        .attr("filterbank_channel_count: int = 40")
        .attr("dct_coefficient_count: int = 13")
        .shape(shape)
        .any_kernel(kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank(0, 3)?;
    cx.with_rank(1, 0)?;
    let count = cx.attr_int("dct_coefficient_count")?;
    cx.set(0, PartialShape::new(&[input.dim(0), input.dim(1), Some(count)]));
    Ok(())
}

/// Frequencies on the scale of hearing.
fn mel(frequency: f64) -> f64 {
    1127.0 * (frequency / 700.0).ln_1p()
}

/// Triangles over a spectrum, evenly spaced on the scale of hearing.
struct Bank {
    first: usize,
    last: usize,
    /// Of each part of the spectrum: the triangle that falls there, if any, and its share.
    shares: Vec<(i64, f64)>,
    channels: usize,
}

impl Bank {
    fn new(width: usize, rate: f64, channels: usize, lower: f64, upper: f64) -> Result<Bank> {
        ensure!(width >= 2, InvalidArgument, "spectrogram must have at least 2 frequencies, got {width}");
        ensure!(
            lower >= 0.0 && upper > lower,
            InvalidArgument,
            "frequencies must rise from at least 0: {lower} and {upper}"
        );
        ensure!(rate > 0.0, InvalidArgument, "sample_rate must be positive, got {rate}");
        let (low, high) = (mel(lower), mel(upper));
        let spacing = (high - low) / (channels + 1) as f64;
        let centers: Vec<f64> = (0..=channels).map(|at| low + spacing * (at + 1) as f64).collect();
        let step = 0.5 * rate / (width - 1) as f64;
        // The constant part of the spectrum never counts.
        let (first, last) = ((1.5 + lower / step) as usize, (upper / step) as usize);
        ensure!(
            last < width,
            InvalidArgument,
            "upper_frequency_limit {upper} is beyond the spectrogram, which ends at {}",
            0.5 * rate
        );
        let mut channel = 0;
        let shares = (0..width)
            .map(|at| {
                let here = mel(at as f64 * step);
                if at < first || at > last {
                    return (-2, 0.0);
                }
                while channel < channels && centers[channel] < here {
                    channel += 1;
                }
                match channel.checked_sub(1) {
                    Some(below) => (below as i64, (centers[channel] - here) / (centers[channel] - centers[below])),
                    None => (-1, (centers[0] - here) / (centers[0] - low)),
                }
            })
            .collect();
        Ok(Bank { first, last, shares, channels })
    }

    fn apply(&self, spectrum: &[f32]) -> Vec<f64> {
        let mut out = vec![0f64; self.channels];
        for (&value, &(channel, share)) in spectrum.iter().zip(&self.shares).take(self.last + 1).skip(self.first) {
            let size = f64::from(value).sqrt();
            let falling = size * share;
            if channel >= 0 {
                out[channel as usize] += falling;
            }
            if ((channel + 1) as usize) < self.channels {
                out[(channel + 1) as usize] += size - falling;
            }
        }
        out
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (upper, lower) = (node.attr_float("upper_frequency_limit")?, node.attr_float("lower_frequency_limit")?);
    let (channels, count) = (node.attr_int("filterbank_channel_count")?, node.attr_int("dct_coefficient_count")?);
    ensure!(
        (1..=MOST).contains(&channels) && (1..=MOST).contains(&count),
        InvalidArgument,
        "filterbank_channel_count and dct_coefficient_count must be in [1, {MOST}], got {channels} and {count}"
    );
    ensure!(
        count <= channels,
        InvalidArgument,
        "dct_coefficient_count {count} must not be greater than filterbank_channel_count {channels}"
    );
    let (channels, count) = (channels as usize, count as usize);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (spectrogram, rate) = (cx.input(0)?, cx.input(1)?);
        let &[sounds, frames, width] = spectrogram.dims() else {
            bail!(InvalidArgument, "spectrogram must be 3-dimensional{}", spectrogram.shape())
        };
        ensure!(
            rate.shape().is_scalar(),
            InvalidArgument,
            "Input sample_rate should be a scalar tensor, got {}",
            rate.shape()
        );
        let rate = f64::from(rate.to_scalar::<i32>()?);
        let bank = Bank::new(width as usize, rate, channels, f64::from(lower), f64::from(upper))?;
        let shape = Shape::new(&[sounds, frames, count as i64])?;
        Tensor::check_size(DType::Float, &shape)?;
        let (norm, turn) = ((2.0 / channels as f64).sqrt(), std::f64::consts::PI / channels as f64);
        let values = spectrogram.as_slice::<f32>()?;
        let output = Tensor::build(shape, |out: &mut [f32]| {
            for (out, spectrum) in out.chunks_exact_mut(count).zip(values.chunks_exact(width as usize)) {
                let bands: Vec<f64> = bank.apply(spectrum).into_iter().map(|band| band.max(1e-12).ln()).collect();
                for (at, out) in out.iter_mut().enumerate() {
                    let terms = bands.iter().enumerate();
                    let sum: f64 =
                        terms.map(|(j, band)| norm * (at as f64 * turn * (j as f64 + 0.5)).cos() * band).sum();
                    *out = sum as f32;
                }
            }
            Ok(())
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}
