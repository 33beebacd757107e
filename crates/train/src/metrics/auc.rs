//! The area under the curve of true over false positives.

use graph::{Graph, Output};
use tensor::{DType, Tensor};

use super::{Metric, added, broadcast_weights, metric_variable};
use crate::layers::in_layer_scope;
use crate::nodes::{cast, constant, constant_at, expect_same_shape, int_vector, sum_of_all, value_for};

/// Begins the area under the ROC curve of predictions between 0 and 1, from counts at evenly spaced thresholds.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let auc = metrics::auc(&g.constant([true, true, false]), &g.constant([0.9f32, 0.6, 0.2])).build();
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&local_variables_initializer(&g)))?;
/// let area = session.fetch(RunRequest::new().fetch(&auc.update_op))?[0].to_scalar::<f32>()?;
/// assert!((area - 1.0).abs() < 1e-5, "{area}"); // every positive is above every negative
/// # Ok(())
/// # }
/// ```
pub fn auc(labels: &Output, predictions: &Output) -> Auc {
    let (labels, predictions) = (labels.clone(), predictions.clone());
    Auc { labels, predictions, num_thresholds: 200, weights: None, name: None }
}

/// An area under the curve in the making: [`auc`].
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// let g = Graph::new();
/// let (labels, predictions) = (g.constant([true, false]), g.constant([0.2f32, 0.8]));
/// let auc = metrics::auc(&labels, &predictions).num_thresholds(11).build();
/// let session = LocalSession::new(&g)?;
/// session.eval(&local_variables_initializer(&g))?;
/// assert!(session.eval::<f32, _>(&auc.update_op)? < 1e-5); // all is the wrong way round
/// # Ok::<(), Status>(())
/// ```
#[must_use]
pub struct Auc {
    labels: Output,
    predictions: Output,
    num_thresholds: usize,
    weights: Option<Output>,
    name: Option<String>,
}

/// What keeps divisions by zero away.
const EPSILON: f32 = 1e-6;

impl Auc {
    /// How many thresholds there are: 200 unless told otherwise; at least 2.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::local_variables;
    /// let g = Graph::new();
    /// metrics::auc(&g.constant([true]), &g.constant([0.2f32])).num_thresholds(11).build();
    /// assert_eq!(local_variables(&g)[0].shape(), PartialShape::from([11]));
    /// ```
    pub fn num_thresholds(mut self, count: usize) -> Self {
        self.num_thresholds = count.max(2);
        self
    }

    /// How much each prediction counts: a tensor that can be broadcast to them.
    pub fn weights(mut self, weights: &Output) -> Self {
        self.weights = Some(weights.clone());
        self
    }

    /// The name of its scope: `auc`, with a number if there is one already, unless told otherwise.
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Adds the metric.
    #[track_caller]
    pub fn build(self) -> Metric {
        let graph = self.labels.graph().clone();
        expect_same_shape(&self.labels, &self.predictions);
        in_layer_scope(&graph, self.name.as_deref(), "auc", |graph| self.build_here(graph))
    }

    /// The limits that count a prediction as positive. The outermost lie outside of all predictions.
    fn thresholds(&self) -> Vec<f32> {
        let last = self.num_thresholds - 1;
        let inner = (1..last).map(|index| index as f32 / last as f32);
        std::iter::once(-1e-7).chain(inner).chain(std::iter::once(1.0 + 1e-7)).collect()
    }

    #[track_caller]
    fn build_here(&self, graph: &Graph) -> Metric {
        let thresholds = self.thresholds();
        let count = thresholds.len();
        // Thresholds are rows, predictions columns.
        let limits = column(graph, &constant(graph, "Const", Tensor::vector(&thresholds)));
        let predictions = row(graph, &cast(graph, &self.predictions, DType::Float));
        let labels = row(graph, &cast(graph, &self.labels, DType::Bool));
        let positive = graph.op("Greater").input(predictions).input(limits).output();
        let negative = graph.op("LogicalNot").input(&positive).output();
        let other = graph.op("LogicalNot").input(&labels).output();
        let weights = self.weights.as_ref().map(|weights| {
            let predictions = cast(graph, &self.predictions, DType::Float);
            row(graph, &broadcast_weights(graph, weights, &predictions))
        });
        let kinds = [
            ("true_positives", &labels, &positive),
            ("false_negatives", &labels, &negative),
            ("true_negatives", &other, &negative),
            ("false_positives", &other, &positive),
        ];
        let (mut values, mut updates) = (Vec::new(), Vec::new());
        for (name, label, predicted) in kinds {
            let variable = metric_variable(graph, name, &[i64::try_from(count).unwrap_or(i64::MAX)]);
            let both = graph.op("LogicalAnd").input(label).input(predicted).output();
            let mut both = cast(graph, &both, DType::Float);
            if let Some(weights) = &weights {
                both = graph.op("Mul").input(both).input(weights).output();
            }
            let sum = graph.unique_name("Sum");
            let axis = constant_at(graph, &format!("{sum}/reduction_indices"), 1i32);
            let sum = graph.op("Sum").name_exactly(sum).input(both).input(axis).output();
            updates.push(added(graph, &variable, &sum));
            values.push(value_for(&variable, &graph.unique_name(name)));
        }
        let value = area(graph, "value", &values, count);
        let update_op = area(graph, "update_op", &updates, count);
        Metric { value, update_op }
    }
}

/// A vector as a matrix of one row.
#[track_caller]
fn row(graph: &Graph, value: &Output) -> Output {
    let shape = constant(graph, "Reshape/shape", int_vector(&[1, -1]));
    graph.op("Reshape").input(value).input(shape).output()
}

/// A vector as a matrix of one column.
#[track_caller]
fn column(graph: &Graph, value: &Output) -> Output {
    let shape = constant(graph, "Reshape/shape", int_vector(&[-1, 1]));
    graph.op("Reshape").input(value).input(shape).output()
}

/// The area of trapezoids under the curve through the rates at all thresholds.
#[track_caller]
fn area(graph: &Graph, name: &str, counts: &[Output], thresholds: usize) -> Output {
    let [true_positives, false_negatives, true_negatives, false_positives] = counts else {
        return constant(graph, name, 0f32);
    };
    let recall = (true_positives + EPSILON) / (true_positives + false_negatives + EPSILON);
    let fall_out = false_positives / (false_positives + true_negatives + EPSILON);
    let part = |value: &Output, begin: i32| {
        let length = i32::try_from(thresholds).unwrap_or(i32::MAX) - 1;
        let begin = constant(graph, "Slice/begin", int_vector(&[begin]));
        let size = constant(graph, "Slice/size", int_vector(&[length]));
        graph.op("Slice").input(value).input(begin).input(size).output()
    };
    let width = part(&fall_out, 0) - part(&fall_out, 1);
    let height = (part(&recall, 0) + part(&recall, 1)) / 2.0;
    let sum = sum_of_all(graph, &(width * height));
    graph.op("Identity").name(name).input(sum).output()
}
