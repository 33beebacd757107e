//! `AssignVariableOp`: gives a resource variable its value, and makes it if it is not there.

use std::sync::Arc;

use graph::op::{Kernel, OpContext, Registry, ResourceVariable, Role, ShapeContext, Variable};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, bail, ensure};

use super::assign::owned;

pub(crate) fn register(r: &mut Registry) {
    r.op("AssignVariableOp", "resource: resource, value: dtype ->")
        .attr("dtype: type")
        .attr("validate_shape: bool = false")
        .stateful()
        .role(Role::Assign)
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    if let Some((dtype, shape)) = cx.handle(0) {
        let value = cx.attr_type("dtype")?;
        ensure!(
            dtype == value,
            InvalidArgument,
            "Trying to assign variable with wrong dtype. Expected {dtype} got {value}"
        );
        shape.merge(&cx.input(1))?;
    }
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let validate = node.attr_bool("validate_shape")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let value = owned(cx.take_input(1)?);
        let handle = match cx.input(0)?.handles()? {
            [handle] => handle,
            other => bail!(InvalidArgument, "expected one resource handle, got {}", other.len()),
        };
        ensure!(
            handle.device == cx.step.device,
            InvalidArgument,
            "Trying to access resource {} located in device {} from device {}",
            handle.name,
            handle.device,
            cx.step.device
        );
        let (dtype, declared) = match handle.dtypes_and_shapes.first() {
            Some((dtype, shape)) => (*dtype, shape.clone()),
            None => (value.dtype(), PartialShape::unknown()),
        };
        let found = cx.step.resources.lookup_or_create(&handle.container, &handle.name, || {
            Ok(ResourceVariable(Arc::new(Variable::new(handle.name.clone(), dtype, declared))))
        })?;
        ensure!(
            found.0.dtype() == value.dtype(),
            InvalidArgument,
            "Trying to assign variable with wrong dtype. Expected {} got {}",
            found.0.dtype(),
            value.dtype()
        );
        found.0.replace(|slot| {
            if let (true, Some(old)) = (validate, slot.as_ref()) {
                ensure!(
                    old.shape() == value.shape(),
                    InvalidArgument,
                    "Trying to assign to variable with tensor with wrong shape. Expected {} got {}",
                    old.shape(),
                    value.shape()
                );
            }
            *slot = Some(value);
            Ok(())
        })
    }))
}
