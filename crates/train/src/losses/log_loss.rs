//! The log loss of probabilities.

use graph::{Graph, Output};

use super::{ElementLoss, Loss};
use crate::nodes::constant_at;

/// Begins the loss `-label * log(p) - (1 - label) * log(1 - p)`.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let loss = losses::log_loss(&g.constant([1f32, 0.0]), &g.constant([0.5f32, 0.5])).build();
/// let value = LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&loss))?[0].to_scalar::<f32>()?;
/// assert!((value - std::f32::consts::LN_2).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
pub fn log_loss(labels: &Output, predictions: &Output) -> Loss<LogLoss> {
    Loss::begin(labels, predictions, LogLoss { epsilon: 1e-7 })
}

/// The log loss of each element.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::losses::Reduction;
/// let g = Graph::new();
/// let loss = losses::log_loss(&g.constant([1f32, 0.0]), &g.constant([1f32, 1.0]));
/// let each: Vec<f32> = LocalSession::new(&g)?.eval(&loss.reduction(Reduction::None).build())?;
/// assert!(each[0].abs() < 1e-6 && each[1] > 10.0);
/// # Ok::<(), Status>(())
/// ```
pub struct LogLoss {
    epsilon: f32,
}

impl Loss<LogLoss> {
    /// What is added to probabilities, so that none is zero: 1e-7 unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let loss = losses::log_loss(&g.constant([1f32]), &g.constant([0f32])).epsilon(1.0).build();
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&loss)?, 0.0); // -log(0 + 1)
    /// # Ok::<(), Status>(())
    /// ```
    pub fn epsilon(mut self, epsilon: f32) -> Self {
        self.element.epsilon = epsilon;
        self
    }
}

impl ElementLoss for LogLoss {
    const NAME: &'static str = "log_loss";

    #[track_caller]
    fn elements(&self, graph: &Graph, labels: &Output, predictions: &Output) -> Output {
        let log_of = |value: &Output| {
            let name = graph.unique_name("add");
            let epsilon = constant_at(graph, &format!("{name}/y"), self.epsilon);
            let above_0 = graph.op("AddV2").name_exactly(name).input(value).input(epsilon).output();
            graph.op("Log").input(above_0).output()
        };
        let less_than_1 = |value: &Output| {
            let name = graph.unique_name("sub");
            let one = constant_at(graph, &format!("{name}/x"), 1f32);
            graph.op("Sub").name_exactly(name).input(one).input(value).output()
        };
        let of_ones = graph.op("Mul").input(labels).input(log_of(predictions)).output();
        let of_ones = graph.op("Neg").input(of_ones).output();
        let other_labels = less_than_1(labels);
        let other_logs = log_of(&less_than_1(predictions));
        let of_zeros = graph.op("Mul").input(other_labels).input(other_logs).output();
        graph.op("Sub").name("sub").input(of_ones).input(of_zeros).output()
    }
}
