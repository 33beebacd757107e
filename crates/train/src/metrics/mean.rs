//! The mean of values.

use graph::{Graph, Output};
use tensor::DType;

use super::{Metric, added, broadcast_weights, metric_variable};
use crate::layers::in_layer_scope;
use crate::nodes::{cast, constant_at, sum_of_all, value_for};
use crate::variable::Variable;

/// Begins the mean of all values so far.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let losses = g.placeholder(DType::Float, [None]);
/// let mean = metrics::mean(&losses).name("loss").build();
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&local_variables_initializer(&g)))?;
/// session.run(RunRequest::new().feed(&losses, [1f32, 2.0]).fetch(&mean.update_op))?;
/// let so_far = session.fetch(RunRequest::new().feed(&losses, [6f32]).fetch(&mean.update_op))?;
/// assert_eq!(so_far, [Tensor::from(3f32)]);
/// # Ok(())
/// # }
/// ```
pub fn mean(values: &Output) -> Mean {
    Mean { values: values.clone(), weights: None, name: None, usual_name: "mean" }
}

/// A mean in the making: [`mean`].
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// let g = Graph::new();
/// let mean = metrics::mean(&g.constant([1f32, 5.0])).weights(&g.constant([3f32, 1.0])).build();
/// let session = LocalSession::new(&g)?;
/// session.eval(&local_variables_initializer(&g))?;
/// assert_eq!(session.eval::<f32, _>(&mean.update_op)?, 2.0); // (3 + 5) / 4
/// # Ok::<(), Status>(())
/// ```
#[must_use]
pub struct Mean {
    values: Output,
    weights: Option<Output>,
    name: Option<String>,
    usual_name: &'static str,
}

impl Mean {
    /// A mean whose scope has another usual name.
    pub(super) fn called(mut self, usual_name: &'static str) -> Self {
        self.usual_name = usual_name;
        self
    }

    /// How much each value counts: a tensor that can be broadcast to the values.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::local_variables_initializer;
    /// let g = Graph::new();
    /// let mean = metrics::mean(&g.constant([1f32, 5.0])).weights(&g.constant([0f32, 1.0])).build();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&local_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<f32, _>(&mean.update_op)?, 5.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn weights(mut self, weights: &Output) -> Self {
        self.weights = Some(weights.clone());
        self
    }

    pub(super) fn maybe_weights(mut self, weights: Option<Output>) -> Self {
        self.weights = weights;
        self
    }

    /// The name of its scope: `mean`, with a number if there is one already, unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::local_variables;
    /// let g = Graph::new();
    /// metrics::mean(&g.constant([1f32])).name("loss").build();
    /// assert_eq!(local_variables(&g)[0].name(), "loss/total");
    /// ```
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    pub(super) fn maybe_name(mut self, name: Option<String>) -> Self {
        self.name = name;
        self
    }

    /// Adds the metric.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::local_variables_initializer;
    /// let g = Graph::new();
    /// let mean = metrics::mean(&g.constant([1f32, 5.0])).build();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&local_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<f32, _>(&mean.update_op)?, 3.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn build(self) -> Metric {
        let graph = self.values.graph().clone();
        in_layer_scope(&graph, self.name.as_deref(), self.usual_name, |graph| self.build_here(graph))
    }

    #[track_caller]
    fn build_here(&self, graph: &Graph) -> Metric {
        let values = cast(graph, &self.values, DType::Float);
        let total = metric_variable(graph, "total", &[]);
        let count = metric_variable(graph, "count", &[]);
        let (values, number) = match &self.weights {
            None => {
                let size = graph.op("Size").input(&values).output();
                (values, cast(graph, &size, DType::Float))
            }
            Some(weights) => {
                let weights = broadcast_weights(graph, weights, &values);
                let weighted = graph.op("Mul").input(&values).input(&weights).output();
                let number = sum_of_all(graph, &weights);
                (weighted, number)
            }
        };
        let new_total = added(graph, &total, &sum_of_all(graph, &values));
        // The count must not run ahead of values that fail to be computed.
        let new_count = graph.with_control_dependencies(&[values.operation()], |graph| added(graph, &count, &number));
        let value = mean_of(graph, "value", &Number::Variable(&total), &Number::Variable(&count));
        let update_op = mean_of(graph, "update_op", &Number::Output(&new_total), &Number::Output(&new_count));
        Metric { value, update_op }
    }
}

/// A number that is in a variable, or was computed.
enum Number<'a> {
    Variable(&'a Variable),
    Output(&'a Output),
}

impl Number<'_> {
    #[track_caller]
    fn for_node(&self, node: &str) -> Output {
        match self {
            Number::Variable(variable) => value_for(variable, node),
            Number::Output(output) => (*output).clone(),
        }
    }
}

/// `total / count`, or 0 if the count is.
#[track_caller]
fn mean_of(graph: &Graph, name: &str, total: &Number<'_>, count: &Number<'_>) -> Output {
    let maximum = graph.unique_name("Maximum");
    let count = count.for_node(&maximum);
    let zero = constant_at(graph, &format!("{maximum}/y"), 0f32);
    let count = graph.op("Maximum").name_exactly(maximum).input(count).input(zero).output();
    let name = graph.unique_name(name);
    let total = total.for_node(&name);
    graph.op("DivNoNan").name_exactly(name).input(total).input(count).output()
}
