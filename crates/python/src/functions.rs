//! Functions in Python that nodes call back: `PyFunc`.

use std::sync::Arc;

use pyo3::exceptions::{PyMemoryError, PyNotImplementedError, PyStopIteration, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use tensor::{Code, Status, Tensor};

use crate::values::{tensor_from_python, tensor_to_python};

/// The code that TensorFlow gives an exception of a function.
fn status_of(py: Python<'_>, error: &PyErr) -> Status {
    let code = if error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyTypeError>(py) {
        Code::InvalidArgument
    } else if error.is_instance_of::<PyStopIteration>(py) {
        Code::OutOfRange
    } else if error.is_instance_of::<PyMemoryError>(py) {
        Code::ResourceExhausted
    } else if error.is_instance_of::<PyNotImplementedError>(py) {
        Code::Unimplemented
    } else {
        Code::Unknown
    };
    Status::new(code, error.to_string())
}

fn call(py: Python<'_>, function: &Py<PyAny>, inputs: &[Tensor]) -> PyResult<Vec<Tensor>> {
    let values = PyList::empty(py);
    for input in inputs {
        values.append(tensor_to_python(py, input)?)?;
    }
    let results = function.call1(py, (values,))?;
    results.bind(py).try_iter()?.map(|result| tensor_from_python(&result?)).collect()
}

/// Makes a Python function known by a token: it takes a list of values and returns one.
#[pyfunction]
pub fn register_function(token: &str, function: Py<PyAny>) {
    let called = move |inputs: Vec<Tensor>| {
        Python::attach(|py| call(py, &function, &inputs).map_err(|error| status_of(py, &error)))
    };
    ops::control_flow::register_function(token, Arc::new(called));
}

/// Forgets a function.
#[pyfunction]
pub fn forget_function(token: &str) {
    ops::control_flow::forget_function(token);
}
