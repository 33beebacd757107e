//! Runs a graph in one process: placement, partition, executor, sessions
