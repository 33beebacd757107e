//! Collections: named lists of node names that a graph carries along, as `MetaGraphDef` stores them.

use std::collections::BTreeMap;

use graph::Graph;

/// TensorFlow's names of the usual collections.
pub mod keys {
    pub const GLOBAL_VARIABLES: &str = "variables";
    pub const LOCAL_VARIABLES: &str = "local_variables";
    pub const TRAINABLE_VARIABLES: &str = "trainable_variables";
    pub const MODEL_VARIABLES: &str = "model_variables";
    pub const MOVING_AVERAGE_VARIABLES: &str = "moving_average_variables";
    pub const GLOBAL_STEP: &str = "global_step";
    pub const QUEUE_RUNNERS: &str = "queue_runners";
    pub const SUMMARIES: &str = "summaries";
    pub const SUMMARY_OP: &str = "summary_op";
    pub const LOSSES: &str = "losses";
    pub const REGULARIZATION_LOSSES: &str = "regularization_losses";
    pub const UPDATE_OPS: &str = "update_ops";
    pub const TRAIN_OP: &str = "train_op";
    pub const INIT_OP: &str = "init_op";
    pub const LOCAL_INIT_OP: &str = "local_init_op";
    pub const READY_OP: &str = "ready_op";
    pub const READY_FOR_LOCAL_INIT_OP: &str = "ready_for_local_init_op";
    pub const SAVERS: &str = "savers";
    pub const TABLE_INITIALIZERS: &str = "table_initializer";
}

#[derive(Default)]
struct Collections(BTreeMap<String, Vec<String>>);

/// Adds a name to a collection of the graph. A name may come several times.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::{add_to_collection, collection, keys};
/// let g = Graph::new();
/// let loss = g.op("NoOp").name("loss").build();
/// add_to_collection(&g, keys::LOSSES, loss.name().unwrap());
/// assert_eq!(collection(&g, "losses"), ["loss"]);
/// ```
pub fn add_to_collection(graph: &Graph, key: &str, name: impl Into<String>) {
    let name = name.into();
    graph.with_extension(|collections: &mut Collections| collections.0.entry(key.to_owned()).or_default().push(name));
}

/// The names in a collection, in the order in which they were added.
pub fn collection(graph: &Graph, key: &str) -> Vec<String> {
    graph.with_extension(|collections: &mut Collections| collections.0.get(key).cloned().unwrap_or_default())
}

/// Empties a collection.
pub fn clear_collection(graph: &Graph, key: &str) {
    graph.with_extension(|collections: &mut Collections| collections.0.remove(key));
}

/// The names of all collections that have something in them, sorted.
pub fn collection_names(graph: &Graph) -> Vec<String> {
    graph.with_extension(|collections: &mut Collections| collections.0.keys().cloned().collect())
}
