//! The mean of squared differences.

use graph::Output;
use tensor::DType;

use super::{Metric, mean};
use crate::nodes::{cast, expect_same_shape};

/// Begins the mean of `(prediction - label)^2`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let error = metrics::mean_squared_error(&g.constant([1f32, 2.0]), &g.constant([0f32, 5.0])).build();
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&local_variables_initializer(&g)))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&error.update_op))?, [Tensor::from(5f32)]); // (1 + 9) / 2
/// # Ok(())
/// # }
/// ```
pub fn mean_squared_error(labels: &Output, predictions: &Output) -> MeanSquaredErrorMetric {
    MeanSquaredErrorMetric { labels: labels.clone(), predictions: predictions.clone(), weights: None, name: None }
}

/// A mean of squared differences in the making: [`mean_squared_error`].
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// let g = Graph::new();
/// let error = metrics::mean_squared_error(&g.constant([0f32, 0.0]), &g.constant([1f32, 3.0]));
/// let error = error.weights(&g.constant([1f32, 0.0])).build();
/// let session = LocalSession::new(&g)?;
/// session.eval(&local_variables_initializer(&g))?;
/// assert_eq!(session.eval::<f32, _>(&error.update_op)?, 1.0);
/// # Ok::<(), Status>(())
/// ```
#[must_use]
pub struct MeanSquaredErrorMetric {
    labels: Output,
    predictions: Output,
    weights: Option<Output>,
    name: Option<String>,
}

impl MeanSquaredErrorMetric {
    /// How much each difference counts: a tensor that can be broadcast to them.
    pub fn weights(mut self, weights: &Output) -> Self {
        self.weights = Some(weights.clone());
        self
    }

    /// The name of its scope: `mean_squared_error`, with a number if there is one already, unless told otherwise.
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Adds the metric.
    #[track_caller]
    pub fn build(self) -> Metric {
        let graph = self.labels.graph();
        expect_same_shape(&self.labels, &self.predictions);
        let labels = cast(graph, &self.labels, self.predictions.dtype().unwrap_or(DType::Float));
        let squares = graph.op("SquaredDifference").input(labels).input(&self.predictions).output();
        mean(&squares).called("mean_squared_error").maybe_weights(self.weights).maybe_name(self.name).build()
    }
}
