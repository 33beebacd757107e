//! Floats as integers of few bits between two bounds, and back: `QuantizeV2`, `Dequantize`, and `QuantizeDownAndShrinkRange`,
//! which brings integers of 32 bits to 8 and the bounds to what is there.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::DType::{self, BFloat16, QInt8, QInt16, QInt32, QUInt8, QUInt16};
use tensor::{PartialShape, Result, Shape, Tensor, bail, bf16, ensure};

const QUANTIZED: &str = "{qint8, quint8, qint32, qint16, quint16}";
const MODE: &str = "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'";

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "QuantizeV2",
        "input: float, min_range: float, max_range: float -> output: T, output_min: float, output_max: float",
    )
    .attr(&format!("T: {QUANTIZED}"))
    .attr(MODE)
    .attr("round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'")
    .attr("narrow_range: bool = false")
    .attr("axis: int = -1")
    .attr("ensure_minimum_range: float = 0.009999999776482582")
    .shape(quantize_shape)
    .kernel("T", &[QInt8, QUInt8, QInt16, QUInt16, QInt32], quantize_kernel);
    r.op("Dequantize", "input: T, min_range: float, max_range: float -> output: dtype")
        .attr(&format!("T: {QUANTIZED}"))
        .attr(MODE)
        .attr("narrow_range: bool = false")
        .attr("axis: int = -1")
        .attr("dtype: {bfloat16, float} = float")
        .shape(dequantize_shape)
        .kernel("T", &[QInt8, QUInt8, QInt16, QUInt16, QInt32], dequantize_kernel);
    r.op(
        "QuantizeDownAndShrinkRange",
        "input: Tinput, input_min: float, input_max: float -> output: out_type, output_min: float, output_max: float",
    )
    .attr(&format!("Tinput: {QUANTIZED}"))
    .attr(&format!("out_type: {QUANTIZED}"))
    .shape(shrink_shape)
    .kernel("Tinput", &[QInt32], shrink_kernel);
}

fn quantize_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let bounds = bounds_shape(cx)?;
    let shape = cx.input(0);
    cx.set(0, shape);
    cx.set(1, bounds.clone());
    cx.set(2, bounds);
    Ok(())
}

fn dequantize_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    bounds_shape(cx)?;
    let shape = cx.input(0);
    cx.set(0, shape);
    Ok(())
}

/// The shape of the bounds: one for all, or one for each place on the axis.
fn bounds_shape(cx: &ShapeContext<'_>) -> Result<PartialShape> {
    let axis = cx.attr_int("axis")?;
    ensure!(axis >= -1, InvalidArgument, "axis should be at least -1, got {axis}");
    let rank = (axis != -1) as usize;
    let bounds = cx.with_rank(1, rank)?.merge(&cx.with_rank(2, rank)?)?;
    if rank == 0 {
        return Ok(PartialShape::scalar());
    }
    let input = cx.with_rank_at_least(0, axis as usize + 1)?;
    bounds.merge(&PartialShape::from_dims(&[input.dim(axis as usize).unwrap_or(-1)]))
}

fn shrink_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0)?;
    cx.with_rank(2, 0)?;
    let shape = cx.input(0);
    cx.set(0, shape);
    cx.set(1, PartialShape::scalar());
    cx.set(2, PartialShape::scalar());
    Ok(())
}

/// The plain integers that quantized ones are made of.
fn plain(dtype: DType) -> Result<DType> {
    Ok(match dtype {
        QInt8 => DType::Int8,
        QUInt8 => DType::UInt8,
        QInt16 => DType::Int16,
        QUInt16 => DType::UInt16,
        QInt32 => DType::Int32,
        other => bail!(Internal, "{other} is no quantized type"),
    })
}

/// The least and the greatest integer of a quantized type.
fn ends(dtype: DType) -> Result<(f64, f64)> {
    Ok(match dtype {
        QInt8 => (-128.0, 127.0),
        QUInt8 => (0.0, 255.0),
        QInt16 => (-32768.0, 32767.0),
        QUInt16 => (0.0, 65535.0),
        QInt32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
        other => bail!(Internal, "{other} is no quantized type"),
    })
}

/// Integers, given as floats within their range, as a tensor of a quantized type.
fn quantized(shape: &Shape, values: &[f64], dtype: DType) -> Result<Tensor> {
    let plain = plain(dtype)?;
    let tensor = dispatch!(plain, T in [i8, u8, i16, u16, i32] => {
        Tensor::build(shape.clone(), |out: &mut [T]| {
            out.iter_mut().zip(values).for_each(|(out, value)| *out = *value as T);
            Ok(())
        })
    })?;
    tensor.bitcast(dtype)
}

fn integers(tensor: &Tensor) -> Result<Vec<i64>> {
    let plain = plain(tensor.dtype())?;
    let tensor = tensor.bitcast(plain)?;
    dispatch!(plain, T in [i8, u8, i16, u16, i32] => {
        Ok(tensor.as_slice::<T>()?.iter().map(|value| i64::from(*value)).collect())
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Combined,
    First,
    Scaled,
}

struct Settings {
    mode: Mode,
    narrow: bool,
    axis: i64,
}

impl Settings {
    fn of(node: &Node) -> Result<Settings> {
        let mode = match node.attr_str("mode")? {
            "MIN_COMBINED" => Mode::Combined,
            "MIN_FIRST" => Mode::First,
            _ => Mode::Scaled,
        };
        let axis = node.attr_int("axis")?;
        ensure!(axis >= -1, InvalidArgument, "axis should be at least -1, got {axis}");
        Ok(Settings { mode, narrow: node.attr_bool("narrow_range")?, axis })
    }

    /// The bounds of each place on the axis (or of all), and how many elements follow each other at one place.
    fn ranges(&self, cx: &OpContext<'_>) -> Result<(Vec<(f32, f32)>, usize)> {
        let (input, min, max) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        let shape = input.shape();
        let (count, inner) = if self.axis == -1 {
            (1, shape.num_elements())
        } else {
            let axis = self.axis as usize;
            ensure!(
                axis < shape.rank(),
                InvalidArgument,
                "Axis must be less than input dimension({}), but given axis value was {axis}",
                shape.rank()
            );
            (shape.dim(axis), shape.dims()[axis + 1..].iter().map(|dim| *dim as usize).product())
        };
        for (name, bound) in [("min_range", min), ("max_range", max)] {
            ensure!(
                bound.num_elements() == count && (self.axis == -1 || bound.shape().rank() == 1),
                InvalidArgument,
                "{name} must hold {count} numbers for the input {}, not the shape {}",
                shape,
                bound.shape()
            );
        }
        let pairs = min.as_slice::<f32>()?.iter().copied().zip(max.as_slice::<f32>()?.iter().copied());
        Ok((pairs.collect(), inner.max(1)))
    }
}

fn quantize_kernel(node: &Node) -> Result<Kernel> {
    let settings = Settings::of(node)?;
    let to_even = node.attr_str("round_mode")? == "HALF_TO_EVEN";
    ensure!(
        !to_even || settings.mode == Mode::Scaled,
        InvalidArgument,
        "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED'"
    );
    let least_range = node.attr_float("ensure_minimum_range")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let dtype = cx.node.output_types[0].dtype;
        let (ranges, inner) = settings.ranges(cx)?;
        let mut steps = Vec::with_capacity(ranges.len());
        for (min, max) in &ranges {
            ensure!(
                min <= max || min.is_nan() || max.is_nan(),
                InvalidArgument,
                "input_max_range must be larger than input_min_range."
            );
            steps.push(Forward::of(&settings, dtype, *min, *max, least_range)?);
        }
        let input = cx.input(0)?;
        let numbers = input.as_slice::<f32>()?.iter().enumerate();
        let values: Vec<f64> = numbers.map(|(at, x)| steps[at / inner % steps.len()].quantize(*x, to_even)).collect();
        let output = quantized(input.shape(), &values, dtype)?;
        let shape = cx.input(1)?.shape().clone();
        let min = Tensor::from_slice(&shape, &steps.iter().map(|steps| steps.min).collect::<Vec<_>>())?;
        let max = Tensor::from_slice(&shape, &steps.iter().map(|steps| steps.max).collect::<Vec<_>>())?;
        cx.set_output(0, output);
        cx.set_output(1, min);
        cx.set_output(2, max);
        Ok(())
    }))
}

/// How floats become integers.
struct Forward {
    mode: Mode,
    min: f32,
    max: f32,
    scale: f32,
    least: f64,
    most: f64,
}

impl Forward {
    fn of(settings: &Settings, dtype: DType, min: f32, max: f32, least_range: f32) -> Result<Forward> {
        // Bounds that are too close are moved apart.
        let apart = 1f32.max(min.abs()).max(max.abs()) * least_range;
        let min = min.min(0.0);
        let max = max.max(min + apart).max(0.0);
        let (least, most) = ends(dtype)?;
        let mode = settings.mode;
        Ok(match mode {
            Mode::Combined => Forward { mode, min, max, scale: (most - least) as f32 / (max - min), least, most },
            Mode::First => {
                let steps = most - least + 1.0;
                let range = f64::from(max - min) * (steps / (steps - 1.0));
                let scale = if min == max { 0.0 } else { (steps / range) as f32 };
                Forward { mode, min, max, scale, least, most }
            }
            Mode::Scaled => {
                let least = least + if settings.narrow { 1.0 } else { 0.0 };
                let side = |end: f64, bound: f32| if end as f32 * bound > 0.0 { end as f32 / bound } else { f32::MAX };
                let scale = side(least, min).min(side(most, max));
                Forward { mode, min: least as f32 / scale, max: most as f32 / scale, scale, least, most }
            }
        })
    }

    fn quantize(&self, x: f32, to_even: bool) -> f64 {
        let inside = x.min(self.max).max(self.min);
        let integer = match self.mode {
            Mode::Combined if self.least < 0.0 => {
                let half = ((self.most - self.least + 1.0) / 2.0) as f32;
                ((inside - self.min) * self.scale - half).round()
            }
            Mode::Combined => ((inside - self.min) * self.scale + 0.5).floor(),
            Mode::First => (x * self.scale).round() - ((self.min * self.scale).round() - self.least as f32),
            Mode::Scaled if to_even => (inside * self.scale).round_ties_even(),
            Mode::Scaled => (inside * self.scale).round(),
        };
        // What is no number becomes the least one.
        f64::from(integer).max(self.least).min(self.most)
    }
}

fn dequantize_kernel(node: &Node) -> Result<Kernel> {
    let settings = Settings::of(node)?;
    ensure!(
        settings.mode == Mode::Combined || node.attr_type("dtype")? != BFloat16,
        InvalidArgument,
        "When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '{}'",
        node.attr_str("mode")?
    );
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (ranges, inner) = settings.ranges(cx)?;
        let input = cx.input(0)?;
        let (least, most) = ends(input.dtype())?;
        // Of each place on the axis: the scale, and what is added to the integer before it or to the product after it.
        let steps: Vec<(f32, f32, f32)> = ranges
            .iter()
            .map(|(min, max)| match settings.mode {
                Mode::Combined => {
                    let half = if least < 0.0 { ((most - least + 1.0) / 2.0) as f32 } else { 0.0 };
                    ((max - min) / (most - least) as f32, half, *min)
                }
                Mode::First => {
                    let scale = (f64::from(max - min) / (most - least)) as f32;
                    let first = if min == max { *min } else { (min / scale).round() * scale };
                    (scale, -least as f32, first)
                }
                Mode::Scaled => {
                    let least = least + if settings.narrow { 1.0 } else { 0.0 };
                    let by_max = max / most as f32;
                    (if least >= 0.0 && !settings.narrow { by_max } else { by_max.max(min / least as f32) }, 0.0, 0.0)
                }
            })
            .collect();
        let values: Vec<f32> = integers(input)?
            .into_iter()
            .enumerate()
            .map(|(at, value)| {
                let (scale, before, after) = steps[at / inner % steps.len()];
                (value as f32 + before) * scale + after
            })
            .collect();
        let output = match cx.node.output_types[0].dtype {
            BFloat16 => {
                let narrow: Vec<bf16> = values.iter().map(|value| bf16::from_f32(*value)).collect();
                Tensor::from_slice(input.shape(), &narrow)?
            }
            _ => Tensor::from_slice(input.shape(), &values)?,
        };
        cx.set_output(0, output);
        Ok(())
    }))
}

/// An integer of 32 bits as a float between two bounds.
fn as_float(value: i64, min: f32, max: f32) -> f32 {
    if min == max {
        return min;
    }
    let steps = 2f64.powi(32);
    let scale = f64::from(max - min) * (steps / (steps - 1.0)) / steps;
    let first = f64::from((min / scale as f32).round() * scale as f32);
    (first + (value - i64::from(i32::MIN)) as f64 * scale) as f32
}

fn shrink_kernel(node: &Node) -> Result<Kernel> {
    let out_type = node.attr_type("out_type")?;
    ensure!(
        out_type == QUInt8,
        NotFound,
        "No registered 'QuantizeDownAndShrinkRange' OpKernel for CPU devices compatible with out_type={out_type}; registered: quint8"
    );
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let scalar = |index: usize| -> Result<f32> {
            let bound = cx.input(index)?;
            ensure!(
                bound.num_elements() == 1,
                InvalidArgument,
                "input_min and input_max must be scalars, not the shape {}",
                bound.shape()
            );
            Ok(bound.as_slice::<f32>()?[0])
        };
        let (min, max) = (scalar(1)?, scalar(2)?);
        let values = integers(input)?;
        let (least, most) = (values.iter().min().copied().unwrap_or(0), values.iter().max().copied().unwrap_or(0));
        let (low, high) = (as_float(least, min, max).min(0.0), as_float(most, min, max));
        // In whole numbers with 16 bits behind the point, as TensorFlow's kernel computes.
        const POINT: u32 = 16;
        let one = f64::from(1u32 << POINT);
        let range = high - low;
        let times = if range == 0.0 { 0 } else { (255.0 * one * f64::from(max - min) / f64::from(range)) as i64 };
        let middle = if range == 0.0 { 0.0 } else { f64::from((min + max) / 2.0) * f64::from(255.0 / range) * one };
        let first = if range == 0.0 { 0 } else { (one * f64::from(low) * 255.0 / f64::from(range)).round() as i64 };
        let shrunk: Vec<f64> = values
            .iter()
            .map(|value| {
                let product = (i128::from(*value) * i128::from(times)) >> 32;
                let whole = product + i128::from(middle as i64) + (1 << (POINT - 1)) - i128::from(first);
                (whole >> POINT).clamp(0, 255) as f64
            })
            .collect();
        let output = quantized(input.shape(), &shrunk, out_type)?;
        cx.set_output(0, output);
        cx.set_output(1, Tensor::scalar(low));
        cx.set_output(2, Tensor::scalar(high));
        Ok(())
    }))
}
