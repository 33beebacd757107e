//! `FusedBatchNorm`, `FusedBatchNormV2`, `FusedBatchNormV3`, `_FusedBatchNormEx` and their gradient ops
//! `FusedBatchNormGrad`, `FusedBatchNormGradV2` and `FusedBatchNormGradV3`: each channel brought to mean 0 and
//! variance 1, then scaled and moved.

use graph::op::{GradContext, Kernel, OpContext, Registry, Replacement, Rewrite, ShapeContext, Site};
use graph::{AttrValue, Gradient, Node, Output, ReadAttrs};
use math::batch_norm::{Channels, Normal, gradient as gradient_by_image, gradient_sums, moments, normalize};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::math::fused_mat_mul::{PARTS, at_part};
use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] = &[DType::Float, DType::Half, DType::BFloat16];
    let inputs = |u: &str| format!("x: T, scale: {u}, offset: {u}, mean: {u}, variance: {u}");
    let outputs = |u: &str, third: &str| {
        format!("y: T, batch_mean: {u}, batch_variance: {u}, reserve_space_1: {u}, reserve_space_2: {u}{third}")
    };
    let flat = "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
    let any = "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'";
    let narrow_types = "T: {half, bfloat16, float}";
    let rows = [
        ("FusedBatchNorm", "T", "", &["T: {float}"][..], flat),
        ("FusedBatchNormV2", "U", "", &[narrow_types, "U: {float}"], flat),
        ("FusedBatchNormV3", "U", ", reserve_space_3: U", &[narrow_types, "U: {bfloat16, float}"], any),
    ];
    for (name, u, third, types, format) in rows {
        let mut entry = r.op(name, &format!("{} -> {}", inputs(u), outputs(u, third)));
        for attr in types {
            entry = entry.attr(attr);
        }
        entry
            .attr("epsilon: float = 0.0001")
            .attr("exponential_avg_factor: float = 1.0")
            .attr(format)
            .attr("is_training: bool = true")
            .shape(shape)
            .kernel("T", TYPES, kernel)
            .gradient(gradient);
    }
    r.op(
        "_FusedBatchNormEx",
        &format!("{}, side_input: num_side_inputs * T -> {}", inputs("U"), outputs("U", ", reserve_space_3: U")),
    )
    .attr("T: {half, float, bfloat16}")
    .attr("U: {float}")
    .attr("epsilon: float = 0.0001")
    .attr("exponential_avg_factor: float = 1.0")
    .attr("num_side_inputs: int >= 0 = 0")
    .attr("activation_mode: string = 'Identity'")
    .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .attr("is_training: bool = true")
    .shape(shape)
    .kernel("T", TYPES, kernel);
    let rows = [
        ("FusedBatchNormGrad", "T", "T", "", [3, 4], &["T: {float}"][..], flat),
        ("FusedBatchNormGradV2", "float", "U", "", [3, 4], &[narrow_types, "U: {float}"], flat),
        ("FusedBatchNormGradV3", "float", "U", ", reserve_space_3: U", [4, 5], &[narrow_types, "U: {float}"], any),
    ];
    for (name, scale, u, third, spare, types, format) in rows {
        let signature = format!(
            "y_backprop: T, x: T, scale: {scale}, reserve_space_1: {u}, reserve_space_2: {u}{third} -> x_backprop: T, \
             scale_backprop: {u}, offset_backprop: {u}, reserve_space_{}: {u}, reserve_space_{}: {u}",
            spare[0], spare[1]
        );
        let mut entry = r.op(name, &signature);
        for attr in types {
            entry = entry.attr(attr);
        }
        entry.attr("epsilon: float = 0.0001").attr(format).attr("is_training: bool = true").shape(grad_shape).kernel(
            "T",
            TYPES,
            grad_kernel,
        );
    }
}

/// Makes a normalisation with moments that are given and the activation after it one node.
pub(crate) const REWRITE: Rewrite = Rewrite { name: "normalisation", begins_at: |op| op == "Relu", find };

fn find(site: &Site<'_>) -> Option<Replacement> {
    let norm = site.sole_producer(*site.node().inputs.first()?)?;
    let known = matches!(norm.op.as_str(), "FusedBatchNorm" | "FusedBatchNormV2" | "FusedBatchNormV3");
    let floats = norm.input_types.iter().all(|input| input.dtype == DType::Float);
    let flat = norm.attr_str("data_format").is_ok_and(|format| format.len() == 4);
    if !known || !floats || !flat || norm.attr_bool("is_training").ok()? {
        return None;
    }
    let mut attrs = vec![
        ("T", AttrValue::Type(DType::Float)),
        ("U", AttrValue::Type(DType::Float)),
        ("activation_mode", AttrValue::String("Relu".into())),
        (PARTS, AttrValue::Strings(vec![norm.name.clone().into()])),
    ];
    for name in ["epsilon", "data_format", "is_training"] {
        attrs.extend(norm.attrs.get(name).map(|value| (name, value.clone())));
    }
    Some(Replacement { op: "_FusedBatchNormEx", inputs: norm.inputs.clone(), attrs })
}

/// Where the channels of an image are.
#[derive(Clone, Copy)]
struct Layout {
    channels_first: bool,
}

impl Layout {
    fn of(node: &impl ReadAttrs) -> Result<Layout> {
        Ok(Layout { channels_first: node.attr_str("data_format")?.starts_with("NC") })
    }

    fn axis(self, rank: usize) -> usize {
        if self.channels_first { 1 } else { rank.saturating_sub(1) }
    }
}

fn rank_of(node: &Node) -> usize {
    match node.attr_str("data_format") {
        Ok(format) => format.len(),
        Err(_) => 4,
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let rank = rank_of(cx.node);
    let mut x = cx.with_rank(0, rank)?;
    let axis = Layout::of(cx)?.axis(rank);
    let mut channels = PartialShape::vector(x.dim(axis));
    let given = if cx.attr_bool("is_training")? { 3 } else { 5 };
    for index in 1..given {
        cx.with_rank(index, 1)?;
        channels = channels.merge(&cx.input(index))?;
    }
    if let Some(dims) = x.raw_dims() {
        let mut dims = dims.to_vec();
        dims[axis] = channels.dim(0).unwrap_or(-1);
        x = PartialShape::from_dims(&dims);
    }
    cx.set(0, x);
    for index in 1..5 {
        cx.set(index, channels.clone());
    }
    Ok(())
}

fn grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let rank = rank_of(cx.node);
    let x = cx.with_rank(0, rank)?.merge(&cx.with_rank(1, rank)?)?;
    let channels = PartialShape::vector(x.dim(Layout::of(cx)?.axis(rank)));
    cx.set(0, x);
    cx.set(1, channels.clone());
    cx.set(2, channels);
    cx.set(3, PartialShape::vector(Some(0)));
    cx.set(4, PartialShape::vector(Some(0)));
    Ok(())
}

/// How an image falls into channels.
fn channels_of(x: &Tensor, layout: Layout) -> Channels {
    let dims = x.dims();
    let axis = layout.axis(dims.len());
    let product = |dims: &[i64]| dims.iter().product::<i64>() as usize;
    Channels { outer: product(&dims[..axis]), channels: dims[axis] as usize, inner: product(&dims[axis + 1..]) }
}

fn check_image(x: &Tensor, node: &Node, name: &str) -> Result<()> {
    let rank = x.shape().rank();
    let five = node.attr_str("data_format")?.len() == 5;
    let fits = rank == 4 || (rank == 5 && (five || node.op.ends_with("V3")));
    ensure!(fits, InvalidArgument, "{name} must be 4-dimensional or 5-dimensional{}", x.shape());
    Ok(())
}

pub(crate) fn check_channels(tensor: &Tensor, name: &str, channels: usize, training: bool) -> Result<()> {
    let rank = tensor.shape().rank();
    ensure!(rank == 1, InvalidArgument, "{name} must be 1-dimensional{}", tensor.shape());
    let count = tensor.num_elements();
    let fits = count == channels || (training && count == 0 && matches!(name, "estimated_mean" | "estimated_variance"));
    ensure!(
        fits,
        InvalidArgument,
        "{name} must have the same number of elements as the channels of x, got {count} and {channels}"
    );
    Ok(())
}

/// What the distance from the mean is multiplied with, for each channel.
pub(crate) fn factors(scale: &[f32], variance: &[f32], epsilon: f32) -> Vec<f32> {
    scale.iter().zip(variance).map(|(scale, variance)| scale / (variance + epsilon).sqrt()).collect()
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (layout, training) = (Layout::of(node)?, node.attr_bool("is_training")?);
    let (epsilon, factor) = (node.attr_float("epsilon")?, node.attr_float("exponential_avg_factor")?);
    let activation = if node.op == "_FusedBatchNormEx" { node.attr_str("activation_mode")? } else { "Identity" };
    let relu = match activation {
        "Identity" => false,
        "Relu" => true,
        other => bail!(Unimplemented, "no batch normalization with the activation {other}"),
    };
    let normalise = move |cx: &mut OpContext<'_>| {
        let dtype = cx.input(0)?.dtype();
        check_image(cx.input(0)?, cx.node, "input")?;
        let x = widen(cx.input(0)?)?;
        let channels = channels_of(&x, layout);
        let names = ["scale", "offset", "estimated_mean", "estimated_variance"];
        let mut given = Vec::with_capacity(4);
        for (place, name) in names.iter().enumerate() {
            let input = cx.input(1 + place)?;
            check_channels(input, name, channels.channels, training)?;
            given.push(widen(input)?);
        }
        let [scale, offset, old_mean, old_variance] = &given[..] else { bail!(Internal, "four inputs are five") };
        let side = match cx.num_inputs() {
            5 => None,
            _ => Some(widen(cx.input(5)?)?),
        };
        if let Some(side) = &side {
            ensure!(
                side.shape() == x.shape(),
                InvalidArgument,
                "side_input shape must be equal to input shape: {} != {}",
                side.shape(),
                x.shape()
            );
        }
        let values = x.as_slice::<f32>()?;
        let count = channels.per_channel();
        let (mean, variance): (Vec<f32>, Vec<f32>) = if training {
            let (mean, variance) = moments(channels, values);
            let narrow = |values: Vec<f64>| values.into_iter().map(|value| value as f32).collect();
            (narrow(mean), narrow(variance))
        } else {
            (old_mean.as_slice::<f32>()?.to_vec(), old_variance.as_slice::<f32>()?.to_vec())
        };
        let (scale, offset) = (scale.as_slice::<f32>()?, offset.as_slice::<f32>()?);
        let factors = factors(scale, &variance, epsilon);
        let side = side.as_ref().map(|side| side.as_slice::<f32>()).transpose()?;
        let normal = Normal { mean: &mean, factor: &factors, offset, added: side, relu };
        let y = Tensor::build(x.shape().clone(), |out: &mut [f32]| {
            normalize(channels, Some(values), normal, out);
            Ok(())
        })?;
        let y = if dtype == DType::Float { y } else { narrow(&y, dtype)? };
        cx.set_output(0, y);
        let (mut shown_mean, mut shown_variance) = (mean.clone(), variance.clone());
        if training {
            // The variance of the population, estimated from a sample.
            let correction = count as f32 / count.saturating_sub(1).max(1) as f32;
            shown_variance.iter_mut().for_each(|variance| *variance *= correction);
            if count == 0 {
                shown_mean.fill(f32::NAN);
                shown_variance.fill(f32::NAN);
            }
            if factor != 1.0 {
                for (shown, old) in [(&mut shown_mean, old_mean), (&mut shown_variance, old_variance)] {
                    for (new, old) in shown.iter_mut().zip(old.as_slice::<f32>()?) {
                        *new = (1.0 - factor) * old + factor * *new;
                    }
                }
            }
        }
        let stored = cx.node.output_types.get(1).map_or(DType::Float, |output| output.dtype);
        for (index, values) in [(1, &shown_mean), (2, &shown_variance), (3, &mean), (4, &variance)] {
            let tensor = Tensor::vector(values);
            cx.set_output(index, if stored == DType::Float { tensor } else { narrow(&tensor, stored)? });
        }
        if cx.num_outputs() > 5 {
            cx.set_output(5, Tensor::zeros(stored, &Shape::scalar())?);
        }
        Ok(())
    };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| normalise(cx).map_err(|status| at_part(status, cx.node, 0))))
}

fn grad_kernel(node: &Node) -> Result<Kernel> {
    let (layout, training) = (Layout::of(node)?, node.attr_bool("is_training")?);
    let epsilon = node.attr_float("epsilon")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let dtype = cx.input(0)?.dtype();
        check_image(cx.input(0)?, cx.node, "y backprop")?;
        check_image(cx.input(1)?, cx.node, "input")?;
        let (mut dy, x) = (widen(&cx.take_input(0)?)?, widen(cx.input(1)?)?);
        ensure!(
            x.shape() == dy.shape(),
            InvalidArgument,
            "x and y_backprop must have same shape, but x has shape {} and y_backprop has shape {}",
            x.shape(),
            dy.shape()
        );
        let channels = channels_of(&x, layout);
        for (index, name) in [(2, "scale"), (3, "saved_mean"), (4, "saved_variance")] {
            check_channels(cx.input(index)?, name, channels.channels, false)?;
        }
        let (scale, mean, variance) = (widen(cx.input(2)?)?, widen(cx.input(3)?)?, widen(cx.input(4)?)?);
        let (scale, mean, variance) = (scale.as_slice::<f32>()?, mean.as_slice::<f32>()?, variance.as_slice::<f32>()?);
        let values = x.as_slice::<f32>()?;
        let (offset_grads, products) = gradient_sums(channels, dy.as_slice::<f32>()?, values, mean);
        let inverse: Vec<f32> = variance.iter().map(|variance| 1.0 / (variance + epsilon).sqrt()).collect();
        let count = channels.per_channel().max(1) as f64;
        let factors: Vec<f32> = scale.iter().zip(&inverse).map(|(scale, inverse)| scale * inverse).collect();
        let (mean_grads, slopes): (Vec<f32>, Vec<f32>) = match training {
            true => {
                let slope = |(product, inverse): (&f64, &f32)| (product / count) as f32 * inverse * inverse;
                let means = offset_grads.iter().map(|sum| (sum / count) as f32);
                (means.collect(), products.iter().zip(&inverse).map(slope).collect())
            }
            false => (vec![0.0; channels.channels], vec![0.0; channels.channels]),
        };
        gradient_by_image(channels, values, [mean, &factors, &mean_grads, &slopes], dy.make_mut::<f32>()?);
        let dx = dy;
        let scale_grads: Vec<f32> =
            products.iter().zip(&inverse).map(|(product, inverse)| (*product * *inverse as f64) as f32).collect();
        let offset_grads: Vec<f32> = offset_grads.iter().map(|sum| *sum as f32).collect();
        cx.set_output(0, if dtype == DType::Float { dx } else { narrow(&dx, dtype)? });
        cx.set_output(1, Tensor::vector(&scale_grads));
        cx.set_output(2, Tensor::vector(&offset_grads));
        cx.set_output(3, Tensor::vector::<f32>(&[]));
        cx.set_output(4, Tensor::vector::<f32>(&[]));
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let training = cx.attr_bool("is_training")?;
    let version = cx.node.op.strip_prefix("FusedBatchNorm").unwrap_or_default();
    let (mean, variance) = if training { (cx.y(3), cx.y(4)) } else { (cx.x(3), cx.x(4)) };
    let mut op = cx
        .op(&format!("FusedBatchNormGrad{version}"))
        .input(cx.dy(0)?)
        .input(cx.x(0))
        .input(cx.x(1))
        .input(mean)
        .input(variance);
    if version == "V3" {
        op = op.input(cx.y(5));
    }
    let node = op
        .attr("epsilon", cx.attr_float("epsilon")?)
        .attr("data_format", cx.attr_str("data_format")?.to_owned())
        .attr("is_training", training)
        .build();
    let output = |index: usize| -> Option<Gradient> { Some(Output::into(node.output(index))) };
    Ok(vec![output(0), output(1), output(2), None, None])
}
