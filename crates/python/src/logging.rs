//! What the core logs: warnings to standard error, or what `TENSORFLEET_LOG` asks for.
//!
//! Lines are written by whatever thread has something to say, without the interpreter: it may be busy, or about to end.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tracing_subscriber::EnvFilter;

/// Begins to log. To begin twice does no harm; a program that holds another copy of the core keeps the first one's log.
#[pyfunction]
pub fn start_logging() -> PyResult<()> {
    let wanted = std::env::var("TENSORFLEET_LOG").ok().filter(|text| !text.is_empty());
    let filter = EnvFilter::try_new(wanted.as_deref().unwrap_or("warn")).map_err(|error| {
        PyValueError::new_err(format!("TENSORFLEET_LOG is {wanted:?}: {error}; expected a level such as debug"))
    })?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(std::io::stderr);
    // An error means that it has begun.
    let _ = log.log_internal_errors(false).try_init();
    Ok(())
}
