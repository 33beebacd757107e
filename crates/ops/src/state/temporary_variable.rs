//! `TemporaryVariable` and `DestroyTemporaryVariable`: a variable that ends within the step that made it.

use std::sync::Arc;

use graph::op::{Kernel, OpContext, Registry, Resource, ShapeContext, Variable};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("TemporaryVariable", "-> ref: Ref(dtype)")
        .attr("shape: shape")
        .attr("dtype: type")
        .attr("var_name: string = ''")
        .stateful()
        .shape(shape)
        .any_kernel(make_kernel)
        .not_differentiable();
    r.op("DestroyTemporaryVariable", "ref: Ref(T) -> value: T")
        .attr("T: type")
        .attr("var_name: string")
        .shape(ShapeContext::unchanged)
        .any_kernel(destroy_kernel);
}

const CONTAINER: &str = "_temporary_variables";

struct Temporary(Arc<Variable>);

impl Resource for Temporary {
    fn kind(&self) -> &'static str {
        "TemporaryVariable"
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.attr_shape("shape")?.clone();
    cx.set(0, shape);
    Ok(())
}

/// Each iteration of a loop has its own.
fn place(cx: &OpContext<'_>, name: &str) -> String {
    let (frame, iteration) = cx.frame;
    format!("{name}/{frame}:{iteration}")
}

fn make_kernel(node: &Node) -> Result<Kernel> {
    let (dtype, shape) = (node.attr_type("dtype")?, node.attr_shape("shape")?.clone());
    let Some(size) = shape.to_shape() else {
        bail!(InvalidArgument, "a temporary variable needs a shape that is fully known, not {shape}")
    };
    let name = match node.attr_str("var_name")? {
        "" => node.name.clone(),
        given => given.to_owned(),
    };
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let (own, mut fresh) = (place(cx, &name), false);
        let found = cx.step.step_resources.lookup_or_create(CONTAINER, &own, || {
            fresh = true;
            let variable = Variable::new(name.clone(), dtype, PartialShape::from(&size));
            variable.set(Tensor::zeros(dtype, &size)?);
            Ok(Temporary(Arc::new(variable)))
        })?;
        ensure!(
            fresh,
            AlreadyExists,
            "Resource {CONTAINER}/{own} already exists: a temporary variable is made once a step"
        );
        cx.set_ref(0, found.0.clone());
        Ok(())
    }))
}

fn destroy_kernel(node: &Node) -> Result<Kernel> {
    let name = node.attr_str("var_name")?.to_owned();
    ensure!(!name.is_empty(), InvalidArgument, "var_name cannot be empty");
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let (own, value) = (place(cx, &name), cx.variable(0)?.read()?);
        let removed = cx.step.step_resources.delete::<Temporary>(CONTAINER, &own);
        ensure!(removed, NotFound, "Resource {CONTAINER}/{own} does not exist.");
        cx.set_output(0, value);
        Ok(())
    }))
}
