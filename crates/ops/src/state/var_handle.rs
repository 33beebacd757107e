//! `VarHandleOp` and `VarIsInitializedOp`: the handle of a resource variable, and whether there is a variable behind it.

use graph::op::{Container, Kernel, OpContext, Registry, ResourceVariable, ShapeContext};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use tensor::{PartialShape, ResourceHandle, Result, Tensor};

pub(crate) fn register(r: &mut Registry) {
    r.op("VarHandleOp", "-> resource: resource")
        .attr("container: string = ''")
        .attr("shared_name: string = ''")
        .attr("debug_name: string = ''")
        .attr("dtype: type")
        .attr("shape: shape")
        .attr("allowed_devices: list(string) = []")
        .stateful()
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
    r.op("VarIsInitializedOp", "resource: resource -> is_initialized: bool")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(is_initialized_kernel)
        .not_differentiable();
}

/// The type name in handles of variables: the one that TensorFlow's own servers write.
pub(crate) const VARIABLE_TYPE: &str = "N10tensorflow3VarE";

pub(super) fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::scalar());
    let (dtype, shape) = (cx.attr_type("dtype")?, cx.attr_shape("shape")?.clone());
    cx.set_handle(0, dtype, shape);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let place = Container::of_variable(node)?;
    let dtypes_and_shapes = vec![(node.attr_type("dtype")?, node.attr_shape("shape")?.clone())];
    let made: Mutex<Option<Tensor>> = Mutex::new(None);
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        // A kernel stays on one device, so its handle is always the same.
        let mut made = made.lock();
        let handle = made.get_or_insert_with(|| {
            let resources = &cx.step.resources;
            let container = if place.container.is_empty() { resources.default_container() } else { &place.container };
            Tensor::from_handle(ResourceHandle {
                device: cx.step.device.clone(),
                container: container.to_owned(),
                name: place.name.clone(),
                hash_code: crate::handle::type_hash(VARIABLE_TYPE),
                type_name: VARIABLE_TYPE.to_owned(),
                dtypes_and_shapes: dtypes_and_shapes.clone(),
                owner: None,
            })
        });
        let handle = handle.clone();
        drop(made);
        cx.set_output(0, handle);
        Ok(())
    }))
}

fn is_initialized_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let initialized = cx.resource::<ResourceVariable>(0).is_ok_and(|variable| variable.0.is_initialized());
        cx.set_output(0, initialized);
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use graph::AttrValue;
    use graph::op::Value;
    use tensor::{Code, DType, PartialShape, Tensor};

    use crate::testing::{Bench, val};

    fn handle(bench: &Bench) -> Value {
        let attrs: [(&str, AttrValue); 3] =
            [("dtype", DType::Float.into()), ("shape", PartialShape::from([2]).into()), ("shared_name", "v".into())];
        bench.run("VarHandleOp", &attrs, vec![]).unwrap().remove(0)
    }

    #[test]
    fn the_life_of_a_resource_variable() {
        let bench = Bench::new();
        let float: [(&str, AttrValue); 1] = [("dtype", DType::Float.into())];
        let is_initialized = || bench.value("VarIsInitializedOp", &[], vec![handle(&bench)]).unwrap();
        let read = || bench.value("ReadVariableOp", &float, vec![handle(&bench)]);
        assert_eq!(is_initialized(), Tensor::from(false));
        let status = read().unwrap_err();
        assert_eq!(status.code(), Code::FailedPrecondition);
        // TensorFlow 2.21 begins so, and ends with where it looked.
        assert!(status.message().starts_with(
            "Could not find variable v. This could mean that the variable has been deleted. In TF1, it can also mean the \
             variable is uninitialized. Debug info: container=localhost"
        ));
        bench.run("AssignVariableOp", &float, vec![handle(&bench), val([1f32, 2.0])]).unwrap();
        bench.run("AssignAddVariableOp", &float, vec![handle(&bench), val([1f32, 1.0])]).unwrap();
        assert_eq!(is_initialized(), Tensor::from(true));
        assert_eq!(read().unwrap(), Tensor::from([2f32, 3.0]));
        bench.run("DestroyResourceOp", &[], vec![handle(&bench)]).unwrap();
        assert_eq!(is_initialized(), Tensor::from(false));
        bench.run("DestroyResourceOp", &[], vec![handle(&bench)]).unwrap();
        let strict = [("ignore_lookup_error", false.into())];
        assert_eq!(bench.run("DestroyResourceOp", &strict, vec![handle(&bench)]).err().unwrap().code(), Code::NotFound);
    }
}
