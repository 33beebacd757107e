//! `SparseSoftmax`: softmax over the values of each row of a sparse tensor.

use std::collections::BTreeMap;

use graph::op::{GradContext, Kernel, OpContext, Registry};
use graph::{Gradient, Node};
use tensor::{DType, Result, Tensor, ensure};

use super::Coordinates;
use super::sparse_reduce::values_shape;
use crate::math::cast::cast;

pub(crate) fn register(r: &mut Registry) {
    r.op("SparseSoftmax", "sp_indices: int64, sp_values: T, sp_shape: int64 -> output: T")
        .attr("T: {half, float, double}")
        .shape(values_shape)
        .kernel("T", &[DType::Half, DType::Float, DType::Double], softmax_kernel)
        .gradient(softmax_gradient);
}

fn softmax_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let values = cx.input(1)?;
        let input = Coordinates::new(cx.input(0)?, Some(values), cx.input(2)?)?;
        ensure!(input.rank >= 2, InvalidArgument, "Input should have rank >= 2, but received rank {}.", input.rank);
        input.check_size()?;
        input.check_bounds()?;
        let wide = cast(values.clone(), DType::Double, false)?;
        let mut results = wide.as_slice::<f64>()?.to_vec();
        let mut groups: BTreeMap<&[i64], Vec<usize>> = BTreeMap::new();
        for (number, row) in input.rows().enumerate() {
            groups.entry(&row[..input.rank - 1]).or_default().push(number);
        }
        for group in groups.values() {
            let greatest = group.iter().map(|place| results[*place]).fold(f64::NEG_INFINITY, f64::max);
            let mut sum = 0.0;
            for place in group {
                results[*place] = (results[*place] - greatest).exp();
                sum += results[*place];
            }
            group.iter().for_each(|place| results[*place] /= sum);
        }
        let output = cast(Tensor::vector(&results), values.dtype(), false)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn softmax_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (indices, shape, y, dy) = (cx.x(0), cx.x(2), cx.y(0), cx.dy(0)?);
    let axis = cx.graph.constant([-1i32]);
    let sum =
        cx.op("SparseReduceSum").input(&indices).input(&y * &dy).input(&shape).input(axis).attr("keep_dims", true);
    let shifted = cx.op("SparseDenseCwiseAdd").input(&indices).input(&dy).input(&shape).input(-sum.output()).output();
    Ok(vec![None, Some((shifted * y).into()), None])
}
