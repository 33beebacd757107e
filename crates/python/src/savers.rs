//! The nodes that save and restore variables, and checkpoints as files.

use files::CheckpointReader as Reader;
use pyo3::prelude::*;
use tensor::{Code, Status};
use train::{RestoredCheckpoint, SaverOptions};

use crate::callbacks::keep_raised;
use crate::errors::{OrRaise, raise};
use crate::graph::Graph;
use crate::values::{shape_to_python, tensor_to_python};

#[pymethods]
impl Graph {
    /// Adds the nodes of a saver of variables under names, in a scope, all of whose files one task has if it is named: the names of the tensor for the file's name, of the
    /// tensor to fetch and of the operation to restore.
    #[pyo3(signature = (variables, scope, sharded, reshape, first_format, through=None))]
    fn build_saver(
        &self,
        py: Python<'_>,
        variables: Vec<(String, String)>,
        scope: &str,
        sharded: bool,
        reshape: bool,
        first_format: bool,
        through: Option<String>,
    ) -> PyResult<(String, String, String)> {
        let named = |(name, variable): (String, String)| Ok((name, self.variable_named(&variable)?));
        let variables = variables.into_iter().map(named).collect::<PyResult<Vec<_>>>()?;
        let options =
            SaverOptions { name: scope.to_owned(), sharded, reshape, first_format, through, ..Default::default() };
        let saver = train::Saver::by_name(&self.graph, variables, options);
        self.checked(py, Ok(()))?;
        Ok(saver.nodes())
    }
}

/// The tensors of a checkpoint.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct CheckpointReader {
    reader: Reader,
}

#[pymethods]
impl CheckpointReader {
    /// Opens the checkpoint with this prefix.
    #[new]
    fn new(py: Python<'_>, prefix: &str) -> PyResult<CheckpointReader> {
        Ok(CheckpointReader { reader: py.detach(|| Reader::open(prefix)).or_raise(py)? })
    }

    /// Name, number of the element type and shape of each tensor.
    fn entries<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, i32, Bound<'py, PyAny>)>> {
        let entries = self.reader.entries().or_raise(py)?;
        let entry = |entry: files::bundle::BundleEntry| {
            let shape = shape_to_python(py, &entry.shape.clone().into())?;
            Ok((entry.name.clone(), entry.dtype.number(), shape))
        };
        entries.into_iter().map(entry).collect()
    }

    /// Whether there is a tensor of this name.
    fn contains(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        match self.reader.entry(name) {
            Ok(_) => Ok(true),
            Err(status) if status.code() == Code::NotFound => Ok(false),
            Err(status) => Err(raise(py, status)),
        }
    }

    /// A tensor.
    fn tensor<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let tensor = py.detach(|| self.reader.lookup(name)).or_raise(py)?;
        tensor_to_python(py, &tensor)
    }
}

/// Restores the newest checkpoint of a folder that is whole, by a callable of a checkpoint's prefix: returns its prefix, and those
/// of all checkpoints in the order in which they shall leave; None if the folder has none.
#[pyfunction]
pub fn restore_newest(py: Python<'_>, folder: &str, restore: Py<PyAny>) -> PyResult<Option<(String, Vec<String>)>> {
    let restore = |prefix: &std::path::Path| -> tensor::Result<()> {
        Python::attach(|py| match restore.call1(py, (prefix.display().to_string(),)) {
            Ok(_) => Ok(()),
            Err(error) => Err(data_loss(py, &error).unwrap_or_else(|| keep_raised(error))),
        })
    };
    let found = py.detach(|| train::restore_newest(std::path::Path::new(folder), restore)).or_raise(py)?;
    let text = |path: std::path::PathBuf| path.display().to_string();
    let told = |RestoredCheckpoint { prefix, kept }| (text(prefix), kept.into_iter().map(text).collect());
    Ok(found.map(told))
}

/// The status of an exception that says that data are damaged.
fn data_loss(py: Python<'_>, error: &PyErr) -> Option<Status> {
    let code: i32 = error.value(py).getattr("error_code").ok()?.extract().ok()?;
    let message: String = error.value(py).getattr("message").ok()?.extract().ok()?;
    (code == Code::DataLoss.number()).then(|| Status::new(Code::DataLoss, message))
}

/// Whether there is a checkpoint of this name, of either format.
#[pyfunction]
pub fn checkpoint_exists(prefix: &str) -> bool {
    files::checkpoint_exists(prefix)
}
