//! Variables: the package builds their nodes, and tells the training library of them, which knows them by name.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use train::{SaveSliceInfo, Variable, VariableKind, VariableNodes};

use crate::graph::{Graph, Place, built_place};

impl Graph {
    /// The variable with a name.
    pub fn variable_named(&self, name: &str) -> PyResult<Variable> {
        Variable::find(&self.graph, name)
            .ok_or_else(|| PyKeyError::new_err(format!("there is no variable '{name}' in the graph")))
    }

    /// The variables with these names.
    pub fn variables_named(&self, names: &[String]) -> PyResult<Vec<Variable>> {
        names.iter().map(|name| self.variable_named(name)).collect()
    }
}

#[pymethods]
impl Graph {
    /// Makes nodes that the graph has known as a variable.
    fn adopt_variable(
        &self,
        py: Python<'_>,
        name: String,
        is_resource: bool,
        handle: Place,
        initial_value: Place,
        initializer: u32,
        read: Place,
        trainable: bool,
    ) -> PyResult<()> {
        let kind = if is_resource { VariableKind::Resource } else { VariableKind::Ref };
        let nodes = VariableNodes {
            handle: self.output(handle),
            initial_value: self.output(initial_value),
            initializer: self.operation(py, initializer)?,
            read: self.output(read),
        };
        Variable::from_nodes(&self.graph, name, kind, nodes, trainable, None);
        Ok(())
    }

    /// Says which part of a larger variable a variable is.
    fn set_save_slice(
        &self,
        name: &str,
        full_name: String,
        full_shape: Vec<i64>,
        var_offset: Vec<i64>,
        var_shape: Vec<i64>,
    ) -> PyResult<()> {
        let old = self.variable_named(name)?;
        let nodes = VariableNodes {
            handle: old.handle().clone(),
            initial_value: old.initial_value().clone(),
            initializer: old.initializer().clone(),
            read: old.value().clone(),
        };
        let slice = SaveSliceInfo { full_name, full_shape, var_offset, var_shape };
        Variable::from_nodes(&self.graph, name.to_owned(), old.kind(), nodes, old.is_trainable(), Some(slice));
        Ok(())
    }

    /// Returns whether a variable is a resource, its handle, initial value, initializer and value, and whether it is trained.
    fn variable(&self, py: Python<'_>, name: &str) -> PyResult<(bool, Place, Place, u32, Place, bool)> {
        let variable = self.variable_named(name)?;
        let initializer = variable.initializer().id().map_or(0, |id| id.0);
        Ok((
            variable.kind() == VariableKind::Resource,
            built_place(py, variable.handle())?,
            built_place(py, variable.initial_value())?,
            initializer,
            built_place(py, variable.value())?,
            variable.is_trainable(),
        ))
    }

    /// Adds a name to a collection that the training library reads.
    fn note_collection(&self, key: &str, name: &str) {
        train::add_to_collection(&self.graph, key, name);
    }

    /// Empties a collection that the training library reads.
    fn clear_noted_collection(&self, key: &str) {
        train::clear_collection(&self.graph, key);
    }

    /// Returns the names in a collection of the training library's.
    fn noted_collection(&self, key: &str) -> Vec<String> {
        train::collection(&self.graph, key)
    }
}
