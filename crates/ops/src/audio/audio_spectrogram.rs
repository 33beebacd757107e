//! `AudioSpectrogram`: how strong each frequency is in sound, window by window.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::fourier::Wave;
use num_complex::Complex;
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

/// Windows beyond this are refused.
const LONGEST: i64 = 1 << 28;

pub(crate) fn register(r: &mut Registry) {
    r.op("AudioSpectrogram", "input: float -> spectrogram: float")
        .attr("window_size: int")
        .attr("stride: int")
        .attr("magnitude_squared: bool = false")
        .shape(shape)
        .any_kernel(kernel);
}

/// Window, stride, and the length of the transform: the next power of two.
fn sizes(node: &impl ReadAttrs) -> Result<(i64, i64, i64)> {
    let (window, stride) = (node.attr_int("window_size")?, node.attr_int("stride")?);
    ensure!(
        (2..=LONGEST).contains(&window),
        InvalidArgument,
        "window size must be at least 2 and at most {LONGEST}, got: {window}"
    );
    ensure!(stride >= 1, InvalidArgument, "stride must be strictly positive, got: {stride}");
    Ok((window, stride, (window as u64).next_power_of_two() as i64))
}

fn count(samples: i64, window: i64, stride: i64) -> i64 {
    if samples < window { 0 } else { 1 + (samples - window) / stride }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank(0, 2)?;
    let (window, stride, length) = sizes(cx)?;
    let frames = input.dim(0).map(|samples| count(samples, window, stride));
    cx.set(0, PartialShape::new(&[input.dim(1), frames, Some(length / 2 + 1)]));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (window, stride, length) = sizes(node)?;
    let squared = node.attr_bool("magnitude_squared")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let &[samples, channels] = input.dims() else {
            bail!(InvalidArgument, "input must be 2-dimensional{}", input.shape())
        };
        let (frames, width) = (count(samples, window, stride), length / 2 + 1);
        let shape = Shape::new(&[channels, frames, width])?;
        Tensor::check_size(DType::Float, &shape)?;
        let values = input.as_slice::<f32>()?;
        let (window, channels, length) = (window as usize, channels as usize, length as usize);
        let output = Tensor::build(shape, |out: &mut [f32]| {
            if out.is_empty() {
                return Ok(());
            }
            let turn = 2.0 * std::f64::consts::PI / window as f64;
            let weights: Vec<f64> = (0..window).map(|at| 0.5 - 0.5 * (turn * at as f64).cos()).collect();
            let mut numbers = vec![Complex::new(0f64, 0.0); length];
            for (line, out) in out.chunks_exact_mut(width as usize).enumerate() {
                let (channel, start) = (line / frames as usize, line % frames as usize * stride as usize);
                numbers.fill(Complex::new(0.0, 0.0));
                for (at, weight) in weights.iter().enumerate() {
                    numbers[at].re = f64::from(values[(start + at) * channels + channel]) * weight;
                }
                f64::transform(&mut numbers, length, 1, false);
                for (out, number) in out.iter_mut().zip(&numbers) {
                    let square = number.norm_sqr();
                    *out = if squared { square } else { square.sqrt() } as f32;
                }
            }
            Ok(())
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}
