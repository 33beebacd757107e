//! Functions of two numbers with broadcasting, one row each: `Add`, `AddV2`, `Sub`, `Mul`, `MulNoNan`, `Div`,
//! `RealDiv`, `DivNoNan`, `FloorDiv`, `TruncateDiv`, `FloorMod`, `Mod`, `TruncateMod`, `Maximum`, `Minimum`, `Pow`,
//! `SquaredDifference`, `Atan2`, `Xdivy`, `Xlog1py` and `Xlogy`.

use graph::op::{GradContext, GradFn, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use math::broadcast::{self, BroadcastPlan};
use math::elementwise::{Binary, BinaryOp, has_zero};
use tensor::DType::{self, *};
use tensor::{Complex64, Complex128, Result, Shape, Tensor, bf16, ensure, err, f16};

use super::binary_grad as grad;
use crate::narrow_floats::{narrow, widen};

/// An op: its name, its formula, the types that the definition allows, the types there is code for, its gradient.
struct Row(&'static str, BinaryOp, &'static str, &'static [DType], Option<GradFn>);

const FLOATS: &[DType] = &[Float, Double, Half, BFloat16];
const FLOATS_COMPLEX: &[DType] = &[Float, Double, Half, BFloat16, Complex64, Complex128];
const INTS: &[DType] = &[Float, Double, Half, BFloat16, Int32, Int64];
const INTS_COMPLEX: &[DType] = &[Float, Double, Half, BFloat16, Int32, Int64, Complex64, Complex128];
const SIGNED_COMPLEX: &[DType] = &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, Complex64, Complex128];
const REALS: &[DType] = &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64];
const NUMBERS: &[DType] =
    &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Complex64, Complex128];

/// The order of types in TensorFlow's definition of Mul, which others share.
const LIKE_MUL: &str = "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, \
                        complex64, complex128}";
const LIKE_MAXIMUM: &str =
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}";
const NO_INTEGERS: &str = "T: {half, bfloat16, float, double, complex64, complex128}";

const NUMBERS_AND_STRINGS: &[DType] = &[
    Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Complex64, Complex128,
    String,
];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row("Add", BinaryOp::Add, "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}", NUMBERS_AND_STRINGS, Some(grad::add)),
    Row("AddV2", BinaryOp::Add, "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, complex128}", NUMBERS, Some(grad::add)),
    Row("Div", BinaryOp::Div, LIKE_MUL, NUMBERS, Some(grad::div)),
    Row("DivNoNan", BinaryOp::DivNoNan, "T: {half, float, bfloat16, double, complex64, complex128}", FLOATS_COMPLEX, Some(grad::div_no_nan)),
    Row("FloorDiv", BinaryOp::FloorDiv, LIKE_MUL, REALS, Some(grad::none)),
    Row("FloorMod", BinaryOp::FloorMod, "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}", REALS, Some(grad::floor_mod)),
    Row("Maximum", BinaryOp::Maximum, LIKE_MAXIMUM, REALS, Some(grad::maximum)),
    Row("Minimum", BinaryOp::Minimum, LIKE_MAXIMUM, REALS, Some(grad::minimum)),
    Row("Mod", BinaryOp::TruncateMod, "T: {int32, int64, half, half, bfloat16, float, double}", INTS, None),
    Row("Mul", BinaryOp::Mul, LIKE_MUL, NUMBERS, Some(grad::mul)),
    Row("MulNoNan", BinaryOp::MulNoNan, "T: {bfloat16, half, float, double, complex64, complex128}", FLOATS_COMPLEX, Some(grad::mul_no_nan)),
    Row("Pow", BinaryOp::Pow, "T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}", SIGNED_COMPLEX, Some(grad::pow)),
    Row("RealDiv", BinaryOp::Div, LIKE_MUL, FLOATS_COMPLEX, Some(grad::real_div)),
    Row("SquaredDifference", BinaryOp::SquaredDifference, "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}", INTS_COMPLEX, Some(grad::squared_difference)),
    Row("Sub", BinaryOp::Sub, "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128, uint32, uint64}", NUMBERS, Some(grad::sub)),
    Row("TruncateDiv", BinaryOp::Div, LIKE_MUL, REALS, Some(grad::none)),
    Row("TruncateMod", BinaryOp::TruncateMod, "T: {int32, int64, bfloat16, half, float, double}", INTS, None),
    Row("Xdivy", BinaryOp::Xdivy, NO_INTEGERS, FLOATS_COMPLEX, Some(grad::xdivy)),
    Row("Xlog1py", BinaryOp::Xlog1py, NO_INTEGERS, FLOATS_COMPLEX, Some(grad::xlog1py)),
    Row("Xlogy", BinaryOp::Xlogy, NO_INTEGERS, FLOATS_COMPLEX, Some(grad::xlogy)),
];

pub(crate) fn register(r: &mut Registry) {
    for Row(name, _, allowed, types, gradient) in ROWS {
        let mut entry =
            r.op(name, "x: T, y: T -> z: T").attr(allowed).shape(ShapeContext::broadcast).kernel("T", types, kernel);
        if ["AddV2", "Mul", "SquaredDifference"].contains(name) {
            entry = entry.commutative();
        }
        if *name == "AddV2" {
            entry = entry.aggregate();
        }
        if let Some(gradient) = gradient {
            entry.gradient(*gradient);
        }
    }
    r.op("Atan2", "y: T, x: T -> z: T")
        .attr("T: {bfloat16, half, float, double}")
        .shape(ShapeContext::broadcast)
        .kernel("T", FLOATS, |_| Ok(binary_kernel(BinaryOp::Atan2)))
        .gradient(grad::atan2);
}

/// The formula of an op of this file for floats, by the op's name.
pub(crate) fn binary_formula(name: &str) -> Option<BinaryOp> {
    ROWS.iter().find(|row| row.0 == name && name != "TruncateDiv").map(|row| row.1)
}

fn kernel(node: &Node) -> Result<Kernel> {
    let row = ROWS.iter().find(|row| row.0 == node.op);
    let op = row.ok_or_else(|| err!(Internal, "{} is not in the table of binary ops", node.op))?.1;
    if node.op == "TruncateDiv" && node.input_types.first().is_some_and(|input| input.dtype.is_floating()) {
        return Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
            let quotient = truncated_quotient(cx.input(0)?, cx.input(1)?)?;
            cx.set_output(0, quotient);
            Ok(())
        }));
    }
    if node.input_types.first().is_some_and(|input| input.dtype == String) {
        return Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
            let joined = joined(cx.input(0)?, cx.input(1)?)?;
            cx.set_output(0, joined);
            Ok(())
        }));
    }
    Ok(binary_kernel(op))
}

/// The sum of strings: one after the other.
fn joined(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (plan, shape) = broadcast_plan(a.shape(), b.shape())?;
    let (left, right) = (a.strings()?, b.strings()?);
    // Numbers stand for the strings, because only what can be copied is broadcast.
    let (x, y): (Vec<usize>, Vec<usize>) = ((0..left.len()).collect(), (0..right.len()).collect());
    let mut pairs = vec![(0, 0); shape.num_elements()];
    math::broadcast::apply(&plan, &x, &y, &mut pairs, |i, j| (i, j));
    let mut tally = tensor::memory::Tally::new("strings");
    let strings = pairs.into_iter().map(|(i, j)| {
        tally.add((left[i].len() + right[j].len()) as u64)?;
        Ok([&left[i][..], &right[j][..]].concat().into())
    });
    Tensor::from_strings(shape, strings.collect::<Result<_>>()?)
}

fn binary_kernel(op: BinaryOp) -> Kernel {
    Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (a, b) = (cx.take_input(0)?, cx.take_input(1)?);
        cx.set_output(0, binary(op, a, b)?);
        Ok(())
    })
}

/// How two shapes broadcast together, and the shape of the result.
pub(crate) fn broadcast_plan(a: &Shape, b: &Shape) -> Result<(BroadcastPlan, Shape)> {
    let plan = BroadcastPlan::new(a.dims(), b.dims())
        .ok_or_else(|| err!(InvalidArgument, "Incompatible shapes: {a} vs. {b}"))?;
    let shape = if plan.out_shape == a.dims() { a.clone() } else { Shape::new(&plan.out_shape)? };
    Ok((plan, shape))
}

/// A function of two tensors that are broadcast together; the result takes the memory of one that nobody else holds
/// and that has its shape.
pub(crate) fn binary(op: BinaryOp, mut a: Tensor, mut b: Tensor) -> Result<Tensor> {
    if a.shape().is_scalar() && b.shape().is_scalar() {
        return binary_of_scalars(op, &a, &b);
    }
    let (plan, shape) = broadcast_plan(a.shape(), b.shape())?;
    check_integers(op, &b, plan.is_empty())?;
    let in_a = *a.shape() == shape && a.is_unique();
    let in_b = *b.shape() == shape && b.is_unique();
    dispatch!(
        a.dtype(),
        T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
            ensure!(T::has(op), Internal, "{op:?} is not defined for {}", a.dtype());
            if in_a {
                T::binary_in_place(op, &plan, a.make_mut::<T>()?, b.as_slice::<T>()?);
                Ok(a)
            } else if in_b {
                T::binary_in_place_right(op, &plan, a.as_slice::<T>()?, b.make_mut::<T>()?);
                Ok(b)
            } else {
                let (x, y) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
                Tensor::build(shape, |out: &mut [T]| {
                    T::binary(op, &plan, x, y, out);
                    Ok(())
                })
            }
        }
    )
}

/// Loops are full of scalars, for which there is nothing to plan and no memory to save.
fn binary_of_scalars(op: BinaryOp, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    check_integers(op, b, false)?;
    dispatch!(
        a.dtype(),
        T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
            ensure!(T::has(op), Internal, "{op:?} is not defined for {}", a.dtype());
            let (x, y) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
            Tensor::build(Shape::scalar(), |out: &mut [T]| {
                T::binary(op, BroadcastPlan::of_scalars(), x, y, out);
                Ok(())
            })
        }
    )
}

/// Integers have no quotient by zero and no negative powers.
fn check_integers(op: BinaryOp, right: &Tensor, empty: bool) -> Result<()> {
    use BinaryOp::*;
    if empty || !right.dtype().is_integer() || !matches!(op, Div | FloorDiv | FloorMod | TruncateMod | Pow) {
        return Ok(());
    }
    dispatch!(right.dtype(), T in [i8, i16, i32, i64, u8, u16, u32, u64] => {
        let values = right.as_slice::<T>()?;
        let negative = op == Pow && values.iter().any(|value| i128::from(*value) < 0);
        ensure!(!negative, InvalidArgument, "Integers to negative integer powers are not allowed");
        ensure!(op == Pow || !has_zero(values), InvalidArgument, "Integer division by zero");
        Ok(())
    })
}

/// x / y rounded towards zero, for floats.
fn truncated_quotient(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if matches!(a.dtype(), Half | BFloat16) {
        return narrow(&truncated_quotient(&widen(a)?, &widen(b)?)?, a.dtype());
    }
    let (plan, shape) = broadcast_plan(a.shape(), b.shape())?;
    dispatch!(a.dtype(), T in [f32, f64] => {
        let (x, y) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
        Tensor::build(shape, |out: &mut [T]| {
            broadcast::apply(&plan, x, y, out, |x, y| (x / y).trunc());
            Ok(())
        })
    })
}

binary_methods! {
    /// Functions of two numbers, beside the operators `+`, `-`, `*` and `/`; shapes are broadcast.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use testkit::eval;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let g = Graph::new();
    /// let x = g.constant([-7f32, 3.0]);
    /// let y = g.constant([0f32, 2.0]);
    /// for (result, value) in [
    ///     (y.atan2(1.0).floor(), [0f32, 1.0]),
    ///     (x.div_no_nan(&y), [0.0, 1.5]),
    ///     (x.floordiv(2.0), [-4.0, 1.0]),
    ///     (x.floormod(2.0), [1.0, 1.0]),
    ///     (x.maximum(&y), [0.0, 3.0]),
    ///     (x.minimum(&y), [-7.0, 2.0]),
    ///     (y.pow(2.0), [0.0, 4.0]),
    ///     (x.squared_difference(&y), [49.0, 1.0]),
    /// ] {
    ///     assert_eq!(eval(&result)?, Tensor::from(value));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    BinaryOps {
        /// Returns the angle of the point (right, self).
        atan2 = "Atan2";
        /// Returns the quotient, 0 where the divisor is 0.
        div_no_nan = "DivNoNan";
        /// Returns the quotient rounded down.
        floordiv = "FloorDiv";
        /// Returns the remainder with the divisor's sign.
        floormod = "FloorMod";
        /// Returns the greater one.
        maximum = "Maximum";
        /// Returns the lesser one.
        minimum = "Minimum";
        /// Returns this to the power of the other.
        pow = "Pow";
        /// Returns the square of the difference.
        squared_difference = "SquaredDifference";
    }
}

/// The gradient with respect to one input of a node with two, by number.
pub(crate) fn gradients_of(cx: &GradContext<'_>, for_x: Output, for_y: Output) -> Vec<Option<Gradient>> {
    let (x, y) = (cx.x(0), cx.x(1));
    vec![Some(grad::unbroadcast(cx, for_x, &x, &y).into()), Some(grad::unbroadcast(cx, for_y, &y, &x).into())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasting_both_ways_and_what_does_not_fit() {
        let sum = binary(BinaryOp::Add, Tensor::from([[1i32], [2]]), Tensor::from([10i32, 20])).unwrap();
        assert_eq!(sum, Tensor::from([[11i32, 21], [12, 22]]));
        let status = binary(BinaryOp::Add, Tensor::from([[1f32; 3]; 2]), Tensor::from([1f32; 4])).unwrap_err();
        assert_eq!(status.message(), "Incompatible shapes: [2,3] vs. [4]");
    }

    #[test]
    fn the_result_takes_the_memory_of_an_input_of_its_shape() {
        let (row, matrix) = (Tensor::from([10f32, 20.0]), Tensor::from([[1f32, 2.0], [3.0, 4.0]]));
        let at = matrix.buffer().unwrap().as_bytes().as_ptr();
        let difference = binary(BinaryOp::Sub, row, matrix).unwrap();
        assert_eq!(difference, Tensor::from([[9f32, 18.0], [7.0, 16.0]]));
        assert_eq!(difference.buffer().unwrap().as_bytes().as_ptr(), at);
    }

    /// TensorFlow 2.21 says this.
    #[test]
    fn what_integers_cannot_do() {
        for op in [BinaryOp::Div, BinaryOp::FloorDiv, BinaryOp::FloorMod, BinaryOp::TruncateMod] {
            let status = binary(op, Tensor::from([4i32, 5]), Tensor::from([0i32, 2])).unwrap_err();
            assert_eq!(status.message(), "Integer division by zero");
        }
        let status = binary(BinaryOp::Pow, Tensor::from([4i64]), Tensor::from(-1i64)).unwrap_err();
        assert_eq!(status.message(), "Integers to negative integer powers are not allowed");
        let none = binary(BinaryOp::Div, Tensor::new::<i32>(&[0], vec![]).unwrap(), Tensor::from(0i32)).unwrap();
        assert_eq!(none.dims(), [0]);
        assert_eq!(binary(BinaryOp::Div, Tensor::from(i32::MIN), Tensor::from(-1)).unwrap(), Tensor::from(i32::MIN));
    }

    /// TensorFlow 2.21 gives these for TruncateDiv of floats.
    #[test]
    fn truncated_quotients_of_floats() {
        let quotient = truncated_quotient(&Tensor::from([-5f64, 5.0, -5.0]), &Tensor::from([2f64, -3.0, -3.0]));
        assert_eq!(quotient.unwrap(), Tensor::from([-2f64, -1.0, 1.0]));
    }
}
