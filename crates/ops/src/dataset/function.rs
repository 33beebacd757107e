//! Functions that datasets apply to their elements. The process that runs the dataset calls them.

use std::cell::Cell;
use std::sync::{Arc, OnceLock};

use graph::op::Step;
use graph::{GraphData, Node, ReadAttrs, function_body};
use tensor::{Result, Tensor, ensure, err};

/// How deep functions may name others, which they can do in circles.
const MAX_DEPTH: usize = 16;

thread_local! {
    /// How deep the function lies whose kernels are being made on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// A function of a node. It is made ready when it is first called.
pub(crate) struct Function {
    body: GraphData,
    depth: usize,
    ready: OnceLock<Arc<dyn graph::op::Function>>,
}

impl Function {
    /// The function that an attribute of a node names.
    ///
    /// # Errors
    /// `NotFound` if it is not in the graph's library, or names an op or types without a kernel; `Unimplemented` for functions
    /// that are nested too deep.
    pub(crate) fn of(node: &Node, attr: &str) -> Result<Function> {
        let (function, depth) = (node.attr_function(attr)?, DEPTH.get());
        ensure!(
            depth < MAX_DEPTH,
            Unimplemented,
            "functions of datasets name each other too deep, at '{}'",
            function.name
        );
        let library = node
            .attr_bytes(graph::FUNCTIONS)
            .map_err(|_| err!(NotFound, "the function '{}' is not in the graph's library", function.name))?;
        let registry = crate::registry();
        let body = function_body(function, library, &registry)?;
        // What is not there is refused with the dataset, before anybody asks for an element.
        for node in body.nodes() {
            let spec = node.spec.as_ref().ok_or_else(|| registry.unknown(&node.op).at_node(&node.name))?;
            spec.check_kernel(node)?;
        }
        Ok(Function { body, depth, ready: OnceLock::new() })
    }

    /// # Errors
    /// What a node of the body fails with.
    pub(crate) fn call(&self, step: &Step, args: Vec<Tensor>) -> Result<Vec<Tensor>> {
        match self.ready.get() {
            Some(ready) => ready.call(step, args),
            None => self.prepare(step)?.call(step, args),
        }
    }

    fn prepare(&self, step: &Step) -> Result<&Arc<dyn graph::op::Function>> {
        // The kernels of the body are made now, and with them the functions that it names.
        let outside = DEPTH.replace(self.depth + 1);
        let made = step.host.prepare(&self.body);
        DEPTH.set(outside);
        let made = made?;
        Ok(self.ready.get_or_init(|| made))
    }
}
