//! Dense layers: every input is connected with every unit.

use graph::{Graph, Output};
use tensor::{DType, err};

use super::{Activation, Regularizer, in_layer_scope};
use crate::initializers::Initializer;
use crate::nodes::{constant, int_vector, with_variable};
use crate::variable_scope::VariableScopeOps;

/// Begins a dense layer of so many units: `activation(input * kernel + bias)`, on the last dimension of the input.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Initializer;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0]]);
/// let y = layers::dense(&x, 1).kernel_initializer(Initializer::Ones).name("sum").build();
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&y))?, [Tensor::from([[3f32]])]);
/// # Ok(())
/// # }
/// ```
pub fn dense(input: &Output, units: i64) -> Dense {
    Dense {
        input: input.clone(),
        units,
        activation: None,
        use_bias: true,
        kernel_initializer: None,
        bias_initializer: Initializer::Zeros,
        kernel_regularizer: None,
        trainable: true,
        name: None,
    }
}

/// A dense layer in the making: [`dense`].
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::trainable_variables;
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None, Some(784)]);
/// layers::dense(&x, 10).activation(Output::relu).name("hidden").build();
/// let shapes: Vec<String> =
///     trainable_variables(&g).iter().map(|variable| format!("{} {}", variable.name(), variable.shape())).collect();
/// assert_eq!(shapes, ["hidden/kernel [784,10]", "hidden/bias [10]"]);
/// ```
#[must_use]
pub struct Dense {
    input: Output,
    units: i64,
    activation: Option<Activation>,
    use_bias: bool,
    kernel_initializer: Option<Initializer>,
    bias_initializer: Initializer,
    kernel_regularizer: Option<Regularizer>,
    trainable: bool,
    name: Option<String>,
}

impl Dense {
    /// What is done to the result, by a method of [`Output`] or any function; nothing unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, [None, Some(4)]);
    /// layers::dense(&x, 3).activation(Output::relu).build();
    /// layers::dense(&x, 3).activation(|x| x.relu() * 2.0).build();
    /// assert!(g.check().is_ok());
    /// ```
    pub fn activation(mut self, activation: impl Fn(&Output) -> Output + Send + Sync + 'static) -> Self {
        self.activation = Some(Box::new(activation));
        self
    }

    /// Adds no bias.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::trainable_variables;
    /// let g = Graph::new();
    /// layers::dense(&g.placeholder(DType::Float, [None, Some(4)]), 3).without_bias().build();
    /// assert_eq!(trainable_variables(&g).len(), 1);
    /// ```
    pub fn without_bias(mut self) -> Self {
        self.use_bias = false;
        self
    }

    /// How the kernel begins: as the variable scope says, or Glorot uniform.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Initializer;
    /// let g = Graph::new();
    /// let y = layers::dense(&g.constant([[1f32, 2.0]]), 1).kernel_initializer(Initializer::Ones).build();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<Vec<[f32; 1]>, _>(&y)?, [[3.0]]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn kernel_initializer(mut self, initializer: Initializer) -> Self {
        self.kernel_initializer = Some(initializer);
        self
    }

    /// How the bias begins: with zeros unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Initializer;
    /// let g = Graph::new();
    /// let y = layers::dense(&g.constant([[0f32, 0.0]]), 1).bias_initializer(Initializer::constant(7f32)).build();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<Vec<[f32; 1]>, _>(&y)?, [[7.0]]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn bias_initializer(mut self, initializer: Initializer) -> Self {
        self.bias_initializer = initializer;
        self
    }

    /// A penalty on the kernel, which goes to the regularization losses.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::layers::Regularizer;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, [None, Some(4)]);
    /// layers::dense(&x, 3).kernel_regularizer(Regularizer::L1(0.1)).build();
    /// assert_eq!(losses::regularization_losses(&g).len(), 1);
    /// ```
    pub fn kernel_regularizer(mut self, regularizer: Regularizer) -> Self {
        self.kernel_regularizer = Some(regularizer);
        self
    }

    /// Whether optimizers change its variables; they do unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::trainable_variables;
    /// let g = Graph::new();
    /// layers::dense(&g.placeholder(DType::Float, [None, Some(4)]), 3).trainable(false).build();
    /// assert!(trainable_variables(&g).is_empty());
    /// ```
    pub fn trainable(mut self, trainable: bool) -> Self {
        self.trainable = trainable;
        self
    }

    /// The name of its scope: `dense`, with a number if there is one already, unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::trainable_variables;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, [None, Some(4)]);
    /// let (first, second) = (layers::dense(&x, 3).build(), layers::dense(&x, 3).name("logits").build());
    /// let names: Vec<String> = trainable_variables(&g).iter().map(|variable| variable.name().to_owned()).collect();
    /// assert_eq!(names, ["dense/kernel", "dense/bias", "logits/kernel", "logits/bias"]);
    /// ```
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Adds the layer. An input whose last dimension is unknown is a mistake of the graph.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// layers::dense(&g.placeholder(DType::Float, [None, None]), 3).build();
    /// assert!(g.check().is_err()); // how many numbers come in?
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn build(self) -> Output {
        let graph = self.input.graph().clone();
        in_layer_scope(&graph, self.name.as_deref(), "dense", |graph| self.build_here(graph))
    }

    #[track_caller]
    fn build_here(&self, graph: &Graph) -> Output {
        let shape = self.input.shape();
        let features = shape.rank().and_then(|rank| shape.dim(rank.checked_sub(1)?));
        let Some(features) = features else {
            let mistake = "The last dimension of the inputs to a Dense layer should be defined";
            graph.note_mistake(err!(InvalidArgument, "{mistake}. Found: {shape}"));
            return self.input.clone();
        };
        let dtype = self.input.dtype().unwrap_or(DType::Float);
        let kernel = graph.variable("kernel").shape([features, self.units]).dtype(dtype).trainable(self.trainable);
        let kernel = match &self.kernel_initializer {
            Some(initializer) => kernel.initializer(initializer.clone()).get(),
            None => kernel.get(),
        };
        if let Some(regularizer) = self.kernel_regularizer {
            regularizer.add(&kernel);
        }
        let bias = self.use_bias.then(|| {
            let bias = graph.variable("bias").shape([self.units]).dtype(dtype).trainable(self.trainable);
            bias.initializer(self.bias_initializer.clone()).get()
        });
        let mut value = match shape.rank() {
            Some(2) | None => with_variable("MatMul", &self.input, &kernel),
            // All dimensions but the last are one for the product, and come back after it.
            Some(rank) => {
                let rows = constant(graph, "Reshape/shape", int_vector(&[-1, narrow(features)]));
                let rows = graph.op("Reshape").input(&self.input).input(rows).output();
                let product = with_variable("MatMul", &rows, &kernel);
                let (begin, end) = (
                    constant(graph, "begin", int_vector(&[0])),
                    constant(graph, "end", int_vector(&[narrow(rank as i64 - 1)])),
                );
                let ones = constant(graph, "step", int_vector(&[1]));
                let whole = graph.op("Shape").input(&self.input).output();
                let outer = graph.op("StridedSlice").input(whole).input(begin).input(end).input(ones).output();
                let units = constant(graph, "units", int_vector(&[narrow(self.units)]));
                let axis = constant(graph, "axis", 0i32);
                let back = graph.op("ConcatV2").input_list(&[outer, units]).input(axis).output();
                let value = graph.op("Reshape").input(product).input(back).output();
                let mut dims = shape.dims().unwrap_or_default();
                if let Some(last) = dims.last_mut() {
                    *last = Some(self.units);
                }
                value.set_shape(tensor::PartialShape::new(&dims));
                value
            }
        };
        if let Some(bias) = &bias {
            value = with_variable("BiasAdd", &value, bias);
        }
        self.activation.as_ref().map_or(value.clone(), |activation| activation(&value))
    }
}

fn narrow(size: i64) -> i32 {
    i32::try_from(size).unwrap_or(i32::MAX)
}
