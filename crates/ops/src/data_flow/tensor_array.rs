//! `TensorArrayV3`, `TensorArrayGradV3`, `TensorArraySizeV3` and `TensorArrayCloseV3`: an array, the array of gradients that
//! belongs to it, its size and its end; `TensorArrayGradWithShape` is the array of gradients of larger values. The same with
//! older kinds of handles: `TensorArrayV2`, `TensorArrayGradV2`,
//! `TensorArraySizeV2`, `TensorArrayCloseV2`, `TensorArray`, `TensorArrayGrad`, `TensorArraySize`, `TensorArrayClose`.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, Operation, Output, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

use super::array_store::{ArrayConfig, TensorArray};
use super::stack::{give_handle, next_number, step_resource};

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
    let signature =
        "handle: resource, flow_in: float, shape_to_prepend: int32 -> grad_handle: resource, flow_out: float";
    r.op("TensorArrayGradWithShape", signature)
        .attr("source: string")
        .stateful()
        .shape(grad_shape)
        .any_kernel(grad_kernel)
        .not_differentiable();
    r.op("TensorArraySizeV3", "handle: resource, flow_in: float -> size: int32")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(size_kernel)
        .not_differentiable();
    r.op("TensorArrayCloseV3", "handle: resource ->").stateful().any_kernel(close_kernel).not_differentiable();
    r.op("TensorArrayV2", "size: int32 -> handle: string")
        .attr("dtype: type")
        .attr("element_shape: shape = ?")
        .attr("dynamic_size: bool = false")
        .attr("clear_after_read: bool = true")
        .attr("tensor_array_name: string = ''")
        .stateful()
        .shape(old_handle_shape)
        .any_kernel(make_kernel)
        .not_differentiable();
    r.op("TensorArray", "size: int32 -> handle: Ref(string)")
        .attr("dtype: type")
        .attr("dynamic_size: bool = false")
        .attr("clear_after_read: bool = true")
        .attr("tensor_array_name: string = ''")
        .attr("element_shape: shape = ?")
        .stateful()
        .shape(old_handle_shape)
        .any_kernel(make_kernel)
        .not_differentiable();
    for (version, handle) in OLD_HANDLES {
        let handle_out = if version.is_empty() { "Ref(string)" } else { "string" };
        r.op(
            &format!("TensorArrayGrad{version}"),
            &format!("handle: string, flow_in: float -> grad_handle: {handle_out}"),
        )
        .attr("source: string")
        .stateful()
        .shape(old_handle_shape)
        .any_kernel(grad_kernel)
        .not_differentiable();
        r.op(&format!("TensorArraySize{version}"), &format!("handle: {handle}, flow_in: float -> size: int32"))
            .shape(ShapeContext::scalar)
            .any_kernel(size_kernel)
            .not_differentiable();
        r.op(&format!("TensorArrayClose{version}"), &format!("handle: {handle} ->"))
            .any_kernel(close_kernel)
            .not_differentiable();
    }
}

/// The ends of the older ops' names, and what kind of handle those ops have.
pub(super) const OLD_HANDLES: [(&str, &str); 2] = [("V2", "string"), ("", "Ref(string)")];

/// Older handles are two strings.
fn old_handle_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::from([2]));
    Ok(())
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
        let shape = match cx.num_inputs() {
            3 => cx.input_as_shape(2).concatenate(&shape),
            _ => shape,
        };
        cx.set_handle(0, dtype, shape);
    }
    Ok(())
}

const CONTAINER: &str = "_tensor_arrays";

const TYPE: &str = "tensorflow::TensorArray";

fn make_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    let element_shape = node.attr_shape("element_shape")?.clone();
    let (dynamic_size, clear_after_read) = (node.attr_bool("dynamic_size")?, node.attr_bool("clear_after_read")?);
    let identical_shapes = node.attr_bool("identical_element_shapes").unwrap_or(false);
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
        give_handle(cx, CONTAINER, full, TYPE);
        cx.set_output(1, 0f32);
        Ok(())
    }))
}

fn grad_kernel(node: &Node) -> Result<Kernel> {
    let source = node.attr_str("source")?.to_owned();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let array = step_resource::<TensorArray>(cx, 0)?;
        let name = format!("{}@{source}", array.name);
        let prepended = match cx.num_inputs() {
            3 => Shape::new(&crate::arguments::int_vector(cx.input(2)?, "shape_to_prepend must be a vector, not ")?)?,
            _ => Shape::scalar(),
        };
        cx.step.step_resources.lookup_or_create(CONTAINER, &name, || array.gradient(name.clone(), &prepended))?;
        give_handle(cx, CONTAINER, name, TYPE);
        let flow = cx.take_input(1)?;
        cx.set_output(1, flow);
        Ok(())
    }))
}

/// Hands the flow on: it only says in which order things happen.
pub(super) fn pass_flow(cx: &mut OpContext<'_>, input: usize) -> Result<()> {
    let flow = cx.take_input(input)?;
    cx.set_output(0, flow);
    Ok(())
}

pub(super) fn check_dtype(array: &TensorArray, dtype: DType) -> Result<()> {
    ensure!(
        array.dtype == dtype,
        InvalidArgument,
        "TensorArray dtype is {} but Op requested dtype {dtype}.",
        array.dtype
    );
    Ok(())
}

/// The rows `start..start + count` of a tensor; the leading dimension goes if `count` is `None`.
pub(super) fn rows(tensor: &Tensor, start: usize, count: Option<usize>) -> Result<Tensor> {
    let row = Shape::new(tensor.dims().get(1..).unwrap_or(&[]))?;
    let shape = match count {
        Some(count) => Shape::new(&[&[count as i64], row.dims()].concat())?,
        None => row.clone(),
    };
    tensor.window(start * row.num_elements(), shape)
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
pub(super) fn gradients_of(cx: &GradContext<'_>, handle: &Output, flow: &Output) -> Operation {
    // Each call of `gradients` has arrays of its own, known by its scope.
    let scope = cx.graph.name_scope();
    let parts: Vec<&str> = scope.split('/').collect();
    let last = parts.iter().rposition(|part| part.starts_with("gradients"));
    let source = last.map_or_else(|| "gradients".to_owned(), |last| parts[..=last].join("/"));
    cx.op("TensorArrayGradV3").input(handle).input(flow).attr("source", source).build()
}

#[cfg(test)]
mod tests {
    use graph::op::Value;
    use tensor::Tensor;

    use crate::testing::{Bench, tensor, val};
    use tensor::DType::Float;

    /// Graphs of the first programs: handles are strings, behind a reference or not.
    #[test]
    fn older_handles() {
        for version in ["", "V2"] {
            let bench = Bench::new();
            let run = |op: &str, attrs: &[(&str, graph::AttrValue)], inputs: Vec<Value>| {
                bench.run(&format!("{op}{version}"), attrs, inputs).unwrap()
            };
            let value = |out: Vec<Value>| tensor(&out[0]);
            let array = run("TensorArray", &[("dtype", Float.into())], vec![val(2i32)]).remove(0);
            let (of, typed) = ([("T", Float.into())], [("dtype", Float.into())]);
            run("TensorArrayWrite", &of, vec![array.clone(), val(0i32), val(5f32), val(0f32)]);
            run("TensorArrayWrite", &of, vec![array.clone(), val(1i32), val(7f32), val(0f32)]);
            assert_eq!(value(run("TensorArraySize", &[], vec![array.clone(), val(0f32)])), Tensor::from(2i32));
            let rows = run("TensorArrayGather", &typed, vec![array.clone(), val([1i32, 0]), val(0f32)]);
            assert_eq!(value(rows), Tensor::from([7f32, 5.0]));
            // The handle of the array is read as a string by what makes the gradients' one.
            let plain = val(tensor(&array));
            let grads = run("TensorArrayGrad", &[("source", "gradients".into())], vec![plain, val(0f32)]).remove(0);
            run("TensorArrayScatter", &of, vec![grads.clone(), val([0i32, 1]), val([1f32, 2.0]), val(0f32)]);
            run("TensorArrayWrite", &of, vec![grads.clone(), val(1i32), val(10f32), val(0f32)]);
            let read = run("TensorArrayRead", &typed, vec![grads, val(1i32), val(0f32)]);
            assert_eq!(value(read), Tensor::from(12f32));
            run("TensorArrayClose", &[], vec![array.clone()]);
            let closed = bench.run(&format!("TensorArraySize{version}"), &[], vec![array, val(0f32)]);
            assert!(closed.err().unwrap().message().contains("has already been closed"));
            if version.is_empty() {
                let array = run("TensorArray", &typed, vec![val(2i32)]).remove(0);
                run("TensorArrayUnpack", &of, vec![array.clone(), val([3f32, 4.0]), val(0f32)]);
                let packed = run("TensorArrayPack", &typed, vec![array, val(0f32)]);
                assert_eq!(value(packed), Tensor::from([3f32, 4.0]));
                let stack = run("Stack", &[("elem_type", Float.into())], vec![]).remove(0);
                run("StackPush", &of, vec![stack.clone(), val(9f32)]);
                let popped = run("StackPop", &[("elem_type", Float.into())], vec![stack.clone()]);
                assert_eq!(value(popped), Tensor::from(9f32));
                run("StackClose", &[], vec![stack]);
            }
        }
    }
}
