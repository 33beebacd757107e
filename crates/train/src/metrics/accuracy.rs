//! Accuracy: how often predictions are right.

use graph::Output;
use tensor::DType;

use super::{Metric, mean};
use crate::nodes::{cast, expect_same_shape};

/// Begins the part of predictions that are equal to their labels.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let (labels, predictions) = (g.constant([1i64, 2, 3, 4]), g.constant([1i64, 2, 3, 0]));
/// let accuracy = metrics::accuracy(&labels, &predictions).build();
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&local_variables_initializer(&g)))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&accuracy.update_op))?, [Tensor::from(0.75f32)]);
/// # Ok(())
/// # }
/// ```
pub fn accuracy(labels: &Output, predictions: &Output) -> Accuracy {
    Accuracy { labels: labels.clone(), predictions: predictions.clone(), weights: None, name: None }
}

/// An accuracy in the making: [`accuracy`].
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// let g = Graph::new();
/// let (labels, predictions) = (g.constant([1i64, 2]), g.constant([1i64, 0]));
/// let accuracy = metrics::accuracy(&labels, &predictions).weights(&g.constant([3f32, 1.0])).name("right").build();
/// let session = LocalSession::new(&g)?;
/// session.eval(&local_variables_initializer(&g))?;
/// assert_eq!(session.eval::<f32, _>(&accuracy.update_op)?, 0.75);
/// # Ok::<(), Status>(())
/// ```
#[must_use]
pub struct Accuracy {
    labels: Output,
    predictions: Output,
    weights: Option<Output>,
    name: Option<String>,
}

impl Accuracy {
    /// How much each prediction counts: a tensor that can be broadcast to them.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::local_variables_initializer;
    /// let g = Graph::new();
    /// let (labels, predictions) = (g.constant([1i64, 2]), g.constant([1i64, 0]));
    /// let accuracy = metrics::accuracy(&labels, &predictions).weights(&g.constant([0f32, 1.0])).build();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&local_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<f32, _>(&accuracy.update_op)?, 0.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn weights(mut self, weights: &Output) -> Self {
        self.weights = Some(weights.clone());
        self
    }

    /// The name of its scope: `accuracy`, with a number if there is one already, unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::local_variables;
    /// let g = Graph::new();
    /// metrics::accuracy(&g.constant([1i64]), &g.constant([1i64])).name("right").build();
    /// assert_eq!(local_variables(&g)[0].name(), "right/total");
    /// ```
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Adds the metric. Labels of another type than the predictions are converted to theirs.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::local_variables_initializer;
    /// let g = Graph::new();
    /// let accuracy = metrics::accuracy(&g.constant([1i64, 2]), &g.constant([1i64, 2])).build();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&local_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<f32, _>(&accuracy.update_op)?, 1.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn build(self) -> Metric {
        let graph = self.labels.graph();
        expect_same_shape(&self.labels, &self.predictions);
        let labels = cast(graph, &self.labels, self.predictions.dtype().unwrap_or(DType::Int64));
        let right = graph.op("Equal").input(&self.predictions).input(labels).output();
        let right = cast(graph, &right, DType::Float);
        mean(&right).called("accuracy").maybe_weights(self.weights).maybe_name(self.name).build()
    }
}
