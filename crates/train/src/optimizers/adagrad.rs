//! Adagrad: steps divided by the root of the sum of all squared gradients so far.

use graph::{Graph, Operation, Output};

use super::{Scalar, Update, UpdateRule};
use crate::initializers::Initializer;
use crate::slots::{Slot, Slots};

/// Steps along the gradient, the smaller the more there was to change before.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let train = Adagrad::new(0.1).minimize(&(&w * &w), None)?; // the gradient of w^2 at 1 is 2
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&train))?;
/// let value = session.fetch(RunRequest::new().fetch(w.value()))?[0].to_scalar::<f32>()?;
/// assert!((value - 0.90123).abs() < 1e-5, "{value}"); // 0.1 + 2^2 = 4.1, and 1 - 0.1 * 2 / sqrt(4.1)
/// # Ok(())
/// # }
/// ```
pub struct Adagrad {
    learning_rate: Scalar,
    initial_accumulator_value: f32,
    name: String,
    slots: Slots,
}

impl Adagrad {
    /// With TensorFlow's usual start of the sum of squares, 0.1.
    pub fn new(learning_rate: impl Into<Scalar>) -> Adagrad {
        Adagrad {
            learning_rate: learning_rate.into(),
            initial_accumulator_value: 0.1,
            name: "Adagrad".to_owned(),
            slots: Slots::default(),
        }
    }

    /// What the sum of squares begins with; above 0.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let train = Adagrad::new(0.5).initial_accumulator_value(12.0).minimize(&(&w * &w), None)?;
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// session.eval(&train)?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 0.75); // 12 + 2^2 = 16, and 1 - 0.5 * 2 / sqrt(16)
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn initial_accumulator_value(mut self, value: f32) -> Self {
        self.initial_accumulator_value = value;
        self
    }

    /// With another name for its nodes and slots.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let optimizer = Adagrad::new(0.1).named("Sparse");
    /// optimizer.minimize(&(&w * &w), None)?;
    /// assert_eq!(optimizer.variables()[0].name(), "w/Sparse");
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }
}

impl UpdateRule for Adagrad {
    fn scope(&self) -> &str {
        &self.name
    }

    fn slots(&self) -> &Slots {
        &self.slots
    }

    fn slot_list(&self) -> Vec<Slot> {
        vec![Slot::new("accumulator", Initializer::constant(self.initial_accumulator_value))]
    }

    fn prepare(&self, graph: &Graph) -> Vec<Output> {
        vec![self.learning_rate.node(graph, "learning_rate")]
    }

    fn apply(&self, update: &Update<'_>) -> Operation {
        update.op("ApplyAdagrad", &[&update.slots[0]]).number(0).gradient().build()
    }
}
