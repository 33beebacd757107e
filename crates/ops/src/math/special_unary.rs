//! Special functions of one number, one row each: `BesselI0`, `BesselI0e`, `BesselI1`, `BesselI1e`, `BesselJ0`, `BesselJ1`,
//! `BesselK0`, `BesselK0e`, `BesselK1`, `BesselK1e`, `BesselY0`, `BesselY1`, `Dawsn`, `Erfinv`, `Expint`, `FresnelCos`,
//! `FresnelSin`, `Ndtri` and `Spence`.

use std::f64::consts::{FRAC_PI_2, PI};

use graph::op::{GradContext, GradFn, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use math::elementwise::{COSTLY, map};
use math::special;
use tensor::DType::{self, Double, Float, Half};
use tensor::{Result, Tensor, err, f16};

/// An op: its name, its formula, the types there is code for, its gradient.
struct Row(&'static str, fn(f64) -> f64, &'static [DType], GradFn);

const WIDE: &[DType] = &[Float, Double];
const WITH_HALF: &[DType] = &[Float, Double, Half];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row("BesselI0", special::bessel_i0, WITH_HALF, |cx| by(cx, |x, _, dy| dy * x.unary("BesselI1"))),
    Row("BesselI0e", special::bessel_i0e, WITH_HALF, |cx| by(cx, |x, y, dy| dy * (x.unary("BesselI1e") - x.unary("Sign") * y))),
    Row("BesselI1", special::bessel_i1, WITH_HALF, |cx| by(cx, |x, y, dy| dy * unless_zero(x, 1.0, x.unary("BesselI0") - y / x))),
    Row("BesselI1e", special::bessel_i1e, WITH_HALF, |cx| by(cx, |x, y, dy| {
        dy * unless_zero(x, 0.5, x.unary("BesselI0e") - y * (x.unary("Sign") + x.unary("Reciprocal")))
    })),
    Row("BesselJ0", special::bessel_j0, WITH_HALF, |cx| by(cx, |x, _, dy| dy * -x.unary("BesselJ1"))),
    Row("BesselJ1", special::bessel_j1, WITH_HALF, |cx| by(cx, |x, y, dy| dy * unless_zero(x, 0.5, x.unary("BesselJ0") - y / x))),
    Row("BesselK0", special::bessel_k0, WITH_HALF, |cx| by(cx, |x, _, dy| dy * -x.unary("BesselK1"))),
    Row("BesselK0e", special::bessel_k0e, WITH_HALF, |cx| by(cx, |x, y, dy| dy * (y - x.unary("BesselK1e")))),
    Row("BesselK1", special::bessel_k1, WITH_HALF, |cx| by(cx, |x, y, dy| dy * (-x.unary("BesselK0") - y / x))),
    Row("BesselK1e", special::bessel_k1e, WITH_HALF, |cx| by(cx, |x, y, dy| {
        dy * (y * (1.0 - x.unary("Reciprocal")) - x.unary("BesselK0e"))
    })),
    Row("BesselY0", special::bessel_y0, WITH_HALF, |cx| by(cx, |x, _, dy| dy * -x.unary("BesselY1"))),
    Row("BesselY1", special::bessel_y1, WITH_HALF, |cx| by(cx, |x, y, dy| dy * (x.unary("BesselY0") - y / x))),
    Row("Dawsn", special::dawsn, WIDE, |cx| by(cx, |x, y, dy| dy * (1.0 - 2.0 * x * y))),
    Row("Erfinv", special::erfinv, WIDE, |cx| by(cx, |_, y, dy| dy * (PI.sqrt() / 2.0) * y.unary("Square").unary("Exp"))),
    Row("Expint", special::expint, WIDE, |cx| by(cx, |x, _, dy| dy * x.unary("Exp") / x)),
    Row("FresnelCos", special::fresnel_cos, WIDE, |cx| by(cx, |x, _, dy| dy * (FRAC_PI_2 * x.unary("Square")).unary("Cos"))),
    Row("FresnelSin", special::fresnel_sin, WIDE, |cx| by(cx, |x, _, dy| dy * (FRAC_PI_2 * x.unary("Square")).unary("Sin"))),
    Row("Ndtri", special::ndtri, WIDE, |cx| by(cx, |_, y, dy| dy * (2.0 * PI).sqrt() * (y.unary("Square") / 2.0).unary("Exp"))),
    Row("Spence", special::spence, WIDE, |cx| by(cx, |x, _, dy| {
        let slope = x.unary("Log") / (1.0 - x);
        let one = x.binary("Equal", "Equal", 1.0);
        dy * select(x, &one, &-x.unary("OnesLike"), &slope)
    })),
];

pub(crate) fn register(r: &mut Registry) {
    for Row(name, _, types, gradient) in ROWS {
        r.op(name, "x: T -> y: T")
            .attr("T: {bfloat16, half, float, double}")
            .shape(ShapeContext::unchanged)
            .kernel("T", types, kernel)
            .gradient(*gradient);
    }
}

fn by(cx: &GradContext<'_>, formula: fn(&Output, &Output, &Output) -> Output) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(formula(&cx.x(0), &cx.y(0), &cx.dy(0)?).into())])
}

fn select(x: &Output, condition: &Output, yes: &Output, no: &Output) -> Output {
    x.graph().op("SelectV2").input(condition).input(yes).input(no).output()
}

/// A slope whose formula divides by x, with its value at 0.
fn unless_zero(x: &Output, at_zero: f64, slope: Output) -> Output {
    let zero = x.binary("Equal", "Equal", 0.0);
    let there = x.unary("ZerosLike") + at_zero;
    select(x, &zero, &there, &slope)
}

fn kernel(node: &Node) -> Result<Kernel> {
    let row = ROWS.iter().find(|row| row.0 == node.op);
    let function = row.ok_or_else(|| err!(Internal, "{} is not in the table of special functions", node.op))?.1;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let y = apply(cx.input(0)?, function)?;
        cx.set_output(0, y);
        Ok(())
    }))
}

/// A function of each element, computed in double precision.
fn apply(x: &Tensor, function: fn(f64) -> f64) -> Result<Tensor> {
    let shape = x.shape().clone();
    match x.dtype() {
        Half => {
            let values = x.as_slice::<f16>()?;
            Tensor::build(shape, |out: &mut [f16]| {
                map(values, out, COSTLY / 16, |x: f16| f16::from_f64(function(x.to_f64())));
                Ok(())
            })
        }
        Double => {
            let values = x.as_slice::<f64>()?;
            Tensor::build(shape, |out: &mut [f64]| {
                map(values, out, COSTLY / 16, function);
                Ok(())
            })
        }
        _ => {
            let values = x.as_slice::<f32>()?;
            Tensor::build(shape, |out: &mut [f32]| {
                map(values, out, COSTLY / 16, |x: f32| function(f64::from(x)) as f32);
                Ok(())
            })
        }
    }
}
