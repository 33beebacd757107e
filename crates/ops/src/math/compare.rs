//! Comparisons and logic, element by element with broadcasting, one row each: `Equal`, `NotEqual`, `Less`,
//! `LessEqual`, `Greater`, `GreaterEqual`, `LogicalAnd` and `LogicalOr`.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::broadcast::{self, BroadcastPlan};
use math::elementwise::{Compare, CompareOp};
use tensor::DType::{self, *};
use tensor::{Complex64, Complex128, PartialShape, Result, Shape, Tensor, bail, bf16, err, f16};

use super::binary::broadcast_plan;

const ORDERS: &[(&str, CompareOp)] = &[
    ("Greater", CompareOp::Greater),
    ("GreaterEqual", CompareOp::GreaterEqual),
    ("Less", CompareOp::Less),
    ("LessEqual", CompareOp::LessEqual),
];
const EQUALITIES: &[(&str, CompareOp)] = &[("Equal", CompareOp::Equal), ("NotEqual", CompareOp::NotEqual)];

const ORDERED: &[DType] = &[Float, Double, Int32, UInt8, Int16, Int8, Int64, BFloat16, UInt16, Half, UInt32, UInt64];
const COMPARABLE: &[DType] = &[
    Float, Double, Int32, UInt8, Int16, Int8, Int64, BFloat16, UInt16, Half, UInt32, UInt64, Bool, Complex64,
    Complex128, String,
];

pub(crate) fn register(r: &mut Registry) {
    for (name, _) in ORDERS {
        r.op(name, "x: T, y: T -> z: bool")
            .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
            .shape(ShapeContext::broadcast)
            .kernel("T", ORDERED, kernel)
            .not_differentiable();
    }
    for (name, _) in EQUALITIES {
        r.op(name, "x: T, y: T -> z: bool")
            .attr("T: type")
            .attr("incompatible_shape_error: bool = true")
            .commutative()
            .shape(equality_shape)
            .kernel("T", COMPARABLE, kernel)
            .not_differentiable();
    }
    for name in ["LogicalAnd", "LogicalOr"] {
        r.op(name, "x: bool, y: bool -> z: bool")
            .commutative()
            .shape(ShapeContext::broadcast)
            .any_kernel(logic_kernel)
            .not_differentiable();
    }
}

fn equality_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    if cx.attr_bool("incompatible_shape_error")? {
        return ShapeContext::broadcast(cx);
    }
    // Shapes that do not fit give one answer, so the result's shape is open until all dimensions are known.
    let (a, b) = (cx.input(0), cx.input(1));
    if a.is_fully_known() && b.is_fully_known() {
        cx.set(0, graph::op::broadcast_shapes(&a, &b).unwrap_or(PartialShape::scalar()));
    }
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let mut rows = ORDERS.iter().chain(EQUALITIES);
    let row = rows.find(|(name, _)| *name == node.op);
    let op = row.ok_or_else(|| err!(Internal, "{} is not in the table of comparisons", node.op))?.1;
    let must_fit = node.attr_bool("incompatible_shape_error").unwrap_or(true);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (a, b) = (cx.input(0)?, cx.input(1)?);
        if a.shape().is_scalar() && b.shape().is_scalar() {
            let answer = compare(op, BroadcastPlan::of_scalars(), Shape::scalar(), a, b)?;
            cx.set_output(0, answer);
            return Ok(());
        }
        let answer = match broadcast_plan(a.shape(), b.shape()) {
            Ok((plan, shape)) => compare(op, &plan, shape, a, b)?,
            Err(_) if !must_fit => Tensor::scalar(op == CompareOp::NotEqual),
            Err(status) => return Err(status),
        };
        cx.set_output(0, answer);
        Ok(())
    }))
}

fn compare(op: CompareOp, plan: &BroadcastPlan, shape: Shape, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.dtype() == String {
        let (x, y) = (a.strings()?, b.strings()?);
        // Rows of numbers stand for the strings, because only what can be copied is broadcast.
        let (left, right): (Vec<usize>, Vec<usize>) = ((0..x.len()).collect(), (0..y.len()).collect());
        return Tensor::build(shape, |out: &mut [bool]| {
            let differ = op == CompareOp::NotEqual;
            broadcast::apply(plan, &left, &right, out, |i, j| (x[i] != y[j]) == differ);
            Ok(())
        });
    }
    dispatch!(
        a.dtype(),
        T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, bool, Complex64, Complex128] => {
            let (x, y) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
            Tensor::build(shape, |out: &mut [bool]| {
                T::compare(op, plan, x, y, out);
                Ok(())
            })
        }
    )
}

fn logic_kernel(node: &Node) -> Result<Kernel> {
    let and = match node.op.as_str() {
        "LogicalAnd" => true,
        "LogicalOr" => false,
        other => bail!(Internal, "{other} is not logic"),
    };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (a, b) = (cx.input(0)?, cx.input(1)?);
        let (plan, shape) = broadcast_plan(a.shape(), b.shape())?;
        let (x, y) = (a.as_slice::<bool>()?, b.as_slice::<bool>()?);
        let answer = Tensor::build(shape, |out: &mut [bool]| {
            if and {
                broadcast::apply(&plan, x, y, out, |x, y| x & y);
            } else {
                broadcast::apply(&plan, x, y, out, |x, y| x | y);
            }
            Ok(())
        })?;
        cx.set_output(0, answer);
        Ok(())
    }))
}

binary_methods! {
    /// Comparisons and logic, element by element; shapes are broadcast.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use testkit::eval;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let g = Graph::new();
    /// let x = g.constant([1f32, 2.0, 3.0]);
    /// for (result, value) in [
    ///     (x.equal(2.0), [false, true, false]),
    ///     (x.not_equal(2.0), [true, false, true]),
    ///     (x.greater(2.0), [false, false, true]),
    ///     (x.greater_equal(2.0), [false, true, true]),
    ///     (x.less(2.0), [true, false, false]),
    ///     (x.less_equal(2.0), [true, true, false]),
    ///     (x.greater(1.0).logical_and(x.less(3.0)), [false, true, false]),
    ///     (x.less(2.0).logical_or(x.greater(2.0)), [true, false, true]),
    /// ] {
    ///     assert_eq!(eval(&result)?, Tensor::from(value));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    CompareOps {
        /// Returns whether they are equal.
        equal = "Equal";
        /// Returns whether this is greater.
        greater = "Greater";
        /// Returns whether this is greater or equal.
        greater_equal = "GreaterEqual";
        /// Returns whether this is less.
        less = "Less";
        /// Returns whether this is less or equal.
        less_equal = "LessEqual";
        /// Returns whether both are true.
        logical_and = "LogicalAnd";
        /// Returns whether one is true.
        logical_or = "LogicalOr";
        /// Returns whether they differ.
        not_equal = "NotEqual";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_broadcasting() {
        let run = |op, a: &Tensor, b: &Tensor| {
            let (plan, shape) = broadcast_plan(a.shape(), b.shape()).unwrap();
            compare(op, &plan, shape, a, b).unwrap()
        };
        let words = Tensor::string_vector(["ps", "worker"]);
        assert_eq!(run(CompareOp::Equal, &words, &Tensor::from("ps")), Tensor::from([true, false]));
        assert_eq!(run(CompareOp::NotEqual, &Tensor::from("ps"), &words), Tensor::from([false, true]));
        let (column, row) = (Tensor::from([[1i32], [2]]), Tensor::from([1i32, 2]));
        assert_eq!(run(CompareOp::LessEqual, &column, &row), Tensor::from([[true, true], [false, true]]));
    }
}
