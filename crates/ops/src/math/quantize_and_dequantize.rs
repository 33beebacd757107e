//! Floats brought to the steps of integers and back: `QuantizeAndDequantize`, `QuantizeAndDequantizeV2`,
//! `QuantizeAndDequantizeV3`, `QuantizeAndDequantizeV4` and the gradient of the last, `QuantizeAndDequantizeV4Grad`.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::DType::{self, Double, Float};
use tensor::{Element, PartialShape, Result, Shape, Tensor, ensure};

use crate::arguments::int_scalar;

const ALLOWED: &str = "T: {bfloat16, half, float, double}";
const TYPES: &[DType] = &[Float, Double];

pub(crate) fn register(r: &mut Registry) {
    const SIGNED: &str = "signed_input: bool = true";
    const BITS: &str = "num_bits: int = 8";
    const ROUND: &str = "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'";
    const NARROW: &str = "narrow_range: bool = false";
    const AXIS: &str = "axis: int = -1";
    r.op("QuantizeAndDequantize", "input: T -> output: T")
        .attr(SIGNED)
        .attr(BITS)
        .attr("range_given: bool = false")
        .attr("input_min: float = 0.0")
        .attr("input_max: float = 0.0")
        .attr(ALLOWED)
        .shape(ShapeContext::unchanged)
        .kernel("T", TYPES, kernel)
        .gradient(straight);
    for name in ["QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"] {
        r.op(name, "input: T, input_min: T, input_max: T -> output: T")
            .attr(SIGNED)
            .attr(BITS)
            .attr("range_given: bool = false")
            .attr(ALLOWED)
            .attr(ROUND)
            .attr(NARROW)
            .attr(AXIS)
            .shape(shape)
            .kernel("T", TYPES, kernel)
            .gradient(if name.ends_with("V4") { gradient } else { straight });
    }
    r.op("QuantizeAndDequantizeV3", "input: T, input_min: T, input_max: T, num_bits: int32 -> output: T")
        .attr(SIGNED)
        .attr("range_given: bool = true")
        .attr(ALLOWED)
        .attr(NARROW)
        .attr(AXIS)
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(straight);
    r.op(
        "QuantizeAndDequantizeV4Grad",
        "gradients: T, input: T, input_min: T, input_max: T -> input_backprop: T, input_min_backprop: T, \
         input_max_backprop: T",
    )
    .attr(ALLOWED)
    .attr(AXIS)
    .shape(grad_shape)
    .kernel("T", TYPES, grad_kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let rank = (cx.attr_int("axis")? != -1) as usize;
    for index in [1, 2] {
        cx.with_rank(index, rank)?;
    }
    let shape = cx.input(0);
    cx.set(0, shape);
    Ok(())
}

fn grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let inputs = cx.input(0).merge(&cx.input(1))?;
    let rank = (cx.attr_int("axis")? != -1) as usize;
    let bounds = cx.with_rank(2, rank)?.merge(&cx.with_rank(3, rank)?)?;
    cx.set(0, inputs);
    cx.set(1, if rank == 0 { PartialShape::scalar() } else { bounds.clone() });
    cx.set(2, if rank == 0 { PartialShape::scalar() } else { bounds });
    Ok(())
}

/// How the elements of one channel after the other lie in a tensor: `[outer, channels, inner]`; all in one without an axis.
fn channels(shape: &Shape, axis: i64) -> Result<[usize; 3]> {
    if axis == -1 {
        return Ok([1, 1, shape.num_elements()]);
    }
    ensure!(axis >= 0, InvalidArgument, "Axis must be at least -1. Found {axis}");
    let axis = axis as usize;
    ensure!(
        axis < shape.rank(),
        InvalidArgument,
        "Axis should be -1 or 0 or a positive value less than {} but given axis value was {axis}",
        shape.rank()
    );
    let product = |dims: &[i64]| dims.iter().map(|dim| *dim as usize).product();
    Ok([product(&shape.dims()[..axis]), shape.dim(axis), product(&shape.dims()[axis + 1..])])
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (signed, given) = (node.attr_bool("signed_input")?, node.attr_bool("range_given")?);
    let narrow = node.attr_bool("narrow_range").unwrap_or(false);
    let axis = node.attr_int("axis").unwrap_or(-1);
    let fixed = if node.op == "QuantizeAndDequantize" {
        let (min, max) = (node.attr_float("input_min")?, node.attr_float("input_max")?);
        ensure!(!given || min <= max, InvalidArgument, "Invalid range: input_min {min} > input_max {max}");
        Some((f64::from(min), f64::from(max)))
    } else {
        None
    };
    let up = node.attr_str("round_mode").is_ok_and(|mode| mode == "HALF_UP");
    let bits = if node.op.ends_with("V3") { None } else { Some(node.attr_int("num_bits")?) };
    if let Some(bits) = bits {
        check_bits(bits, signed)?;
    }
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let bits = match bits {
            Some(bits) => bits,
            None => int_scalar(cx.input(3)?, "num_bits must be a scalar, not the shape ")?,
        };
        check_bits(bits, signed)?;
        let layout = channels(input.shape(), axis)?;
        let ranges = match (fixed, given) {
            (Some(range), true) => Some(vec![range]),
            (None, true) => {
                // TensorFlow has no ranges of channels here, though the definitions do.
                if cx.num_inputs() == 3 {
                    let low = cx.input(1)?;
                    ensure!(low.shape().is_scalar(), InvalidArgument, "input_min must be a scalar.");
                }
                Some(given_ranges(cx, 1, axis, layout[1])?)
            }
            (_, false) => None,
        };
        let range = Range { signed, narrow, bits: bits as u32, up };
        let output = match input.dtype() {
            Float => range.apply::<f32>(input, layout, ranges)?,
            _ => range.apply::<f64>(input, layout, ranges)?,
        };
        cx.set_output(0, output);
        Ok(())
    }))
}

fn check_bits(bits: i64, signed: bool) -> Result<()> {
    let most = if signed { 62 } else { 63 };
    ensure!(bits > 0 && bits < most, InvalidArgument, "num_bits is out of range: {bits} with signed_input_ {signed}");
    Ok(())
}

/// The bounds of each channel, from the inputs from `first` on.
fn given_ranges(cx: &OpContext<'_>, first: usize, axis: i64, count: usize) -> Result<Vec<(f64, f64)>> {
    let wanted = if axis == -1 { Shape::scalar() } else { Shape::vector(count) };
    let mut bounds = Vec::with_capacity(2);
    for (index, name) in [(first, "input_min"), (first + 1, "input_max")] {
        let bound = cx.input(index)?;
        ensure!(
            *bound.shape() == wanted,
            InvalidArgument,
            "{name} must have the shape {wanted}, not {}",
            bound.shape()
        );
        bounds.push(super::cast::cast(bound.clone(), Double, false)?);
    }
    let ranges: Vec<(f64, f64)> =
        bounds[0].as_slice::<f64>()?.iter().copied().zip(bounds[1].as_slice::<f64>()?.iter().copied()).collect();
    if let Some((min, max)) = ranges.iter().find(|(min, max)| min > max) {
        return Err(tensor::err!(InvalidArgument, "Invalid range: input_min {min} > input_max {max}"));
    }
    Ok(ranges)
}

/// The floats that are computed with.
trait Real: Element + Copy + PartialOrd + std::ops::Mul<Output = Self> + std::ops::Div<Output = Self> {
    const HIGHEST: Self;
    fn of(value: f64) -> Self;
    fn clamped(self, low: Self, high: Self) -> Self;
    fn to_even(self) -> Self;
    fn half_up(self) -> Self;
}

macro_rules! reals {
    ($($t:ty),*) => {$(
        impl Real for $t {
            const HIGHEST: $t = <$t>::MAX;

            fn of(value: f64) -> $t {
                value as $t
            }

            fn clamped(self, low: $t, high: $t) -> $t {
                self.min(high).max(low)
            }

            fn to_even(self) -> $t {
                self.round_ties_even()
            }

            fn half_up(self) -> $t {
                (self + 0.5).floor()
            }
        }
    )*};
}

reals!(f32, f64);

struct Range {
    signed: bool,
    narrow: bool,
    bits: u32,
    up: bool,
}

impl Range {
    fn apply<T: Real>(
        &self,
        input: &Tensor,
        [outer, channels, inner]: [usize; 3],
        ranges: Option<Vec<(f64, f64)>>,
    ) -> Result<Tensor> {
        let values = input.as_slice::<T>()?;
        let zero = T::of(0.0);
        // Of each channel: the range, and the scale there and back.
        let mut scales = Vec::with_capacity(channels);
        for channel in 0..channels {
            let range = match &ranges {
                Some(ranges) => ranges.get(channel).map(|(min, max)| (T::of(*min), T::of(*max))),
                None => {
                    let own = (0..outer).flat_map(|at| {
                        let start = (at * channels + channel) * inner;
                        &values[start..start + inner]
                    });
                    own.fold(None, |range: Option<(T, T)>, x| match range {
                        None => Some((*x, *x)),
                        Some((min, max)) => Some((if *x < min { *x } else { min }, if *x > max { *x } else { max })),
                    })
                }
            };
            scales.push(self.scale(range.unwrap_or((zero, zero))));
        }
        let given = ranges.is_some();
        Tensor::build(input.shape().clone(), |out: &mut [T]| {
            for (at, (out, x)) in out.iter_mut().zip(values).enumerate() {
                let (min, max, scale, back) = scales[at / inner.max(1) % channels];
                let x = if given { x.clamped(min, max) } else { *x } * scale;
                *out = if self.up { x.half_up() } else { x.to_even() } * back;
            }
            Ok(())
        })
    }

    /// The larger scale that keeps both ends within the integers, with zero unmoved.
    fn scale<T: Real>(&self, (mut min, mut max): (T, T)) -> (T, T, T, T) {
        let (least, most) = match self.signed {
            true => (-(1i64 << (self.bits - 1)) + self.narrow as i64, (1i64 << (self.bits - 1)) - 1),
            false => (0, (1i64 << self.bits) - 1),
        };
        let (least, most) = (T::of(least as f64), T::of(most as f64));
        let zero = T::of(0.0);
        let from_min = if least * min > zero { least / min } else { T::HIGHEST };
        let from_max = if most * max > zero { most / max } else { T::HIGHEST };
        if from_min < from_max {
            let back = min / least;
            max = most * back;
            (min, max, from_min, back)
        } else {
            let back = max / most;
            min = least * back;
            (min, max, from_max, back)
        }
    }
}

/// What lies within the range passes.
fn grad_kernel(node: &Node) -> Result<Kernel> {
    let axis = node.attr_int("axis")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (dy, input) = (cx.input(0)?, cx.input(1)?);
        ensure!(
            dy.shape() == input.shape(),
            InvalidArgument,
            "gradients must be the same shape as input: {} and {}",
            dy.shape(),
            input.shape()
        );
        let [_, count, inner] = channels(input.shape(), axis)?;
        let ranges = given_ranges(cx, 2, axis, count)?;
        let output = dispatch!(input.dtype(), T in [f32, f64] => {
            let (values, dy) = (input.as_slice::<T>()?, dy.as_slice::<T>()?);
            Tensor::build(input.shape().clone(), |out: &mut [T]| {
                for (at, out) in out.iter_mut().enumerate() {
                    let (min, max) = ranges[at / inner.max(1) % count];
                    let inside = values[at] >= min as T && values[at] <= max as T;
                    *out = if inside { dy[at] } else { 0.0 };
                }
                Ok(())
            })
        })?;
        let bounds = cx.input(2)?.shape().clone();
        let dtype = input.dtype();
        cx.set_output(0, output);
        for index in [1, 2] {
            cx.set_output(index, Tensor::zeros(dtype, &bounds)?);
        }
        Ok(())
    }))
}

/// As if nothing had been rounded.
fn straight(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let mut gradients = vec![Some(cx.dy(0)?.into())];
    gradients.resize_with(cx.num_inputs(), || None);
    Ok(gradients)
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("QuantizeAndDequantizeV4Grad").input(cx.dy(0)?);
    let node = node.input(cx.x(0)).input(cx.x(1)).input(cx.x(2)).attr("axis", cx.attr_int("axis")?);
    Ok(node.outputs().into_iter().map(|output| Some(output.into())).collect())
}
