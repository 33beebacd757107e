//! The process that the core's threads are in. A child that was forked off has none of them, and would wait for them for ever.

use std::sync::OnceLock;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The process in which the first session was opened or the first server started.
static STARTED_IN: OnceLock<u32> = OnceLock::new();

/// Makes sure that the threads that sessions and servers need are in this process, or will be.
///
/// # Errors
/// `RuntimeError` in a child that was forked off after they were started.
pub fn check_process() -> PyResult<()> {
    let here = std::process::id();
    if *STARTED_IN.get_or_init(|| here) == here {
        return Ok(());
    }
    Err(PyRuntimeError::new_err(
        "this process was forked off after a session was opened or a server was started, and their threads stayed with the \
         parent: fork before the first of them, or start processes with the 'spawn' method",
    ))
}
