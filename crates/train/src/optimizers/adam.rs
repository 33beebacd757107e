//! Adam: steps along a running mean of gradients, divided by the root of a running mean of their squares.

use graph::{Graph, Operand, Operation, Output};

use super::Optimizer;
use crate::variable::{Variable, VariableKind};

/// The optimizer of Kingma and Ba. Its first step is as long as the learning rate.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let train = Adam::new(0.1).minimize(&(&*w * &*w), None)?; // the gradient of w^2 at 1 is 2
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&train))?;
/// let value = session.fetch(RunRequest::new().fetch(w.value()))?[0].to_scalar::<f32>()?;
/// assert!((value - 0.9).abs() < 1e-6, "{value}");
/// # Ok(())
/// # }
/// ```
pub struct Adam {
    learning_rate: f32,
    beta1: f32,
    beta2: f32,
    epsilon: f32,
}

impl Adam {
    /// With TensorFlow's usual decay rates: 0.9 and 0.999, and an epsilon of 1e-8.
    pub fn new(learning_rate: f32) -> Adam {
        Adam { learning_rate, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }
}

/// The powers of the decay rates, and the two means of every variable.
pub struct Slots {
    beta1_power: Variable,
    beta2_power: Variable,
    means: Vec<(String, Variable, Variable)>,
}

impl Optimizer for Adam {
    fn name(&self) -> &'static str {
        "Adam"
    }

    type Prepared = Slots;
    fn prepare(&self, graph: &Graph, variables: &[Variable]) -> Slots {
        let power = |name: &str, value: f32| match variables.first() {
            Some(first) => graph
                .with_colocation(&first.handle().operation(), |graph| Variable::untrained(name, graph.constant(value))),
            None => Variable::untrained(name, graph.constant(value)),
        };
        let slot = |variable: &Variable, name: &str| {
            graph.with_colocation(&variable.handle().operation(), |graph| {
                Variable::untrained(&format!("{}/{name}", variable.name()), super::zeros_of(graph, variable))
            })
        };
        let (beta1_power, beta2_power) = (power("beta1_power", self.beta1), power("beta2_power", self.beta2));
        let means = variables.iter().map(|v| (v.name().to_owned(), slot(v, "Adam"), slot(v, "Adam_1"))).collect();
        Slots { beta1_power, beta2_power, means }
    }

    fn apply(&self, slots: &Slots, variable: &Variable, gradient: &Output) -> Operation {
        let graph = gradient.graph();
        let number = |value: f32| value.to_output(graph, variable.dtype());
        let Some((_, m, v)) = slots.means.iter().find(|(name, ..)| name == variable.name()) else {
            graph.note_mistake(tensor::err!(Internal, "variable {} has no slots", variable.name()));
            return graph.group(&[]);
        };
        let op = match variable.kind() {
            VariableKind::Ref => "ApplyAdam",
            VariableKind::Resource => "ResourceApplyAdam",
        };
        let update = graph.op(op).input(variable.handle()).input(m.handle()).input(v.handle());
        let update = update.input(slots.beta1_power.value()).input(slots.beta2_power.value());
        let update = update.input(number(self.learning_rate)).input(number(self.beta1)).input(number(self.beta2));
        update.input(number(self.epsilon)).input(gradient).build()
    }

    /// The powers advance once all updates have read them.
    fn finish(&self, slots: &Slots, updates: &[Operation]) -> Vec<Operation> {
        let Some(graph) = updates.first().map(|update| update.graph().clone()) else { return Vec::new() };
        graph.with_control_dependencies(updates, |_| {
            let advance = |power: &Variable, beta: f32| power.assign(power.value() * beta);
            vec![advance(&slots.beta1_power, self.beta1), advance(&slots.beta2_power, self.beta2)]
        })
    }
}
