//! `TensorArrayWriteV3` and `TensorArrayReadV3`: one element of an array, written and read. The same with older kinds of
//! handles: `TensorArrayWriteV2`, `TensorArrayReadV2`, `TensorArrayWrite`, `TensorArrayRead`.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, ensure};

use super::array_store::TensorArray;
use super::stack::step_resource;
use super::tensor_array::{OLD_HANDLES, check_dtype, gradients_of, pass_flow};

pub(crate) fn register(r: &mut Registry) {
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
    for (version, handle) in OLD_HANDLES {
        let signature = format!("handle: {handle}, index: int32, value: T, flow_in: float -> flow_out: float");
        r.op(&format!("TensorArrayWrite{version}"), &signature)
            .attr("T: type")
            .shape(write_shape)
            .any_kernel(write_kernel);
        let signature = format!("handle: {handle}, index: int32, flow_in: float -> value: dtype");
        r.op(&format!("TensorArrayRead{version}"), &signature)
            .attr("dtype: type")
            .shape(read_shape)
            .any_kernel(read_kernel);
    }
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

fn index_of(tensor: &Tensor) -> Result<i64> {
    ensure!(
        tensor.shape().is_scalar(),
        InvalidArgument,
        "TensorArray index must be scalar, but had shape: {}",
        tensor.shape()
    );
    Ok(tensor.to_scalar::<i32>()? as i64)
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
