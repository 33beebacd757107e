//! The nodes that save and restore variables, and checkpoints as files.

use files::BundleReader;
use pyo3::prelude::*;
use train::SaverOptions;

use crate::errors::OrRaise;
use crate::graph::Graph;
use crate::values::{shape_to_python, tensor_to_python};

#[pymethods]
impl Graph {
    /// Adds the nodes of a saver of variables under names, in a scope: the names of the tensor for the file's name, of the
    /// tensor to fetch and of the operation to restore.
    #[pyo3(signature = (variables, scope, sharded, reshape))]
    fn build_saver(
        &self,
        py: Python<'_>,
        variables: Vec<(String, String)>,
        scope: &str,
        sharded: bool,
        reshape: bool,
    ) -> PyResult<(String, String, String)> {
        let named = |(name, variable): (String, String)| Ok((name, self.variable_named(&variable)?));
        let variables = variables.into_iter().map(named).collect::<PyResult<Vec<_>>>()?;
        let options = SaverOptions { name: scope.to_owned(), sharded, reshape, ..Default::default() };
        let saver = train::Saver::by_name(&self.graph, variables, options);
        self.checked(py, Ok(()))?;
        Ok(saver.nodes())
    }
}

/// The tensors of a checkpoint.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct CheckpointReader {
    reader: BundleReader,
}

#[pymethods]
impl CheckpointReader {
    /// Opens the checkpoint with this prefix.
    #[new]
    fn new(py: Python<'_>, prefix: &str) -> PyResult<CheckpointReader> {
        Ok(CheckpointReader { reader: py.detach(|| BundleReader::open(prefix)).or_raise(py)? })
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
        self.reader.contains(name).or_raise(py)
    }

    /// A tensor.
    fn tensor<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let tensor = py.detach(|| self.reader.lookup(name)).or_raise(py)?;
        tensor_to_python(py, &tensor)
    }
}

/// The names and shapes of the checkpoint state file are read and written in Python; only whether files exist is asked here.
#[pyfunction]
pub fn checkpoint_exists(prefix: &str) -> bool {
    files::bundle::index_path(std::path::Path::new(prefix)).exists()
}
