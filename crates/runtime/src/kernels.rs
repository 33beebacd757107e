//! Kernels that keep state belong to a session, not to a step: all steps that contain the node share one.

use std::collections::HashMap;

use graph::op::{Kernel, Registry, Role};
use graph::{NOT_EXPANDED, Node, ReadAttrs};
use parking_lot::Mutex;
use tensor::{Result, err};

/// The stateful kernels of a session, by node name.
#[derive(Default)]
pub struct KernelCache {
    kernels: Mutex<HashMap<String, Kernel>>,
}

impl KernelCache {
    /// The kernel for a node: a new one if it keeps no state.
    ///
    /// # Errors
    /// `NotFound` if the op or a kernel for its types is not there.
    pub fn kernel(&self, node: &Node) -> Result<Kernel> {
        let spec = node.spec.as_ref().ok_or_else(|| unknown_op(node, &Registry::new()))?;
        // What connects a step with its surroundings has effects, but keeps nothing.
        let connects = matches!(node.role(), Role::Argument | Role::Returned | Role::Send | Role::Receive);
        let shared = spec.def.stateful && !connects;
        if !shared {
            return spec.kernel(node);
        }
        let mut kernels = self.kernels.lock();
        if let Some(kernel) = kernels.get(&node.name) {
            return Ok(kernel.clone());
        }
        let kernel = spec.kernel(node)?;
        kernels.insert(node.name.clone(), kernel.clone());
        Ok(kernel)
    }
}

/// The error for an op that is not registered, or a call of a function that could not be taken apart.
pub(crate) fn unknown_op(node: &Node, registry: &Registry) -> tensor::Status {
    match node.attr_str(NOT_EXPANDED) {
        Ok(why) => err!(Unimplemented, "{why}").at_node(&node.name),
        Err(_) => registry.unknown(&node.op).at_node(&node.name),
    }
}
