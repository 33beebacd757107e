//! The Huber loss: squares of small differences, and straight lines for large ones.

use graph::{Graph, Output};

use super::{ElementLoss, Loss};
use crate::nodes::{constant, constant_at};

/// Begins the loss `d^2 / 2` for differences up to `delta`, and `delta * d - delta^2 / 2` for larger ones.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let loss = losses::huber(&g.constant([0f32, 0.0]), &g.constant([1f32, 4.0])).delta(2.0).build();
/// assert_eq!(LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&loss))?, [Tensor::from(3.25f32)]); // (0.5 + 6) / 2
/// # Ok(())
/// # }
/// ```
#[doc(alias = "huber_loss")]
pub fn huber(labels: &Output, predictions: &Output) -> Loss<Huber> {
    Loss::begin(labels, predictions, Huber { delta: 1.0 })
}

/// The Huber loss of each element.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::losses::Reduction;
/// let g = Graph::new();
/// let loss = losses::huber(&g.constant([0f32, 0.0]), &g.constant([1f32, 4.0]));
/// let each = loss.reduction(Reduction::None).build();
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&each)?, [0.5, 3.5]);
/// # Ok::<(), Status>(())
/// ```
pub struct Huber {
    delta: f32,
}

impl Loss<Huber> {
    /// Where the line begins: at a difference of 1 unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let loss = losses::huber(&g.constant([0f32]), &g.constant([4f32])).delta(2.0).build();
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&loss)?, 6.0); // 2 * 4 - 2^2 / 2
    /// # Ok::<(), Status>(())
    /// ```
    pub fn delta(mut self, delta: f32) -> Self {
        self.element.delta = delta;
        self
    }
}

impl ElementLoss for Huber {
    const NAME: &'static str = "huber_loss";

    #[track_caller]
    fn elements(&self, graph: &Graph, labels: &Output, predictions: &Output) -> Output {
        let error = graph.op("Sub").input(predictions).input(labels).output();
        let size = graph.op("Abs").input(error).output();
        let name = graph.unique_name("Minimum");
        let delta = constant_at(graph, &format!("{name}/y"), self.delta);
        let curved = graph.op("Minimum").name_exactly(name).input(&size).input(delta).output();
        let straight = graph.op("Sub").input(&size).input(&curved).output();
        let half = constant(graph, "Const", 0.5f32);
        let square = graph.op("Mul").input(&curved).input(&curved).output();
        let square = graph.op("Mul").input(half).input(square).output();
        let name = graph.unique_name("Mul");
        let delta = constant_at(graph, &format!("{name}/x"), self.delta);
        let line = graph.op("Mul").name_exactly(name).input(delta).input(straight).output();
        graph.op("AddV2").name("Add").input(square).input(line).output()
    }
}
