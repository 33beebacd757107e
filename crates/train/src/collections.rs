//! Collections: named lists of node names that a graph carries along, as `MetaGraphDef` stores them.

use std::collections::BTreeMap;

use graph::Graph;

/// TensorFlow's names of the usual collections.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{collection, keys};
/// let g = Graph::new();
/// Variable::new("w", g.constant(1f32));
/// assert_eq!(collection(&g, keys::GLOBAL_VARIABLES), ["w"]);
/// assert_eq!(collection(&g, keys::TRAINABLE_VARIABLES), ["w"]);
/// ```
pub mod keys {
    /// The variables that all clients share and that checkpoints hold.
    pub const GLOBAL_VARIABLES: &str = "variables";
    /// The variables that each client has for itself.
    pub const LOCAL_VARIABLES: &str = "local_variables";
    /// The variables that optimizers change.
    pub const TRAINABLE_VARIABLES: &str = "trainable_variables";
    /// The variables that a trained model needs to predict.
    pub const MODEL_VARIABLES: &str = "model_variables";
    /// The variables that have a moving average.
    pub const MOVING_AVERAGE_VARIABLES: &str = "moving_average_variables";
    /// The counter of all training steps.
    pub const GLOBAL_STEP: &str = "global_step";
    /// The threads that fill queues.
    pub const QUEUE_RUNNERS: &str = "queue_runners";
    /// The summaries that are merged into one.
    pub const SUMMARIES: &str = "summaries";
    /// The node of all summaries.
    pub const SUMMARY_OP: &str = "summary_op";
    /// The losses whose sum is made smaller.
    pub const LOSSES: &str = "losses";
    /// The variables in which metrics sum up what they have seen.
    pub const METRIC_VARIABLES: &str = "metric_variables";
    /// The penalties on the size of weights.
    pub const REGULARIZATION_LOSSES: &str = "regularization_losses";
    /// The nodes to run with each training step, such as those that move averages.
    pub const UPDATE_OPS: &str = "update_ops";
    /// The nodes that make training steps.
    pub const TRAIN_OP: &str = "train_op";
    /// The node that initialises the model.
    pub const INIT_OP: &str = "init_op";
    /// The node that initialises what each task has for itself.
    pub const LOCAL_INIT_OP: &str = "local_init_op";
    /// The node that names what has no value yet.
    pub const READY_OP: &str = "ready_op";
    /// The node that names what must have a value before the local init op runs.
    pub const READY_FOR_LOCAL_INIT_OP: &str = "ready_for_local_init_op";
    /// The savers of the graph.
    pub const SAVERS: &str = "savers";
    /// The nodes that fill lookup tables.
    pub const TABLE_INITIALIZERS: &str = "table_initializer";
}

#[derive(Default)]
struct Collections(BTreeMap<String, Vec<String>>);

/// Adds a name to a collection of the graph. A name may come several times.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{add_to_collection, collection, keys};
/// let g = Graph::new();
/// let loss = g.op("NoOp").name("loss").build();
/// add_to_collection(&g, keys::LOSSES, loss.name().unwrap());
/// assert_eq!(collection(&g, "losses"), ["loss"]);
/// ```
pub fn add_to_collection(graph: &Graph, key: &str, name: impl Into<String>) {
    let name = name.into();
    graph.with_extension(|collections: &mut Collections| collections.0.entry(key.to_owned()).or_default().push(name));
}

/// Returns the names in a collection, in the order in which they were added.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{add_to_collection, collection};
/// let g = Graph::new();
/// for name in ["b", "a"] {
///     add_to_collection(&g, "mine", name);
/// }
/// assert_eq!(collection(&g, "mine"), ["b", "a"]);
/// assert!(collection(&g, "another").is_empty());
/// ```
pub fn collection(graph: &Graph, key: &str) -> Vec<String> {
    graph.with_extension(|collections: &mut Collections| collections.0.get(key).cloned().unwrap_or_default())
}

/// Empties a collection.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{add_to_collection, clear_collection, collection};
/// let g = Graph::new();
/// add_to_collection(&g, "mine", "loss");
/// clear_collection(&g, "mine");
/// assert!(collection(&g, "mine").is_empty());
/// ```
pub fn clear_collection(graph: &Graph, key: &str) {
    graph.with_extension(|collections: &mut Collections| collections.0.remove(key));
}

/// Returns the names of all collections that have something in them, sorted.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{add_to_collection, collection_names};
/// let g = Graph::new();
/// Variable::new("w", g.constant(1f32));
/// add_to_collection(&g, "mine", "w");
/// assert_eq!(collection_names(&g), ["mine", "trainable_variables", "variables"]);
/// ```
pub fn collection_names(graph: &Graph) -> Vec<String> {
    graph.with_extension(|collections: &mut Collections| collections.0.keys().cloned().collect())
}
