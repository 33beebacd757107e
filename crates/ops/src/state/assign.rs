//! `Assign`: gives a variable its value.

use graph::op::{Kernel, OpContext, Registry, Role, ShapeContext};
use graph::{Node, Operation, Output, ReadAttrs};
use tensor::{DType, PartialShape, Result, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("Assign", "ref: Ref(T), value: T -> output_ref: Ref(T)")
        .attr("T: type")
        .attr("validate_shape: bool = true")
        .attr("use_locking: bool = true")
        .allows_uninitialized_input()
        .role(Role::Assign)
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let value = cx.input(1);
    let shape = if cx.attr_bool("validate_shape")? { cx.input(0).merge(&value)? } else { value };
    cx.set(0, shape);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let validate = node.attr_bool("validate_shape")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let variable = cx.variable(0)?.clone();
        let value = owned(cx.take_input(1)?);
        ensure!(
            value.dtype() == variable.dtype(),
            InvalidArgument,
            "variable '{}' holds {}, but a value of type {} was assigned",
            variable.name(),
            variable.dtype(),
            value.dtype()
        );
        variable.replace(|slot| {
            if validate {
                let expected = slot.as_ref().map_or_else(|| variable.shape().clone(), |old| old.shape().into());
                ensure!(
                    expected.is_compatible_with(value.shape()),
                    InvalidArgument,
                    "Assign requires shapes of both tensors to match. lhs shape= {expected} rhs shape= {}",
                    value.shape()
                );
            }
            *slot = Some(value);
            Ok(())
        })?;
        cx.set_ref(0, variable);
        Ok(())
    }))
}

/// A value to keep. A small one gets memory of its own, so that it does not hold on to the message it came in.
pub(crate) fn owned(value: Tensor) -> Tensor {
    const SMALL: usize = 4096;
    if value.byte_size() <= SMALL { value.deep_copy() } else { value }
}

/// Changes variables, by reference and by handle.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant([1f32, 2.0]));
/// let by = g.constant([10f32, 10.0]);
/// let changes = [w.handle().assign(&by), w.handle().assign_add(&by), w.handle().assign_sub(&by)];
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// for (change, value) in changes.iter().zip([10f32, 20.0, 10.0]) {
///     session.run(RunRequest::new().target(change))?;
///     assert_eq!(session.fetch(RunRequest::new().fetch(&*w))?[0], Tensor::from([value; 2]));
/// }
/// # Ok(())
/// # }
/// ```
pub trait AssignOps {
    /// Sets the value of this variable.
    fn assign(&self, value: &Output) -> Operation;
    /// Adds to this variable's value.
    fn assign_add(&self, value: &Output) -> Operation;
    /// Subtracts from this variable's value.
    fn assign_sub(&self, value: &Output) -> Operation;
}

impl AssignOps for Output {
    #[track_caller]
    fn assign(&self, value: &Output) -> Operation {
        change(self, value, "Assign", "AssignVariableOp")
    }

    #[track_caller]
    fn assign_add(&self, value: &Output) -> Operation {
        change(self, value, "AssignAdd", "AssignAddVariableOp")
    }

    #[track_caller]
    fn assign_sub(&self, value: &Output) -> Operation {
        change(self, value, "AssignSub", "AssignSubVariableOp")
    }
}

#[track_caller]
fn change(variable: &Output, value: &Output, by_ref: &str, by_handle: &str) -> Operation {
    let op = if variable.dtype() == Some(DType::Resource) { by_handle } else { by_ref };
    variable.graph().op(op).input(variable).input(value).build()
}

/// For an op that changes a variable by a value of the same shape and passes the reference on.
pub(crate) fn same_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape: PartialShape = cx.input(0).merge(&cx.input(1))?;
    cx.set(0, shape);
    Ok(())
}
