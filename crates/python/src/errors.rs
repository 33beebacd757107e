//! Statuses as Python exceptions.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use tensor::Status;

/// Makes an exception of a code, a message and the name of a node.
static FACTORY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Tells how to make exceptions: a callable of a code, a message and the name of a node or None.
#[pyfunction]
pub fn set_error_factory(py: Python<'_>, factory: Py<PyAny>) {
    let _ = FACTORY.set(py, factory);
}

/// The exception for a status: the error that Python code raised below, if there is one, else one of the package's classes.
pub fn raise(py: Python<'_>, status: Status) -> PyErr {
    if let Some(raised) = crate::callbacks::take_raised() {
        return raised;
    }
    let Some(factory) = FACTORY.get(py) else { return PyRuntimeError::new_err(status.to_string()) };
    match factory.call1(py, (status.code().number(), status.message(), status.node())) {
        Ok(exception) => PyErr::from_value(exception.into_bound(py)),
        Err(error) => error,
    }
}

/// A result whose error is raised.
pub trait OrRaise<T> {
    /// Raises the error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for tensor::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|status| raise(py, status))
    }
}
