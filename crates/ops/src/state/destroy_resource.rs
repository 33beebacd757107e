//! `DestroyResourceOp`: takes a resource away.

use std::any::TypeId;

use graph::op::{Kernel, OpContext, Registry, ResourceVariable, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, bail};

use super::var_handle::VARIABLE_TYPE;

pub(crate) fn register(r: &mut Registry) {
    r.op("DestroyResourceOp", "resource: resource ->")
        .attr("ignore_lookup_error: bool = true")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(destroy_kernel)
        .not_differentiable();
}

fn destroy_kernel(node: &Node) -> Result<Kernel> {
    let ignore = node.attr_bool("ignore_lookup_error")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let handle = match cx.input(0)?.handles()? {
            [handle] => handle,
            other => bail!(InvalidArgument, "expected one resource handle, got {}", other.len()),
        };
        let mut removed = false;
        for kind in kinds(&handle.type_name) {
            removed |= cx.step.resources.remove(&handle.container, kind, &handle.name);
        }
        if removed || ignore {
            return Ok(());
        }
        Err(cx.step.resources.missing(&handle.container, &handle.name, &handle.type_name))
    }))
}

/// The kinds of resources that handles of this type name may stand for.
fn kinds(type_name: &str) -> Vec<TypeId> {
    match type_name {
        VARIABLE_TYPE => vec![TypeId::of::<ResourceVariable>()],
        other => crate::handle::kind_of(other).into_iter().collect(),
    }
}
