//! Absolute differences.

use graph::{Graph, Output};

use super::{ElementLoss, Loss};

/// Begins the loss `|prediction - label|`.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let loss = losses::absolute_difference(&g.constant([1f32, 2.0]), &g.constant([0f32, 5.0])).build();
/// assert_eq!(LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&loss))?, [Tensor::from(2f32)]); // (1 + 3) / 2
/// # Ok(())
/// # }
/// ```
pub fn absolute_difference(labels: &Output, predictions: &Output) -> Loss<AbsoluteDifference> {
    Loss::begin(labels, predictions, AbsoluteDifference)
}

/// The absolute difference of each element.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::losses::Reduction;
/// let g = Graph::new();
/// let loss = losses::absolute_difference(&g.constant([1f32, 2.0]), &g.constant([0f32, 5.0]));
/// let each = loss.reduction(Reduction::None).build();
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&each)?, [1.0, 3.0]);
/// # Ok::<(), Status>(())
/// ```
pub struct AbsoluteDifference;

impl ElementLoss for AbsoluteDifference {
    const NAME: &'static str = "absolute_difference";

    #[track_caller]
    fn elements(&self, graph: &Graph, labels: &Output, predictions: &Output) -> Output {
        let difference = graph.op("Sub").input(predictions).input(labels).output();
        graph.op("Abs").input(difference).output()
    }
}
