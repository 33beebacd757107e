//! Dynamic unrolling: a loop over the steps, as many as the input has when it runs.

use graph::{Graph, Output, WhileLoop};
use ops::prelude::*;
use tensor::{DType, PartialShape, Tensor, err};

use super::{RnnCell, RnnOutput, dimension, zero_states};
use crate::nodes::{constant, int_vector};
use crate::variable::Variable;
use crate::variable_scope::VariableScopeOps;

/// Begins to run a cell over sequences: `[batch, time, features]`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::layers::{self, GruCell};
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None, None, Some(1)]);
/// let lengths = g.placeholder(DType::Int32, [None]);
/// let rnn = layers::dynamic_rnn(&GruCell::new(2), &x).sequence_length(&lengths).build();
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// let request = RunRequest::new().feed(&x, Tensor::zeros(DType::Float, &Shape::new(&[2, 3, 1])?)?);
/// let values = session.fetch(request.feed(&lengths, [3i32, 1]).fetch(&rnn.outputs).fetch(&rnn.states[0]))?;
/// assert_eq!((values[0].dims(), values[1].dims()), (&[2i64, 3, 2][..], &[2i64, 2][..]));
/// # Ok(())
/// # }
/// ```
pub fn dynamic_rnn<'a>(cell: &'a dyn RnnCell, input: &Output) -> DynamicRnn<'a> {
    DynamicRnn {
        cell,
        input: input.clone(),
        sequence_length: None,
        initial_states: None,
        time_major: false,
        name: "rnn".to_owned(),
    }
}

/// A recurrent network in the making: [`dynamic_rnn`].
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::layers::GruCell;
/// use tensorfleet::train::trainable_variables;
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None, Some(8), Some(3)]); // [time, batch, features]
/// let rnn = layers::dynamic_rnn(&GruCell::new(4), &x).time_major().name("encoder").build();
/// assert_eq!(rnn.outputs.shape(), PartialShape::from([None, Some(8), Some(4)]));
/// assert_eq!(trainable_variables(&g)[0].name(), "encoder/gru_cell/gates/kernel");
/// ```
#[must_use]
pub struct DynamicRnn<'a> {
    cell: &'a dyn RnnCell,
    input: Output,
    sequence_length: Option<Output>,
    initial_states: Option<Vec<Output>>,
    time_major: bool,
    name: String,
}

impl DynamicRnn<'_> {
    /// How many steps each example has. After its last step an example's states stay and its outputs are zero.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::layers::GruCell;
    /// let g = Graph::new();
    /// let x = g.ones(&[2, 3, 1], DType::Float);
    /// let rnn = layers::dynamic_rnn(&GruCell::new(1), &x).sequence_length(&g.constant([3i32, 1])).build();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// let outputs: Tensor = session.eval(&rnn.outputs)?;
    /// assert_eq!(outputs.as_slice::<f32>()?[4..], [0.0, 0.0]); // the second example has one step
    /// # Ok::<(), Status>(())
    /// ```
    pub fn sequence_length(mut self, lengths: &Output) -> Self {
        self.sequence_length = Some(lengths.clone());
        self
    }

    /// The states before the first step: zeros unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::layers::GruCell;
    /// let g = Graph::new();
    /// let (x, cell) = (g.placeholder(DType::Float, [Some(2), None, Some(3)]), GruCell::new(4));
    /// let rnn = layers::dynamic_rnn(&cell, &x).initial_states(&[g.ones(&[2, 4], DType::Float)]).build();
    /// assert_eq!(rnn.states[0].shape(), PartialShape::from([2, 4]));
    /// ```
    pub fn initial_states(mut self, states: &[Output]) -> Self {
        self.initial_states = Some(states.to_vec());
        self
    }

    /// The input is `[time, batch, features]`, and so will be the output. This saves two transpositions.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::layers::GruCell;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, [Some(5), Some(2), Some(3)]);
    /// let rnn = layers::dynamic_rnn(&GruCell::new(4), &x).time_major().build();
    /// assert_eq!(rnn.outputs.shape(), PartialShape::from([5, 2, 4]));
    /// ```
    pub fn time_major(mut self) -> Self {
        self.time_major = true;
        self
    }

    /// The name of its scope: `rnn` unless told otherwise.
    pub fn name(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// Adds the loop. An input whose last dimension is unknown is a mistake of the graph.
    #[track_caller]
    pub fn build(self) -> RnnOutput {
        let graph = self.input.graph().clone();
        graph.with_variable_scope(&self.name, |graph| self.build_here(graph))
    }

    #[track_caller]
    fn build_here(&self, graph: &Graph) -> RnnOutput {
        let shape = self.input.shape();
        let sizes = shape.dims().filter(|dims| dims.len() == 3);
        let Some((dims, features)) = sizes.and_then(|dims| Some((dims.clone(), dims[2]?))) else {
            let mistake = "Input size (depth of inputs) must be accessible via shape inference";
            graph.note_mistake(err!(InvalidArgument, "{mistake}, but the input of '{}' is {shape}", self.name));
            return RnnOutput { outputs: self.input.clone(), states: Vec::new() };
        };
        let (batch_size, steps) = if self.time_major { (dims[1], dims[0]) } else { (dims[0], dims[1]) };
        let dtype = self.input.dtype().unwrap_or(DType::Float);
        let variables = self.cell.variables(graph, features, dtype);
        // Read outside of the loop: the values are the same in each of its steps.
        let values: Vec<Output> = variables.iter().map(Variable::current).collect();
        let input = if self.time_major { self.input.clone() } else { transposed(graph, &self.input) };
        let time = dimension(graph, &input, 0);
        let batch = dimension(graph, &input, 1);
        let states = match &self.initial_states {
            Some(states) => states.clone(),
            None => zero_states(graph, self.cell, &batch, dtype),
        };
        let sizes = self.cell.state_sizes();
        let state_shapes = sizes.iter().map(|size| PartialShape::new(&[batch_size, Some(*size)]));
        let state_shapes: Vec<PartialShape> = state_shapes.collect();
        for (state, shape) in states.iter().zip(&state_shapes) {
            state.set_shape(shape.clone());
        }
        let output_shape = PartialShape::new(&[batch_size, Some(self.cell.output_size())]);
        let inputs = TensorArray::unstack(&input);
        let results = TensorArray::new(graph, dtype, &time, output_shape.clone());
        let lengths = self.sequence_length.as_ref().map(|lengths| lengths.cast(DType::Int32));
        let mut shapes = vec![PartialShape::scalar(), PartialShape::scalar()];
        shapes.extend(state_shapes);
        let mut vars = vec![constant(graph, "time", 0i32), results.flow().clone()];
        vars.extend(states);
        let body = |vars: &[Output]| {
            let (step, flow, states) = (&vars[0], &vars[1], &vars[2..]);
            let (mut output, mut next) = self.cell.step(&values, &inputs.read(step), states);
            if let Some(lengths) = &lengths {
                // Examples that have ended keep their states.
                let goes_on = graph.op("Greater").input(lengths).input(step).output();
                let select =
                    |new: &Output, old: &Output| graph.op("Select").input(&goes_on).input(new).input(old).output();
                output = select(&output, &graph.op("ZerosLike").input(&output).output());
                next = next.iter().zip(states).map(|(new, old)| select(new, old)).collect();
            }
            let written = results.with_flow(flow).write(step, &output);
            let mut after = vec![step + 1, written.flow().clone()];
            after.extend(next);
            after
        };
        let more = |vars: &[Output]| graph.op("Less").input(&vars[0]).input(&time).output();
        let end = WhileLoop::new().shape_invariants(shapes).build(graph, more, body, &vars);
        let outputs = results.with_flow(&end[1]).stack();
        let outputs = if self.time_major { outputs } else { transposed(graph, &outputs) };
        let (first, second) = if self.time_major { (steps, batch_size) } else { (batch_size, steps) };
        outputs.set_shape(PartialShape::new(&[first, second, Some(self.cell.output_size())]));
        RnnOutput { outputs, states: end[2..].to_vec() }
    }
}

/// The first two dimensions the other way round.
#[track_caller]
fn transposed(graph: &Graph, value: &Output) -> Output {
    let order: Tensor = int_vector(&[1, 0, 2]);
    let name = graph.unique_name("transpose");
    let order = crate::nodes::constant_at(graph, &format!("{name}/perm"), order);
    graph.op("Transpose").name_exactly(name).input(value).input(order).output()
}
