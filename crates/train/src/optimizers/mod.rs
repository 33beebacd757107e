//! Optimizers: from a loss to the nodes that make it smaller. One file each.

mod adam;
mod gradient_descent;

pub use adam::Adam;
pub use gradient_descent::GradientDescent;

use graph::{Graph, Operation, Output, gradients};
use ops::prelude::*;
use tensor::{Result, ensure, err};

use crate::variable::Variable;
use crate::variable_lists::trainable_variables;

/// Changes variables along their gradients.
pub trait Optimizer {
    /// The name of the scope that its nodes go to.
    fn name(&self) -> &'static str;

    /// Nodes shared by all updates: learning rates and the like.
    type Prepared;
    fn prepare(&self, graph: &Graph, variables: &[Variable]) -> Self::Prepared;

    /// The node that changes one variable.
    fn apply(&self, prepared: &Self::Prepared, variable: &Variable, gradient: &Output) -> Operation;

    /// Nodes that must run after all updates.
    fn finish(&self, _prepared: &Self::Prepared, _updates: &[Operation]) -> Vec<Operation> {
        Vec::new()
    }

    /// A node that makes `loss` smaller by changing all trainable variables, and then counts a step.
    ///
    /// # Errors
    /// `InvalidArgument` if no variable has a gradient, or an op on the way has none.
    fn minimize(&self, loss: &Output, global_step: Option<&Variable>) -> Result<Operation> {
        let graph = loss.graph().clone();
        let variables = trainable_variables(&graph);
        let handles: Vec<Output> = variables.iter().map(|variable| variable.handle().clone()).collect();
        let found = gradients(std::slice::from_ref(loss), &handles)?;
        let pairs: Vec<(Variable, Output)> = variables
            .into_iter()
            .zip(found)
            .filter_map(|(variable, gradient)| Some((variable, gradient?.to_dense())))
            .collect();
        ensure!(!pairs.is_empty(), InvalidArgument, "the loss depends on no trainable variable");
        let variables: Vec<Variable> = pairs.iter().map(|(variable, _)| variable.clone()).collect();
        let prepared = self.prepare(&graph, &variables);
        graph.with_name_scope(self.name(), |graph| {
            let mut updates = Vec::with_capacity(pairs.len());
            for (variable, gradient) in &pairs {
                let scope = format!("update_{}", variable.name());
                let owner = variable.handle().operation();
                let update =
                    |graph: &Graph| graph.with_colocation(&owner, |_| self.apply(&prepared, variable, gradient));
                updates.push(graph.with_name_scope(&scope, update));
            }
            updates.extend(self.finish(&prepared, &updates));
            let step = match global_step {
                None => graph.group(&updates),
                Some(counter) => graph.with_control_dependencies(&updates, |_| counter.assign_add(1)),
            };
            graph.check()?;
            Ok(step)
        })
    }
}

/// Zeros of a variable's type and shape, which must be known: slots are initialised together with their variables, in any
/// order.
fn zeros_of(graph: &Graph, variable: &Variable) -> Output {
    match (variable.shape().to_shape(), variable.dtype()) {
        (Some(shape), Some(dtype)) => graph.zeros(shape.dims(), dtype),
        _ => {
            graph.note_mistake(err!(
                InvalidArgument,
                "variable '{}' must have a known shape to get a slot, not {}",
                variable.name(),
                variable.shape()
            ));
            variable.value().clone()
        }
    }
}
