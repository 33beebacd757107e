//! Optimizers: from a loss to the nodes that make it smaller. One file each.
//!
//! An optimizer says what it keeps for each variable (its slots), which numbers its steps need, and which op makes a step. All
//! else is here, and is the same for all: gradients, placement beside the variables, rows that come twice, counting steps. The
//! nodes, their names and devices are TensorFlow's.

mod adadelta;
mod adagrad;
mod adam;
mod ftrl;
mod gradient_descent;
mod momentum;
mod rms_prop;
mod scalar;
mod update;

pub use adadelta::Adadelta;
pub use adagrad::Adagrad;
pub use adam::Adam;
pub use ftrl::Ftrl;
pub use gradient_descent::GradientDescent;
pub use momentum::Momentum;
pub use rms_prop::RmsProp;
pub use scalar::Scalar;
pub use update::{Update, UpdateOp};

use graph::{Gradient, Graph, Operand, Operation, Output, gradients};
use tensor::{Result, ensure};

use crate::collections::{add_to_collection, collection, keys};
use crate::slots::{Slot, Slots};
use crate::variable::{Variable, VariableKind};
use crate::variable_lists::trainable_variables;

/// A variable and its gradient; none if the loss does not depend on it.
pub type GradientAndVariable = (Option<Gradient>, Variable);

/// Changes variables along their gradients.
pub trait Optimizer {
    /// The name of the scope that its nodes go to, and of its slots.
    fn name(&self) -> &str;

    /// The variables it has made.
    fn slots(&self) -> &Slots;

    /// What it keeps for every variable, in the order in which the variables are made and [`Update`] has them.
    fn slot_list(&self) -> Vec<Slot>;

    /// Makes the variables that it needs but once.
    fn make_shared(&self, _variables: &[Variable]) {}

    /// The numbers that its steps need, as nodes.
    fn prepare(&self, graph: &Graph) -> Vec<Output>;

    /// The node that changes one variable.
    fn apply(&self, update: &Update<'_>) -> Operation;

    /// Whether rows that come several times in a gradient must be added up before [`apply`](Optimizer::apply).
    fn needs_unique_rows(&self) -> bool {
        true
    }

    /// More nodes, which run after all updates.
    fn finish(&self, _graph: &Graph, _numbers: &[Output], _updates: &[Operation]) -> Vec<Operation> {
        Vec::new()
    }

    /// A node that makes `loss` smaller by changing all trainable variables, and then counts a step.
    ///
    /// # Errors
    /// `InvalidArgument` if no variable has a gradient, or an op on the way has none.
    #[track_caller]
    fn minimize(&self, loss: &Output, global_step: Option<&Variable>) -> Result<Operation> {
        self.apply_gradients(&self.compute_gradients(loss, None)?, global_step)
    }

    /// As [`minimize`](Optimizer::minimize), changing these variables alone.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    fn minimize_over(
        &self,
        loss: &Output,
        global_step: Option<&Variable>,
        variables: &[Variable],
    ) -> Result<Operation> {
        self.apply_gradients(&self.compute_gradients(loss, Some(variables))?, global_step)
    }

    /// The gradients of `loss` with respect to these variables, or to all trainable ones.
    ///
    /// # Errors
    /// `InvalidArgument` if there are no variables, or an op on the way has no gradient.
    fn compute_gradients(&self, loss: &Output, variables: Option<&[Variable]>) -> Result<Vec<GradientAndVariable>> {
        let variables = variables.map_or_else(|| trainable_variables(loss.graph()), <[Variable]>::to_vec);
        ensure!(!variables.is_empty(), InvalidArgument, "No variables to optimize.");
        let handles: Vec<Output> = variables.iter().map(|variable| variable.handle().clone()).collect();
        let found = gradients(std::slice::from_ref(loss), &handles)?;
        Ok(found.into_iter().zip(variables).collect())
    }

    /// A node that changes variables along these gradients, and then counts a step.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no gradient at all.
    #[track_caller]
    fn apply_gradients(&self, gradients: &[GradientAndVariable], global_step: Option<&Variable>) -> Result<Operation> {
        let pairs: Vec<(&Gradient, &Variable)> =
            gradients.iter().filter_map(|(gradient, variable)| Some((gradient.as_ref()?, variable))).collect();
        let names: Vec<&str> = gradients.iter().map(|(_, variable)| variable.name()).collect();
        ensure!(!pairs.is_empty(), InvalidArgument, "No gradients provided for any variable: {names:?}.");
        let graph = pairs[0].1.handle().graph().clone();
        let variables: Vec<Variable> = pairs.iter().map(|(_, variable)| (*variable).clone()).collect();
        let slot_list = self.slot_list();
        let slots: Vec<Vec<Variable>> = graph.without_control_dependencies(|_| {
            self.make_shared(&variables);
            let of = |variable: &Variable| {
                slot_list.iter().map(|slot| self.slots().get_or_make(variable, slot, self.name())).collect()
            };
            variables.iter().map(of).collect()
        });
        let train = graph.with_name_scope(self.name(), |graph| {
            let scope = graph.name_scope();
            let numbers = self.prepare(graph);
            let mut updates = Vec::with_capacity(pairs.len());
            for ((gradient, variable), slots) in pairs.iter().zip(slots) {
                let update = |graph: &Graph| {
                    let gradient = match gradient {
                        Gradient::Slices(slices) if self.needs_unique_rows() => {
                            Gradient::Slices(update::unique_rows(slices))
                        }
                        gradient => (*gradient).clone(),
                    };
                    self.apply(&Update { graph, variable, slots, numbers: &numbers, gradient })
                };
                let beside = |graph: &Graph| graph.with_colocation(&variable.operation(), update);
                updates.push(graph.with_name_scope(&format!("update_{}", variable.name()), beside));
            }
            updates.extend(self.finish(graph, &numbers, &updates));
            match global_step {
                None => graph.group_as(&format!("{scope}/"), &updates),
                Some(counter) => {
                    let updated = graph.group_as("update", &updates);
                    graph.with_control_dependencies(&[updated], |graph| count_step(graph, counter, &scope))
                }
            }
        });
        graph.check()?;
        let name = train.name().unwrap_or_default();
        if !collection(&graph, keys::TRAIN_OP).contains(&name) {
            add_to_collection(&graph, keys::TRAIN_OP, name);
        }
        Ok(train)
    }
}

/// A node of this full name that adds 1 to a counter.
fn count_step(graph: &Graph, counter: &Variable, name: &str) -> Operation {
    let (op, one) = match counter.kind() {
        VariableKind::Ref => ("AssignAdd", "value"),
        VariableKind::Resource => ("AssignAddVariableOp", "Const"),
    };
    graph.with_colocation(&counter.operation(), |graph| {
        let one = 1i32.to_named_output(graph, counter.dtype(), &graph.unique_name(one));
        graph.op(op).name_exactly(name).input(counter.handle()).input(one).build()
    })
}
