//! `ParallelConcat`: values of one row each as the rows of one tensor; `_ParallelConcatStart` and
//! `_ParallelConcatUpdate`, which TensorFlow turns it into.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::moving::{Join, Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("ParallelConcat", "values: N * T -> output: T")
        .attr("N: int >= 1")
        .attr("T: type")
        .attr("shape: shape")
        .shape(shape)
        .any_kernel(kernel);
    r.op("_ParallelConcatStart", " -> output: dtype")
        .attr("shape: shape")
        .attr("dtype: type")
        .stateful()
        .shape(start_shape)
        .any_kernel(start_kernel);
    r.op("_ParallelConcatUpdate", "value: T, update: T -> output: T")
        .attr("T: type")
        .attr("loc: int")
        .shape(ShapeContext::unchanged)
        .any_kernel(update_kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let wanted = cx.attr_shape("shape")?.clone();
    let Some(dims) = wanted.to_shape() else {
        bail!(InvalidArgument, "shape attr must be fully defined, but is {wanted}")
    };
    let mut rows = PartialShape::unknown();
    for index in 0..cx.num_inputs() {
        let input = cx.input(index);
        if let Some(rows) = input.dim(0) {
            ensure!(rows == 1, InvalidArgument, "Size of first dimension must be 1, but is {rows}");
        }
        rows = rows.merge(&input)?;
    }
    if let Some([_, row @ ..]) = rows.raw_dims() {
        let whole = PartialShape::from_dims(&[&[cx.num_inputs() as i64], row].concat());
        whole.merge(&PartialShape::from_dims(dims.dims()))?;
    }
    cx.set(0, wanted);
    Ok(())
}

fn start_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.attr_shape("shape")?.clone();
    cx.set(0, shape);
    Ok(())
}

fn whole_shape(node: &Node) -> Result<Shape> {
    match node.attr_shape("shape")?.to_shape() {
        Some(shape) => Ok(shape),
        None => bail!(InvalidArgument, "shape attr must be fully defined, but is {}", node.attr_shape("shape")?),
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let shape = whole_shape(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let values = cx.inputs(0..cx.num_inputs())?;
        let [count, row @ ..] = shape.dims() else { bail!(InvalidArgument, "value must be at least rank 1") };
        ensure!(*count == values.len() as i64, InvalidArgument, "{} values for {count} rows", values.len());
        for value in &values {
            ensure!(
                matches!(value.dims(), [1, inner @ ..] if inner == row),
                InvalidArgument,
                "value and update shape doesn't match: {shape} vs {}",
                value.shape()
            );
        }
        let lengths: Vec<usize> = values.iter().map(|value| value.num_elements()).collect();
        let joined = moved(shape.clone(), &values, &Join(&lengths))?;
        cx.set_output(0, joined);
        Ok(())
    }))
}

fn start_kernel(node: &Node) -> Result<Kernel> {
    let (shape, dtype) = (whole_shape(node)?, node.attr_type("dtype")?);
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        cx.set_output(0, Tensor::zeros(dtype, &shape)?);
        Ok(())
    }))
}

fn update_kernel(node: &Node) -> Result<Kernel> {
    let loc = node.attr_int("loc")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = updated(cx.input(0)?, cx.input(1)?, loc)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The value with one row replaced; rows are counted modulo their number, from the back if negative.
fn updated(value: &Tensor, update: &Tensor, loc: i64) -> Result<Tensor> {
    let [rows, row @ ..] = value.dims() else { bail!(InvalidArgument, "value must be at least rank 1.") };
    ensure!(
        matches!(update.dims(), [1, inner @ ..] if inner == row),
        InvalidArgument,
        "update shape doesn't match: a row of {} vs {}",
        value.shape(),
        update.shape()
    );
    ensure!(*rows > 0, InvalidArgument, "loc {loc} is not a row of {}", value.shape());
    let (at, width, total) = (loc.rem_euclid(*rows) as usize, update.num_elements(), value.num_elements());
    let whole: Vec<usize> = (0..total)
        .map(|place| match place.checked_sub(at * width).filter(|inside| *inside < width) {
            Some(inside) => total + inside,
            None => place,
        })
        .collect();
    let both = moved(Shape::vector(total + width), &[value, update], &Join(&[total, width]))?;
    moved(value.shape().clone(), &[&both], &Pick(&whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_replaced() {
        let value = Tensor::from([[1i32, 2], [3, 4], [5, 6]]);
        let row = Tensor::from([[8i32, 9]]);
        assert_eq!(updated(&value, &row, 1).unwrap(), Tensor::from([[1i32, 2], [8, 9], [5, 6]]));
        assert_eq!(updated(&value, &row, -1).unwrap(), Tensor::from([[1i32, 2], [3, 4], [8, 9]]));
        assert!(updated(&value, &Tensor::from([[8i32]]), 0).is_err());
    }
}
