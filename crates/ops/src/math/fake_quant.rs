//! Floats rounded to the steps that integers of few bits could stand for, and the gradients: `FakeQuantWithMinMaxArgs`,
//! `FakeQuantWithMinMaxVars` and `FakeQuantWithMinMaxVarsPerChannel`; `FakeQuantWithMinMaxArgsGradient`,
//! `FakeQuantWithMinMaxVarsGradient` and `FakeQuantWithMinMaxVarsPerChannelGradient`.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    const BITS: &str = "num_bits: int = 8";
    const NARROW: &str = "narrow_range: bool = false";
    const MIN: &str = "min: float = -6.0";
    const MAX: &str = "max: float = 6.0";
    r.op("FakeQuantWithMinMaxArgs", "inputs: float -> outputs: float")
        .attr(MIN)
        .attr(MAX)
        .attr(BITS)
        .attr(NARROW)
        .shape(ShapeContext::unchanged)
        .any_kernel(kernel)
        .gradient(gradient);
    r.op("FakeQuantWithMinMaxArgsGradient", "gradients: float, inputs: float -> backprops: float")
        .attr(MIN)
        .attr(MAX)
        .attr(BITS)
        .attr(NARROW)
        .shape(ShapeContext::merged)
        .any_kernel(gradient_kernel)
        .not_differentiable();
    for name in ["FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel"] {
        r.op(name, "inputs: float, min: float, max: float -> outputs: float")
            .attr(BITS)
            .attr(NARROW)
            .shape(shape)
            .any_kernel(kernel)
            .gradient(gradient);
        r.op(
            &format!("{name}Gradient"),
            "gradients: float, inputs: float, min: float, max: float -> backprops_wrt_input: float, \
             backprop_wrt_min: float, backprop_wrt_max: float",
        )
        .attr(BITS)
        .attr(NARROW)
        .shape(gradient_shape)
        .any_kernel(gradient_kernel)
        .not_differentiable();
    }
}

fn per_channel(op: &str) -> bool {
    op.contains("PerChannel")
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let channels = per_channel(&cx.node.op) as usize;
    let inputs = if channels == 1 { cx.with_rank_at_least(0, 1)? } else { cx.input(0) };
    for index in [1, 2] {
        cx.with_rank(index, channels)?;
    }
    cx.set(0, inputs);
    Ok(())
}

fn gradient_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let inputs = cx.input(0).merge(&cx.input(1))?;
    let channels = per_channel(&cx.node.op) as usize;
    let bounds = cx.with_rank(2, channels)?.merge(&cx.with_rank(3, channels)?)?;
    let last = inputs.raw_dims().and_then(|dims| dims.last().copied());
    let bounds = if channels == 0 {
        PartialShape::scalar()
    } else {
        bounds.merge(&PartialShape::from_dims(&[last.unwrap_or(-1)]))?
    };
    cx.set(0, inputs);
    cx.set(1, bounds.clone());
    cx.set(2, bounds);
    Ok(())
}

/// The steps between the least and the greatest number, moved so that zero is one of them.
#[derive(Clone, Copy)]
struct Steps {
    min: f32,
    max: f32,
    scale: f32,
    zero: f32,
}

impl Steps {
    /// `None` if both bounds are zero.
    fn of(min: f32, max: f32, [first, last]: [f32; 2]) -> Option<Steps> {
        if min == 0.0 && max == 0.0 {
            return None;
        }
        let scale = (max - min) / (last - first);
        let zero = first - min / scale;
        let zero = if zero < first {
            first
        } else if zero > last {
            last
        } else {
            zero.round()
        };
        let (min, max) = ((first - zero) * scale, (last - zero) * scale);
        Some(Steps { min, max, scale, zero: (-min / scale + 0.5).floor() })
    }

    fn round(&self, x: f32) -> f32 {
        let inside = x.min(self.max).max(self.min) - self.min;
        (inside * (1.0 / self.scale) - self.zero + 0.5).floor() * self.scale
    }
}

/// What the attributes say: the first and the last step, and fixed bounds if they are attributes.
struct Settings {
    ends: [f32; 2],
    bounds: Option<(f32, f32)>,
    per_channel: bool,
}

impl Settings {
    fn of(node: &Node) -> Result<Settings> {
        let bits = node.attr_int("num_bits")?;
        ensure!((2..=16).contains(&bits), InvalidArgument, "num_bits must be between 2 and 16, inclusive");
        let first = if node.attr_bool("narrow_range")? { 1.0 } else { 0.0 };
        let bounds = if node.op.contains("Args") {
            let (min, max) = (node.attr_float("min")?, node.attr_float("max")?);
            ensure!(min < max, InvalidArgument, "min has to be smaller than max, was: {min} >= {max}");
            Some((min, max))
        } else {
            None
        };
        let ends = [first, ((1u32 << bits) - 1) as f32];
        Ok(Settings { ends, bounds, per_channel: per_channel(&node.op) })
    }

    /// The steps of each channel (or of all numbers), the bounds being the inputs from `first` on.
    fn steps(&self, cx: &OpContext<'_>, inputs: &Tensor, first: usize) -> Result<Vec<Option<Steps>>> {
        if let Some((min, max)) = self.bounds {
            return Ok(vec![Steps::of(min, max, self.ends)]);
        }
        let (min, max) = (cx.input(first)?, cx.input(first + 1)?);
        if self.per_channel {
            ensure!(
                inputs.shape().rank() >= 1,
                InvalidArgument,
                "inputs must have channels, not the shape {}",
                inputs.shape()
            );
        }
        let wanted = if self.per_channel {
            Shape::vector(inputs.shape().dim(inputs.shape().rank() - 1))
        } else {
            Shape::scalar()
        };
        for (name, bound) in [("min", min), ("max", max)] {
            ensure!(
                *bound.shape() == wanted,
                InvalidArgument,
                "`{name}` must have the shape {wanted}, as the inputs {} ask, not {}",
                inputs.shape(),
                bound.shape()
            );
        }
        let pairs = min.as_slice::<f32>()?.iter().zip(max.as_slice::<f32>()?);
        Ok(pairs.map(|(min, max)| Steps::of(*min, *max, self.ends)).collect())
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let settings = Settings::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let inputs = cx.input(0)?;
        let steps = settings.steps(cx, inputs, 1)?;
        let output = Tensor::build(inputs.shape().clone(), |out: &mut [f32]| {
            for (at, (out, x)) in out.iter_mut().zip(inputs.as_slice::<f32>()?).enumerate() {
                *out = steps[at % steps.len()].map_or(0.0, |steps| steps.round(*x));
            }
            Ok(())
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// What is between the bounds passes; what is not belongs to the bound that it meets.
fn gradient_kernel(node: &Node) -> Result<Kernel> {
    let settings = Settings::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (dy, inputs) = (cx.input(0)?, cx.input(1)?);
        ensure!(
            dy.shape() == inputs.shape(),
            InvalidArgument,
            "gradient and input must be the same size: {} and {}",
            dy.shape(),
            inputs.shape()
        );
        let steps = settings.steps(cx, inputs, 2)?;
        let (mut below, mut above) = (vec![0f32; steps.len()], vec![0f32; steps.len()]);
        let output = Tensor::build(inputs.shape().clone(), |out: &mut [f32]| {
            let numbers = inputs.as_slice::<f32>()?.iter().zip(dy.as_slice::<f32>()?);
            for (at, (out, (x, dy))) in out.iter_mut().zip(numbers).enumerate() {
                let channel = at % steps.len();
                let Some(steps) = steps[channel] else {
                    *out = *dy;
                    continue;
                };
                *out = if *x >= steps.min && *x <= steps.max { *dy } else { 0.0 };
                below[channel] += if *x < steps.min { *dy } else { 0.0 };
                above[channel] += if *x > steps.max { *dy } else { 0.0 };
            }
            Ok(())
        })?;
        cx.set_output(0, output);
        if settings.bounds.is_none() {
            let shape = if settings.per_channel { Shape::vector(below.len()) } else { Shape::scalar() };
            cx.set_output(1, Tensor::from_slice(&shape, &below)?);
            cx.set_output(2, Tensor::from_slice(&shape, &above)?);
        }
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let mut node = cx.op(&format!("{}Gradient", cx.node.op)).input(cx.dy(0)?);
    for index in 0..cx.num_inputs() {
        node = node.input(cx.x(index));
    }
    for name in ["min", "max"] {
        if let Ok(value) = cx.attr_float(name) {
            node = node.attr(name, value);
        }
    }
    let node = node.attr("num_bits", cx.attr_int("num_bits")?).attr("narrow_range", cx.attr_bool("narrow_range")?);
    Ok(node.outputs().into_iter().map(|output| Some(output.into())).collect())
}
