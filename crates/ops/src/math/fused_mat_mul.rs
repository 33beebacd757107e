//! `_FusedMatMul`: a matrix product followed by a bias and an activation, as optimizers put it together.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::elementwise::UnaryOp;
use tensor::{DType, PartialShape, Result, Tensor, bail, ensure, err};

use super::mat_mul::mat_mul;
use super::unary::unary;
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
        let product = epilogue.apply(product, cx.input(2)?)?;
        cx.set_output(0, product);
        Ok(())
    }))
}

/// What is done to a product before it leaves: a bias is added, and an activation may follow.
#[derive(Clone, Copy)]
pub(crate) struct Epilogue {
    activation: Option<UnaryOp>,
}

impl Epilogue {
    /// # Errors
    /// `Unimplemented` for other chains of ops.
    pub(crate) fn new(node: &Node, arguments: i64) -> Result<Epilogue> {
        let ops = node.attr_strings("fused_ops")?;
        let names: Vec<&str> = ops.iter().map(|op| std::str::from_utf8(op).unwrap_or("?")).collect();
        let activation = match names[..] {
            ["BiasAdd"] => None,
            ["BiasAdd", activation] => Some(activation_op(activation)?),
            _ => bail!(Unimplemented, "{} with the ops [{}]", node.op, names.join(",")),
        };
        ensure!(arguments == 1, InvalidArgument, "{} takes one bias, not {arguments}", node.op);
        Ok(Epilogue { activation })
    }

    pub(crate) fn apply(&self, product: Tensor, bias: &Tensor) -> Result<Tensor> {
        let sum = bias_add(product, bias, false)?;
        match self.activation {
            Some(activation) => unary(activation, sum),
            None => Ok(sum),
        }
    }
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
        let epilogue = Epilogue { activation: Some(UnaryOp::Relu) };
        assert_eq!(epilogue.apply(product.clone(), &Tensor::from([1f32, 2.0])).unwrap(), Tensor::from([[2f32, 0.0]]));
        let epilogue = Epilogue { activation: None };
        assert_eq!(epilogue.apply(product, &Tensor::from([1f32, 2.0])).unwrap(), Tensor::from([[2f32, -3.0]]));
    }
}
