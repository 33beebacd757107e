//! `GetSessionHandle`, `GetSessionHandleV2`, `GetSessionTensor`, `DeleteSessionTensor`: values that stay on their
//! device between steps.

use std::sync::Arc;

use graph::op::{Kernel, OpContext, Registry, Resource, Resources, ShapeContext};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use tensor::{Result, Tensor, bail, ensure, err};

use super::stack::{next_number, step_handle};

const CONTAINER: &str = "_session_tensors";

pub(crate) fn register(r: &mut Registry) {
    r.op("GetSessionHandle", "value: T -> handle: string")
        .attr("T: type")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(keep_kernel)
        .not_differentiable();
    r.op("GetSessionHandleV2", "value: T -> handle: resource")
        .attr("T: type")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(keep_kernel)
        .not_differentiable();
    r.op("GetSessionTensor", "handle: string -> value: dtype")
        .attr("dtype: type")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(get_kernel)
        .not_differentiable();
    r.op("DeleteSessionTensor", "handle: string ->").stateful().any_kernel(delete_kernel).not_differentiable();
}

struct Kept(Tensor);

impl Resource for Kept {
    fn kind(&self) -> &'static str {
        "SessionTensor"
    }
}

/// The tensors that a session's kernel has kept; they go with it, as the session does.
#[derive(Default)]
struct Keeper(Mutex<Vec<(Arc<dyn Resources>, String)>>);

impl Keeper {
    fn note(&self, resources: &Arc<dyn Resources>, name: &str) {
        let mut kept = self.0.lock();
        // Those that were deleted meanwhile need no note.
        if kept.len().is_power_of_two() {
            kept.retain(|(resources, name)| resources.lookup::<Kept>(CONTAINER, name).is_some());
        }
        kept.push((resources.clone(), name.to_owned()));
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        for (resources, name) in self.0.get_mut().drain(..) {
            resources.delete::<Kept>(CONTAINER, &name);
        }
    }
}

fn keep_kernel(node: &Node) -> Result<Kernel> {
    let by_resource = node.op.ends_with("V2");
    let keeper = Keeper::default();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let value = cx.take_input(0)?;
        let name = format!("{};{};{}", cx.node.name, next_number(), cx.step.device);
        cx.step.resources.lookup_or_create(CONTAINER, &name, || Ok(Kept(value)))?;
        keeper.note(&cx.step.resources, &name);
        let handle = if by_resource { step_handle(cx, CONTAINER, name, "SessionTensor") } else { Tensor::from(name) };
        cx.set_output(0, handle);
        Ok(())
    }))
}

fn name_of(cx: &OpContext<'_>) -> Result<String> {
    let handle = cx.input(0)?;
    ensure!(handle.shape().is_scalar(), InvalidArgument, "handle must be scalar");
    match std::str::from_utf8(handle.to_string_scalar()?) {
        Ok(name) => Ok(name.to_owned()),
        Err(_) => bail!(InvalidArgument, "The handle is not UTF-8"),
    }
}

fn missing(name: &str) -> tensor::Status {
    err!(InvalidArgument, "The tensor with handle '{name}' is not in the session store.")
}

fn get_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let name = name_of(cx)?;
        let kept = cx.step.resources.lookup::<Kept>(CONTAINER, &name).ok_or_else(|| missing(&name))?;
        ensure!(
            kept.0.dtype() == dtype,
            InvalidArgument,
            "The tensor with handle '{name}' is of type {}, not {dtype}",
            kept.0.dtype()
        );
        cx.set_output(0, kept.0.clone());
        Ok(())
    }))
}

fn delete_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let name = name_of(cx)?;
        match cx.step.resources.delete::<Kept>(CONTAINER, &name) {
            true => Ok(()),
            false => Err(missing(&name)),
        }
    }))
}
