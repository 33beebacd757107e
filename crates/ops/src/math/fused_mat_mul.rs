//! `_FusedMatMul`: a matrix product followed by a bias and an activation, as optimizers put it together.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::elementwise::UnaryOp;
use tensor::{DType, PartialShape, Result, Tensor, bail, ensure, err};

use super::mat_mul::mat_mul;
use super::unary::unary;
use crate::nn::activation::leaky;
use crate::nn::bias_add::bias_add;

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
        let product = mat_mul(cx.input(0)?, transpose_a, cx.input(1)?, transpose_b)?;
        let product = epilogue.apply(product, &cx.inputs(2..2 + epilogue.arguments())?)?;
        cx.set_output(0, product);
        Ok(())
    }))
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

    /// How many inputs there are after the two factors.
    pub(crate) fn arguments(&self) -> usize {
        match self.first {
            First::Bias => 1,
            First::BatchNorm(_) => 4,
        }
    }

    pub(crate) fn apply(&self, product: Tensor, arguments: &[&Tensor]) -> Result<Tensor> {
        let sum = match (self.first, arguments) {
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

/// (x - mean) / sqrt(variance + epsilon) * scale + offset, for each channel.
fn normalized(mut x: Tensor, [scale, offset, mean, variance]: [&Tensor; 4], epsilon: f32) -> Result<Tensor> {
    let channels = x.dims().last().copied().unwrap_or(1);
    for argument in [scale, offset, mean, variance] {
        ensure!(
            argument.dims() == [channels],
            InvalidArgument,
            "an argument of shape {} for {channels} channels",
            argument.shape()
        );
    }
    let [scale, offset, mean, variance] = [scale, offset, mean, variance].map(|argument| argument.as_slice::<f32>());
    let (scale, offset, mean, variance) = (scale?, offset?, mean?, variance?);
    let factors: Vec<f32> = scale.iter().zip(variance).map(|(scale, v)| scale / (v + epsilon).sqrt()).collect();
    for pixel in x.make_mut::<f32>()?.chunks_exact_mut((channels as usize).max(1)) {
        for (c, x) in pixel.iter_mut().enumerate() {
            *x = (*x - mean[c]) * factors[c] + offset[c];
        }
    }
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
