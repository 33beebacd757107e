//! Moving averages of variables and of tensors.

use pyo3::prelude::*;
use train::Scalar;

use crate::graph::{Graph, Place};
use crate::optimizers::built_node;

/// Averages that move towards values.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct MovingAverage {
    average: train::ExponentialMovingAverage,
}

/// A number, or where a tensor is.
#[derive(FromPyObject)]
pub enum NumberOrPlace {
    Place(Place),
    Number(f64),
}

#[pymethods]
impl MovingAverage {
    #[new]
    fn new(
        graph: &Graph,
        decay: NumberOrPlace,
        num_updates: Option<&str>,
        zero_debias: bool,
        name: &str,
    ) -> PyResult<Self> {
        let decay = match decay {
            NumberOrPlace::Number(number) => Scalar::Number(number),
            NumberOrPlace::Place(place) => Scalar::Output(graph.output(place)),
        };
        let mut average = train::ExponentialMovingAverage::new(decay).named(name);
        if let Some(updates) = num_updates {
            average = average.num_updates(&graph.variable_named(updates)?);
        }
        Ok(MovingAverage { average: if zero_debias { average.zero_debias() } else { average } })
    }

    /// Adds the nodes that move the averages of variables, and returns the last one.
    fn apply(&self, py: Python<'_>, graph: &Graph, variables: Vec<String>) -> PyResult<u32> {
        let variables = graph.variables_named(&variables)?;
        let moved = self.average.apply(&graph.graph, Some(&variables));
        built_node(py, &graph.checked(py, Ok(moved))?)
    }

    /// As `apply`, for tensors.
    fn apply_to_tensors(&self, py: Python<'_>, graph: &Graph, tensors: Vec<Place>) -> PyResult<u32> {
        let moved = self.average.apply_to_outputs(&graph.graph, &graph.outputs(&tensors));
        built_node(py, &graph.checked(py, Ok(moved))?)
    }

    /// The name of the average of a variable, if there is one.
    fn average(&self, graph: &Graph, variable: &str) -> PyResult<Option<String>> {
        let variable = graph.variable_named(variable)?;
        Ok(self.average.average(&variable).map(|average| average.name().to_owned()))
    }

    /// The name of the average of a tensor, if there is one.
    fn average_of_tensor(&self, graph: &Graph, tensor: Place) -> Option<String> {
        self.average.average_of_output(&graph.output(tensor)).map(|average| average.name().to_owned())
    }
}
