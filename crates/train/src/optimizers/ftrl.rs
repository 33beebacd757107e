//! FTRL-proximal: for sparse models, with L1 and L2 regularization.

use std::sync::Arc;

use graph::{Graph, Operand, Operation, Output};
use ops::prelude::*;
use tensor::DType;

use super::{Scalar, Update, UpdateRule};
use crate::initializers::Initializer;
use crate::slots::{Slot, Slots};

/// The optimizer of McMahan et al.: with L1 regularization many weights become exactly 0.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Ftrl;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let train = Ftrl::new(0.1).minimize(&(&w * &w), None)?; // the gradient of w^2 at 1 is 2
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&train))?;
/// let value = session.fetch(RunRequest::new().fetch(w.value()))?[0].to_scalar::<f32>()?;
/// assert!((value - 0.74506).abs() < 1e-5, "{value}"); // (sqrt(4.1) - sqrt(0.1) - 0.1 * 2) / sqrt(4.1)
/// # Ok(())
/// # }
/// ```
pub struct Ftrl {
    learning_rate: Scalar,
    learning_rate_power: f64,
    initial_accumulator_value: f32,
    l1: f64,
    l2: f64,
    l2_shrinkage: f64,
    beta: f64,
    name: String,
    slots: Slots,
}

impl Ftrl {
    /// With TensorFlow's usual power of -0.5, start of the sum of squares of 0.1, and no regularization.
    pub fn new(learning_rate: impl Into<Scalar>) -> Ftrl {
        Ftrl {
            learning_rate: learning_rate.into(),
            learning_rate_power: -0.5,
            initial_accumulator_value: 0.1,
            l1: 0.0,
            l2: 0.0,
            l2_shrinkage: 0.0,
            beta: 0.0,
            name: "Ftrl".to_owned(),
            slots: Slots::default(),
        }
    }

    /// How the rate falls with the sum of squares; 0 or less.
    #[must_use]
    pub fn learning_rate_power(mut self, power: f64) -> Self {
        self.learning_rate_power = power;
        self
    }

    /// What the sum of squares begins with.
    #[must_use]
    pub fn initial_accumulator_value(mut self, value: f32) -> Self {
        self.initial_accumulator_value = value;
        self
    }

    /// The penalty on absolute values.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Ftrl;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(0.1f32));
    /// let train = Ftrl::new(0.1).l1_regularization_strength(10.0).minimize(&(&w * &w), None)?;
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// session.eval(&train)?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 0.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn l1_regularization_strength(mut self, strength: f64) -> Self {
        self.l1 = strength;
        self
    }

    /// The penalty on squares.
    #[must_use]
    pub fn l2_regularization_strength(mut self, strength: f64) -> Self {
        self.l2 = strength;
        self
    }

    /// A penalty on the weights as they are, which does not count in the sum of squares.
    #[must_use]
    pub fn l2_shrinkage_regularization_strength(mut self, strength: f64) -> Self {
        self.l2_shrinkage = strength;
        self
    }

    /// What is added to the root of the sum of squares.
    #[must_use]
    pub fn beta(mut self, beta: f64) -> Self {
        self.beta = beta;
        self
    }

    /// With another name for its nodes and slots.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Ftrl;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let optimizer = Ftrl::new(0.1).learning_rate_power(-0.5).initial_accumulator_value(0.2).named("Wide");
    /// optimizer.minimize(&(&w * &w), None)?;
    /// assert_eq!(optimizer.variables()[0].name(), "w/Wide");
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }
}

impl UpdateRule for Ftrl {
    fn scope(&self) -> &str {
        &self.name
    }

    fn slots(&self) -> &Slots {
        &self.slots
    }

    fn slot_list(&self) -> Vec<Slot> {
        let start = self.initial_accumulator_value;
        let accum = move |graph: &Graph, shape: &[i64], dtype: DType| graph.ones(shape, dtype) * start;
        vec![Slot::new("accum", Initializer::Function(Arc::new(accum))), Slot::new("linear", Initializer::Zeros)]
    }

    fn prepare(&self, graph: &Graph) -> Vec<Output> {
        let rate = self.learning_rate.node(graph, "learning_rate");
        let number = |value: f64, name: &str| Scalar::Number(value).node(graph, name);
        let l1 = number(self.l1, "l1_regularization_strength");
        // l2 + beta / (2 * max(rate, 1e-36)): the ops know no beta.
        let name = graph.unique_name("Maximum");
        let known = match &self.learning_rate {
            Scalar::Number(number) => number.to_named_output(graph, Some(DType::Float), &format!("{name}/x")),
            Scalar::Output(rate) => rate.clone(),
        };
        let least = 1e-36f64.to_named_output(graph, known.dtype(), &format!("{name}/y"));
        let rate_above_0 = graph.op("Maximum").name_exactly(name).input(known).input(least).output();
        let l2 = self.l2 + self.beta / (2.0 * rate_above_0);
        number(self.beta, "beta");
        let shrinkage = number(self.l2_shrinkage, "l2_shrinkage_regularization_strength");
        vec![rate, l1, l2, shrinkage, number(self.learning_rate_power, "learning_rate_power")]
    }

    fn apply(&self, update: &Update<'_>) -> Operation {
        let slots: Vec<_> = update.slots.iter().collect();
        if self.l2_shrinkage <= 0.0 {
            return update.op("ApplyFtrl", &slots).gradient().number(0).number(1).number(2).number(4).build();
        }
        update.op("ApplyFtrlV2", &slots).gradient().number(0).number(1).number(2).number(3).number(4).build()
    }
}
