//! `TensorArrayConcatV3` and `TensorArraySplitV3`: elements of an array joined into a tensor, and a tensor cut into them. The
//! same with older kinds of handles: `TensorArrayConcatV2`, `TensorArraySplitV2`, `TensorArrayConcat`, `TensorArraySplit`.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::array_store::TensorArray;
use super::stack::step_resource;
use super::tensor_array::{OLD_HANDLES, check_dtype, gradients_of, pass_flow, rows};
use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
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
    for (version, handle) in OLD_HANDLES {
        let signature = format!("handle: {handle}, flow_in: float -> value: dtype, lengths: int64");
        r.op(&format!("TensorArrayConcat{version}"), &signature)
            .attr("dtype: type")
            .attr("element_shape_except0: shape = ?")
            .shape(concat_shape)
            .any_kernel(concat_kernel);
        let signature = format!("handle: {handle}, value: T, lengths: int64, flow_in: float -> flow_out: float");
        r.op(&format!("TensorArraySplit{version}"), &signature)
            .attr("T: type")
            .shape(split_shape)
            .any_kernel(split_kernel);
    }
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
