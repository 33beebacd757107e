//! Plain gradient descent: `w -= rate * gradient`.

use graph::{Gradient, Graph, Operation, Output};

use super::{Scalar, Update, UpdateRule};
use crate::slots::{Slot, Slots};
use crate::variable::VariableKind;

/// Steps along the gradient, times the learning rate.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let train = GradientDescent::new(0.25).minimize(&(&w * &w), None)?; // the gradient of w^2 at 1 is 2
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&train))?;
/// let value = session.fetch(RunRequest::new().fetch(w.value()))?[0].to_scalar::<f32>()?;
/// assert!((value - 0.5).abs() < 1e-5, "{value}"); // 1 - 0.25 * 2
/// # Ok(())
/// # }
/// ```
pub struct GradientDescent {
    learning_rate: Scalar,
    name: String,
    slots: Slots,
}

impl GradientDescent {
    /// Returns an optimizer with this learning rate.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::exponential_decay;
    /// let g = Graph::new();
    /// let step = get_or_create_global_step(&g);
    /// let fixed = GradientDescent::new(0.5);
    /// let falling = GradientDescent::new(exponential_decay(0.5, &step, 1000.0, 0.9, false));
    /// assert_eq!(fixed.name(), falling.name());
    /// ```
    pub fn new(learning_rate: impl Into<Scalar>) -> GradientDescent {
        GradientDescent {
            learning_rate: learning_rate.into(),
            name: "GradientDescent".to_owned(),
            slots: Slots::default(),
        }
    }

    /// With another name for its nodes.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let train = GradientDescent::new(0.1).named("Sgd").minimize(&(&w * &w), None)?;
    /// assert_eq!(train.name().as_deref(), Some("Sgd"));
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }
}

impl UpdateRule for GradientDescent {
    fn scope(&self) -> &str {
        &self.name
    }

    fn slots(&self) -> &Slots {
        &self.slots
    }

    fn slot_list(&self) -> Vec<Slot> {
        Vec::new()
    }

    fn prepare(&self, graph: &Graph) -> Vec<Output> {
        vec![self.learning_rate.node(graph, "learning_rate")]
    }

    /// Subtracting rows twice is subtracting their sum.
    fn needs_unique_rows(&self) -> bool {
        false
    }

    fn apply(&self, update: &Update<'_>) -> Operation {
        let (graph, variable) = (update.graph, update.variable);
        match (&update.gradient, variable.kind()) {
            (Gradient::Dense(_), _) => update.op("ApplyGradientDescent", &[]).number(0).gradient().build(),
            (Gradient::Slices(rows), VariableKind::Ref) => {
                let step = &rows.values * update.number(0);
                let subtract = graph.op("ScatterSub").input(variable.handle()).input(&rows.indices).input(step);
                if update.use_locking { subtract.attr("use_locking", true).build() } else { subtract.build() }
            }
            (Gradient::Slices(rows), VariableKind::Resource) => {
                let step = -&rows.values * update.number(0);
                graph.op("ResourceScatterAdd").input(variable.handle()).input(&rows.indices).input(step).build()
            }
        }
    }
}
