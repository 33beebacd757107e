//! Dataflow graphs that train models on a cluster, as distributed TensorFlow invented it
