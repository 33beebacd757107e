//! Adadelta: steps as long as steps lately were, per unit of gradient.

use graph::{Graph, Operation, Output};

use super::{Scalar, Update, UpdateRule};
use crate::initializers::Initializer;
use crate::slots::{Slot, Slots};

/// The optimizer of Zeiler: it finds the length of its steps by itself.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Adadelta;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let train = Adadelta::new(1.0).minimize(&(&w * &w), None)?; // the gradient of w^2 at 1 is 2
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&train))?;
/// let value = session.fetch(RunRequest::new().fetch(w.value()))?[0].to_scalar::<f32>()?;
/// assert!((value - 0.99955).abs() < 1e-5, "{value}"); // sqrt(1e-8) / sqrt(0.05 * 2^2 + 1e-8) * 2
/// # Ok(())
/// # }
/// ```
pub struct Adadelta {
    learning_rate: Scalar,
    rho: Scalar,
    epsilon: Scalar,
    name: String,
    slots: Slots,
}

impl Adadelta {
    /// With TensorFlow's usual decay of 0.95 and an epsilon of 1e-8.
    pub fn new(learning_rate: impl Into<Scalar>) -> Adadelta {
        Adadelta {
            learning_rate: learning_rate.into(),
            rho: Scalar::Number(0.95),
            epsilon: Scalar::Number(1e-8),
            name: "Adadelta".to_owned(),
            slots: Slots::default(),
        }
    }

    /// The decay of the means of squares.
    #[must_use]
    pub fn rho(mut self, rho: impl Into<Scalar>) -> Self {
        self.rho = rho.into();
        self
    }

    /// What is added to the means of squares, so that none is zero.
    #[must_use]
    pub fn epsilon(mut self, epsilon: impl Into<Scalar>) -> Self {
        self.epsilon = epsilon.into();
        self
    }

    /// With another name for its nodes and slots.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Adadelta;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let optimizer = Adadelta::new(1.0).rho(0.9).epsilon(1e-6).named("Slow");
    /// optimizer.minimize(&(&w * &w), None)?;
    /// assert_eq!((optimizer.name(), optimizer.variables()[0].name()), ("Slow", "w/Slow"));
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }
}

impl UpdateRule for Adadelta {
    fn scope(&self) -> &str {
        &self.name
    }

    fn slots(&self) -> &Slots {
        &self.slots
    }

    fn slot_list(&self) -> Vec<Slot> {
        vec![Slot::new("accum", Initializer::Zeros), Slot::new("accum_update", Initializer::Zeros)]
    }

    fn prepare(&self, graph: &Graph) -> Vec<Output> {
        vec![self.learning_rate.node(graph, "lr"), self.rho.node(graph, "rho"), self.epsilon.node(graph, "epsilon")]
    }

    fn apply(&self, update: &Update<'_>) -> Operation {
        let slots: Vec<_> = update.slots.iter().collect();
        update.op("ApplyAdadelta", &slots).number(0).number(1).number(2).gradient().build()
    }
}
