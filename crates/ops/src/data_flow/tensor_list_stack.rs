//! `TensorListStack` and `TensorListFromTensor`: a list as the rows of a tensor, and back.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::tensor_list::{SHAPE, shape_of};
use super::tensor_list_value::{MAX_LENGTH, TensorList, alike, list, merged};
use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("TensorListStack", "input_handle: variant, element_shape: int32 -> tensor: element_dtype")
        .attr("element_dtype: type")
        .attr("num_elements: int = -1")
        .shape(stack_shape)
        .any_kernel(stack_kernel);
    r.op("TensorListFromTensor", "tensor: element_dtype, element_shape: shape_type -> output_handle: variant")
        .attr("element_dtype: type")
        .attr(SHAPE)
        .shape(ShapeContext::scalar)
        .any_kernel(unstack_kernel);
}

fn stack_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let count = cx.attr_int("num_elements")?;
    if cx.int(1) != Some(-1) {
        let rest = cx.input_as_shape(1);
        cx.set(0, PartialShape::from_dims(&[count]).concatenate(&rest));
    }
    Ok(())
}

fn stack_kernel(node: &Node) -> Result<Kernel> {
    let (dtype, wanted) = (node.attr_type("element_dtype")?, node.attr_int("num_elements")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let list = list(cx)?;
        list.check(dtype)?;
        let count = list.elements.len();
        ensure!(
            wanted < 0 || count as i64 == wanted,
            InvalidArgument,
            "Operation expected a list with {wanted} elements but got a list with {count} elements."
        );
        let shape = merged(&shape_of(cx.input(1)?)?, &list.element_shape)?;
        if count == 0 {
            let Some(shape) = shape.to_shape() else {
                bail!(
                    InvalidArgument,
                    "Tried to stack elements of an empty list with non-fully-defined element_shape: {shape}"
                )
            };
            cx.set_output(0, Tensor::zeros(dtype, &Shape::new(&[&[0], shape.dims()].concat())?)?);
            return Ok(());
        }
        ensure!(
            shape.to_shape().is_some() || list.elements.iter().any(Option::is_some),
            InvalidArgument,
            "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape: \
             {shape}"
        );
        let values = (0..count).map(|place| list.element(place, &shape)).collect::<Result<Vec<_>>>()?;
        alike(&values)?;
        let first = values[0].shape().clone();
        let lengths = vec![first.num_elements(); count];
        let shape = Shape::new(&[&[count as i64], first.dims()].concat())?;
        cx.set_output(0, moved(shape, &values.iter().collect::<Vec<_>>(), &Join(&lengths))?);
        Ok(())
    }))
}

fn unstack_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (value, element_shape) = (cx.input(0)?, shape_of(cx.input(1)?)?);
        let Some((count, rest)) = value.dims().split_first() else {
            bail!(InvalidArgument, "Tensor must be at least a vector, but saw shape: {}", value.shape())
        };
        let row = Shape::new(rest)?;
        ensure!(
            element_shape.is_compatible_with(&row),
            InvalidArgument,
            "Specified a list with shape {element_shape} from a tensor with shape {row}"
        );
        ensure!(*count as usize <= MAX_LENGTH, ResourceExhausted, "a list of {count} elements");
        let element = |place: i64| value.window(place as usize * row.num_elements(), row.clone()).map(Some);
        let elements = (0..*count).map(element).collect::<Result<Vec<_>>>()?;
        cx.set_output(0, TensorList { dtype, element_shape, most: -1, elements }.into_tensor()?);
        Ok(())
    }))
}
