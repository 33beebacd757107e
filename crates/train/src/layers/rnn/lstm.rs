//! The long short-term memory cell.

use graph::{Graph, Output};
use tensor::DType;

use super::{RnnCell, columns, linear, unary};
use crate::initializers::Initializer;
use crate::variable::Variable;
use crate::variable_scope::VariableScopeOps;

/// The cell of Hochreiter and Schmidhuber, without peepholes. Its states are the memory `c` and the output `h`; its variables
/// are `lstm_cell/kernel` (input, new memory, forget and output gate side by side) and `lstm_cell/bias`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::trainable_variables;
/// use tensorfleet::layers::{self, LstmCell, RnnCell};
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None, Some(5), Some(3)]);
/// let rnn = layers::dynamic_rnn(&LstmCell::new(4), &x).build();
/// assert_eq!(rnn.outputs.shape(), PartialShape::from([None, Some(5), Some(4)]));
/// assert_eq!(trainable_variables(&g)[0].name(), "rnn/lstm_cell/kernel");
/// ```
#[derive(Clone, Debug)]
pub struct LstmCell {
    units: i64,
    forget_bias: f32,
    name: String,
}

impl LstmCell {
    /// Returns a cell of so many units.
    pub fn new(units: i64) -> LstmCell {
        LstmCell { units, forget_bias: 1.0, name: "lstm_cell".to_owned() }
    }

    /// What is added to the forget gate, so that a cell remembers in the beginning: 1 unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::layers::LstmCell;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, [None, Some(5), Some(3)]);
    /// let rnn = layers::dynamic_rnn(&LstmCell::new(4).forget_bias(0.0), &x).build();
    /// assert_eq!(rnn.states.len(), 2);
    /// ```
    #[must_use]
    pub fn forget_bias(mut self, bias: f32) -> Self {
        self.forget_bias = bias;
        self
    }

    /// The name of the scope of its variables: `lstm_cell` unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::layers::LstmCell;
    /// use tensorfleet::train::trainable_variables;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, [None, Some(5), Some(3)]);
    /// layers::dynamic_rnn(&LstmCell::new(4).name("cell").forget_bias(0.0), &x).build();
    /// assert_eq!(trainable_variables(&g)[0].name(), "rnn/cell/kernel");
    /// ```
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }
}

impl RnnCell for LstmCell {
    fn state_sizes(&self) -> Vec<i64> {
        vec![self.units, self.units]
    }

    fn output_size(&self) -> i64 {
        self.units
    }

    #[track_caller]
    fn variables(&self, graph: &Graph, input_size: i64, dtype: DType) -> Vec<Variable> {
        graph.with_variable_scope(&self.name, |graph| {
            let kernel = graph.variable("kernel").shape([input_size + self.units, 4 * self.units]).dtype(dtype).get();
            let bias = graph.variable("bias").shape([4 * self.units]).dtype(dtype).initializer(Initializer::Zeros);
            vec![kernel, bias.get()]
        })
    }

    #[track_caller]
    fn step(&self, values: &[Output], input: &Output, states: &[Output]) -> (Output, Vec<Output>) {
        input.graph().with_name_scope(&self.name, |_| {
            let (c, h) = (&states[0], &states[1]);
            let gates = columns(&linear(&[input.clone(), h.clone()], &values[0], &values[1]), 4);
            let (i, j, f, o) = (&gates[0], &gates[1], &gates[2], &gates[3]);
            let kept = unary("Sigmoid", &(f + self.forget_bias)) * c;
            let c = kept + unary("Sigmoid", i) * unary("Tanh", j);
            let h = unary("Tanh", &c) * unary("Sigmoid", o);
            (h.clone(), vec![c, h])
        })
    }
}
