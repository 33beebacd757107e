//! `LowerBound` and `UpperBound`: where values belong in sorted rows.

use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Node, ReadAttrs};
use math::number::Real;
use tensor::{Result, bf16, ensure, f16};

use crate::arguments::int_tensor;

pub(crate) fn register(r: &mut Registry) {
    for name in ["LowerBound", "UpperBound"] {
        r.op(name, "sorted_inputs: T, values: T -> output: out_type")
            .attr("T: type")
            .attr("out_type: {int32, int64} = int32")
            .shape(bound_shape)
            .kernel("T", types::REALS, bound_kernel)
            .not_differentiable();
    }
}

fn bound_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank(1, 2)?;
    cx.with_rank(0, 2)?;
    cx.set(0, shape);
    Ok(())
}

fn bound_kernel(node: &Node) -> Result<Kernel> {
    let (upper, out_type) = (node.op == "UpperBound", node.attr_type("out_type")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (sorted, values) = (cx.input(0)?, cx.input(1)?);
        ensure!(sorted.shape().rank() == 2, InvalidArgument, "sorted input argument must be a matrix");
        ensure!(values.shape().rank() == 2, InvalidArgument, "values must be a matrix");
        ensure!(sorted.dims()[0] == values.dims()[0], InvalidArgument, "Leading dim_size of both tensors must match.");
        let (columns, wanted) = (sorted.shape().dim(1), values.shape().dim(1));
        let places = dispatch!(sorted.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
            Ok(bounds::<T>(sorted.as_slice()?, columns, values.as_slice()?, wanted, upper))
        })?;
        let output = int_tensor(&places, out_type)?.into_shape(values.shape().clone())?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn bounds<T: Real>(sorted: &[T], columns: usize, values: &[T], wanted: usize, upper: bool) -> Vec<i64> {
    let mut places = Vec::with_capacity(values.len());
    for (place, value) in values.iter().enumerate() {
        let row = place.checked_div(wanted).unwrap_or(0);
        let row = &sorted[row * columns..(row + 1) * columns];
        places.push(row.partition_point(|x| if upper { x <= value } else { x < value }) as i64);
    }
    places
}
