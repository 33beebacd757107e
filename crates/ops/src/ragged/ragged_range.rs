//! `RaggedRange`: a row of evenly spaced numbers for each start, limit and step.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::DType::{Double, Float, Int32, Int64};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use crate::arguments::int_tensor;

pub(crate) fn register(r: &mut Registry) {
    r.op("RaggedRange", "starts: T, limits: T, deltas: T -> rt_nested_splits: Tsplits, rt_dense_values: T")
        .attr("T: {bfloat16, float, double, int32, int64} = int32")
        .attr("Tsplits: {int32, int64} = int64")
        .shape(shape)
        .kernel("T", &[Int32, Int64, Float, Double], kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let mut rows = PartialShape::vector(None);
    for index in 0..3 {
        let input = cx.input(index);
        let rank = input.rank();
        ensure!(rank.is_none_or(|rank| rank <= 1), InvalidArgument, "Shape must be at most rank 1 but is {input}");
        if rank == Some(1) {
            rows = rows.merge(&input)?;
        }
    }
    let scalars = (0..3).all(|index| cx.input(index).rank() == Some(0));
    let count = if scalars { Some(1) } else { rows.dim(0) };
    cx.set(0, PartialShape::vector(count.map(|count| count + 1)));
    cx.set(1, PartialShape::vector(None));
    Ok(())
}

/// A number that can be counted with.
trait Step: tensor::Element + PartialOrd + Default {
    /// How many numbers there are from a start below a limit.
    fn count(start: Self, limit: Self, step: Self) -> u64;
    fn at(start: Self, step: Self, number: u64) -> Self;
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Step for $t {
            fn count(start: $t, limit: $t, step: $t) -> u64 {
                let (start, limit, step) = (i128::from(start), i128::from(limit), i128::from(step));
                if (step > 0 && start >= limit) || (step < 0 && start <= limit) {
                    return 0;
                }
                ((limit - start).unsigned_abs().div_ceil(step.unsigned_abs())) as u64
            }

            fn at(start: $t, step: $t, number: u64) -> $t {
                start.wrapping_add(step.wrapping_mul(number as $t))
            }
        }
    )*};
}

macro_rules! floats {
    ($($t:ty)*) => {$(
        impl Step for $t {
            fn count(start: $t, limit: $t, step: $t) -> u64 {
                if (step > 0.0 && start >= limit) || (step < 0.0 && start <= limit) {
                    return 0;
                }
                ((limit - start) / step).abs().ceil() as u64
            }

            fn at(start: $t, step: $t, number: u64) -> $t {
                start + step * number as $t
            }
        }
    )*};
}

integers! { i32 i64 }
floats! { f32 f64 }

fn kernel(node: &Node) -> Result<Kernel> {
    let splits_type = node.attr_type("Tsplits")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let inputs = [cx.input(0)?, cx.input(1)?, cx.input(2)?];
        for (input, name) in inputs.iter().zip(["starts", "limits", "deltas"]) {
            ensure!(input.shape().rank() <= 1, InvalidArgument, "{name} must be a scalar or vector");
        }
        let lengths = inputs.iter().filter(|input| input.shape().rank() == 1).map(|input| input.num_elements());
        let rows = lengths.clone().next().unwrap_or(1);
        ensure!(
            lengths.clone().all(|length| length == rows),
            InvalidArgument,
            "starts, limits, and deltas must have the same shape: {}, {}, {}",
            inputs[0].shape(),
            inputs[1].shape(),
            inputs[2].shape()
        );
        let (splits, values) = dispatch!(inputs[0].dtype(), T in [i32, i64, f32, f64] => ranges::<T>(inputs, rows))?;
        cx.set_output(0, int_tensor(&splits, splits_type)?);
        cx.set_output(1, values);
        Ok(())
    }))
}

fn ranges<T: Step>(inputs: [&Tensor; 3], rows: usize) -> Result<(Vec<i64>, Tensor)> {
    let [starts, limits, steps] = inputs;
    let (starts, limits, steps) = (starts.as_slice::<T>()?, limits.as_slice::<T>()?, steps.as_slice::<T>()?);
    // A single number is for all rows.
    let of = |list: &[T], row: usize| if list.len() == 1 { list[0] } else { list[row] };
    let mut splits = Vec::with_capacity(rows + 1);
    splits.push(0);
    let mut total = 0i64;
    for row in 0..rows {
        let step = of(steps, row);
        ensure!(step != T::default(), InvalidArgument, "Requires delta != 0");
        let count = i64::try_from(T::count(of(starts, row), of(limits, row), step)).unwrap_or(i64::MAX);
        total = total.saturating_add(count);
        ensure!(
            total <= i64::from(i32::MAX),
            InvalidArgument,
            "Requires ((limit - start) / delta) <= {}: there are {total} numbers",
            i32::MAX
        );
        splits.push(total);
    }
    let values = Tensor::build(Shape::new(&[total])?, |out: &mut [T]| {
        for row in 0..rows {
            let (start, step) = (of(starts, row), of(steps, row));
            let out = &mut out[splits[row] as usize..splits[row + 1] as usize];
            out.iter_mut().enumerate().for_each(|(number, out)| *out = T::at(start, step, number as u64));
        }
        Ok(())
    })?;
    Ok((splits, values))
}
