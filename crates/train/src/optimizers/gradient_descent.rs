//! Plain gradient descent: `w -= rate * gradient`.

use graph::{Graph, Operand, Operation, Output};

use super::Optimizer;
use crate::variable::{Variable, VariableKind};

/// Steps along the gradient, times the learning rate.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let train = GradientDescent::new(0.25).minimize(&(&*w * &*w), None)?; // the gradient of w^2 at 1 is 2
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&train))?;
/// let value = session.fetch(RunRequest::new().fetch(w.value()))?[0].to_scalar::<f32>()?;
/// assert!((value - 0.5).abs() < 1e-6, "{value}");
/// # Ok(())
/// # }
/// ```
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
