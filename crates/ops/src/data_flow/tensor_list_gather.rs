//! `TensorListGather`, `TensorListScatter`, `TensorListScatterV2` and `TensorListScatterIntoExistingList`: elements of a
//! list as the rows of a tensor, and back, by their places.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, Shape, Tensor, bail, ensure};

use super::tensor_list::{SHAPE, scalar_i32, shape_of};
use super::tensor_list_value::{MAX_LENGTH, TensorList, alike, list, merged};
use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
    const ELEMENTS: &str = "element_dtype: type";
    r.op("TensorListGather", "input_handle: variant, indices: int32, element_shape: int32 -> values: element_dtype")
        .attr(ELEMENTS)
        .shape(gather_shape)
        .any_kernel(gather_kernel);
    r.op(
        "TensorListScatter",
        "tensor: element_dtype, indices: int32, element_shape: shape_type -> output_handle: variant",
    )
    .attr(ELEMENTS)
    .attr(SHAPE)
    .shape(ShapeContext::scalar)
    .any_kernel(scatter_kernel);
    r.op(
        "TensorListScatterV2",
        "tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32 -> output_handle: variant",
    )
    .attr(ELEMENTS)
    .attr(SHAPE)
    .shape(ShapeContext::scalar)
    .any_kernel(scatter_kernel);
    r.op(
        "TensorListScatterIntoExistingList",
        "input_handle: variant, tensor: element_dtype, indices: int32 -> output_handle: variant",
    )
    .attr(ELEMENTS)
    .shape(ShapeContext::scalar)
    .any_kernel(scatter_into_kernel);
}

fn gather_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let count = cx.with_rank(1, 1)?;
    if cx.int(2) != Some(-1) {
        let rest = cx.input_as_shape(2);
        cx.set(0, count.concatenate(&rest));
    }
    Ok(())
}

fn gather_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let list = list(cx)?;
        list.check(dtype)?;
        let (indices, shape) = (cx.input(1)?.to_i64_vec()?, merged(&shape_of(cx.input(2)?)?, &list.element_shape)?);
        let count = list.elements.len();
        for index in &indices {
            ensure!(
                (0..count as i64).contains(index),
                InvalidArgument,
                "Trying to gather element {index} in a list with {count} elements."
            );
        }
        if indices.is_empty() {
            let Some(shape) = shape.to_shape() else {
                bail!(InvalidArgument, "Tried to gather 0-elements from a list with non-fully-defined shape: {shape}")
            };
            cx.set_output(0, Tensor::zeros(dtype, &Shape::new(&[&[0], shape.dims()].concat())?)?);
            return Ok(());
        }
        ensure!(
            shape.to_shape().is_some() || list.elements.iter().any(Option::is_some),
            InvalidArgument,
            "Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: {shape}"
        );
        let values = indices.iter().map(|place| list.element(*place as usize, &shape)).collect::<Result<Vec<_>>>()?;
        alike(&values)?;
        let first = values[0].shape().clone();
        let lengths = vec![first.num_elements(); values.len()];
        let shape = Shape::new(&[&[values.len() as i64], first.dims()].concat())?;
        cx.set_output(0, moved(shape, &values.iter().collect::<Vec<_>>(), &Join(&lengths))?);
        Ok(())
    }))
}

fn scatter_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let element_shape = shape_of(cx.input(2)?)?;
        let count = if cx.num_inputs() > 3 { scalar_i32(cx.input(3)?, "num_elements")? } else { -1 };
        ensure!(count >= -1, InvalidArgument, "TensorListScatter expects num_elements >= -1, found: {count}");
        ensure!(i64::from(count) <= MAX_LENGTH as i64, ResourceExhausted, "a list of {count} elements");
        let elements = vec![None; count.max(0) as usize];
        let mut list = TensorList { dtype, element_shape, most: -1, elements };
        scatter(&mut list, cx.input(0)?, cx.input(1)?, (count >= 0).then_some(count as usize))?;
        cx.set_output(0, list.into_tensor()?);
        Ok(())
    }))
}

fn scatter_into_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let mut list = list(cx)?;
        list.check(dtype)?;
        scatter(&mut list, cx.input(1)?, cx.input(2)?, None)?;
        cx.set_output(0, list.into_tensor()?);
        Ok(())
    }))
}

/// Puts each row in its place; the list grows unless its length is settled.
fn scatter(list: &mut TensorList, rows: &Tensor, indices: &Tensor, settled: Option<usize>) -> Result<()> {
    let Some((count, rest)) = rows.dims().split_first() else {
        bail!(InvalidArgument, "Tensor must be at least a vector, but saw shape: {}", rows.shape())
    };
    ensure!(
        indices.shape().rank() == 1,
        InvalidArgument,
        "Expected indices to be a vector, but received shape: {}",
        indices.shape()
    );
    ensure!(
        *count == indices.num_elements() as i64,
        InvalidArgument,
        "Invalid number of rows in input tensor. Expected: {} Actual: {count}",
        indices.num_elements()
    );
    let row = Shape::new(rest)?;
    ensure!(
        list.element_shape.is_compatible_with(&row),
        InvalidArgument,
        "Specified a list with shape {} from a tensor with shape {row}",
        list.element_shape
    );
    for (number, place) in indices.to_i64_vec()?.into_iter().enumerate() {
        ensure!(place >= 0, InvalidArgument, "Indices in TensorListScatter must all be non-negative: {place}");
        let place = place as usize;
        if let Some(size) = settled {
            ensure!(
                place < size,
                InvalidArgument,
                "TensorListScatter: Trying to scatter at index {place} in list with size {size}"
            );
        }
        if place >= list.elements.len() {
            ensure!(place < MAX_LENGTH, ResourceExhausted, "a list of {place} elements");
            list.elements.resize(place + 1, None);
        }
        list.elements[place] = Some(rows.window(number * row.num_elements(), row.clone())?);
    }
    Ok(())
}
