//! Metrics: measures of a model over many batches. One file each.
//!
//! A metric has local variables that sum up what it has seen, an op that adds a batch to them, and a value of all batches so
//! far. Local variables are initialised by [`local_variables_initializer`](crate::local_variables_initializer), which also begins
//! anew. Variables and nodes are named as `tf.metrics` of TensorFlow names them.
//!
//! ```
//! use tensorfleet::prelude::*;
//! use tensorfleet::train::local_variables_initializer;
//! # fn main() -> tensorfleet::Result<()> {
//! let g = Graph::new();
//! let (labels, predictions) = (g.placeholder(DType::Int64, [None]), g.placeholder(DType::Int64, [None]));
//! let accuracy = metrics::accuracy(&labels, &predictions).build();
//! let session = LocalSession::new(&g)?;
//! session.run(RunRequest::new().target(&local_variables_initializer(&g)))?;
//! for batch in [[1i64, 2], [3, 4]] {
//!     let request = RunRequest::new().feed(&labels, [1i64, 2]).feed(&predictions, batch);
//!     session.run(request.fetch(&accuracy.update_op))?;
//! }
//! assert_eq!(session.fetch(RunRequest::new().fetch(&accuracy.value))?, [Tensor::from(0.5f32)]);
//! # Ok(())
//! # }
//! ```
//!
//! Shapes that do not belong together are a mistake of the graph, as far as they are known:
//!
//! ```
//! use tensorfleet::prelude::*;
//! let g = Graph::new();
//! metrics::accuracy(&g.constant([[1i64], [2]]), &g.constant([1i64, 2])).build();
//! let message = g.check().unwrap_err().message().to_owned();
//! assert!(message.ends_with("Shapes [2] and [2,1] are incompatible: those of predictions and labels"), "{message}");
//! ```

mod accuracy;
mod auc;
mod mean;
mod mean_squared_error;
mod positives;

pub use accuracy::{Accuracy, accuracy};
pub use auc::{Auc, auc};
pub use mean::{Mean, mean};
pub use mean_squared_error::{MeanSquaredErrorMetric, mean_squared_error};
pub use positives::{PrecisionOrRecall, precision, recall};

use graph::{Graph, Output};
use tensor::DType;

use crate::collections::keys;
use crate::initializers::Initializer;
use crate::variable::{Variable, VariableKind};
use crate::variable_scope::VariableScopeOps;

/// A metric of all batches so far.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// let g = Graph::new();
/// let batch = g.placeholder(DType::Float, [None]);
/// let mean = metrics::mean(&batch).build();
/// let session = LocalSession::new(&g)?;
/// session.eval(&local_variables_initializer(&g))?;
/// assert_eq!(session.feed(&batch, [1f32, 3.0]).eval::<f32, _>(&mean.update_op)?, 2.0);
/// assert_eq!(session.feed(&batch, [5f32]).eval::<f32, _>(&mean.update_op)?, 3.0);
/// assert_eq!(session.eval::<f32, _>(&mean.value)?, 3.0);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct Metric {
    /// The value of all batches that were added.
    pub value: Output,
    /// Adds a batch, and is the value with it.
    pub update_op: Output,
}

/// A local variable of zeros, in the collection of metrics too.
#[track_caller]
fn metric_variable(graph: &Graph, name: &str, shape: &[i64]) -> Variable {
    let variable = graph.variable(name).shape(shape).dtype(DType::Float).initializer(Initializer::Zeros);
    variable.trainable(false).collections([keys::LOCAL_VARIABLES, keys::METRIC_VARIABLES]).get()
}

/// Adds to a variable. Returns its value after that.
#[track_caller]
fn added(graph: &Graph, variable: &Variable, amount: &Output) -> Output {
    let add = variable.assign_add(amount);
    match variable.kind() {
        VariableKind::Ref => add.output(0),
        VariableKind::Resource => graph.with_control_dependencies(&[add], |_| variable.read()),
    }
}

/// Weights in the shape of the values that they are for.
#[track_caller]
fn broadcast_weights(graph: &Graph, weights: &Output, values: &Output) -> Output {
    let weights = crate::nodes::cast(graph, weights, DType::Float);
    graph.with_name_scope("broadcast_weights", |graph| {
        let (scope, ones) = (graph.name_scope(), crate::nodes::ones_like(graph, values));
        graph.op("Mul").name_exactly(scope).input(weights).input(ones).output()
    })
}
