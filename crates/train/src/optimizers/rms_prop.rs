//! RMSProp: steps divided by the root of a running mean of squared gradients.

use graph::{Graph, Operation, Output};

use super::{Scalar, Update, UpdateRule};
use crate::initializers::Initializer;
use crate::slots::{Slot, Slots};

/// Steps along the gradient divided by its usual size lately, with momentum if asked for.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::RmsProp;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let train = RmsProp::new(0.1).minimize(&(&w * &w), None)?; // the gradient of w^2 at 1 is 2
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&train))?;
/// let value = session.fetch(RunRequest::new().fetch(w.value()))?[0].to_scalar::<f32>()?;
/// assert!((value - 0.82459).abs() < 1e-5, "{value}"); // 1 + 0.1 * (2^2 - 1) = 1.3, and 1 - 0.1 * 2 / sqrt(1.3)
/// # Ok(())
/// # }
/// ```
pub struct RmsProp {
    learning_rate: Scalar,
    decay: Scalar,
    momentum: Scalar,
    epsilon: Scalar,
    centered: bool,
    name: String,
    slots: Slots,
}

impl RmsProp {
    /// With TensorFlow's usual decay of 0.9, no momentum, and an epsilon of 1e-10.
    pub fn new(learning_rate: impl Into<Scalar>) -> RmsProp {
        RmsProp {
            learning_rate: learning_rate.into(),
            decay: Scalar::Number(0.9),
            momentum: Scalar::Number(0.0),
            epsilon: Scalar::Number(1e-10),
            centered: false,
            name: "RMSProp".to_owned(),
            slots: Slots::default(),
        }
    }

    /// The decay of the mean of squares: 0.9 unless told otherwise.
    #[must_use]
    pub fn decay(mut self, decay: impl Into<Scalar>) -> Self {
        self.decay = decay.into();
        self
    }

    /// How much of the last step is kept: nothing unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::RmsProp;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let optimizer = RmsProp::new(0.1).decay(0.5).momentum(0.9).epsilon(1e-8);
    /// optimizer.minimize(&(&w * &w), None)?;
    /// assert_eq!(optimizer.slot(&w, "momentum").unwrap().name(), "w/RMSProp_1");
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn momentum(mut self, momentum: impl Into<Scalar>) -> Self {
        self.momentum = momentum.into();
        self
    }

    /// What is added to the mean of squares, so that it is not zero.
    #[must_use]
    pub fn epsilon(mut self, epsilon: impl Into<Scalar>) -> Self {
        self.epsilon = epsilon.into();
        self
    }

    /// Divides by the variance of the gradients instead of their squares: a mean of gradients is kept too.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::RmsProp;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let optimizer = RmsProp::new(0.1).centered().named("Centered");
    /// optimizer.minimize(&(&w * &w), None)?;
    /// assert_eq!(optimizer.variables().len(), 3); // means of squares and of gradients, and the momentum
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn centered(mut self) -> Self {
        self.centered = true;
        self
    }

    /// With another name for its nodes and slots.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }
}

impl UpdateRule for RmsProp {
    fn scope(&self) -> &str {
        &self.name
    }

    fn slots(&self) -> &Slots {
        &self.slots
    }

    fn slot_list(&self) -> Vec<Slot> {
        let mut slots = vec![Slot::new("rms", Initializer::Ones)];
        if self.centered {
            slots.push(Slot::new("mg", Initializer::Zeros));
        }
        slots.push(Slot::new("momentum", Initializer::Zeros));
        slots
    }

    fn prepare(&self, graph: &Graph) -> Vec<Output> {
        vec![
            self.learning_rate.node(graph, "learning_rate"),
            self.decay.node(graph, "decay"),
            self.momentum.node(graph, "momentum"),
            self.epsilon.node(graph, "epsilon"),
        ]
    }

    fn apply(&self, update: &Update<'_>) -> Operation {
        let op = match &update.slots[..] {
            [rms, mean, momentum] => update.op("ApplyCenteredRMSProp", &[mean, rms, momentum]),
            slots => update.op("ApplyRMSProp", &slots.iter().collect::<Vec<_>>()),
        };
        op.number(0).number(1).number(2).number(3).gradient().build()
    }
}
