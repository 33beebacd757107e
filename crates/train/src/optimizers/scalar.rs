//! A number of an optimizer: fixed, or computed in the graph.

use graph::{Graph, Operand, Output};
use tensor::DType;

/// A learning rate and the like: a number, or an output that changes from step to step (a schedule, a placeholder).
#[derive(Clone, Debug)]
pub enum Scalar {
    Number(f64),
    Output(Output),
}

impl Scalar {
    /// The node: a constant of this name in the present scope for a number.
    #[track_caller]
    pub fn node(&self, graph: &Graph, name: &str) -> Output {
        match self {
            Scalar::Number(number) => number.to_named_output(graph, Some(DType::Float), &graph.unique_name(name)),
            Scalar::Output(output) => output.clone(),
        }
    }
}

impl From<f32> for Scalar {
    fn from(number: f32) -> Scalar {
        Scalar::Number(number.into())
    }
}

impl From<f64> for Scalar {
    fn from(number: f64) -> Scalar {
        Scalar::Number(number)
    }
}

impl From<Output> for Scalar {
    fn from(output: Output) -> Scalar {
        Scalar::Output(output)
    }
}

impl From<&Output> for Scalar {
    fn from(output: &Output) -> Scalar {
        Scalar::Output(output.clone())
    }
}
