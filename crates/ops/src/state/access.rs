//! The two ways in which ops reach a variable: by reference, or by a resource handle.

use std::sync::Arc;

use graph::op::{OpContext, ResourceVariable, ShapeContext, Variable};
use tensor::{DType, PartialShape, Result};

/// How an op's variable arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Access {
    Ref,
    Resource,
}

/// The variable in an input.
///
/// # Errors
/// `NotFound` if a handle leads nowhere; `InvalidArgument` if it leads to another device.
pub(crate) fn variable_of(cx: &OpContext<'_>, index: usize, access: Access) -> Result<Arc<Variable>> {
    match access {
        Access::Ref => cx.variable(index).cloned(),
        Access::Resource => Ok(cx.resource::<ResourceVariable>(index)?.0.clone()),
    }
}

impl Access {
    /// What is known of the shape of the variable in an input.
    pub(crate) fn shape(self, cx: &ShapeContext<'_>, index: usize) -> PartialShape {
        match self {
            Access::Ref => cx.input(index),
            Access::Resource => cx.handle(index).map(|(_, shape)| shape).unwrap_or_default(),
        }
    }
}

/// All types that add and subtract.
pub(crate) const ARITHMETIC: &[DType] = graph::op::types::NUMBERS;
