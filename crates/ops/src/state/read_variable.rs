//! `ReadVariableOp`: a resource variable's value.

use graph::op::{GradContext, Kernel, OpContext, Registry, ResourceVariable, ShapeContext, Variable};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::{Code, DType, Result, Tensor, ensure, err};

pub(crate) fn register(r: &mut Registry) {
    r.op("ReadVariableOp", "resource: resource -> value: dtype")
        .attr("dtype: type")
        .stateful()
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    if let Some((dtype, shape)) = cx.handle(0) {
        let wanted = cx.attr_type("dtype")?;
        ensure!(
            dtype == wanted,
            InvalidArgument,
            "Trying to read variable with wrong dtype. Expected {dtype} got {wanted}"
        );
        cx.set(0, shape);
    }
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let value = read(cx, dtype)?;
        cx.set_output(0, value);
        Ok(())
    }))
}

fn read(cx: &OpContext<'_>, dtype: DType) -> Result<Tensor> {
    let missing = |why: String| {
        let place = cx.input(0).and_then(|handle| handle.handles()).ok().and_then(|handles| handles.first());
        let (name, container) = place.map_or(("", ""), |handle| (&handle.name, &handle.container));
        err!(
            FailedPrecondition,
            "Could not find variable {name}. This could mean that the variable has been deleted. In TF1, it can also \
             mean the variable is uninitialized. Debug info: container={container}, status error message={why}"
        )
    };
    let found = match cx.resource::<ResourceVariable>(0) {
        Ok(found) => found,
        Err(status) if status.code() == Code::NotFound => return Err(missing(status.message().to_owned())),
        Err(status) => return Err(status),
    };
    let variable: &Variable = &found.0;
    let value = variable.snapshot().ok_or_else(|| missing(format!("'{}' has no value yet", variable.name())))?;
    ensure!(
        value.dtype() == dtype,
        InvalidArgument,
        "Trying to read variable with wrong dtype. Expected {dtype} got {}",
        value.dtype()
    );
    Ok(value)
}

/// The gradient belongs to the variable, of which the handle stands for all.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![cx.grad(0).cloned()])
}

/// Values of variables that are known by a handle (`ReadVariableOp`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::VariableKind;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// Variable::set_kind(&g, VariableKind::Resource);
/// let w = Variable::new("w", g.constant([1f32, 2.0]));
/// let value = w.handle().read_variable(DType::Float);
/// let init = global_variables_initializer(&g);
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&init))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&value))?[0], Tensor::from([1f32, 2.0]));
/// # Ok(())
/// # }
/// ```
pub trait ReadVariableOps {
    /// Returns the value of the variable that this handle leads to.
    fn read_variable(&self, dtype: DType) -> Output;
}

impl ReadVariableOps for Output {
    #[track_caller]
    fn read_variable(&self, dtype: DType) -> Output {
        self.graph().op("ReadVariableOp").input(self).attr("dtype", dtype).output()
    }
}
