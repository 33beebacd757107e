//! Static unrolling: the nodes of every step are in the graph.

use graph::{Graph, Output};
use tensor::{DType, err};

use super::{RnnCell, dimension, zero_states};
use crate::variable::Variable;
use crate::variable_scope::VariableScopeOps;

/// Begins to run a cell over the steps of sequences, `[batch, features]` each.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::layers::{self, LstmCell};
/// let g = Graph::new();
/// let steps: Vec<Output> = (0..3).map(|_| g.placeholder(DType::Float, [Some(2), Some(5)])).collect();
/// let (outputs, states) = layers::static_rnn(&LstmCell::new(4), &steps).build();
/// assert_eq!((outputs.len(), states.len()), (3, 2));
/// assert_eq!(outputs[2].shape(), PartialShape::from([Some(2), Some(4)]));
/// ```
pub fn static_rnn<'a>(cell: &'a dyn RnnCell, inputs: &[Output]) -> StaticRnn<'a> {
    StaticRnn { cell, inputs: inputs.to_vec(), initial_states: None, name: "rnn".to_owned() }
}

/// A recurrent network in the making: [`static_rnn`].
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::layers::GruCell;
/// let g = Graph::new();
/// let steps = [g.ones(&[2, 3], DType::Float), g.ones(&[2, 3], DType::Float)];
/// let start = g.zeros(&[2, 4], DType::Float);
/// let (outputs, states) = layers::static_rnn(&GruCell::new(4), &steps).initial_states(&[start]).name("words").build();
/// assert_eq!((outputs.len(), states[0].shape()), (2, PartialShape::from([2, 4])));
/// ```
#[must_use]
pub struct StaticRnn<'a> {
    cell: &'a dyn RnnCell,
    inputs: Vec<Output>,
    initial_states: Option<Vec<Output>>,
    name: String,
}

impl StaticRnn<'_> {
    /// The states before the first step: zeros unless told otherwise.
    pub fn initial_states(mut self, states: &[Output]) -> Self {
        self.initial_states = Some(states.to_vec());
        self
    }

    /// The name of its scope: `rnn` unless told otherwise.
    pub fn name(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// Adds the steps. Returns the output of each step and the states after the last one; nothing if there are no steps. Inputs
    /// whose last dimension is unknown are a mistake of the graph.
    #[track_caller]
    pub fn build(self) -> (Vec<Output>, Vec<Output>) {
        let Some(first) = self.inputs.first() else { return (Vec::new(), Vec::new()) };
        let graph = first.graph().clone();
        graph.with_variable_scope(&self.name, |graph| self.build_here(graph, first))
    }

    #[track_caller]
    fn build_here(&self, graph: &Graph, first: &Output) -> (Vec<Output>, Vec<Output>) {
        let shape = first.shape();
        let Some(features) = shape.dim(1).filter(|_| shape.rank() == Some(2)) else {
            let mistake = "Input size (second dimension of inputs[0]) must be accessible via shape inference";
            graph.note_mistake(err!(InvalidArgument, "{mistake}, but the input of '{}' is {shape}", self.name));
            return (Vec::new(), Vec::new());
        };
        let dtype = first.dtype().unwrap_or(DType::Float);
        let variables = self.cell.variables(graph, features, dtype);
        let values: Vec<Output> = variables.iter().map(Variable::current).collect();
        let mut states = match &self.initial_states {
            Some(states) => states.clone(),
            None => zero_states(graph, self.cell, &dimension(graph, first, 0), dtype),
        };
        let mut outputs = Vec::with_capacity(self.inputs.len());
        for input in &self.inputs {
            let (output, next) = self.cell.step(&values, input, &states);
            outputs.push(output);
            states = next;
        }
        (outputs, states)
    }
}
