//! `AddN` and `AccumulateNV2`: the sum of several tensors of one shape.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use math::elementwise::{add_assign, add_n};
use tensor::DType::{self, *};
use tensor::{Complex64, Complex128, Result, Tensor, bf16, ensure, f16};

const TYPES: &[DType] =
    &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Complex64, Complex128];

pub(crate) fn register(r: &mut Registry) {
    r.op("AddN", "inputs: N * T -> sum: T")
        .attr("N: int >= 1")
        .attr(
            "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, \
             quint16, uint16, complex128, half, uint32, uint64, variant}",
        )
        .commutative()
        .aggregate()
        .shape(ShapeContext::merged)
        .kernel("T", TYPES, kernel)
        .kernel("T", &[Variant], lists_kernel)
        .gradient(gradient);
    r.op("AccumulateNV2", "inputs: N * T -> sum: T")
        .attr("N: int >= 1")
        .attr(
            "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, \
             quint16, uint16, complex128, half, uint32, uint64}",
        )
        .attr("shape: shape")
        .commutative()
        .aggregate()
        .shape(accumulated_shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
}

fn accumulated_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.attr_shape("shape")?.clone();
    cx.set(0, shape);
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let mut inputs = Vec::with_capacity(cx.num_inputs());
        for index in 0..cx.num_inputs() {
            inputs.push(cx.take_input(index)?);
        }
        for (index, input) in inputs.iter().enumerate().skip(1) {
            ensure!(
                input.shape() == inputs[0].shape(),
                InvalidArgument,
                "Inputs to operation {} of type {} must have the same size and shape.  Input 0: {} != input {index}: {}",
                cx.node.name,
                cx.node.op,
                inputs[0].shape(),
                input.shape()
            );
        }
        cx.set_output(0, sum(inputs)?);
        Ok(())
    }))
}

/// Lists of tensors and optionals are added element by element.
fn lists_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let lists = cx.inputs(0..cx.num_inputs())?;
        let total = crate::data_flow::sum_of_variants(&lists, &|parts: &[&Tensor]| {
            let same = parts.iter().all(|part| part.shape() == parts[0].shape() && part.dtype() == parts[0].dtype());
            ensure!(same, InvalidArgument, "lists of elements of different shapes cannot be added");
            sum(parts.iter().map(|part| (*part).clone()).collect())
        })?;
        cx.set_output(0, total);
        Ok(())
    }))
}

/// The sum of tensors of one shape, in the memory of the first if nobody else holds it.
fn sum(mut inputs: Vec<Tensor>) -> Result<Tensor> {
    ensure!(!inputs.is_empty(), InvalidArgument, "a sum of no tensors");
    if inputs.len() == 1 {
        return Ok(inputs.remove(0));
    }
    let in_place = inputs[0].is_unique() && inputs.len() <= 3;
    dispatch!(
        inputs[0].dtype(),
        T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
            if in_place {
                let mut total = inputs.remove(0);
                let values = total.make_mut::<T>()?;
                for input in &inputs {
                    add_assign(values, input.as_slice::<T>()?);
                }
                return Ok(total);
            }
            let parts = inputs.iter().map(|input| input.as_slice::<T>()).collect::<Result<Vec<_>>>()?;
            Tensor::build(inputs[0].shape().clone(), |out: &mut [T]| {
                add_n(&parts, out);
                Ok(())
            })
        }
    )
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![cx.grad(0).cloned(); cx.num_inputs()])
}

/// Returns the sum of outputs of one type and shape (`AddN`).
///
/// An empty list is a mistake that the graph cannot be told of, so there must be a first one.
///
/// ```
/// use tensorfleet::ops::add_n_outputs;
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let sum = add_n_outputs(&g.constant([1f32, 2.0]), &[g.constant([10f32, 20.0]), g.constant([100f32, 200.0])]);
/// assert_eq!(testkit::eval(&sum)?, Tensor::from([111f32, 222.0]));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn add_n_outputs(first: &Output, others: &[Output]) -> Output {
    let mut all = vec![first.clone()];
    all.extend_from_slice(others);
    first.graph().op("AddN").input_list(&all).at(std::panic::Location::caller()).output()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_with_and_without_memory_to_reuse() {
        let parts = || vec![Tensor::from([1f32, 2.0]), Tensor::from([10f32, 20.0]), Tensor::from([100f32, 200.0])];
        assert_eq!(sum(parts()).unwrap(), Tensor::from([111f32, 222.0]));
        let held = parts();
        assert_eq!(sum(held.clone()).unwrap(), Tensor::from([111f32, 222.0]));
        assert_eq!(held, parts());
        // The same tensor twice is held twice.
        let one = Tensor::from([1i32, 2]);
        assert_eq!(sum(vec![one.clone(), one]).unwrap(), Tensor::from([2i32, 4]));
    }
}
