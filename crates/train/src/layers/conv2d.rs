//! Convolutions over images.

use graph::{Graph, Output};
use ops::nn::{DataFormat, Padding};
use tensor::{DType, err};

use super::{Activation, Regularizer, Window, in_layer_scope};
use crate::initializers::Initializer;
use crate::nodes::{value_for, with_variable};
use crate::variable_scope::VariableScopeOps;

/// Begins a convolution of images (`[batch, height, width, channels]`) with so many filters of this size.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let images = g.placeholder(DType::Float, [None, Some(28), Some(28), Some(3)]);
/// let same = layers::conv2d(&images, 32, 5).padding(Padding::Same).build();
/// assert_eq!(same.shape(), PartialShape::from([None, Some(28), Some(28), Some(32)]));
/// let smaller = layers::conv2d(&images, 8, [5, 3]).strides(2).build();
/// assert_eq!(smaller.shape(), PartialShape::from([None, Some(12), Some(13), Some(8)]));
/// ```
pub fn conv2d(input: &Output, filters: i64, kernel_size: impl Into<Window>) -> Conv2d {
    Conv2d {
        input: input.clone(),
        filters,
        kernel_size: kernel_size.into(),
        strides: Window([1, 1]),
        padding: Padding::Valid,
        activation: None,
        use_bias: true,
        kernel_initializer: None,
        bias_initializer: Initializer::Zeros,
        kernel_regularizer: None,
        trainable: true,
        name: None,
    }
}

/// A convolution in the making: [`conv2d`].
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::trainable_variables;
/// let g = Graph::new();
/// let images = g.placeholder(DType::Float, [None, Some(28), Some(28), Some(3)]);
/// layers::conv2d(&images, 32, 5).activation(Output::relu).name("first").build();
/// let shapes: Vec<String> =
///     trainable_variables(&g).iter().map(|variable| format!("{} {}", variable.name(), variable.shape())).collect();
/// assert_eq!(shapes, ["first/kernel [5,5,3,32]", "first/bias [32]"]);
/// ```
#[must_use]
pub struct Conv2d {
    input: Output,
    filters: i64,
    kernel_size: Window,
    strides: Window,
    padding: Padding,
    activation: Option<Activation>,
    use_bias: bool,
    kernel_initializer: Option<Initializer>,
    bias_initializer: Initializer,
    kernel_regularizer: Option<Regularizer>,
    trainable: bool,
    name: Option<String>,
}

impl Conv2d {
    /// How far the window moves: one element unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let images = g.placeholder(DType::Float, [None, Some(28), Some(28), Some(3)]);
    /// let y = layers::conv2d(&images, 8, 2).strides([2, 4]).build();
    /// assert_eq!(y.shape(), PartialShape::from([None, Some(14), Some(7), Some(8)]));
    /// ```
    pub fn strides(mut self, strides: impl Into<Window>) -> Self {
        self.strides = strides.into();
        self
    }

    /// The zeros around the images; none ([`Padding::Valid`]) unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let images = g.placeholder(DType::Float, [None, Some(28), Some(28), Some(3)]);
    /// let y = layers::conv2d(&images, 8, 5).padding(Padding::Same).build();
    /// assert_eq!(y.shape(), PartialShape::from([None, Some(28), Some(28), Some(8)]));
    /// ```
    pub fn padding(mut self, padding: Padding) -> Self {
        self.padding = padding;
        self
    }

    /// What is done to the result, by a method of [`Output`] or any function; nothing unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, [None, Some(28), Some(28), Some(3)]);
    /// layers::conv2d(&x, 3, 5).activation(Output::relu).build();
    /// layers::conv2d(&x, 3, 5).activation(|x| x.relu() * 2.0).build();
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
    /// layers::conv2d(&g.placeholder(DType::Float, [None, Some(8), Some(8), Some(3)]), 4, 3).without_bias().build();
    /// assert_eq!(trainable_variables(&g).len(), 1);
    /// ```
    pub fn without_bias(mut self) -> Self {
        self.use_bias = false;
        self
    }

    /// How the filters begin: as the variable scope says, or Glorot uniform.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Initializer;
    /// let g = Graph::new();
    /// let image = g.ones(&[1, 2, 2, 1], DType::Float);
    /// let sum = layers::conv2d(&image, 1, 2).kernel_initializer(Initializer::Ones).build();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<Tensor, _>(&sum)?.as_slice::<f32>()?, [4.0]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn kernel_initializer(mut self, initializer: Initializer) -> Self {
        self.kernel_initializer = Some(initializer);
        self
    }

    /// How the bias begins: with zeros unless told otherwise.
    pub fn bias_initializer(mut self, initializer: Initializer) -> Self {
        self.bias_initializer = initializer;
        self
    }

    /// A penalty on the filters, which goes to the regularization losses.
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
    /// let images = g.placeholder(DType::Float, [None, Some(8), Some(8), Some(3)]);
    /// layers::conv2d(&images, 4, 3).trainable(false).build();
    /// assert!(trainable_variables(&g).is_empty());
    /// ```
    pub fn trainable(mut self, trainable: bool) -> Self {
        self.trainable = trainable;
        self
    }

    /// The name of its scope: `conv2d`, with a number if there is one already, unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::trainable_variables;
    /// let g = Graph::new();
    /// let images = g.placeholder(DType::Float, [None, Some(8), Some(8), Some(3)]);
    /// layers::conv2d(&images, 4, 3).name("first").build();
    /// assert_eq!(trainable_variables(&g)[0].name(), "first/kernel");
    /// ```
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Adds the layer. An input whose number of channels is unknown is a mistake of the graph.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// layers::conv2d(&g.placeholder(DType::Float, [None, Some(8), Some(8), None]), 4, 3).build();
    /// assert!(g.check().is_err()); // how many channels come in?
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn build(self) -> Output {
        let graph = self.input.graph().clone();
        in_layer_scope(&graph, self.name.as_deref(), "conv2d", |graph| self.build_here(graph))
    }

    #[track_caller]
    fn build_here(&self, graph: &Graph) -> Output {
        let shape = self.input.shape();
        let Some(channels) = shape.dim(3).filter(|_| shape.rank() == Some(4)) else {
            let mistake = "The channel dimension of the inputs should be defined";
            graph.note_mistake(err!(InvalidArgument, "{mistake}. Found: {shape}"));
            return self.input.clone();
        };
        let dtype = self.input.dtype().unwrap_or(DType::Float);
        let [height, width] = self.kernel_size.0;
        let kernel = graph.variable("kernel").shape([height, width, channels, self.filters]).dtype(dtype);
        let kernel = kernel.trainable(self.trainable);
        let kernel = match &self.kernel_initializer {
            Some(initializer) => kernel.initializer(initializer.clone()).get(),
            None => kernel.get(),
        };
        if let Some(regularizer) = self.kernel_regularizer {
            regularizer.add(&kernel);
        }
        let bias = self.use_bias.then(|| {
            let bias = graph.variable("bias").shape([self.filters]).dtype(dtype).trainable(self.trainable);
            bias.initializer(self.bias_initializer.clone()).get()
        });
        let name = graph.unique_name("Conv2D");
        let filter = value_for(&kernel, &name);
        let [down, right] = self.strides.0;
        let conv = graph.op("Conv2D").name_exactly(name).input(&self.input).input(filter);
        let conv = conv.attr("strides", vec![1i64, down, right, 1]);
        let mut value = self.padding.on(conv, DataFormat::Nhwc).output();
        if let Some(bias) = &bias {
            value = with_variable("BiasAdd", &value, bias);
        }
        self.activation.as_ref().map_or(value.clone(), |activation| activation(&value))
    }
}
