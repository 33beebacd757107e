//! Files that are on no disk of this machine, for `tf.gfile` and whatever else handles files in Python.

use std::path::Path;
use std::time::UNIX_EPOCH;

use files::place::{self, Entry};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tensor::Status;

use crate::errors::OrRaise;

/// All of a file.
#[pyfunction]
pub fn place_read<'py>(py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = py.detach(|| place::read(Path::new(path)).map_err(|error| at(path, error))).or_raise(py)?;
    Ok(PyBytes::new(py, &bytes))
}

/// Replaces a file.
#[pyfunction]
pub fn place_write(py: Python<'_>, path: &str, content: Vec<u8>) -> PyResult<()> {
    py.detach(|| files::atomic::write_file(Path::new(path), &content)).or_raise(py)
}

/// Name, whether it is a folder, size, and seconds since the epoch, of what a folder has in it.
#[pyfunction]
pub fn place_list(py: Python<'_>, path: &str) -> PyResult<Vec<(String, bool, u64, f64)>> {
    let entries = py.detach(|| place::read_folder(Path::new(path)).map_err(|error| at(path, error))).or_raise(py)?;
    Ok(entries.into_iter().map(told).collect())
}

/// The same of a single file or folder.
#[pyfunction]
pub fn place_stat(py: Python<'_>, path: &str) -> PyResult<(String, bool, u64, f64)> {
    py.detach(|| place::metadata(Path::new(path)).map(told).map_err(|error| at(path, error))).or_raise(py)
}

/// Removes a file.
#[pyfunction]
pub fn place_remove(py: Python<'_>, path: &str) -> PyResult<()> {
    py.detach(|| place::remove_file(Path::new(path)).map_err(|error| at(path, error))).or_raise(py)
}

/// Gives a file another name in the same store.
#[pyfunction]
pub fn place_rename(py: Python<'_>, path: &str, to: &str) -> PyResult<()> {
    py.detach(|| place::rename(Path::new(path), Path::new(to)).map_err(|error| at(path, error))).or_raise(py)
}

fn told(entry: Entry) -> (String, bool, u64, f64) {
    let modified = entry.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let seconds = modified.map_or(0.0, |time| time.as_secs_f64());
    (entry.name.to_string_lossy().into_owned(), entry.is_folder, entry.size, seconds)
}

/// In TensorFlow's form.
fn at(path: &str, error: std::io::Error) -> Status {
    let status = Status::from(error);
    Status::new(status.code(), format!("{path}; {}", status.message()))
}
