//! The gated recurrent unit.

use graph::{Graph, Output};
use tensor::DType;

use super::{RnnCell, columns, linear, unary};
use crate::initializers::Initializer;
use crate::variable::Variable;
use crate::variable_scope::VariableScopeOps;

/// The cell of Cho et al. Its state is its output; its variables are `gru_cell/gates/kernel` (reset and update gate side by
/// side), `gru_cell/gates/bias`, which begins with ones, `gru_cell/candidate/kernel` and `gru_cell/candidate/bias`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::layers::{self, GruCell};
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None, Some(5), Some(3)]);
/// let rnn = layers::dynamic_rnn(&GruCell::new(4), &x).build();
/// assert_eq!(rnn.states[0].shape(), PartialShape::from([None, Some(4)]));
/// ```
#[derive(Clone, Debug)]
pub struct GruCell {
    units: i64,
    name: String,
}

impl GruCell {
    /// Returns a cell of so many units.
    pub fn new(units: i64) -> GruCell {
        GruCell { units, name: "gru_cell".to_owned() }
    }

    /// The name of the scope of its variables: `gru_cell` unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::layers::GruCell;
    /// use tensorfleet::train::trainable_variables;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, [None, Some(5), Some(3)]);
    /// layers::dynamic_rnn(&GruCell::new(4).name("cell"), &x).build();
    /// assert_eq!(trainable_variables(&g)[0].name(), "rnn/cell/gates/kernel");
    /// ```
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }
}

impl RnnCell for GruCell {
    fn state_sizes(&self) -> Vec<i64> {
        vec![self.units]
    }

    fn output_size(&self) -> i64 {
        self.units
    }

    #[track_caller]
    fn variables(&self, graph: &Graph, input_size: i64, dtype: DType) -> Vec<Variable> {
        graph.with_variable_scope(&self.name, |graph| {
            let pair = |scope: &str, width: i64, bias: Initializer| {
                graph.with_variable_scope(scope, |graph| {
                    let kernel = graph.variable("kernel").shape([input_size + self.units, width]).dtype(dtype).get();
                    let bias = graph.variable("bias").shape([width]).dtype(dtype).initializer(bias).get();
                    [kernel, bias]
                })
            };
            let gates = pair("gates", 2 * self.units, Initializer::Ones);
            let candidate = pair("candidate", self.units, Initializer::Zeros);
            [gates, candidate].concat()
        })
    }

    #[track_caller]
    fn step(&self, values: &[Output], input: &Output, states: &[Output]) -> (Output, Vec<Output>) {
        input.graph().with_name_scope(&self.name, |_| {
            let h = &states[0];
            let gates = unary("Sigmoid", &linear(&[input.clone(), h.clone()], &values[0], &values[1]));
            let gates = columns(&gates, 2);
            let (r, u) = (&gates[0], &gates[1]);
            let candidate = unary("Tanh", &linear(&[input.clone(), r * h], &values[2], &values[3]));
            let h = u * h + (1.0 - u) * candidate;
            (h.clone(), vec![h])
        })
    }
}
