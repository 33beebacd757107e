//! Momentum: steps along a decaying sum of gradients.

use graph::{Graph, Operation, Output};

use super::{Scalar, Update, UpdateRule};
use crate::initializers::Initializer;
use crate::slots::{Slot, Slots};

/// Steps along a sum of gradients in which older ones count less and less; with Nesterov's correction if asked for.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let train = Momentum::new(0.1, 0.9).minimize(&(&w * &w), None)?; // the gradient of w^2 at 1 is 2
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&train))?;
/// let value = session.fetch(RunRequest::new().fetch(w.value()))?[0].to_scalar::<f32>()?;
/// assert!((value - 0.8).abs() < 1e-5, "{value}"); // 1 - 0.1 * 2
/// # Ok(())
/// # }
/// ```
pub struct Momentum {
    learning_rate: Scalar,
    momentum: Scalar,
    nesterov: bool,
    name: String,
    slots: Slots,
}

impl Momentum {
    /// Returns an optimizer with this learning rate, which keeps this part of its last step.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let train = Momentum::new(0.25, 0.5).minimize(&(&w * 2.0), None)?; // the gradient is always 2
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// session.eval(&train)?;
    /// session.eval(&train)?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, -0.25); // 1 - 0.25 * 2 - 0.25 * (2 + 0.5 * 2)
    /// # Ok::<(), Status>(())
    /// ```
    pub fn new(learning_rate: impl Into<Scalar>, momentum: impl Into<Scalar>) -> Momentum {
        Momentum {
            learning_rate: learning_rate.into(),
            momentum: momentum.into(),
            nesterov: false,
            name: "Momentum".to_owned(),
            slots: Slots::default(),
        }
    }

    /// With Nesterov's correction: the step looks ahead by the momentum.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let train = Momentum::new(0.25, 0.5).nesterov().minimize(&(&w * &w), None)?;
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// session.eval(&train)?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 0.25); // 1 - 0.25 * (2 + 0.5 * 2)
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn nesterov(mut self) -> Self {
        self.nesterov = true;
        self
    }

    /// With another name for its nodes and slots.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let optimizer = Momentum::new(0.1, 0.9).named("Heavy");
    /// optimizer.minimize(&(&w * &w), None)?;
    /// assert_eq!(optimizer.variables()[0].name(), "w/Heavy");
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }
}

impl UpdateRule for Momentum {
    fn scope(&self) -> &str {
        &self.name
    }

    fn slots(&self) -> &Slots {
        &self.slots
    }

    fn slot_list(&self) -> Vec<Slot> {
        vec![Slot::new("momentum", Initializer::Zeros)]
    }

    fn prepare(&self, graph: &Graph) -> Vec<Output> {
        vec![self.learning_rate.node(graph, "learning_rate"), self.momentum.node(graph, "momentum")]
    }

    fn apply(&self, update: &Update<'_>) -> Operation {
        let op = update.op("ApplyMomentum", &[&update.slots[0]]).number(0).gradient().number(1);
        op.attr("use_nesterov", self.nesterov).build()
    }
}
