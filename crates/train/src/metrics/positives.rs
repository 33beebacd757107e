//! Precision and recall, which count positives that are true and those that are not.

use graph::{Graph, Output};
use tensor::{DType, Tensor};

use super::{Metric, added, broadcast_weights, metric_variable};
use crate::layers::in_layer_scope;
use crate::nodes::{cast, constant_at, expect_same_shape, sum_of_all, value_for};
use crate::variable_scope::VariableScopeOps;

/// Begins the part of predicted positives that are positive. Labels and predictions are bools, or count as such.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let (labels, predictions) = (g.constant([1i64, 1, 0, 0]), g.constant([1i64, 0, 1, 0]));
/// let (precision, recall) =
///     (metrics::precision(&labels, &predictions).build(), metrics::recall(&labels, &predictions).build());
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&local_variables_initializer(&g)))?;
/// let request = RunRequest::new().fetch(&precision.update_op).fetch(&recall.update_op);
/// assert_eq!(session.fetch(request)?, [Tensor::from(0.5f32), Tensor::from(0.5f32)]);
/// # Ok(())
/// # }
/// ```
pub fn precision(labels: &Output, predictions: &Output) -> PrecisionOrRecall {
    PrecisionOrRecall::new("precision", ("false_positives", false, true), labels, predictions)
}

/// Begins the part of positives that were predicted to be. Labels and predictions are bools, or count as such.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let recall = metrics::recall(&g.constant([true, true]), &g.constant([true, false])).build();
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&local_variables_initializer(&g)))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&recall.update_op))?, [Tensor::from(0.5f32)]);
/// # Ok(())
/// # }
/// ```
pub fn recall(labels: &Output, predictions: &Output) -> PrecisionOrRecall {
    PrecisionOrRecall::new("recall", ("false_negatives", true, false), labels, predictions)
}

/// A precision or a recall in the making: [`precision`], [`recall`].
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// let g = Graph::new();
/// let (labels, predictions) = (g.constant([true, false]), g.constant([true, true]));
/// let precision = metrics::precision(&labels, &predictions).weights(&g.constant([3f32, 1.0])).build();
/// let session = LocalSession::new(&g)?;
/// session.eval(&local_variables_initializer(&g))?;
/// assert_eq!(session.eval::<f32, _>(&precision.update_op)?, 0.75);
/// # Ok::<(), Status>(())
/// ```
#[must_use]
pub struct PrecisionOrRecall {
    usual_name: &'static str,
    /// The count of mistakes, and what labels and predictions are there.
    mistakes: (&'static str, bool, bool),
    labels: Output,
    predictions: Output,
    weights: Option<Output>,
    name: Option<String>,
}

impl PrecisionOrRecall {
    fn new(
        usual_name: &'static str,
        mistakes: (&'static str, bool, bool),
        labels: &Output,
        predictions: &Output,
    ) -> PrecisionOrRecall {
        let (labels, predictions) = (labels.clone(), predictions.clone());
        PrecisionOrRecall { usual_name, mistakes, labels, predictions, weights: None, name: None }
    }

    /// How much each prediction counts: a tensor that can be broadcast to them.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::local_variables_initializer;
    /// let g = Graph::new();
    /// let (labels, predictions) = (g.constant([true, true]), g.constant([true, false]));
    /// let recall = metrics::recall(&labels, &predictions).weights(&g.constant([1f32, 0.0])).build();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&local_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<f32, _>(&recall.update_op)?, 1.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn weights(mut self, weights: &Output) -> Self {
        self.weights = Some(weights.clone());
        self
    }

    /// The name of its scope: `precision` or `recall`, with a number if there is one already, unless told otherwise.
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Adds the metric.
    #[track_caller]
    pub fn build(self) -> Metric {
        let graph = self.labels.graph().clone();
        expect_same_shape(&self.labels, &self.predictions);
        in_layer_scope(&graph, self.name.as_deref(), self.usual_name, |graph| {
            let predictions = cast(graph, &self.predictions, DType::Bool);
            let labels = cast(graph, &self.labels, DType::Bool);
            let weights = self.weights.as_ref();
            let hits = count_where(graph, "true_positives", (&labels, true), (&predictions, true), weights);
            let (name, label, prediction) = self.mistakes;
            let misses = count_where(graph, name, (&labels, label), (&predictions, prediction), weights);
            let value = ratio(graph, "value", &hits.value, &misses.value);
            let update_op = ratio(graph, "update_op", &hits.update_op, &misses.update_op);
            Metric { value, update_op }
        })
    }
}

/// How often labels and predictions have these values.
#[track_caller]
fn count_where(
    graph: &Graph,
    scope: &str,
    labels: (&Output, bool),
    predictions: (&Output, bool),
    weights: Option<&Output>,
) -> Metric {
    graph.with_variable_scope(scope, |graph| {
        let is = |(value, wanted): (&Output, bool)| {
            let name = graph.unique_name("Equal");
            let wanted = constant_at(graph, &format!("{name}/y"), Tensor::from(wanted));
            graph.op("Equal").name_exactly(name).input(value).input(wanted).output()
        };
        let (label, prediction) = (is(labels), is(predictions));
        let both = graph.op("LogicalAnd").input(label).input(prediction).output();
        let count = metric_variable(graph, "count", &[]);
        let mut both = cast(graph, &both, DType::Float);
        if let Some(weights) = weights {
            let weights = broadcast_weights(graph, weights, &both);
            both = graph.op("Mul").input(both).input(weights).output();
        }
        let name = graph.unique_name("Identity");
        let value = value_for(&count, &name);
        let value = graph.op("Identity").name_exactly(name).input(value).output();
        let update_op = added(graph, &count, &sum_of_all(graph, &both));
        Metric { value, update_op }
    })
}

/// `hits / (hits + misses)`, or 0 if there are neither.
#[track_caller]
fn ratio(graph: &Graph, name: &str, hits: &Output, misses: &Output) -> Output {
    let add = || graph.op("AddV2").name("add").input(hits).input(misses).output();
    let all = add();
    let greater = graph.unique_name("Greater");
    let zero = constant_at(graph, &format!("{greater}/y"), 0f32);
    let any = graph.op("Greater").name_exactly(greater).input(all).input(zero).output();
    let ratio = graph.op("RealDiv").name("truediv").input(hits).input(add()).output();
    let name = graph.unique_name(name);
    let zero = constant_at(graph, &format!("{name}/e"), 0f32);
    graph.op("Select").name_exactly(name).input(any).input(ratio).input(zero).output()
}
