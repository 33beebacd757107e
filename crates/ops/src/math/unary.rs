//! Functions of one number, element by element, one row each: `Abs`, `Neg`, `Sign`, `Square`, `Sqrt`, `Rsqrt`,
//! `Reciprocal`, `Inv`, `Exp`, `Expm1`, `Log`, `Log1p`, `Sigmoid`, `Tanh`, `Sin`, `Cos`, `Tan`, `Asin`, `Acos`,
//! `Atan`, `Sinh`, `Cosh`, `Asinh`, `Acosh`, `Atanh`, `Erf`, `Erfc`, `Lgamma`, `Digamma`, `Floor`, `Ceil`, `Round`,
//! `Rint`, `IsNan`, `IsInf`, `IsFinite` and `LogicalNot`.

use graph::op::{GradContext, GradFn, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use math::elementwise::{Unary, UnaryOp};
use tensor::DType::{self, BFloat16, Double, Float, Half, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
use tensor::{Complex64, Complex128, Element, Result, Tensor, bf16, err, f16};

/// An op: its name, its formula, the types that the definition allows, the types there is code for, its gradient.
struct Row(&'static str, UnaryOp, &'static str, &'static [DType], Option<GradFn>);

const FLOAT: &str = "T: {bfloat16, half, float, double}";
const COMPLEX: &str = "T: {bfloat16, half, float, double, complex64, complex128}";
const SIGNED: &str = "T: {bfloat16, half, float, double, int8, int16, int32, int64}";
const SIGNED_COMPLEX: &str = "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}";
const ANY: &str = "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, \
                   complex64, complex128}";

const REAL_FLOATS: &[DType] = &[Float, Double, Half, BFloat16];
const FLOATS: &[DType] = &[Float, Double, Half, BFloat16, DType::Complex64, DType::Complex128];
const SIGNED_REALS: &[DType] = &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64];
const SIGNED_NUMBERS: &[DType] =
    &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, DType::Complex64, DType::Complex128];
const NUMBERS: &[DType] = &[
    Float,
    Double,
    Half,
    BFloat16,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    DType::Complex64,
    DType::Complex128,
];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row("Abs", UnaryOp::Abs, SIGNED, SIGNED_REALS, Some(|cx| by(cx, |x, _, dy| dy * x.unary("Sign")))),
    Row("Acos", UnaryOp::Acos, COMPLEX, FLOATS, Some(|cx| by(cx, |x, _, dy| -(dy * (1.0 - x.unary("Square")).unary("Sqrt").unary("Reciprocal"))))),
    Row("Acosh", UnaryOp::Acosh, COMPLEX, FLOATS, Some(|cx| by(cx, |_, y, dy| dy / y.unary("Sinh")))),
    Row("Asin", UnaryOp::Asin, COMPLEX, FLOATS, Some(|cx| by(cx, |x, _, dy| dy * (1.0 - x.unary("Square")).unary("Sqrt").unary("Reciprocal")))),
    Row("Asinh", UnaryOp::Asinh, COMPLEX, FLOATS, Some(|cx| by(cx, |_, y, dy| dy / y.unary("Cosh")))),
    Row("Atan", UnaryOp::Atan, COMPLEX, FLOATS, Some(|cx| by(cx, |x, _, dy| dy * (1.0 + x.unary("Square")).unary("Reciprocal")))),
    Row("Atanh", UnaryOp::Atanh, COMPLEX, FLOATS, Some(|cx| by(cx, |x, _, dy| dy * (1.0 - x.unary("Square")).unary("Reciprocal")))),
    Row("Ceil", UnaryOp::Ceil, FLOAT, REAL_FLOATS, Some(none)),
    Row("Cos", UnaryOp::Cos, COMPLEX, FLOATS, Some(|cx| by(cx, |x, _, dy| -dy * x.unary("Sin")))),
    Row("Cosh", UnaryOp::Cosh, COMPLEX, FLOATS, Some(|cx| by(cx, |x, _, dy| dy * x.unary("Sinh")))),
    Row("Digamma", UnaryOp::Digamma, FLOAT, REAL_FLOATS, Some(|cx| by(cx, |x, _, dy| dy * x.unary("OnesLike").binary("Polygamma", "polygamma", x)))),
    Row("Erf", UnaryOp::Erf, FLOAT, REAL_FLOATS, Some(|cx| by(cx, |x, _, dy| std::f64::consts::FRAC_2_SQRT_PI * dy * (-x.unary("Square")).unary("Exp")))),
    Row("Erfc", UnaryOp::Erfc, FLOAT, REAL_FLOATS, Some(|cx| by(cx, |x, _, dy| -std::f64::consts::FRAC_2_SQRT_PI * dy * (-x.unary("Square")).unary("Exp")))),
    Row("Exp", UnaryOp::Exp, COMPLEX, FLOATS, Some(|cx| by(cx, |_, y, dy| dy * y))),
    Row("Expm1", UnaryOp::Expm1, COMPLEX, FLOATS, Some(|cx| by(cx, |x, _, dy| dy * x.unary("Exp")))),
    Row("Floor", UnaryOp::Floor, FLOAT, REAL_FLOATS, Some(none)),
    Row("Inv", UnaryOp::Reciprocal, SIGNED_COMPLEX, FLOATS, Some(|cx| by(cx, |_, y, dy| y.binary("ReciprocalGrad", "ReciprocalGrad", dy)))),
    Row("Lgamma", UnaryOp::Lgamma, FLOAT, REAL_FLOATS, Some(|cx| by(cx, |x, _, dy| dy * x.unary("Digamma")))),
    Row("Log", UnaryOp::Log, COMPLEX, FLOATS, Some(|cx| by(cx, |x, _, dy| dy * x.unary("Reciprocal")))),
    Row("Log1p", UnaryOp::Log1p, COMPLEX, FLOATS, Some(|cx| by(cx, |x, _, dy| dy * (1.0 + x).unary("Reciprocal")))),
    Row("Neg", UnaryOp::Neg, SIGNED_COMPLEX, SIGNED_NUMBERS, Some(|cx| by(cx, |_, _, dy| -dy))),
    Row("Reciprocal", UnaryOp::Reciprocal, SIGNED_COMPLEX, FLOATS, Some(|cx| by(cx, |_, y, dy| y.binary("ReciprocalGrad", "ReciprocalGrad", dy)))),
    Row("Rint", UnaryOp::Rint, FLOAT, REAL_FLOATS, Some(none)),
    Row("Round", UnaryOp::Rint, SIGNED_COMPLEX, SIGNED_REALS, Some(none)),
    Row("Rsqrt", UnaryOp::Rsqrt, COMPLEX, FLOATS, Some(|cx| by(cx, |_, y, dy| y.binary("RsqrtGrad", "RsqrtGrad", dy)))),
    Row("Sigmoid", UnaryOp::Sigmoid, COMPLEX, FLOATS, Some(|cx| by(cx, |_, y, dy| y.binary("SigmoidGrad", "SigmoidGrad", dy)))),
    Row("Sign", UnaryOp::Sign, SIGNED_COMPLEX, SIGNED_NUMBERS, Some(|cx| by(cx, |x, _, _| x.unary("ZerosLike")))),
    Row("Sin", UnaryOp::Sin, COMPLEX, FLOATS, Some(|cx| by(cx, |x, _, dy| dy * x.unary("Cos")))),
    Row("Sinh", UnaryOp::Sinh, COMPLEX, FLOATS, Some(|cx| by(cx, |x, _, dy| dy * x.unary("Cosh")))),
    Row("Sqrt", UnaryOp::Sqrt, COMPLEX, FLOATS, Some(|cx| by(cx, |_, y, dy| y.binary("SqrtGrad", "SqrtGrad", dy)))),
    Row("Square", UnaryOp::Square, ANY, NUMBERS, Some(|cx| by(cx, |x, _, dy| dy * (x * 2.0)))),
    Row("Tan", UnaryOp::Tan, COMPLEX, FLOATS, Some(|cx| by(cx, |x, _, dy| dy * x.unary("Cos").unary("Reciprocal").unary("Square")))),
    Row("Tanh", UnaryOp::Tanh, COMPLEX, FLOATS, Some(|cx| by(cx, |_, y, dy| y.binary("TanhGrad", "TanhGrad", dy)))),
];

pub(crate) fn register(r: &mut Registry) {
    for Row(name, _, allowed, types, gradient) in ROWS {
        let entry = r.op(name, "x: T -> y: T").attr(allowed).shape(ShapeContext::unchanged).kernel("T", types, kernel);
        if let Some(gradient) = gradient {
            entry.gradient(*gradient);
        }
    }
    for name in ["IsNan", "IsInf", "IsFinite"] {
        r.op(name, "x: T -> y: bool")
            .attr(FLOAT)
            .shape(ShapeContext::unchanged)
            .kernel("T", REAL_FLOATS, classify_kernel)
            .not_differentiable();
    }
    r.op("LogicalNot", "x: bool -> y: bool").shape(ShapeContext::unchanged).any_kernel(not_kernel).not_differentiable();
}

/// The gradient of an op with one input, from x, y and dy. Of complex numbers the formulas take the conjugates, except for
/// a y that goes to an op which takes the conjugate itself.
fn by(cx: &GradContext<'_>, formula: fn(Output, Output, Output) -> Output) -> Result<Vec<Option<Gradient>>> {
    const TAKE_IT_THEMSELVES: &[&str] = &["Inv", "Reciprocal", "Rsqrt", "Sqrt"];
    let (mut x, mut y) = (cx.x(0), cx.y(0));
    if cx.dtype(0).is_complex() {
        x = x.unary("Conj");
        y = if TAKE_IT_THEMSELVES.contains(&cx.node.op.as_str()) { y } else { y.unary("Conj") };
    }
    Ok(vec![Some(formula(x, y, cx.dy(0)?).into())])
}

fn none(_: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![None])
}

/// The formula of an op of this file, by the op's name.
pub(crate) fn formula(name: &str) -> Option<UnaryOp> {
    ROWS.iter().find(|row| row.0 == name).map(|row| row.1)
}

fn kernel(node: &Node) -> Result<Kernel> {
    let row = ROWS.iter().find(|row| row.0 == node.op);
    let op = row.ok_or_else(|| err!(Internal, "{} is not in the table of unary ops", node.op))?.1;
    Ok(unary_kernel(op))
}

/// The kernel of a function of one element.
pub(crate) fn unary_kernel(op: UnaryOp) -> Kernel {
    Kernel::compute(move |cx: &mut OpContext<'_>| {
        let x = cx.take_input(0)?;
        cx.set_output(0, unary(op, x)?);
        Ok(())
    })
}

/// A function of complex numbers of type `$t`; none where there is no code for it.
macro_rules! complex_function {
    ($t:ty, $op:expr) => {{
        let function: Option<fn($t) -> $t> = match $op {
            UnaryOp::Acos => Some(|z| z.acos()),
            UnaryOp::Acosh => Some(|z| z.acosh()),
            UnaryOp::Asin => Some(|z| z.asin()),
            UnaryOp::Asinh => Some(|z| z.asinh()),
            UnaryOp::Atan => Some(|z| z.atan()),
            UnaryOp::Atanh => Some(|z| z.atanh()),
            UnaryOp::Cos => Some(|z| z.cos()),
            UnaryOp::Cosh => Some(|z| z.cosh()),
            UnaryOp::Exp => Some(|z| z.exp()),
            UnaryOp::Expm1 => Some(|z| z.exp() - 1.0),
            UnaryOp::Log => Some(|z| z.ln()),
            UnaryOp::Log1p => Some(|z| (z + 1.0).ln()),
            UnaryOp::Neg => Some(|z| -z),
            UnaryOp::Reciprocal => Some(|z| z.inv()),
            UnaryOp::Rsqrt => Some(|z| z.sqrt().inv()),
            UnaryOp::Sigmoid => Some(|z| ((-z).exp() + 1.0).inv()),
            UnaryOp::Sign => Some(|z| if z.norm() == 0.0 { z } else { z / z.norm() }),
            UnaryOp::Sin => Some(|z| z.sin()),
            UnaryOp::Sinh => Some(|z| z.sinh()),
            UnaryOp::Sqrt => Some(|z| z.sqrt()),
            UnaryOp::Square => Some(|z| z * z),
            UnaryOp::Tan => Some(|z| z.tan()),
            UnaryOp::Tanh => Some(|z| z.tanh()),
            _ => None,
        };
        function
    }};
}

/// A function of each element, in place if nobody else holds the tensor.
pub(crate) fn unary(op: UnaryOp, mut x: Tensor) -> Result<Tensor> {
    let unique = x.is_unique();
    match x.dtype() {
        DType::Complex64 => return complex::<Complex64>(x, complex_function!(Complex64, op)),
        DType::Complex128 => return complex::<Complex128>(x, complex_function!(Complex128, op)),
        _ => {}
    }
    dispatch!(x.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
        if unique {
            T::unary_in_place(op, x.make_mut::<T>()?);
            Ok(x)
        } else {
            let values = x.as_slice::<T>()?;
            Tensor::build(x.shape().clone(), |out: &mut [T]| {
                T::unary(op, values, out);
                Ok(())
            })
        }
    })
}

fn complex<T: Element>(mut x: Tensor, function: Option<fn(T) -> T>) -> Result<Tensor> {
    let function = function.ok_or_else(|| err!(Unimplemented, "this function of complex numbers"))?;
    x.make_mut::<T>()?.iter_mut().for_each(|value| *value = function(*value));
    Ok(x)
}

fn classify_kernel(node: &Node) -> Result<Kernel> {
    let (exponent_full, mantissa) = match node.op.as_str() {
        "IsNan" => (Some(true), Some(true)),
        "IsInf" => (Some(true), Some(false)),
        _ => (Some(false), None),
    };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let x = cx.input(0)?;
        let answer = dispatch!(x.dtype(), T in [f32, f64, f16, bf16] => {
            let values = x.as_slice::<T>()?;
            Tensor::build(x.shape().clone(), |out: &mut [bool]| {
                for (o, value) in out.iter_mut().zip(values) {
                    *o = exponent_full.is_none_or(|wanted| wanted != value.is_finite())
                        && mantissa.is_none_or(|wanted| wanted == value.is_nan());
                }
                Ok(())
            })
        })?;
        cx.set_output(0, answer);
        Ok(())
    }))
}

fn not_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let mut x = cx.take_input(0)?;
        x.make_mut::<bool>()?.iter_mut().for_each(|value| *value = !*value);
        cx.set_output(0, x);
        Ok(())
    }))
}

unary_methods! {
    /// Functions of one number, element by element.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use testkit::eval;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let g = Graph::new();
    /// let (x, zero, four) = (g.constant([-1.5f32, 2.5]), g.constant([0f32, 0.0]), g.constant([4f32, 4.0]));
    /// for (result, value) in [
    ///     (x.abs(), [1.5f32, 2.5]),
    ///     (x.ceil(), [-1.0, 3.0]),
    ///     (x.floor(), [-2.0, 2.0]),
    ///     (x.round(), [-2.0, 2.0]),
    ///     (x.negative(), [1.5, -2.5]),
    ///     (x.sign(), [-1.0, 1.0]),
    ///     (x.square(), [2.25, 6.25]),
    ///     (four.sqrt(), [2.0, 2.0]),
    ///     (four.rsqrt(), [0.5, 0.5]),
    ///     (four.reciprocal(), [0.25, 0.25]),
    ///     (zero.exp(), [1.0, 1.0]),
    ///     (zero.expm1(), [0.0, 0.0]),
    ///     (zero.exp().log(), [0.0, 0.0]),
    ///     (zero.log1p(), [0.0, 0.0]),
    ///     (zero.sigmoid(), [0.5, 0.5]),
    ///     (zero.tanh(), [0.0, 0.0]),
    ///     (zero.erf(), [0.0, 0.0]),
    ///     (zero.sin(), [0.0, 0.0]),
    ///     (zero.cos(), [1.0, 1.0]),
    ///     (zero.tan(), [0.0, 0.0]),
    /// ] {
    ///     assert_eq!(eval(&result)?, Tensor::from(value));
    /// }
    /// let odd = g.constant([1f32, f32::INFINITY, f32::NAN]);
    /// assert_eq!(eval(&odd.is_finite())?, Tensor::from([true, false, false]));
    /// assert_eq!(eval(&odd.is_inf())?, Tensor::from([false, true, false]));
    /// assert_eq!(eval(&odd.is_nan())?, Tensor::from([false, false, true]));
    /// assert_eq!(eval(&odd.is_nan().logical_not())?, Tensor::from([true, true, false]));
    /// # Ok(())
    /// # }
    /// ```
    UnaryOps {
        /// Returns |x|.
        abs = "Abs";
        /// Returns the smallest integer not below x.
        ceil = "Ceil";
        /// Returns the cosine.
        cos = "Cos";
        /// Returns the error function.
        erf = "Erf";
        /// Returns e to the x.
        exp = "Exp";
        /// Returns e to the x, minus 1.
        expm1 = "Expm1";
        /// Returns the largest integer not above x.
        floor = "Floor";
        /// Returns whether it is neither infinite nor NaN.
        is_finite = "IsFinite";
        /// Returns whether it is infinite.
        is_inf = "IsInf";
        /// Returns whether it is NaN.
        is_nan = "IsNan";
        /// Returns the natural logarithm.
        log = "Log";
        /// Returns the natural logarithm of 1 + x.
        log1p = "Log1p";
        /// Returns true where this is false.
        logical_not = "LogicalNot";
        /// Returns -x.
        negative = "Neg";
        /// Returns 1 / x.
        reciprocal = "Reciprocal";
        /// Returns the nearest integer, halves to the even one.
        round = "Round";
        /// Returns 1 / sqrt(x).
        rsqrt = "Rsqrt";
        /// Returns 1 / (1 + e^-x).
        sigmoid = "Sigmoid";
        /// Returns -1, 0 or 1, as x is negative, zero or positive.
        sign = "Sign";
        /// Returns the sine.
        sin = "Sin";
        /// Returns the square root.
        sqrt = "Sqrt";
        /// Returns x * x.
        square = "Square";
        /// Returns the tangent.
        tan = "Tan";
        /// Returns the hyperbolic tangent.
        tanh = "Tanh";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sole_owner_is_written_to_and_a_shared_tensor_is_not() {
        let x = Tensor::from([1f32, 4.0, 9.0, 16.0]);
        let shared = x.clone();
        assert_eq!(unary(UnaryOp::Sqrt, x).unwrap(), Tensor::from([1f32, 2.0, 3.0, 4.0]));
        assert_eq!(shared, Tensor::from([1f32, 4.0, 9.0, 16.0]));
        let before = shared.buffer().unwrap().as_bytes().as_ptr();
        let root = unary(UnaryOp::Sqrt, shared).unwrap();
        assert_eq!(root.buffer().unwrap().as_bytes().as_ptr(), before);
    }

    /// TensorFlow 2.21 gives -128 for Abs(-128) as int8: integers wrap.
    #[test]
    fn integers_wrap() {
        assert_eq!(unary(UnaryOp::Abs, Tensor::from([-128i8, -3])).unwrap(), Tensor::from([-128i8, 3]));
        assert_eq!(unary(UnaryOp::Square, Tensor::from([1 << 16, 3])).unwrap(), Tensor::from([0i32, 9]));
    }
}
