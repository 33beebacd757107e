//! The TensorArray ops: `TensorArrayV3`, reading, writing, gathering, scattering, joining and splitting, and the array
//! of gradients that belongs to one.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Operation, Output, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::array_store::{ArrayConfig, TensorArray};
use super::stack::{next_number, step_handle, step_resource};
use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("TensorArrayV3", "size: int32 -> handle: resource, flow: float")
        .attr("dtype: type")
        .attr("element_shape: shape = ?")
        .attr("dynamic_size: bool = false")
        .attr("clear_after_read: bool = true")
        .attr("identical_element_shapes: bool = false")
        .attr("tensor_array_name: string = ''")
        .stateful()
        .shape(make_shape)
        .any_kernel(make_kernel)
        .not_differentiable();
    r.op("TensorArrayGradV3", "handle: resource, flow_in: float -> grad_handle: resource, flow_out: float")
        .attr("source: string")
        .stateful()
        .shape(grad_shape)
        .any_kernel(grad_kernel)
        .not_differentiable();
    r.op("TensorArrayWriteV3", "handle: resource, index: int32, value: T, flow_in: float -> flow_out: float")
        .attr("T: type")
        .stateful()
        .shape(write_shape)
        .any_kernel(write_kernel)
        .gradient(write_gradient);
    r.op("TensorArrayReadV3", "handle: resource, index: int32, flow_in: float -> value: dtype")
        .attr("dtype: type")
        .stateful()
        .shape(read_shape)
        .any_kernel(read_kernel)
        .gradient(read_gradient);
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
    r.op("TensorArrayConcatV3", "handle: resource, flow_in: float -> value: dtype, lengths: int64")
        .attr("dtype: type")
        .attr("element_shape_except0: shape = ?")
        .stateful()
        .shape(concat_shape)
        .any_kernel(concat_kernel)
        .gradient(concat_gradient);
    r.op("TensorArraySplitV3", "handle: resource, value: T, lengths: int64, flow_in: float -> flow_out: float")
        .attr("T: type")
        .stateful()
        .shape(split_shape)
        .any_kernel(split_kernel)
        .gradient(split_gradient);
    r.op("TensorArraySizeV3", "handle: resource, flow_in: float -> size: int32")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(size_kernel)
        .not_differentiable();
    r.op("TensorArrayCloseV3", "handle: resource ->").stateful().any_kernel(close_kernel).not_differentiable();
}

fn make_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    cx.set(0, PartialShape::scalar());
    cx.set(1, PartialShape::scalar());
    let identical = cx.attr_bool("identical_element_shapes")?;
    let (dtype, shape) = (cx.attr_type("dtype")?, cx.attr_shape("element_shape")?.clone());
    if shape.is_fully_known() || identical {
        cx.set_handle(0, dtype, shape);
    }
    Ok(())
}

fn grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::scalar());
    cx.set(1, PartialShape::scalar());
    if let Some((dtype, shape)) = cx.handle(0) {
        cx.set_handle(0, dtype, shape);
    }
    Ok(())
}

fn write_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0)?;
    cx.with_rank(3, 0)?;
    cx.set(0, PartialShape::scalar());
    Ok(())
}

fn read_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0)?;
    if let Some((_, shape)) = cx.handle(0) {
        cx.set(0, shape);
    }
    Ok(())
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

fn concat_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let rest = cx.attr_shape("element_shape_except0")?.clone();
    cx.set(0, PartialShape::vector(None).concatenate(&rest));
    cx.set(1, PartialShape::vector(None));
    Ok(())
}

fn split_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(2, 1)?;
    cx.with_rank(3, 0)?;
    cx.set(0, PartialShape::scalar());
    Ok(())
}

const CONTAINER: &str = "_tensor_arrays";
const TYPE: &str = "tensorflow::TensorArray";

fn make_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    let element_shape = node.attr_shape("element_shape")?.clone();
    let (dynamic_size, clear_after_read) = (node.attr_bool("dynamic_size")?, node.attr_bool("clear_after_read")?);
    let identical_shapes = node.attr_bool("identical_element_shapes")?;
    let name = node.attr_str("tensor_array_name")?;
    let name = if name.is_empty() { node.name.clone() } else { name.to_owned() };
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let size = cx.input(0)?;
        ensure!(
            size.shape().is_scalar(),
            InvalidArgument,
            "TensorArray size must be scalar, but had shape: {}",
            size.shape()
        );
        let size = size.to_scalar::<i32>()? as i64;
        let full = format!("{name}_{}", next_number());
        let config = ArrayConfig {
            dtype,
            element_shape: element_shape.clone(),
            dynamic_size,
            clear_after_read,
            identical_shapes,
        };
        let array = || TensorArray::new(full.clone(), config, size);
        cx.step.step_resources.lookup_or_create(CONTAINER, &full, array)?;
        let handle = step_handle(cx, CONTAINER, full, TYPE);
        cx.set_output(0, handle);
        cx.set_output(1, 0f32);
        Ok(())
    }))
}

fn grad_kernel(node: &Node) -> Result<Kernel> {
    let source = node.attr_str("source")?.to_owned();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let array = step_resource::<TensorArray>(cx, 0)?;
        let name = format!("{}@{source}", array.name);
        cx.step.step_resources.lookup_or_create(CONTAINER, &name, || array.gradient(name.clone()))?;
        let handle = step_handle(cx, CONTAINER, name, TYPE);
        cx.set_output(0, handle);
        let flow = cx.take_input(1)?;
        cx.set_output(1, flow);
        Ok(())
    }))
}

fn index_of(tensor: &Tensor) -> Result<i64> {
    ensure!(
        tensor.shape().is_scalar(),
        InvalidArgument,
        "TensorArray index must be scalar, but had shape: {}",
        tensor.shape()
    );
    Ok(tensor.to_scalar::<i32>()? as i64)
}

/// Hands the flow on: it only says in which order things happen.
fn pass_flow(cx: &mut OpContext<'_>, input: usize) -> Result<()> {
    let flow = cx.take_input(input)?;
    cx.set_output(0, flow);
    Ok(())
}

fn write_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let array = step_resource::<TensorArray>(cx, 0)?;
        let index = index_of(cx.input(1)?)?;
        let value = cx.take_input(2)?;
        ensure!(
            value.dtype() == array.dtype,
            InvalidArgument,
            "TensorArray dtype is {} but Op is trying to write dtype {}.",
            array.dtype,
            value.dtype()
        );
        array.write([(index, value)])?;
        pass_flow(cx, 3)
    }))
}

fn check_dtype(array: &TensorArray, dtype: DType) -> Result<()> {
    ensure!(
        array.dtype == dtype,
        InvalidArgument,
        "TensorArray dtype is {} but Op requested dtype {dtype}.",
        array.dtype
    );
    Ok(())
}

fn read_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let array = step_resource::<TensorArray>(cx, 0)?;
        check_dtype(&array, dtype)?;
        let index = index_of(cx.input(1)?)?;
        if let Some(value) = array.read([index])?.pop() {
            cx.set_output(0, value);
        }
        Ok(())
    }))
}

fn gather_kernel(node: &Node) -> Result<Kernel> {
    let (dtype, shape) = (node.attr_type("dtype")?, node.attr_shape("element_shape")?.clone());
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let array = step_resource::<TensorArray>(cx, 0)?;
        check_dtype(&array, dtype)?;
        array.learn_shape(&shape)?;
        let indices = cx.input(1)?;
        ensure!(
            indices.shape().rank() == 1,
            InvalidArgument,
            "Expected indices to be a vector, but received shape: {}",
            indices.shape()
        );
        let indices = indices.to_i64_vec()?;
        let stacked = stack(&array, array.read(indices.iter().copied())?, &indices)?;
        cx.set_output(0, stacked);
        Ok(())
    }))
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

/// The rows `start..start + count` of a tensor; the leading dimension goes if `count` is `None`.
fn rows(tensor: &Tensor, start: usize, count: Option<usize>) -> Result<Tensor> {
    let row = Shape::new(tensor.dims().get(1..).unwrap_or(&[]))?;
    let shape = match count {
        Some(count) => Shape::new(&[&[count as i64], row.dims()].concat())?,
        None => row.clone(),
    };
    tensor.window(start * row.num_elements(), shape)
}

fn scatter_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let array = step_resource::<TensorArray>(cx, 0)?;
        let (indices, value) = (cx.input(1)?, cx.input(2)?);
        check_dtype(&array, value.dtype())?;
        ensure!(
            indices.shape().rank() == 1,
            InvalidArgument,
            "Expected indices to be a vector, but received shape: {}",
            indices.shape()
        );
        let Some(count) = value.dims().first().copied() else {
            bail!(
                InvalidArgument,
                "Input value for unpack must be at least a vector but received shape: {}",
                value.shape()
            )
        };
        let indices = indices.to_i64_vec()?;
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
        pass_flow(cx, 3)
    }))
}

fn concat_kernel(node: &Node) -> Result<Kernel> {
    let (dtype, rest) = (node.attr_type("dtype")?, node.attr_shape("element_shape_except0")?.clone());
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let array = step_resource::<TensorArray>(cx, 0)?;
        check_dtype(&array, dtype)?;
        let size = array.len()?;
        if size == 0 {
            let Some(rest) = rest.to_shape() else {
                bail!(
                    Unimplemented,
                    "TensorArray has size zero, but element_shape_except0 {rest} is not fully defined. Currently only \
                     static shapes are supported when concatenating zero-size TensorArrays."
                )
            };
            cx.set_output(0, Tensor::zeros(dtype, &Shape::new(&[&[0], rest.dims()].concat())?)?);
            cx.set_output(1, Tensor::vector::<i64>(&[]));
            return Ok(());
        }
        let values = array.read(0..size as i64)?;
        let mut lengths = Vec::with_capacity(size);
        for (index, value) in values.iter().enumerate() {
            let Some((length, own)) = value.dims().split_first() else {
                bail!(
                    InvalidArgument,
                    "Concat saw a scalar shape at index {index} but requires at least vectors.  Did you mean to call pack?"
                )
            };
            lengths.push(*length);
            ensure!(
                values[0].dims().get(1..) == Some(own) && rest.is_compatible_with(&Shape::new(own)?),
                InvalidArgument,
                "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: {} but index {index} \
                 has (excepting dimension 0) shape: {}",
                values[0].shape(),
                value.shape()
            );
        }
        let total = lengths.iter().try_fold(0i64, |sum, length| sum.checked_add(*length));
        let Some(total) = total else { bail!(InvalidArgument, "a TensorArray of too many rows to join") };
        let shape = Shape::new(&[&[total], &values[0].dims()[1..]].concat())?;
        let counts: Vec<usize> = values.iter().map(Tensor::num_elements).collect();
        cx.set_output(0, moved(shape, &values.iter().collect::<Vec<_>>(), &Join(&counts))?);
        cx.set_output(1, Tensor::vector(&lengths));
        Ok(())
    }))
}

fn split_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let array = step_resource::<TensorArray>(cx, 0)?;
        let (value, lengths) = (cx.input(1)?, cx.input(2)?);
        check_dtype(&array, value.dtype())?;
        ensure!(
            lengths.shape().rank() == 1,
            InvalidArgument,
            "Expected lengths to be a vector, received shape: {}",
            lengths.shape()
        );
        let lengths = lengths.to_i64_vec()?;
        let Some(count) = value.dims().first().copied() else {
            bail!(InvalidArgument, "Expected value to be at least a vector, but received shape: {}", value.shape())
        };
        let total = lengths.iter().try_fold(0i64, |sum, length| sum.checked_add(*length));
        ensure!(
            total == Some(count) && lengths.iter().all(|length| *length >= 0),
            InvalidArgument,
            "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {} and value's shape is: {}",
            total.unwrap_or(i64::MAX),
            value.shape()
        );
        let size = array.len()?;
        ensure!(
            size == lengths.len() || array.is_dynamic(),
            InvalidArgument,
            "TensorArray's size is not equal to the size of lengths ({size} vs. {}), and the TensorArray is not marked as \
             dynamically resizeable",
            lengths.len()
        );
        let (mut parts, mut start) = (Vec::with_capacity(lengths.len()), 0);
        for (index, length) in lengths.iter().enumerate() {
            parts.push((index as i64, rows(value, start, Some(*length as usize))?));
            start += *length as usize;
        }
        array.write(parts)?;
        pass_flow(cx, 3)
    }))
}

fn size_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let size = step_resource::<TensorArray>(cx, 0)?.len()?;
        cx.set_output(0, size as i32);
        Ok(())
    }))
}

fn close_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        step_resource::<TensorArray>(cx, 0)?.close();
        Ok(())
    }))
}

/// The array that the gradients of an array's values go to: handle and flow.
fn gradients_of(cx: &GradContext<'_>, handle: &Output, flow: &Output) -> Operation {
    // Each call of `gradients` has arrays of its own, known by its scope.
    let scope = cx.graph.name_scope();
    let parts: Vec<&str> = scope.split('/').collect();
    let last = parts.iter().rposition(|part| part.starts_with("gradients"));
    let source = last.map_or_else(|| "gradients".to_owned(), |last| parts[..=last].join("/"));
    cx.op("TensorArrayGradV3").input(handle).input(flow).attr("source", source).build()
}

fn write_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let flow = cx.dy(0)?;
    let grads = gradients_of(cx, &cx.x(0), &flow);
    let dtype = cx.dtype(2);
    let read = cx
        .op("TensorArrayReadV3")
        .input(grads.output(0))
        .input(cx.x(1))
        .input(grads.output(1))
        .attr("dtype", dtype)
        .output();
    Ok(vec![None, None, Some(read.into()), Some(flow.into())])
}

fn read_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let grads = gradients_of(cx, &cx.x(0), &cx.x(2));
    let flow = cx
        .op("TensorArrayWriteV3")
        .input(grads.output(0))
        .input(cx.x(1))
        .input(cx.dy(0)?)
        .input(grads.output(1))
        .output();
    Ok(vec![None, None, Some(flow.into())])
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

fn concat_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let grads = gradients_of(cx, &cx.x(0), &cx.x(1));
    let flow = cx
        .op("TensorArraySplitV3")
        .input(grads.output(0))
        .input(cx.dy(0)?)
        .input(cx.y(1))
        .input(grads.output(1))
        .output();
    Ok(vec![None, Some(flow.into())])
}

fn split_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let flow = cx.dy(0)?;
    let grads = gradients_of(cx, &cx.x(0), &flow);
    let joined =
        cx.op("TensorArrayConcatV3").input(grads.output(0)).input(grads.output(1)).attr("dtype", cx.dtype(1)).build();
    Ok(vec![None, Some(joined.output(0).into()), None, Some(flow.into())])
}
