//! The ops that gradients of unary functions emit, one row each: `TanhGrad`, `SigmoidGrad`, `SqrtGrad`, `RsqrtGrad`,
//! `ReciprocalGrad` and `InvGrad`.
//!
//! They take (y, dy), where y is the function's result, and have gradients of their own, for second derivatives.

use graph::op::{GradContext, GradFn, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use math::broadcast::BroadcastPlan;
use math::elementwise::{Binary, BinaryOp};
use tensor::DType;
use tensor::{Complex64, Complex128, Result, Tensor, bf16, ensure, err, f16};

struct Row(&'static str, BinaryOp, GradFn);

/// For z = f(y, dy): what to give back for y and for dy, from y, dy, z and the gradient with respect to z.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    // z = -dy y^2
    Row("InvGrad", BinaryOp::ReciprocalGrad, |cx| by(cx, |y, dy, _, g| (g * -2.0 * dy * y, y.binary("ReciprocalGrad", "ReciprocalGrad", g)))),
    Row("ReciprocalGrad", BinaryOp::ReciprocalGrad, |cx| by(cx, |y, dy, _, g| (g * -2.0 * dy * y, y.binary("ReciprocalGrad", "ReciprocalGrad", g)))),
    // z = -dy y^3 / 2
    Row("RsqrtGrad", BinaryOp::RsqrtGrad, |cx| by(cx, |y, dy, _, g| (-1.5 * (g * dy * y.unary("Square")), y.binary("RsqrtGrad", "RsqrtGrad", g)))),
    // z = dy y (1 - y)
    Row("SigmoidGrad", BinaryOp::SigmoidGrad, |cx| by(cx, |y, dy, _, g| {
        let gdy = g * dy;
        (&gdy - 2.0 * &gdy * y, y.binary("SigmoidGrad", "SigmoidGrad", g))
    })),
    // z = dy / (2 y)
    Row("SqrtGrad", BinaryOp::SqrtGrad, |cx| by(cx, |y, _, z, g| {
        let ga = g / y;
        (-&ga * z, 0.5 * ga)
    })),
    // z = dy (1 - y^2)
    Row("TanhGrad", BinaryOp::TanhGrad, |cx| by(cx, |y, dy, _, g| (g * -2.0 * dy * y, y.binary("TanhGrad", "TanhGrad", g)))),
];

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] =
        &[DType::Float, DType::Double, DType::Half, DType::BFloat16, DType::Complex64, DType::Complex128];
    for Row(name, _, gradient) in ROWS {
        r.op(name, "y: T, dy: T -> z: T")
            .attr("T: {bfloat16, half, float, double, complex64, complex128}")
            .shape(ShapeContext::unchanged)
            .kernel("T", TYPES, kernel)
            .gradient(*gradient);
    }
}

fn by(
    cx: &GradContext<'_>,
    formula: fn(&Output, &Output, &Output, &Output) -> (Output, Output),
) -> Result<Vec<Option<Gradient>>> {
    let (y, dy, z, g) = (cx.x(0), cx.x(1), cx.y(0), cx.dy(0)?);
    let (for_y, for_dy) = if cx.dtype(0).is_complex() {
        // Which conjugates TensorFlow takes differs from op to op.
        let [y_, dy_, g_] = [&y, &dy, &g].map(|part| part.unary("Conj"));
        match cx.node.op.as_str() {
            "SqrtGrad" => (formula(&y_, &dy, &z, &g_).0, formula(&y, &dy, &z, &g).1),
            "SigmoidGrad" | "TanhGrad" => formula(&y_, &dy_, &z, &g),
            _ => (formula(&y_, &dy, &z, &g_).0, formula(&y_, &dy, &z, &g).1),
        }
    } else {
        formula(&y, &dy, &z, &g)
    };
    Ok(vec![Some(for_y.into()), Some(for_dy.into())])
}

fn kernel(node: &Node) -> Result<Kernel> {
    let row = ROWS.iter().find(|row| row.0 == node.op);
    let op = row.ok_or_else(|| err!(Internal, "{} is not in the table of gradient ops", node.op))?.1;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (y, dy) = (cx.take_input(0)?, cx.take_input(1)?);
        ensure!(
            y.num_elements() == dy.num_elements(),
            InvalidArgument,
            "The two arguments to a cwise op must have same number of elements, got {} and {}",
            y.num_elements(),
            dy.num_elements()
        );
        cx.set_output(0, pairwise(op, y, dy)?);
        Ok(())
    }))
}

/// A function of two tensors with as many elements each; the result has the first one's shape and, if possible, the
/// memory of either.
pub(crate) fn pairwise(op: BinaryOp, mut a: Tensor, mut b: Tensor) -> Result<Tensor> {
    let count = [a.num_elements() as i64];
    let plan = BroadcastPlan::new(&count, &count).ok_or_else(|| err!(Internal, "{count:?} elements twice"))?;
    ensure!(a.num_elements() == b.num_elements(), Internal, "{op:?} of {} and {}", a.shape(), b.shape());
    let (a_unique, b_unique) = (a.is_unique(), b.is_unique());
    dispatch!(a.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
        if b_unique {
            T::binary_in_place_right(op, &plan, a.as_slice::<T>()?, b.make_mut::<T>()?);
            b.into_shape(a.shape().clone())
        } else if a_unique {
            T::binary_in_place(op, &plan, a.make_mut::<T>()?, b.as_slice::<T>()?);
            Ok(a)
        } else {
            let (x, y) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
            Tensor::build(a.shape().clone(), |out: &mut [T]| {
                T::binary(op, &plan, x, y, out);
                Ok(())
            })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn formulas() {
        let run = |op| pairwise(op, Tensor::from([0.5f64, 2.0]), Tensor::from([1.0f64, 3.0])).unwrap();
        assert_eq!(run(BinaryOp::TanhGrad), Tensor::from([0.75f64, -9.0]));
        assert_eq!(run(BinaryOp::SigmoidGrad), Tensor::from([0.25f64, -6.0]));
        assert_eq!(run(BinaryOp::SqrtGrad), Tensor::from([1.0f64, 0.75]));
        assert_eq!(run(BinaryOp::RsqrtGrad), Tensor::from([-0.0625f64, -12.0]));
        assert_eq!(run(BinaryOp::ReciprocalGrad), Tensor::from([-0.25f64, -12.0]));
    }
}
