//! `TensorListGetItem` and `TensorListSetItem`: one element of a list, read and replaced.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, ensure};

use super::tensor_list::{scalar_i32, shape_of};
use super::tensor_list_value::{MAX_LENGTH, list};

pub(crate) fn register(r: &mut Registry) {
    r.op("TensorListGetItem", "input_handle: variant, index: int32, element_shape: Tshape -> item: element_dtype")
        .attr("element_dtype: type")
        .attr("Tshape: {int32, int64} = int32")
        .shape(get_shape)
        .any_kernel(get_kernel);
    r.op("TensorListSetItem", "input_handle: variant, index: int32, item: element_dtype -> output_handle: variant")
        .attr("element_dtype: type")
        .attr("resize_if_index_out_of_bounds: bool = false")
        .shape(ShapeContext::scalar)
        .any_kernel(set_kernel);
}

fn get_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    if cx.int(2) != Some(-1) {
        let shape = cx.input_as_shape(2);
        cx.set(0, shape);
    }
    Ok(())
}

fn get_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let list = list(cx)?;
        list.check(dtype)?;
        let index = scalar_i32(cx.input(1)?, "index")?;
        let count = list.elements.len();
        ensure!(
            (0..count as i64).contains(&(index as i64)),
            InvalidArgument,
            "Trying to access element {index} in a list with {count} elements."
        );
        let value = list.element(index as usize, &shape_of(cx.input(2)?)?)?;
        cx.set_output(0, value);
        Ok(())
    }))
}

fn set_kernel(node: &Node) -> Result<Kernel> {
    let resize = node.attr_bool("resize_if_index_out_of_bounds")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let mut list = list(cx)?;
        let index = scalar_i32(cx.input(1)?, "index")?;
        let value = cx.take_input(2)?;
        list.check_element(&value)?;
        let count = list.elements.len();
        ensure!(
            index >= 0 && (resize || (index as usize) < count),
            InvalidArgument,
            "Trying to modify element {index} in a list with {count} elements."
        );
        if index as usize >= count {
            ensure!((index as usize) < MAX_LENGTH, ResourceExhausted, "a list of {index} elements");
            list.elements.resize(index as usize + 1, None);
        }
        list.elements[index as usize] = Some(value);
        cx.set_output(0, list.into_tensor()?);
        Ok(())
    }))
}
