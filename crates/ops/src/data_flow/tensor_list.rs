//! `EmptyTensorList`, `TensorListReserve`, `TensorListPushBack`, `TensorListPopBack`, `TensorListLength` and
//! `TensorListElementShape`: lists of tensors as values, in which loops made of functions keep their intermediate results.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use super::tensor_list_value::{MAX_LENGTH, TensorList, list};

pub(crate) fn register(r: &mut Registry) {
    r.op("EmptyTensorList", "element_shape: shape_type, max_num_elements: int32 -> handle: variant")
        .attr("element_dtype: type")
        .attr(SHAPE)
        .shape(ShapeContext::scalar)
        .any_kernel(empty_kernel)
        .not_differentiable();
    r.op("TensorListReserve", "element_shape: shape_type, num_elements: int32 -> handle: variant")
        .attr("element_dtype: type")
        .attr(SHAPE)
        .shape(ShapeContext::scalar)
        .any_kernel(reserve_kernel)
        .not_differentiable();
    r.op("TensorListPushBack", "input_handle: variant, tensor: element_dtype -> output_handle: variant")
        .attr("element_dtype: type")
        .shape(ShapeContext::scalar)
        .any_kernel(push_kernel);
    r.op(
        "TensorListPopBack",
        "input_handle: variant, element_shape: int32 -> output_handle: variant, tensor: element_dtype",
    )
    .attr("element_dtype: type")
    .shape(pop_shape)
    .any_kernel(pop_kernel);
    r.op("TensorListLength", "input_handle: variant -> length: int32")
        .shape(ShapeContext::scalar)
        .any_kernel(length_kernel)
        .not_differentiable();
    r.op("TensorListElementShape", "input_handle: variant -> element_shape: shape_type")
        .attr(SHAPE)
        .any_kernel(element_shape_kernel)
        .not_differentiable();
}

/// The attribute with the type of shapes.
pub(super) const SHAPE: &str = "shape_type: {int32, int64}";

fn pop_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::scalar());
    if cx.int(1) != Some(-1) {
        let shape = cx.input_as_shape(1);
        cx.set(1, shape);
    }
    Ok(())
}

/// A shape given as a tensor: dimensions, or -1 for any shape at all.
pub(super) fn shape_of(tensor: &Tensor) -> Result<PartialShape> {
    let dims = tensor.to_i64_vec()?;
    if tensor.shape().is_scalar() {
        ensure!(
            dims == [-1],
            InvalidArgument,
            "The only valid scalar shape tensor is the fully unknown shape specified as -1."
        );
        return Ok(PartialShape::unknown());
    }
    ensure!(
        tensor.shape().rank() == 1 && dims.iter().all(|dim| *dim >= -1) && dims.len() < 255,
        InvalidArgument,
        "{dims:?} is not a shape"
    );
    Ok(PartialShape::from_dims(&dims))
}

pub(super) fn scalar_i32(tensor: &Tensor, name: &str) -> Result<i32> {
    ensure!(tensor.shape().is_scalar(), InvalidArgument, "{name} must be a scalar, got shape {}", tensor.shape());
    tensor.to_scalar::<i32>()
}

fn empty_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let most = scalar_i32(cx.input(1)?, "max_num_elements")?;
        let made = TensorList { dtype, element_shape: shape_of(cx.input(0)?)?, most, elements: Vec::new() };
        cx.set_output(0, made.into_tensor()?);
        Ok(())
    }))
}

fn reserve_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let count = scalar_i32(cx.input(1)?, "num_elements")?;
        ensure!(
            count >= 0,
            InvalidArgument,
            "The num_elements to reserve must be a non negative number, but got {count}"
        );
        ensure!(count as usize <= MAX_LENGTH, ResourceExhausted, "a list of {count} elements");
        let elements = vec![None; count as usize];
        let made = TensorList { dtype, element_shape: shape_of(cx.input(0)?)?, most: -1, elements };
        cx.set_output(0, made.into_tensor()?);
        Ok(())
    }))
}

fn push_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let mut list = list(cx)?;
        let value = cx.take_input(1)?;
        list.check_element(&value)?;
        ensure!(
            list.most < 0 || (list.elements.len() as i64) < list.most as i64,
            InvalidArgument,
            "Tried to push item into a full list list size: {} max_num_elements: {}",
            list.elements.len(),
            list.most
        );
        ensure!(list.elements.len() < MAX_LENGTH, ResourceExhausted, "a list of more than {MAX_LENGTH} elements");
        list.elements.push(Some(value));
        cx.set_output(0, list.into_tensor()?);
        Ok(())
    }))
}

fn pop_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let mut list = list(cx)?;
        list.check(dtype)?;
        let shape = shape_of(cx.input(1)?)?;
        ensure!(!list.elements.is_empty(), InvalidArgument, "Trying to pop from an empty list.");
        let value = list.element(list.elements.len() - 1, &shape)?;
        list.elements.pop();
        cx.set_output(0, list.into_tensor()?);
        cx.set_output(1, value);
        Ok(())
    }))
}

fn length_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let length = list(cx)?.elements.len();
        cx.set_output(0, length as i32);
        Ok(())
    }))
}

fn element_shape_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("shape_type")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let shape = list(cx)?.element_shape;
        let tensor = match shape.raw_dims() {
            Some(dims) => crate::arguments::int_tensor(dims, dtype)?,
            None => crate::arguments::int_tensor(&[-1], dtype)?.into_shape(Shape::scalar())?,
        };
        cx.set_output(0, tensor);
        Ok(())
    }))
}
