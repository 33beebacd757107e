//! Recurrent networks: a cell that is run over the steps of a sequence.

mod dynamic;
mod gru;
mod lstm;
mod unrolled;

pub use dynamic::{DynamicRnn, dynamic_rnn};
pub use gru::GruCell;
pub use lstm::LstmCell;
pub use unrolled::{StaticRnn, static_rnn};

use graph::{Graph, Operand, Output};
use tensor::DType;

use crate::nodes::constant;
use crate::variable::Variable;

/// One step of a recurrent network.
///
/// A cell gets its variables once, from the present variable scope, and makes the nodes of a step wherever it is asked to:
/// inside of a loop, or once for each step.
///
/// A cell that adds up what it sees:
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::layers::RnnCell;
/// struct Sum;
///
/// impl RnnCell for Sum {
///     fn state_sizes(&self) -> Vec<i64> {
///         vec![1]
///     }
///     fn output_size(&self) -> i64 {
///         1
///     }
///     fn variables(&self, _graph: &Graph, _input_size: i64, _dtype: DType) -> Vec<Variable> {
///         Vec::new()
///     }
///     fn step(&self, _values: &[Output], input: &Output, states: &[Output]) -> (Output, Vec<Output>) {
///         let sum = &states[0] + input;
///         (sum.clone(), vec![sum])
///     }
/// }
///
/// let g = Graph::new();
/// let rnn = layers::dynamic_rnn(&Sum, &g.constant([[[1f32], [2.0], [3.0]]])).build();
/// let sums: Tensor = LocalSession::new(&g)?.eval(&rnn.outputs)?;
/// assert_eq!(sums.as_slice::<f32>()?, [1.0, 3.0, 6.0]);
/// # Ok::<(), Status>(())
/// ```
pub trait RnnCell {
    /// Returns the sizes of its states, for one example.
    fn state_sizes(&self) -> Vec<i64>;

    /// Returns the size of its output, for one example.
    fn output_size(&self) -> i64;

    /// Returns its variables for inputs of this size, found or made.
    fn variables(&self, graph: &Graph, input_size: i64, dtype: DType) -> Vec<Variable>;

    /// Returns the output of a step and the states after it. The values of the variables come in the order of
    /// [`variables`](RnnCell::variables), the states in that of [`state_sizes`](RnnCell::state_sizes).
    fn step(&self, values: &[Output], input: &Output, states: &[Output]) -> (Output, Vec<Output>);
}

/// What a recurrent network computes.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::layers::LstmCell;
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None, Some(5), Some(3)]);
/// let rnn = layers::dynamic_rnn(&LstmCell::new(4), &x).build();
/// let (memory, output) = (&rnn.states[0], &rnn.states[1]);
/// assert_eq!(rnn.outputs.shape(), PartialShape::from([None, Some(5), Some(4)]));
/// assert_eq!((memory.shape(), output.shape()), (output.shape(), PartialShape::from([None, Some(4)])));
/// ```
#[derive(Clone, Debug)]
pub struct RnnOutput {
    /// The outputs of all steps: `[batch, time, size]`, or `[time, batch, size]` if the input is time-major.
    pub outputs: Output,
    /// The states after the last step of each example, `[batch, size]` each.
    pub states: Vec<Output>,
}

/// States of zeros for a batch of this size.
#[track_caller]
fn zero_states(graph: &Graph, cell: &dyn RnnCell, batch: &Output, dtype: DType) -> Vec<Output> {
    let zeros = |size: &i64| {
        let size = constant(graph, "Const", i32::try_from(*size).unwrap_or(i32::MAX));
        let shape = graph.op("Pack").name("zeros/shape").input_list(&[batch.clone(), size]).output();
        let zero = 0f32.to_output(graph, Some(dtype));
        graph.op("Fill").name("zeros").input(shape).input(zero).output()
    };
    cell.state_sizes().iter().map(zeros).collect()
}

/// Element `index` of the shape of a value.
#[track_caller]
fn dimension(graph: &Graph, value: &Output, index: i32) -> Output {
    let shape = graph.op("Shape").input(value).output();
    let (index, axis) = (graph.constant(index), graph.constant(0i32));
    graph.op("GatherV2").input(shape).input(index).input(axis).output()
}

/// `[x, h] * kernel + bias`
#[track_caller]
fn linear(inputs: &[Output], kernel: &Output, bias: &Output) -> Output {
    let graph = kernel.graph();
    let axis = graph.constant(1i32);
    let joined = graph.op("ConcatV2").name("concat").input_list(inputs).input(axis).output();
    let product = graph.op("MatMul").input(joined).input(kernel).output();
    graph.op("BiasAdd").input(product).input(bias).output()
}

/// A matrix in so many parts, side by side.
#[track_caller]
fn columns(value: &Output, parts: i64) -> Vec<Output> {
    let graph = value.graph();
    let axis = graph.constant(1i32);
    graph.op("Split").name("split").input(axis).input(value).attr("num_split", parts).outputs()
}

/// A node of one input.
#[track_caller]
fn unary(op: &str, value: &Output) -> Output {
    value.graph().op(op).input(value).output()
}
