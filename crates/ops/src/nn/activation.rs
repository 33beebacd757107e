//! Activation functions and their gradients, one row each: `Relu`, `Relu6`, `LeakyRelu`, `Elu`, `Selu`, `Softplus`,
//! `Softsign`, `ReluGrad`, `Relu6Grad`, `LeakyReluGrad`, `EluGrad`, `SeluGrad`, `SoftplusGrad` and `SoftsignGrad`.

use graph::op::{GradContext, GradFn, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use math::elementwise::{BinaryOp, CHEAP, UnaryOp, map_in_place};
use tensor::DType::{self, *};
use tensor::{Result, Tensor, ensure, err};

use crate::math::unary::unary_kernel;
use crate::math::unary_grad::pairwise;
use crate::narrow_floats::{narrow, widen};

/// A function and the op of its gradient, the types the definitions allow and those there is code for, and the
/// functions' gradients.
struct Row {
    name: &'static str,
    op: UnaryOp,
    grad_op: BinaryOp,
    /// What the gradient op calls its second input: the features, or the function's outputs.
    from: &'static str,
    allowed: &'static str,
    allowed_grad: &'static str,
    types: &'static [DType],
    gradient: GradFn,
    second_gradient: Option<GradFn>,
}

const FLOAT: &str = "T: {half, bfloat16, float, double}";
const REAL: &str = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
const REAL_AND_QUANTIZED: &str =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8}";
const FLOATS: &[DType] = &[Float, Double, Half, BFloat16];
const REALS: &[DType] = &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64];

const ROWS: &[Row] = &[
    Row {
        name: "Relu",
        op: UnaryOp::Relu,
        grad_op: BinaryOp::ReluGrad,
        from: "features",
        allowed: REAL_AND_QUANTIZED,
        allowed_grad: REAL,
        types: REALS,
        gradient: |cx| by_grad_op(cx, cx.y(0)),
        second_gradient: Some(step_gradient),
    },
    Row {
        name: "Relu6",
        op: UnaryOp::Relu6,
        grad_op: BinaryOp::Relu6Grad,
        from: "features",
        allowed: REAL,
        allowed_grad: REAL,
        types: REALS,
        gradient: |cx| by_grad_op(cx, cx.y(0)),
        second_gradient: Some(step_gradient),
    },
    Row {
        name: "Elu",
        op: UnaryOp::Elu,
        grad_op: BinaryOp::EluGrad,
        from: "outputs",
        allowed: FLOAT,
        allowed_grad: FLOAT,
        types: FLOATS,
        gradient: |cx| by_grad_op(cx, cx.y(0)),
        second_gradient: Some(exponential_second_gradient),
    },
    Row {
        name: "Selu",
        op: UnaryOp::Selu,
        grad_op: BinaryOp::SeluGrad,
        from: "outputs",
        allowed: FLOAT,
        allowed_grad: FLOAT,
        types: FLOATS,
        gradient: |cx| by_grad_op(cx, cx.y(0)),
        second_gradient: Some(exponential_second_gradient),
    },
    Row {
        name: "Softplus",
        op: UnaryOp::Softplus,
        grad_op: BinaryOp::SoftplusGrad,
        from: "features",
        allowed: FLOAT,
        allowed_grad: FLOAT,
        types: FLOATS,
        gradient: |cx| by_grad_op(cx, cx.x(0)),
        second_gradient: Some(softplus_second_gradient),
    },
    Row {
        name: "Softsign",
        op: UnaryOp::Softsign,
        grad_op: BinaryOp::SoftsignGrad,
        from: "features",
        allowed: FLOAT,
        allowed_grad: FLOAT,
        types: FLOATS,
        gradient: |cx| by_grad_op(cx, cx.x(0)),
        second_gradient: None,
    },
];

pub(crate) fn register(r: &mut Registry) {
    for row in ROWS {
        r.op(row.name, "features: T -> activations: T")
            .attr(row.allowed)
            .shape(ShapeContext::unchanged)
            .kernel("T", row.types, kernel)
            .gradient(row.gradient);
        let entry = r
            .op(&format!("{}Grad", row.name), &format!("gradients: T, {}: T -> backprops: T", row.from))
            .attr(row.allowed_grad)
            .shape(ShapeContext::merged)
            .kernel("T", row.types, grad_kernel);
        if let Some(second) = row.second_gradient {
            entry.gradient(second);
        }
    }
    r.op("LeakyRelu", "features: T -> activations: T")
        .attr("alpha: float = 0.2")
        .attr("T: {half, bfloat16, float, double} = float")
        .shape(ShapeContext::unchanged)
        .kernel("T", FLOATS, leaky_kernel)
        .gradient(leaky_gradient);
    r.op("LeakyReluGrad", "gradients: T, features: T -> backprops: T")
        .attr("alpha: float = 0.2")
        .attr("T: {half, bfloat16, float, double} = float")
        .shape(ShapeContext::merged)
        .kernel("T", FLOATS, leaky_grad_kernel)
        .gradient(leaky_second_gradient);
}

fn row(op: &str) -> Result<&'static Row> {
    let name = op.strip_suffix("Grad").unwrap_or(op);
    ROWS.iter().find(|row| row.name == name).ok_or_else(|| err!(Internal, "{op} is not in the table of activations"))
}

/// The formula of an activation function without attributes, by the op's name.
pub(crate) fn activation_formula(name: &str) -> Option<UnaryOp> {
    ROWS.iter().find(|row| row.name == name).map(|row| row.op)
}

fn kernel(node: &Node) -> Result<Kernel> {
    Ok(unary_kernel(row(&node.op)?.op))
}

fn grad_kernel(node: &Node) -> Result<Kernel> {
    let op = row(&node.op)?.grad_op;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (gradients, from) = same_shapes(cx)?;
        // The gradients' memory is the more likely one to be free.
        cx.set_output(0, pairwise(op, gradients, from)?);
        Ok(())
    }))
}

fn same_shapes(cx: &mut OpContext<'_>) -> Result<(Tensor, Tensor)> {
    let (a, b) = (cx.take_input(0)?, cx.take_input(1)?);
    ensure!(
        a.shape() == b.shape(),
        InvalidArgument,
        "Inputs to operation {} of type {} must have the same size and shape.  Input 0: {} != input 1: {}",
        cx.node.name,
        cx.node.op,
        a.shape(),
        b.shape()
    );
    Ok((a, b))
}

/// The gradient by the op that is named after this one.
fn by_grad_op(cx: &GradContext<'_>, from: Output) -> Result<Vec<Option<Gradient>>> {
    let dx = cx.op(&format!("{}Grad", cx.node.op)).input(cx.dy(0)?).input(from).output();
    Ok(vec![Some(dx.into())])
}

/// The gradient of a gradient that is passed on or not: it is passed on at the same places.
fn step_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let passed = cx.op(&cx.node.op).input(cx.dy(0)?).input(cx.x(1)).output();
    Ok(vec![Some(passed.into()), Some(cx.x(1).unary("ZerosLike").into())])
}

/// z = dy (y + a) where y is negative, with a constant a: dz (y + a) for dy, dz dy for y.
fn exponential_second_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (dy, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let for_dy = cx.op(&cx.node.op).input(&dz).input(&y).output();
    let zeros = y.unary("ZerosLike");
    let negative = y.binary("Less", "Less", &zeros);
    let for_y = cx.op("SelectV2").input(negative).input(dz * dy).input(zeros).output();
    Ok(vec![Some(for_dy.into()), Some(for_y.into())])
}

/// z = dy sigmoid(x): dz sigmoid(x) for dy, dz dy / (e^-x + 2 + e^x) for x.
fn softplus_second_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (dy, x, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let for_dy = cx.op("SoftplusGrad").input(&dz).input(&x).output();
    let for_x = dz * dy / ((-&x).unary("Exp") + 2.0 + x.unary("Exp"));
    Ok(vec![Some(for_dy.into()), Some(for_x.into())])
}

fn leaky_kernel(node: &Node) -> Result<Kernel> {
    let alpha = node.attr_float("alpha")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let x = cx.take_input(0)?;
        cx.set_output(0, leaky(x, alpha)?);
        Ok(())
    }))
}

/// x, or alpha x where x is negative.
pub(crate) fn leaky(mut x: Tensor, alpha: f32) -> Result<Tensor> {
    match x.dtype() {
        Half | BFloat16 => return narrow(&leaky(widen(&x)?, alpha)?, x.dtype()),
        Float => map_in_place(x.make_mut::<f32>()?, CHEAP, |x| if x > 0.0 { x } else { x * alpha }),
        _ => map_in_place(x.make_mut::<f64>()?, CHEAP, |x| if x > 0.0 { x } else { x * alpha as f64 }),
    }
    Ok(x)
}

fn leaky_grad_kernel(node: &Node) -> Result<Kernel> {
    let alpha = node.attr_float("alpha")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (gradients, features) = same_shapes(cx)?;
        cx.set_output(0, leaky_grad(gradients, &features, alpha)?);
        Ok(())
    }))
}

fn leaky_grad(mut gradients: Tensor, features: &Tensor, alpha: f32) -> Result<Tensor> {
    match features.dtype() {
        Half | BFloat16 => {
            return narrow(&leaky_grad(widen(&gradients)?, &widen(features)?, alpha)?, features.dtype());
        }
        Float => {
            let features = features.as_slice::<f32>()?;
            for (g, x) in gradients.make_mut::<f32>()?.iter_mut().zip(features) {
                *g *= if *x > 0.0 { 1.0 } else { alpha };
            }
        }
        _ => {
            let features = features.as_slice::<f64>()?;
            for (g, x) in gradients.make_mut::<f64>()?.iter_mut().zip(features) {
                *g *= if *x > 0.0 { 1.0 } else { alpha as f64 };
            }
        }
    }
    Ok(gradients)
}

fn leaky_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let alpha = cx.attr_float("alpha")?;
    let dx = cx.op("LeakyReluGrad").input(cx.dy(0)?).input(cx.x(0)).attr("alpha", alpha).output();
    Ok(vec![Some(dx.into())])
}

fn leaky_second_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let alpha = cx.attr_float("alpha")?;
    let for_dy = cx.op("LeakyReluGrad").input(cx.dy(0)?).input(cx.x(1)).attr("alpha", alpha).output();
    Ok(vec![Some(for_dy.into()), Some(cx.x(1).unary("ZerosLike").into())])
}

unary_methods! {
    /// Activation functions, element by element.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use testkit::eval;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let g = Graph::new();
    /// let (x, large) = (g.constant([-5f32, 0.0, 4.0]), g.constant([0f32, 5.0, 100.0]));
    /// for (result, value) in [
    ///     (x.relu(), [0f32, 0.0, 4.0]),
    ///     (large.relu6(), [0.0, 5.0, 6.0]),
    ///     (x.leaky_relu(), [-1.0, 0.0, 4.0]),
    ///     (large.elu(), [0.0, 5.0, 100.0]),
    ///     (x.selu().round(), [-2.0, 0.0, 4.0]),
    ///     (large.softplus().round(), [1.0, 5.0, 100.0]),
    ///     ((x.softsign() * 10.0).round(), [-8.0, 0.0, 8.0]),
    /// ] {
    ///     assert_eq!(eval(&result)?, Tensor::from(value));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ActivationOps {
        /// Returns e^x - 1 where x is negative, else x.
        elu = "Elu";
        /// Returns x / 5 where x is negative, else x.
        leaky_relu = "LeakyRelu";
        /// Returns the greater one of x and 0.
        relu = "Relu";
        /// Returns x, at least 0 and at most 6.
        relu6 = "Relu6";
        /// Returns the scaled exponential linear unit.
        selu = "Selu";
        /// Returns ln(1 + e^x).
        softplus = "Softplus";
        /// Returns x / (1 + |x|).
        softsign = "Softsign";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn leaky_relu_and_its_gradient() {
        let x = Tensor::from([-2f32, 0.0, 3.0]);
        assert_eq!(leaky(x.clone(), 0.5).unwrap(), Tensor::from([-1f32, 0.0, 3.0]));
        assert_eq!(leaky_grad(Tensor::from([1f32; 3]), &x, 0.5).unwrap(), Tensor::from([0.5f32, 0.5, 1.0]));
    }

    #[test]
    fn relu_lets_the_gradient_through_where_x_is_positive() {
        let (dy, x) = (Tensor::from([1f32, 2.0, 3.0]), Tensor::from([-1f32, 0.0, 1.0]));
        assert_eq!(pairwise(BinaryOp::ReluGrad, dy, x).unwrap(), Tensor::from([0f32, 0.0, 3.0]));
    }
}
