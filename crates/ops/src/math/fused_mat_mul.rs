//! `_FusedMatMul`: a matrix product followed by a bias and an activation, as optimizers put it together.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, Replacement, Rewrite, ShapeContext, Site};
use graph::{AttrValue, Endpoint, GraphData, Node, ReadAttrs};
use math::batch_norm::{Channels, Normal, normalize};
use math::broadcast::BroadcastPlan;
use math::elementwise::{Binary, BinaryOp, COSTLY, Unary, UnaryOp};
use math::gemm::{Product, is_added_last};
use math::threads::parallel_units;
use tensor::{DType, PartialShape, Result, Status, Tensor, bail, ensure, err};

use super::binary::binary;
use super::mat_mul::mat_mul;
use super::unary::unary;
use crate::nn::activation::leaky;
use crate::nn::bias_add::bias_add;
use crate::nn::fused_batch_norm::{check_channels, factors};

pub(crate) fn register(r: &mut Registry) {
    r.op("_FusedMatMul", "a: T, b: T, args: num_args * T -> product: T")
        .attr("transpose_a: bool = false")
        .attr("transpose_b: bool = false")
        .attr("T: {bfloat16, half, float}")
        .attr("num_args: int >= 0")
        .attr("fused_ops: list(string) = []")
        .attr("epsilon: float = 0.0001")
        .attr("leakyrelu_alpha: float = 0.2")
        .shape(shape)
        .kernel("T", &[DType::Float, DType::Half, DType::BFloat16], kernel);
}

/// Makes a product with a bias or a normalisation, and perhaps an activation, one node.
pub(crate) const REWRITE: Rewrite =
    Rewrite { name: "product", begins_at: |op| is_bias(op) || is_norm(op) || activation_op(op).is_ok(), find };

fn is_bias(op: &str) -> bool {
    matches!(op, "BiasAdd" | "BiasAddV1" | "Add" | "AddV2")
}

fn is_norm(op: &str) -> bool {
    matches!(op, "FusedBatchNorm" | "FusedBatchNormV2" | "FusedBatchNormV3")
}

fn find(site: &Site<'_>) -> Option<Replacement> {
    if site.dtype() != Some(DType::Float) {
        return None;
    }
    let last = site.node();
    let (first, activation) = match is_bias(&last.op) || is_norm(&last.op) {
        true => (last, None),
        false => (site.sole_producer(*last.inputs.first()?)?, Some(last.op.as_str())),
    };
    if first.attr_str("data_format").is_ok_and(|format| format != "NHWC") {
        return None;
    }
    let (product, name, arguments) = match is_norm(&first.op) {
        true => normalised(site, first)?,
        false => biased(site, first)?,
    };
    let op = fused(product)?;
    let inputs = product.inputs.iter().chain(&arguments).copied().collect();
    let fused_ops: Vec<Bytes> = [Some(name), activation].into_iter().flatten().map(|op| op.to_owned().into()).collect();
    let names = vec![Bytes::from(product.name.clone()), Bytes::from(first.name.clone())];
    let count = arguments.len();
    let mut attrs =
        vec![("num_args", AttrValue::Int(count as i64)), ("fused_ops", fused_ops.into()), (PARTS, names.into())];
    for name in KEPT_ATTRS {
        attrs.extend(product.attrs.get(*name).map(|value| (*name, value.clone())));
    }
    attrs.extend(first.attrs.get("epsilon").map(|value| ("epsilon", value.clone())));
    if op == "_FusedConv2D" {
        attrs.push(("TArgs", AttrValue::Types(vec![DType::Float; count])));
    }
    Some(Replacement { op, inputs, attrs })
}

/// The product that a bias is added to, what the sum is called, and the bias.
fn biased<'a>(site: &Site<'a>, bias: &Node) -> Option<(&'a Node, &'static str, Vec<Endpoint>)> {
    if !is_bias(&bias.op) {
        return None;
    }
    let is_product = |node: &&Node| fused(node).is_some();
    // Sums are the same either way round; a bias op takes the product first.
    let product = |position: usize| site.sole_producer(*bias.inputs.get(position)?).filter(is_product);
    let plain_sum = !bias.op.starts_with("Bias");
    let (at, product) = match (product(0), plain_sum) {
        (Some(product), _) => (0, product),
        (None, true) => (1, product(1)?),
        _ => return None,
    };
    let addend = *bias.inputs.get(1 - at)?;
    if plain_sum && rank(site.graph, addend) != Some(1) && !is_accumulated(site.graph, product, addend) {
        return None;
    }
    Some((product, if plain_sum { "Add" } else { "BiasAdd" }, vec![addend]))
}

/// Whether a product is added to a matrix of its own size, as the gradients of a loop's weights are in every iteration.
fn is_accumulated(graph: &GraphData, product: &Node, addend: Endpoint) -> bool {
    let (size, sum) = (product.output_shape(0), graph.node(addend.node).output_shape(addend.index as usize));
    product.op == "MatMul" && size.is_fully_known() && size == sum
}

/// The convolution that is normalised with moments that are given, and what it is normalised with.
fn normalised<'a>(site: &Site<'a>, norm: &Node) -> Option<(&'a Node, &'static str, Vec<Endpoint>)> {
    let convolution = site.sole_producer(*norm.inputs.first()?).filter(|node| node.op == "Conv2D")?;
    let floats = norm.input_types.iter().all(|input| input.dtype == DType::Float);
    (!norm.attr_bool("is_training").ok()? && floats).then(|| (convolution, "FusedBatchNorm", norm.inputs[1..].to_vec()))
}

/// The op that does what a node does and more.
fn fused(product: &Node) -> Option<&'static str> {
    let channels_last = product.attr_str("data_format").is_ok_and(|format| format == "NHWC");
    match product.op.as_str() {
        "MatMul" => Some("_FusedMatMul"),
        "Conv2D" if channels_last => Some("_FusedConv2D"),
        _ => None,
    }
}

/// The attributes of products that the fused ops have too.
const KEPT_ATTRS: &[&str] =
    &["T", "transpose_a", "transpose_b", "strides", "padding", "explicit_paddings", "data_format", "dilations"];

/// The names of the nodes whose work a fused node does, for errors: the product's and the bias's.
pub(crate) const PARTS: &str = "_parts";

/// The number of axes of a value, if it is known: variables state it.
pub(crate) fn rank(graph: &GraphData, mut output: Endpoint) -> Option<usize> {
    for _ in 0..4 {
        let node = graph.node(output.node);
        if let Some(rank) = node.output_shape(output.index as usize).rank() {
            return Some(rank);
        }
        if let Ok(shape) = node.attr_shape("shape") {
            return shape.rank();
        }
        if let Ok(value) = node.attr_tensor("value") {
            return Some(value.shape().rank());
        }
        output = *node.inputs.first()?;
        if !matches!(node.op.as_str(), "Identity" | "ReadVariableOp") {
            return None;
        }
    }
    None
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (a, b) = (cx.with_rank(0, 2)?, cx.with_rank(1, 2)?);
    let (ta, tb) = (cx.attr_bool("transpose_a")? as usize, cx.attr_bool("transpose_b")? as usize);
    cx.set(0, PartialShape::new(&[a.dim(ta), b.dim(1 - tb)]));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (transpose_a, transpose_b) = (node.attr_bool("transpose_a")?, node.attr_bool("transpose_b")?);
    let epilogue = Epilogue::new(node, node.attr_int("num_args")?)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        if epilogue.is_plain_sum()
            && let Some(sum) = accumulate(cx, transpose_a, transpose_b)?
        {
            cx.set_output(0, sum);
            return Ok(());
        }
        let product = mat_mul(cx.input(0)?, transpose_a, cx.input(1)?, transpose_b);
        let product = product.map_err(|status| at_part(status, cx.node, 0))?;
        let product = epilogue.apply(product, &cx.inputs(2..2 + epilogue.arguments())?);
        let product = product.map_err(|status| at_part(status, cx.node, 1))?;
        cx.set_output(0, product);
        Ok(())
    }))
}

/// Adds the product to a matrix, where that lies if nobody else needs it. `None` if it is of another size, or if the sum would
/// not be the same to the last bit.
fn accumulate(cx: &mut OpContext<'_>, transpose_a: bool, transpose_b: bool) -> Result<Option<Tensor>> {
    let (a, b, sum) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
    let (&[a_rows, a_cols], &[b_rows, b_cols]) = (a.dims(), b.dims()) else { return Ok(None) };
    let (m, k) = if transpose_a { (a_cols, a_rows) } else { (a_rows, a_cols) };
    let (inner, n) = if transpose_b { (b_cols, b_rows) } else { (b_rows, b_cols) };
    let (m, k, n, fits) = (m as usize, k as usize, n as usize, k == inner && *sum.dims() == [m, n]);
    let product = Product { m, k, n, a_transposed: transpose_a, b_transposed: transpose_b, accumulate: true };
    if !fits || a.dtype() != DType::Float || !is_added_last::<f32>(&product) {
        return Ok(None);
    }
    let mut sum = cx.take_input(2)?;
    let (a, b) = (cx.input(0)?, cx.input(1)?);
    if !sum.is_unique() {
        let product = mat_mul(a, transpose_a, b, transpose_b).map_err(|status| at_part(status, cx.node, 0))?;
        return binary(BinaryOp::Add, product, sum).map(Some);
    }
    math::gemm::product(&product, a.as_slice()?, b.as_slice()?, sum.make_mut::<f32>()?);
    Ok(Some(sum))
}

/// An error, with the name of the node that a part of a fused node was.
pub(crate) fn at_part(status: Status, node: &Node, part: usize) -> Status {
    match node.attr_strings(PARTS).ok().and_then(|names| std::str::from_utf8(names.get(part)?).ok()) {
        Some(name) => status.at_node(name),
        None => status,
    }
}

/// What is done to a product before it leaves: a bias is added, and an activation may follow.
#[derive(Clone, Copy)]
pub(crate) struct Epilogue {
    first: First,
    activation: Activation,
}

#[derive(Clone, Copy)]
enum First {
    Bias,
    /// A sum, with broadcasting.
    Sum,
    /// With the number that keeps variances away from zero.
    BatchNorm(f32),
}

#[derive(Clone, Copy)]
enum Activation {
    None,
    Function(UnaryOp),
    /// x, or this times x where x is negative.
    Leaky(f32),
}

impl Epilogue {
    /// # Errors
    /// `Unimplemented` for other chains of ops.
    pub(crate) fn new(node: &Node, arguments: i64) -> Result<Epilogue> {
        let ops = node.attr_strings("fused_ops")?;
        let names: Vec<&str> = ops.iter().map(|op| std::str::from_utf8(op).unwrap_or("?")).collect();
        let activation = match names[..] {
            [_] => Activation::None,
            [_, "LeakyRelu"] => Activation::Leaky(node.attr_float("leakyrelu_alpha")?),
            [_, activation] => Activation::Function(activation_op(activation)?),
            _ => bail!(Unimplemented, "{} with the ops [{}]", node.op, names.join(",")),
        };
        let (first, takes) = match names[0] {
            "BiasAdd" => (First::Bias, 1),
            "Add" => (First::Sum, 1),
            "FusedBatchNorm" => (First::BatchNorm(node.attr_float("epsilon")?), 4),
            _ => bail!(Unimplemented, "{} with the ops [{}]", node.op, names.join(",")),
        };
        ensure!(
            arguments == takes,
            InvalidArgument,
            "{} with {} takes {takes} arguments, not {arguments}",
            node.op,
            names[0]
        );
        Ok(Epilogue { first, activation })
    }

    /// Whether something is added and nothing else done.
    fn is_plain_sum(&self) -> bool {
        matches!((self.first, self.activation), (First::Sum, Activation::None))
    }

    /// How many inputs there are after the two factors.
    pub(crate) fn arguments(&self) -> usize {
        match self.first {
            First::Bias | First::Sum => 1,
            First::BatchNorm(_) => 4,
        }
    }

    pub(crate) fn apply(&self, product: Tensor, arguments: &[&Tensor]) -> Result<Tensor> {
        if let (First::Bias | First::Sum, Activation::Function(function), [bias]) =
            (self.first, self.activation, arguments)
            && product.dtype() == DType::Float
            && product.shape().rank() >= 2
            && bias.dims() == &product.dims()[product.shape().rank() - 1..]
        {
            return bias_and_function(product, bias, function);
        }
        let sum = match (self.first, arguments) {
            (First::Sum, [addend]) => binary(BinaryOp::Add, product, (*addend).clone())?,
            (First::Bias, [bias]) => bias_add(product, bias, false)?,
            (First::BatchNorm(epsilon), [scale, offset, mean, variance]) => {
                normalized(product, [scale, offset, mean, variance], epsilon)?
            }
            _ => bail!(Internal, "{} arguments", arguments.len()),
        };
        match self.activation {
            Activation::Function(function) => unary(function, sum),
            Activation::Leaky(alpha) => leaky(sum, alpha),
            Activation::None => Ok(sum),
        }
    }
}

/// Both in one pass over memory, a few rows at a time.
fn bias_and_function(mut product: Tensor, bias: &Tensor, function: UnaryOp) -> Result<Tensor> {
    let bias = bias.as_slice::<f32>()?;
    let channels = bias.len().max(1);
    let rows = (1024 / channels).max(1);
    let plan = |rows: usize| BroadcastPlan::new(&[rows as i64, channels as i64], &[channels as i64]);
    parallel_units(product.make_mut::<f32>()?, channels, COSTLY.div_ceil(channels), |_, part| {
        for block in part.chunks_mut(rows * channels) {
            if let Some(plan) = plan(block.len() / channels) {
                f32::binary_in_place(BinaryOp::Add, &plan, block, bias);
            }
            f32::unary_in_place(function, block);
        }
    });
    Ok(product)
}

/// (x - mean) / sqrt(variance + epsilon) * scale + offset, for each channel.
fn normalized(mut x: Tensor, [scale, offset, mean, variance]: [&Tensor; 4], epsilon: f32) -> Result<Tensor> {
    let channels = x.dims().last().copied().unwrap_or(1) as usize;
    let names = ["scale", "offset", "estimated_mean", "estimated_variance"];
    for (argument, name) in [scale, offset, mean, variance].into_iter().zip(names) {
        check_channels(argument, name, channels, false)?;
    }
    let [scale, offset, mean, variance] = [scale, offset, mean, variance].map(|argument| argument.as_slice::<f32>());
    let factor = factors(scale?, variance?, epsilon);
    let at = Channels { outer: x.num_elements() / channels.max(1), channels, inner: 1 };
    let normal = Normal { mean: mean?, factor: &factor, offset: offset?, added: None, relu: false };
    normalize(at, None, normal, x.make_mut::<f32>()?);
    Ok(x)
}

fn activation_op(name: &str) -> Result<UnaryOp> {
    Ok(match name {
        "Relu" => UnaryOp::Relu,
        "Relu6" => UnaryOp::Relu6,
        "Elu" => UnaryOp::Elu,
        "Tanh" => UnaryOp::Tanh,
        "Sigmoid" => UnaryOp::Sigmoid,
        other => return Err(err!(Unimplemented, "a product followed by {other}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_bias_and_activation() {
        let product = Tensor::from([[1f32, -5.0]]);
        let bias = Tensor::from([1f32, 2.0]);
        let apply = |first, activation, arguments: &[&Tensor]| {
            Epilogue { first, activation }.apply(product.clone(), arguments).unwrap()
        };
        let relu = Activation::Function(UnaryOp::Relu);
        assert_eq!(apply(First::Bias, relu, &[&bias]), Tensor::from([[2f32, 0.0]]));
        assert_eq!(apply(First::Bias, Activation::None, &[&bias]), Tensor::from([[2f32, -3.0]]));
        assert_eq!(apply(First::Bias, Activation::Leaky(0.5), &[&bias]), Tensor::from([[2f32, -1.5]]));
        let (one, three) = (Tensor::from([1f32; 2]), Tensor::from([3f32; 2]));
        // (x - 1) / sqrt(3 + 1) * 1 + 3
        let normal = apply(First::BatchNorm(1.0), Activation::None, &[&one, &three, &one, &three]);
        assert_eq!(normal, Tensor::from([[3f32, 0.0]]));
    }
}
