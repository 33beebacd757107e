//! `TensorArrayGatherV3` and `TensorArrayScatterV3`: elements of an array as the rows of a tensor, and back. The same with
//! older kinds of handles: `TensorArrayGatherV2`, `TensorArrayScatterV2`, `TensorArrayGather`, `TensorArrayScatter`, and all
//! elements in order: `TensorArrayPack`, `TensorArrayUnpack`.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::array_store::TensorArray;
use super::stack::step_resource;
use super::tensor_array::{OLD_HANDLES, check_dtype, gradients_of, pass_flow, rows};
use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("TensorArrayGatherV3", "handle: resource, indices: int32, flow_in: float -> value: dtype")
        .attr("dtype: type")
        .attr("element_shape: shape = ?")
        .stateful()
        .shape(gather_shape)
        .any_kernel(gather_kernel)
        .gradient(gather_gradient);
    r.op("TensorArrayScatterV3", "handle: resource, indices: int32, value: T, flow_in: float -> flow_out: float")
        .attr("T: type")
        .stateful()
        .shape(scatter_shape)
        .any_kernel(scatter_kernel)
        .gradient(scatter_gradient);
    for (version, handle) in OLD_HANDLES {
        let signature = format!("handle: {handle}, indices: int32, flow_in: float -> value: dtype");
        r.op(&format!("TensorArrayGather{version}"), &signature)
            .attr("dtype: type")
            .attr("element_shape: shape = ?")
            .shape(gather_shape)
            .any_kernel(gather_kernel);
        let signature = format!("handle: {handle}, indices: int32, value: T, flow_in: float -> flow_out: float");
        r.op(&format!("TensorArrayScatter{version}"), &signature)
            .attr("T: type")
            .shape(scatter_shape)
            .any_kernel(scatter_kernel);
    }
    r.op("TensorArrayPack", "handle: Ref(string), flow_in: float -> value: dtype")
        .attr("dtype: type")
        .attr("element_shape: shape = ?")
        .shape(ShapeContext::unknown)
        .any_kernel(gather_kernel);
    r.op("TensorArrayUnpack", "handle: Ref(string), value: T, flow_in: float -> flow_out: float")
        .attr("T: type")
        .shape(ShapeContext::scalar)
        .any_kernel(scatter_kernel);
}

fn gather_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let indices = cx.with_rank(1, 1)?;
    let mut element = cx.attr_shape("element_shape")?.clone();
    if let Some((_, shape)) = cx.handle(0)
        && let Ok(both) = element.merge(&shape)
    {
        element = both;
    }
    cx.set(0, PartialShape::vector(indices.dim(0)).concatenate(&element));
    Ok(())
}

fn scatter_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 1)?;
    cx.with_rank(3, 0)?;
    cx.set(0, PartialShape::scalar());
    Ok(())
}

fn gather_kernel(node: &Node) -> Result<Kernel> {
    let (dtype, shape) = (node.attr_type("dtype")?, node.attr_shape("element_shape")?.clone());
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let array = step_resource::<TensorArray>(cx, 0)?;
        check_dtype(&array, dtype)?;
        array.learn_shape(&shape)?;
        let indices = match cx.num_inputs() {
            2 => (0..array.len()? as i64).collect(),
            _ => vector_of_indices(cx.input(1)?)?,
        };
        let stacked = stack(&array, array.read(indices.iter().copied())?, &indices)?;
        cx.set_output(0, stacked);
        Ok(())
    }))
}

fn vector_of_indices(indices: &Tensor) -> Result<Vec<i64>> {
    ensure!(
        indices.shape().rank() == 1,
        InvalidArgument,
        "Expected indices to be a vector, but received shape: {}",
        indices.shape()
    );
    indices.to_i64_vec()
}

/// The values of an array, one below the other.
fn stack(array: &TensorArray, values: Vec<Tensor>, indices: &[i64]) -> Result<Tensor> {
    let Some(first) = values.first() else {
        let element = array.element_shape();
        let Some(shape) = element.to_shape() else {
            bail!(
                Unimplemented,
                "TensorArray has size zero, but element shape {element} is not fully defined. Currently only static \
                 shapes are supported when packing zero-size TensorArrays."
            )
        };
        return Tensor::zeros(array.dtype, &Shape::new(&[&[0], shape.dims()].concat())?);
    };
    for (value, index) in values.iter().zip(indices) {
        ensure!(
            value.shape() == first.shape(),
            InvalidArgument,
            "TensorArray has inconsistent shapes.  Index {} has shape: {} but index {index} has shape: {}",
            indices[0],
            first.shape(),
            value.shape()
        );
    }
    let shape = Shape::new(&[&[values.len() as i64], first.dims()].concat())?;
    let lengths = vec![first.num_elements(); values.len()];
    moved(shape, &values.iter().collect::<Vec<_>>(), &Join(&lengths))
}

fn scatter_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let array = step_resource::<TensorArray>(cx, 0)?;
        let all = cx.num_inputs() == 3;
        let value = cx.input(if all { 1 } else { 2 })?;
        check_dtype(&array, value.dtype())?;
        let Some(count) = value.dims().first().copied() else {
            bail!(
                InvalidArgument,
                "Input value for unpack must be at least a vector but received shape: {}",
                value.shape()
            )
        };
        let indices = if all { (0..count).collect() } else { vector_of_indices(cx.input(1)?)? };
        ensure!(
            count == indices.len() as i64,
            InvalidArgument,
            "Expected len(indices) == values.shape[0], but saw: {} vs. {count}",
            indices.len()
        );
        let size = array.len()?;
        let last = indices.iter().copied().max().unwrap_or(-1);
        ensure!(
            array.is_dynamic() || last < size as i64,
            InvalidArgument,
            "Max scatter index must be < array size ({last} vs. {size})"
        );
        let mut parts = Vec::with_capacity(indices.len());
        for (place, index) in indices.iter().enumerate() {
            parts.push((*index, rows(value, place, None)?));
        }
        array.write(parts)?;
        pass_flow(cx, if all { 2 } else { 3 })
    }))
}

fn gather_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let grads = gradients_of(cx, &cx.x(0), &cx.x(2));
    let flow = cx
        .op("TensorArrayScatterV3")
        .input(grads.output(0))
        .input(cx.x(1))
        .input(cx.dy(0)?)
        .input(grads.output(1))
        .output();
    Ok(vec![None, None, Some(flow.into())])
}

fn scatter_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let flow = cx.dy(0)?;
    let grads = gradients_of(cx, &cx.x(0), &flow);
    let gathered = cx
        .op("TensorArrayGatherV3")
        .input(grads.output(0))
        .input(cx.x(1))
        .input(grads.output(1))
        .attr("dtype", cx.dtype(2))
        .output();
    Ok(vec![None, None, Some(gathered.into()), Some(flow.into())])
}
