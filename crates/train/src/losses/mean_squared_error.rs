//! Squared differences.

use graph::{Graph, Output};

use super::{ElementLoss, Loss};

/// Begins the loss `(prediction - label)^2`.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let loss = losses::mean_squared_error(&g.constant([1f32, 2.0]), &g.constant([0f32, 5.0])).build();
/// assert_eq!(LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&loss))?, [Tensor::from(5f32)]); // (1 + 9) / 2
/// # Ok(())
/// # }
/// ```
pub fn mean_squared_error(labels: &Output, predictions: &Output) -> Loss<MeanSquaredError> {
    Loss::begin(labels, predictions, MeanSquaredError)
}

/// The squared difference of each element.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::losses::Reduction;
/// let g = Graph::new();
/// let loss = losses::mean_squared_error(&g.constant([1f32, 2.0]), &g.constant([0f32, 5.0]));
/// let each = loss.reduction(Reduction::None).build();
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&each)?, [1.0, 9.0]);
/// # Ok::<(), Status>(())
/// ```
pub struct MeanSquaredError;

impl ElementLoss for MeanSquaredError {
    const NAME: &'static str = "mean_squared_error";

    #[track_caller]
    fn elements(&self, graph: &Graph, labels: &Output, predictions: &Output) -> Output {
        graph.op("SquaredDifference").input(predictions).input(labels).output()
    }
}
