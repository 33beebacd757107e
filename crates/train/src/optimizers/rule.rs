//! Update rules: the part of an optimizer that is its own, and what is the same for all of them.

use graph::{Gradient, Graph, Operand, Operation, Output};
use tensor::{Result, ensure};

use super::update::unique_rows;
use super::{GradientAndVariable, Update};
use crate::collections::{add_to_collection, collection, keys};
use crate::slots::{Slot, Slots};
use crate::variable::{Variable, VariableKind};

/// How one variable is changed along its gradient: what the author of an [`Optimizer`](super::Optimizer) writes.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Slot, Slots, Update, UpdateRule};
/// /// Steps of the same length whatever the gradient, along its sign.
/// #[derive(Default)]
/// struct SignDescent {
///     slots: Slots,
/// }
///
/// impl UpdateRule for SignDescent {
///     fn scope(&self) -> &str {
///         "SignDescent"
///     }
///     fn slots(&self) -> &Slots {
///         &self.slots
///     }
///     fn slot_list(&self) -> Vec<Slot> {
///         Vec::new()
///     }
///     fn prepare(&self, graph: &tensorfleet::graph::Graph) -> Vec<Output> {
///         vec![graph.constant(0.125f32)]
///     }
///     fn apply(&self, update: &Update<'_>) -> Operation {
///         let gradient = update.gradient.clone().to_dense();
///         update.variable.assign_sub(gradient.sign() * update.number(0))
///     }
/// }
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let train = SignDescent::default().minimize(&(&w * &w), None)?;
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&train))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(w.value()))?, [Tensor::from(0.875f32)]);
/// # Ok(())
/// # }
/// ```
pub trait UpdateRule: Send + Sync {
    /// Returns the name of the scope that its nodes go to; slots are named after it (`w/Adam`).
    fn scope(&self) -> &str;

    /// Returns the variables that it has made so far.
    fn slots(&self) -> &Slots;

    /// Returns what it keeps for every variable, in the order in which the variables are made and [`Update`] has them.
    fn slot_list(&self) -> Vec<Slot>;

    /// Makes the variables that it needs once and not for each variable.
    fn make_shared(&self, _variables: &[Variable]) {}

    /// Returns the numbers that its steps need, as nodes.
    fn prepare(&self, graph: &Graph) -> Vec<Output>;

    /// Returns the node that changes one variable.
    fn apply(&self, update: &Update<'_>) -> Operation;

    /// Returns whether rows that come several times in a gradient must be added up before [`apply`](UpdateRule::apply).
    fn needs_unique_rows(&self) -> bool {
        true
    }

    /// Returns whether the op of a step locks the variable while it changes it.
    ///
    /// Ops that are begun with [`Update::op`] are told so; an op of another kind is told by
    /// [`Update::use_locking`].
    fn use_locking(&self) -> bool {
        false
    }

    /// Returns more nodes, which run after all updates.
    fn finish(&self, _graph: &Graph, _numbers: &[Output], _updates: &[Operation]) -> Vec<Operation> {
        Vec::new()
    }
}

/// Returns the node that changes variables along these gradients by a rule, and then counts a step. Its nodes are in a scope of
/// this name; slots are named after the rule all the same.
///
/// [`Optimizer::apply_gradients`](super::Optimizer::apply_gradients) does so in the scope of the rule's own name.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::apply_rule;
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let momentum = Momentum::new(0.25, 0.9);
/// let gradients = momentum.compute_gradients(&(&w * &w), None)?;
/// let train = apply_rule(&momentum, "train", &gradients, None)?;
/// assert_eq!(train.name().unwrap(), "train");
/// assert_eq!(momentum.slot(&w, "momentum").unwrap().name(), "w/Momentum");
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// `InvalidArgument` if there is no gradient at all.
#[track_caller]
pub fn apply_rule(
    rule: &dyn UpdateRule,
    scope: &str,
    gradients: &[GradientAndVariable],
    global_step: Option<&Variable>,
) -> Result<Operation> {
    let pairs: Vec<(&Gradient, &Variable)> =
        gradients.iter().filter_map(|(gradient, variable)| Some((gradient.as_ref()?, variable))).collect();
    let names: Vec<&str> = gradients.iter().map(|(_, variable)| variable.name()).collect();
    ensure!(!pairs.is_empty(), InvalidArgument, "No gradients provided for any variable: {names:?}.");
    let graph = pairs[0].1.handle().graph().clone();
    let variables: Vec<Variable> = pairs.iter().map(|(_, variable)| (*variable).clone()).collect();
    let slot_list = rule.slot_list();
    let slots: Vec<Vec<Variable>> = graph.without_control_dependencies(|_| {
        rule.make_shared(&variables);
        let of = |variable: &Variable| {
            slot_list.iter().map(|slot| rule.slots().get_or_make(variable, slot, rule.scope())).collect()
        };
        variables.iter().map(of).collect()
    });
    let train = graph.with_name_scope(scope, |graph| {
        let scope = graph.name_scope();
        let numbers = rule.prepare(graph);
        let mut updates = Vec::with_capacity(pairs.len());
        for ((gradient, variable), slots) in pairs.iter().zip(slots) {
            let update = |graph: &Graph| {
                let gradient = match gradient {
                    Gradient::Slices(slices) if rule.needs_unique_rows() => Gradient::Slices(unique_rows(slices)),
                    gradient => (*gradient).clone(),
                };
                rule.apply(&Update {
                    graph,
                    variable,
                    slots,
                    numbers: &numbers,
                    gradient,
                    use_locking: rule.use_locking(),
                })
            };
            let beside = |graph: &Graph| graph.with_colocation(&variable.operation(), update);
            updates.push(graph.with_name_scope(&format!("update_{}", variable.name()), beside));
        }
        updates.extend(rule.finish(graph, &numbers, &updates));
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
