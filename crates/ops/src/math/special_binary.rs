//! Special functions of two and three numbers, one row each: `Igamma`, `Igammac`, `IgammaGradA`, `RandomGammaGrad`,
//! `Polygamma`, `Zeta` and `Betainc`.

use graph::op::{GradContext, GradFn, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use math::broadcast;
use math::special;
use tensor::DType::{Double, Float};
use tensor::{PartialShape, Result, Tensor, bail, ensure, err};

use super::binary::{broadcast_plan, gradients_of};
use super::binary_grad::unbroadcast;

/// An op: its name, its signature, its types, its formula, its gradient.
struct Row(&'static str, &'static str, &'static str, fn(f64, f64) -> f64, Option<GradFn>);

const FLOATS: &str = "T: {bfloat16, half, float, double}";
const WIDE: &str = "T: {float, double}";

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row("Igamma", "a: T, x: T -> z: T", FLOATS, special::igamma, Some(|cx| incomplete_gamma(cx, false))),
    Row("Igammac", "a: T, x: T -> z: T", FLOATS, special::igammac, Some(|cx| incomplete_gamma(cx, true))),
    Row("IgammaGradA", "a: T, x: T -> z: T", WIDE, special::igamma_grad_a, None),
    Row("RandomGammaGrad", "alpha: T, sample: T -> output: T", WIDE, special::random_gamma_grad, None),
    Row("Polygamma", "a: T, x: T -> z: T", WIDE, special::polygamma, Some(|cx| second(cx, |n, x| (n + 1.0).binary("Polygamma", "polygamma", x)))),
    Row("Zeta", "x: T, q: T -> z: T", WIDE, special::zeta, Some(|cx| second(cx, |x, q| -x * (x + 1.0).binary("Zeta", "zeta", q)))),
];

pub(crate) fn register(r: &mut Registry) {
    for Row(name, signature, types, _, gradient) in ROWS {
        let entry =
            r.op(name, signature).attr(types).shape(ShapeContext::broadcast).kernel("T", &[Float, Double], kernel);
        if let Some(gradient) = gradient {
            entry.gradient(*gradient);
        }
    }
    r.op("Betainc", "a: T, b: T, x: T -> z: T")
        .attr(WIDE)
        .shape(beta_shape)
        .kernel("T", &[Float, Double], beta_kernel)
        .gradient(beta_gradient);
}

fn kernel(node: &Node) -> Result<Kernel> {
    let row = ROWS.iter().find(|row| row.0 == node.op);
    let function = row.ok_or_else(|| err!(Internal, "{} is not in the table of special functions", node.op))?.3;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (a, b) = (cx.input(0)?, cx.input(1)?);
        let (plan, shape) = broadcast_plan(a.shape(), b.shape())?;
        let z = match a.dtype() {
            Double => {
                let (x, y) = (a.as_slice::<f64>()?, b.as_slice::<f64>()?);
                Tensor::build(shape, |out: &mut [f64]| {
                    broadcast::apply(&plan, x, y, out, function);
                    Ok(())
                })?
            }
            _ => {
                let (x, y) = (a.as_slice::<f32>()?, b.as_slice::<f32>()?);
                Tensor::build(shape, |out: &mut [f32]| {
                    broadcast::apply(&plan, x, y, out, |x, y| function(f64::from(x), f64::from(y)) as f32);
                    Ok(())
                })?
            }
        };
        cx.set_output(0, z);
        Ok(())
    }))
}

/// d/da is an op of its own; d/dx = x^(a-1) e^-x / gamma(a), taken through logarithms. For the upper function both turn.
fn incomplete_gamma(cx: &GradContext<'_>, upper: bool) -> Result<Vec<Option<Gradient>>> {
    let (a, x, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let for_a = a.binary("IgammaGradA", "IgammaGradA", &x);
    let for_x = (-&x + (&a - 1.0) * x.unary("Log") - a.unary("Lgamma")).unary("Exp");
    let turned = |gradient: Output| if upper { -gradient } else { gradient };
    Ok(gradients_of(cx, turned(for_a * &dz), turned(for_x * &dz)))
}

/// There is a gradient for the second argument only.
fn second(cx: &GradContext<'_>, slope: fn(&Output, &Output) -> Output) -> Result<Vec<Option<Gradient>>> {
    let (x, y) = (cx.x(0), cx.x(1));
    let gradient = slope(&x, &y) * cx.dy(0)?;
    Ok(vec![None, Some(unbroadcast(cx, gradient, &y, &x).into())])
}

/// Scalars go with any shape; the others must be of one.
fn beta_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let mut shape = PartialShape::scalar();
    for index in 0..3 {
        let own = cx.input(index);
        shape = match (own.rank(), shape.rank()) {
            (Some(0), _) => shape,
            (None, _) => PartialShape::unknown(),
            (_, Some(0)) => own,
            _ => shape.merge(&own)?,
        };
        if shape.rank().is_none() {
            break;
        }
    }
    cx.set(0, shape);
    Ok(())
}

fn beta_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let parts = cx.inputs(0..3)?;
        let widest = parts.iter().find(|part| !part.shape().is_scalar()).unwrap_or(&parts[0]);
        let shape = widest.shape().clone();
        for (first, second, names) in [(0, 1, "a and b"), (0, 2, "a and x"), (1, 2, "b and x")] {
            let (one, other) = (parts[first].shape(), parts[second].shape());
            ensure!(
                one.is_scalar() || other.is_scalar() || one == other,
                InvalidArgument,
                "Shapes of {names} are inconsistent: {one} vs. {other}"
            );
        }
        let value = |part: &Tensor, at: usize| -> Result<f64> {
            let at = if part.shape().is_scalar() { 0 } else { at };
            Ok(match part.dtype() {
                Float => f64::from(part.as_slice::<f32>()?[at]),
                Double => part.as_slice::<f64>()?[at],
                other => bail!(Internal, "no code for elements of type {other}"),
            })
        };
        let mut numbers = Vec::with_capacity(shape.num_elements());
        for at in 0..shape.num_elements() {
            numbers.push(special::betainc(value(parts[0], at)?, value(parts[1], at)?, value(parts[2], at)?));
        }
        let dtype = parts[0].dtype();
        let z = super::cast::cast(Tensor::from_slice(&shape, &numbers)?, dtype, false)?;
        cx.set_output(0, z);
        Ok(())
    }))
}

/// d/dx = x^(a-1) (1-x)^(b-1) / beta(a, b); there is none for a and b.
fn beta_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (a, b, x, dz) = (cx.x(0), cx.x(1), cx.x(2), cx.dy(0)?);
    let log_beta = a.unary("Lgamma") + b.unary("Lgamma") - (&a + &b).unary("Lgamma");
    let log = (&b - 1.0).binary("Xlog1py", "xlog1py", -&x) + (&a - 1.0).binary("Xlogy", "xlogy", &x) - log_beta;
    Ok(vec![None, None, Some(unbroadcast(cx, log.unary("Exp") * dz, &x, &a).into())])
}
