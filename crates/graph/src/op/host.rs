//! What a process offers to kernels beyond the step that they run in: functions that can be called, and threads.

use std::sync::Arc;
use std::time::Duration;

use tensor::{Result, Tensor};

use super::Step;
use crate::data::GraphData;

/// Prepares functions and runs work that goes on between steps. `runtime` fulfils it with its executor.
pub trait Host: Send + Sync {
    /// Makes a function ready to be called. Its body has `_Arg` nodes for arguments and `_Retval` nodes for results.
    ///
    /// # Errors
    /// `NotFound` for an op or types without a kernel; `InvalidArgument` for malformed attributes or frames.
    fn prepare(&self, body: &GraphData) -> Result<Arc<dyn Function>>;

    /// Runs a job that may go on for long on a thread of its own; whether there was one for it.
    fn spawn(&self, name: &str, job: Box<dyn FnOnce() + Send>) -> bool;

    /// Calls back after a while, on a thread that has others to serve, unless what is returned is dropped before.
    fn after(&self, delay: Duration, callback: Box<dyn FnOnce() + Send>) -> Box<dyn Send>;
}

/// A function that is ready to be called, by any number of threads at once.
pub trait Function: Send + Sync {
    /// Calls the function within a step, whose resources, device and cancellation it shares, and waits for its results.
    /// Its nodes run on the thread that calls, also those that take long or wait for files.
    ///
    /// # Errors
    /// What a node of the body fails with; `InvalidArgument` if a result lies on a branch that was not taken.
    fn call(&self, step: &Step, args: Vec<Tensor>) -> Result<Vec<Tensor>>;
}
