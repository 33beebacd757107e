//! Gradients of functions of one tensor, of TensorFlow's nodes: most wait for the gradient before they compute what they need.

use graph::Output;
use graph::op::GradContext;
use tensor::DType;

use super::nodes::after;
use super::{Gradients, Table};
use crate::math::binary_grad::conjugate;

pub(super) const TABLE: Table = &[
    ("Abs", |cx| plain(cx, |x, dy| dy * x.unary("Sign"))),
    ("Acos", |cx| {
        of_x(cx, |x, dy| {
            let root = inverse_root(x, dy);
            -dy * root
        })
    }),
    ("Acosh", |cx| of_y(cx, |y, dy| dy / y.unary("Sinh"))),
    ("Asin", |cx| of_x(cx, |x, dy| dy * inverse_root(x, dy))),
    ("Asinh", |cx| of_y(cx, |y, dy| dy / y.unary("Cosh"))),
    ("Atan", |cx| {
        of_x(cx, |x, dy| {
            let square = x.unary("Square");
            dy * number(dy, 1.0).binary("AddV2", "Add", &square).unary("Reciprocal")
        })
    }),
    ("Atanh", |cx| {
        of_x(cx, |x, dy| {
            let square = x.unary("Square");
            dy * number(dy, 1.0).binary("Sub", "Sub", &square).unary("Reciprocal")
        })
    }),
    ("Cos", |cx| of_x(cx, |x, dy| -dy * x.unary("Sin"))),
    ("Cosh", |cx| of_x(cx, |x, dy| dy * x.unary("Sinh"))),
    ("Exp", |cx| of_y(cx, |y, dy| dy * y)),
    ("Expm1", |cx| of_x(cx, |x, dy| dy * x.unary("Exp"))),
    ("Log", |cx| of_x(cx, |x, dy| dy * x.unary("Reciprocal"))),
    ("Log1p", |cx| of_x(cx, |x, dy| dy * (1.0 + x).unary("Reciprocal"))),
    ("Sigmoid", |cx| of_y(cx, |y, dy| y.binary("SigmoidGrad", "SigmoidGrad", dy))),
    ("Sin", |cx| of_x(cx, |x, dy| dy * x.unary("Cos"))),
    ("Sinh", |cx| of_x(cx, |x, dy| dy * x.unary("Cosh"))),
    ("Softplus", |cx| plain(cx, |x, dy| dy * x.unary("Sigmoid"))),
    ("Square", |cx| {
        of_x(cx, |x, dy| {
            let twice = x.binary("Mul", "Mul", number(x, 2.0));
            dy.binary("Mul", "Mul", &twice)
        })
    }),
    ("Tan", |cx| of_x(cx, |x, dy| x.unary("Cos").unary("Reciprocal").unary("Square") * dy)),
    ("Tanh", |cx| of_y(cx, |y, dy| y.binary("TanhGrad", "TanhGrad", dy))),
];

type Formula = fn(&Output, &Output) -> Output;

/// By the input, without waiting.
fn plain(cx: &GradContext<'_>, formula: Formula) -> Gradients {
    Ok(vec![Some(formula(&cx.x(0), &cx.dy(0)?).into())])
}

/// By the input, once the gradient is there.
fn of_x(cx: &GradContext<'_>, formula: Formula) -> Gradients {
    let (x, dy) = (cx.x(0), cx.dy(0)?);
    Ok(vec![Some(after(cx, &dy, || formula(&conjugate(x), &dy)).into())])
}

/// By the result, once the gradient is there.
fn of_y(cx: &GradContext<'_>, formula: Formula) -> Gradients {
    let (y, dy) = (cx.y(0), cx.dy(0)?);
    Ok(vec![Some(after(cx, &dy, || formula(&conjugate(y), &dy)).into())])
}

/// A constant of the type of another tensor.
fn number(like: &Output, value: f64) -> Output {
    graph::Operand::to_output(&value, like.graph(), like.dtype().or(Some(DType::Float)))
}

/// 1 / sqrt(1 - x^2).
fn inverse_root(x: &Output, dy: &Output) -> Output {
    let square = x.unary("Square");
    number(dy, 1.0).binary("Sub", "Sub", &square).unary("Sqrt").unary("Reciprocal")
}
