//! Adding to and subtracting from a variable: `AssignAdd`, `AssignSub`, `AssignAddVariableOp` and
//! `AssignSubVariableOp`.

use graph::op::{Kernel, OpContext, Registry, ShapeContext, Variable};
use graph::{Node, ReadAttrs};
use math::number::Number;
use tensor::{Complex64, Complex128, Element, Result, Tensor, bf16, ensure, f16};

use super::access::{ARITHMETIC, Access, variable_of};
use super::assign::same_shape;

pub(crate) fn register(r: &mut Registry) {
    for (op, kernel) in [("AssignAdd", add_ref as fn(&Node) -> Result<Kernel>), ("AssignSub", sub_ref)] {
        r.op(op, "ref: Ref(T), value: T -> output_ref: Ref(T)")
            .attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
            .attr("use_locking: bool = false")
            .shape(same_shape)
            .kernel("T", ARITHMETIC, kernel)
            .not_differentiable();
    }
    for (op, kernel) in
        [("AssignAddVariableOp", add_resource as fn(&Node) -> Result<Kernel>), ("AssignSubVariableOp", sub_resource)]
    {
        r.op(op, "resource: resource, value: dtype ->")
            .attr("dtype: type")
            .stateful()
            .shape(resource_shape)
            .kernel("dtype", ARITHMETIC, kernel)
            .not_differentiable();
    }
}

fn resource_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    if let Some((dtype, shape)) = cx.handle(0) {
        let value = cx.attr_type("dtype")?;
        ensure!(
            dtype == value,
            InvalidArgument,
            "Trying to assign variable with wrong dtype. Expected {dtype} got {value}"
        );
        shape.merge(&cx.input(1))?;
    }
    Ok(())
}

fn add_ref(_: &Node) -> Result<Kernel> {
    kernel(Access::Ref, Change::Add)
}

fn sub_ref(_: &Node) -> Result<Kernel> {
    kernel(Access::Ref, Change::Sub)
}

fn add_resource(_: &Node) -> Result<Kernel> {
    kernel(Access::Resource, Change::Add)
}

fn sub_resource(_: &Node) -> Result<Kernel> {
    kernel(Access::Resource, Change::Sub)
}

#[derive(Clone, Copy)]
enum Change {
    Add,
    Sub,
}

fn kernel(access: Access, change: Change) -> Result<Kernel> {
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let variable = variable_of(cx, 0, access)?;
        let value = cx.take_input(1)?;
        apply(&variable, &value, access, change)?;
        if access == Access::Ref {
            cx.set_ref(0, variable);
        }
        Ok(())
    }))
}

fn apply(variable: &Variable, value: &Tensor, access: Access, change: Change) -> Result<()> {
    variable.update(|old| {
        let same = old.shape() == value.shape();
        match access {
            Access::Ref => ensure!(
                same,
                InvalidArgument,
                "Parameters and update must be the same size: {} and {}",
                old.shape(),
                value.shape()
            ),
            Access::Resource => ensure!(
                same,
                InvalidArgument,
                "Cannot update variable with shape {} using a Tensor with shape {}, shapes must be equal.",
                old.shape(),
                value.shape()
            ),
        }
        dispatch!(value.dtype(), T in [f32, f64, i32, i64, i8, i16, u8, u16, u32, u64, f16, bf16, Complex64, Complex128] => {
            combine::<T>(old, value, change)
        })
    })
}

fn combine<T: Element + Number>(old: &mut Tensor, value: &Tensor, change: Change) -> Result<()> {
    match change {
        Change::Add => combine_by(old, value, |x: T, y: T| x.plus(y)),
        Change::Sub => combine_by(old, value, |x: T, y: T| x.minus(y)),
    }
}

/// `old = f(old, value)`, in place if nobody else holds the old value, else into new memory in the same pass.
pub(crate) fn combine_by<T: Element>(old: &mut Tensor, value: &Tensor, f: impl Fn(T, T) -> T + Sync) -> Result<()> {
    const WORTH_A_THREAD: usize = math::elementwise::CHEAP;
    let values = value.as_slice::<T>()?;
    if old.is_unique() {
        let data = old.make_mut::<T>()?;
        math::threads::parallel_units(data, 1, WORTH_A_THREAD, |first, data| {
            for (x, y) in data.iter_mut().zip(&values[first..]) {
                *x = f(*x, *y);
            }
        });
        return Ok(());
    }
    let before = old.as_slice::<T>()?;
    *old = Tensor::build(old.shape().clone(), |out: &mut [T]| {
        math::threads::parallel_units(out, 1, WORTH_A_THREAD, |first, out| {
            for (o, (x, y)) in out.iter_mut().zip(before[first..].iter().zip(&values[first..])) {
                *o = f(*x, *y);
            }
        });
        Ok(())
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use graph::op::Value;
    use tensor::{DType, PartialShape};

    use super::*;
    use crate::testing::{Bench, val};

    fn variable(value: Tensor) -> Arc<Variable> {
        let variable = Variable::new("v", value.dtype(), PartialShape::unknown());
        variable.set(value);
        Arc::new(variable)
    }

    #[test]
    fn updates_leave_earlier_reads_alone() {
        let bench = Bench::new();
        let v = variable(Tensor::from([1i64, i64::MAX]));
        let before = v.read().unwrap();
        let attrs = [("T", DType::Int64.into())];
        let out = bench.value("AssignAdd", &attrs, vec![Value::Ref(v.clone()), val([1i64, 1])]).unwrap();
        // Integers wrap around.
        assert_eq!(out, Tensor::from([2i64, i64::MIN]));
        assert_eq!(before, Tensor::from([1i64, i64::MAX]));
        let out = bench.value("AssignSub", &attrs, vec![Value::Ref(v), val([1i64, 1])]).unwrap();
        assert_eq!(out, Tensor::from([1i64, i64::MAX]));
    }

    #[test]
    fn shapes_must_match() {
        let v = variable(Tensor::from([1f32, 2.0]));
        let inputs = vec![Value::Ref(v.clone()), val(1f32)];
        let status = Bench::new().run("AssignAdd", &[("T", DType::Float.into())], inputs).err().unwrap();
        assert!(status.message().starts_with("Parameters and update must be the same size"));
        let status = apply(&v, &Tensor::from(1f32), Access::Resource, Change::Add).unwrap_err();
        // TensorFlow 2.21 gives exactly this.
        assert_eq!(
            status.message(),
            "Cannot update variable with shape [2] using a Tensor with shape [], shapes must be equal."
        );
    }
}
