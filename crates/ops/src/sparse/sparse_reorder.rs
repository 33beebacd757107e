//! `SparseReorder`: values in the order of their places.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use tensor::{DType, Result, Shape, Tensor};

use super::Coordinates;
use crate::moving::{Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "SparseReorder",
        "input_indices: int64, input_values: T, input_shape: int64 -> output_indices: int64, output_values: T",
    )
    .attr("T: type")
    .shape(shape)
    .any_kernel(kernel)
    .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (indices, values) = (cx.with_rank(0, 2)?, cx.with_rank(1, 1)?);
    cx.with_rank(2, 1)?;
    cx.set(0, indices);
    cx.set(1, values);
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (indices, values) = (cx.input(0)?, cx.input(1)?);
        let coordinates = Coordinates::new(indices, Some(values), cx.input(2)?)?;
        let (indices, values) = in_order(&coordinates, values)?;
        cx.set_output(0, indices);
        cx.set_output(1, values);
        Ok(())
    }))
}

/// Indices and values in the order of the indices; equal ones stay as they were.
pub(crate) fn in_order(coordinates: &Coordinates, values: &Tensor) -> Result<(Tensor, Tensor)> {
    let (count, rank) = (coordinates.len(values.num_elements()), coordinates.rank);
    let row = |number: usize| &coordinates.flat[number * rank..(number + 1) * rank];
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| row(*a).cmp(row(*b)));
    let flat: Vec<i64> = order.iter().flat_map(|number| row(*number).iter().copied()).collect();
    let values = moved(Shape::vector(count), &[values], &Pick(&order))?;
    Ok((Tensor::new([count as i64, rank as i64], flat)?, values))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let graph = cx.graph;
    let shape = cx.op("Shape").input(cx.x(0)).output();
    let axis = graph.constant(0i32);
    let count = cx.op("GatherV2").input(shape).input(graph.constant(0i32)).input(&axis).output();
    let numbers = cx.op("Range").input(graph.constant(0i32)).input(count).input(graph.constant(1i32)).output();
    let ordered = cx.op("SparseReorder").input(cx.x(0)).input(numbers).input(cx.x(2)).build();
    let inverse = cx.op("InvertPermutation").input(ordered.output(1)).attr("T", DType::Int32).output();
    let dx = cx.op("GatherV2").input(cx.dy(1)?).input(inverse).input(&axis).output();
    Ok(vec![None, Some(dx.into()), None])
}
