//! Plain gradient descent: `w -= rate * gradient`.

use graph::{Graph, Operand, Operation, Output};

use super::Optimizer;
use crate::variable::{Variable, VariableKind};

pub struct GradientDescent {
    learning_rate: f32,
}

impl GradientDescent {
    pub fn new(learning_rate: f32) -> GradientDescent {
        GradientDescent { learning_rate }
    }
}

impl Optimizer for GradientDescent {
    fn name(&self) -> &'static str {
        "GradientDescent"
    }

    type Prepared = ();
    fn prepare(&self, _: &Graph, _: &[Variable]) {}

    fn apply(&self, _: &(), variable: &Variable, gradient: &Output) -> Operation {
        let graph = gradient.graph();
        let rate = self.learning_rate.to_output(graph, variable.dtype());
        let op = match variable.kind() {
            VariableKind::Ref => "ApplyGradientDescent",
            VariableKind::Resource => "ResourceApplyGradientDescent",
        };
        graph.op(op).input(variable.handle()).input(rate).input(gradient).build()
    }
}
