//! A number of an optimizer: fixed, or computed in the graph.

use graph::{Graph, Operand, Output};
use tensor::DType;

/// A learning rate and the like: a number, or an output that changes from step to step (a schedule, a placeholder).
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let rate = g.placeholder(DType::Float, PartialShape::scalar());
/// let (fixed, fed) = (Adam::new(0.1), Adam::new(&rate));
/// assert_eq!(fixed.name(), fed.name());
/// ```
#[derive(Clone, Debug)]
pub enum Scalar {
    /// The same in every step.
    Number(f64),
    /// Computed in each step.
    Output(Output),
}

impl Scalar {
    /// Returns the node: a constant of this name in the present scope for a number.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Scalar;
    /// let g = Graph::new();
    /// let number = Scalar::from(0.5).node(&g, "rate");
    /// let output = Scalar::from(g.constant(0.25f32)).node(&g, "rate");
    /// assert_eq!(LocalSession::new(&g)?.eval::<(f32, f32), _>((&number, &output))?, (0.5, 0.25));
    /// # Ok::<(), Status>(())
    /// ```
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
