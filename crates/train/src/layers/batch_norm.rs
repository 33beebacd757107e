//! Batch normalization: each channel is brought to mean 0 and variance 1 over the batch, then scaled and shifted.

use graph::{Graph, Operand, Output};
use tensor::{DType, err};

use super::{Training, in_layer_scope};
use crate::collections::{add_to_collection, keys};
use crate::initializers::Initializer;
use crate::nodes::{constant, int_vector};
use crate::variable::Variable;
use crate::variable_scope::VariableScopeOps;

/// Begins a layer that normalizes each channel, the last dimension of its input.
///
/// In training the mean and variance are those of the batch, and the moving averages of both move towards them by nodes in the
/// collection [`keys::UPDATE_OPS`], which a program runs with its training step. Without training the moving averages are used.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{collection, keys};
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32], [3.0]]);
/// let y = layers::batch_norm(&x).training(true).build();
/// assert_eq!(collection(&g, keys::UPDATE_OPS).len(), 2);
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// let values = session.fetch(RunRequest::new().fetch(&y))?;
/// let values = values[0].as_slice::<f32>()?; // the mean is 2, the variance 1
/// assert!((values[0] + 1.0).abs() < 1e-3 && (values[1] - 1.0).abs() < 1e-3);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "batch_normalization")]
pub fn batch_norm(input: &Output) -> BatchNorm {
    BatchNorm {
        input: input.clone(),
        momentum: 0.99,
        epsilon: 1e-3,
        center: true,
        scale: true,
        training: Training::Known(false),
        name: None,
    }
}

/// A batch normalization in the making: [`batch_norm`].
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::global_variables;
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None, Some(3)]);
/// layers::batch_norm(&x).momentum(0.9).epsilon(1e-5).without_scale().name("norm").build();
/// let names: Vec<String> = global_variables(&g).iter().map(|variable| variable.name().to_owned()).collect();
/// assert_eq!(names, ["norm/beta", "norm/moving_mean", "norm/moving_variance"]);
/// ```
#[must_use]
pub struct BatchNorm {
    input: Output,
    momentum: f32,
    epsilon: f32,
    center: bool,
    scale: bool,
    training: Training,
    name: Option<String>,
}

impl BatchNorm {
    /// Whether this is training: a `bool`, or a tensor of one. It is not unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (x, is_training) = (g.placeholder(DType::Float, [None, Some(3)]), g.placeholder(DType::Bool, ()));
    /// let y = layers::batch_norm(&x).training(&is_training).build(); // found out in each step
    /// assert_eq!(y.shape(), x.shape());
    /// ```
    pub fn training(mut self, training: impl Into<Training>) -> Self {
        self.training = training.into();
        self
    }

    /// How much of the moving averages stays in a step: 0.99 unless told otherwise.
    pub fn momentum(mut self, momentum: f32) -> Self {
        self.momentum = momentum;
        self
    }

    /// What is added to the variance: 0.001 unless told otherwise.
    pub fn epsilon(mut self, epsilon: f32) -> Self {
        self.epsilon = epsilon;
        self
    }

    /// Does not shift the result: there is no `beta`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::trainable_variables;
    /// let g = Graph::new();
    /// layers::batch_norm(&g.placeholder(DType::Float, [None, Some(3)])).without_center().build();
    /// assert_eq!(trainable_variables(&g).len(), 1); // gamma
    /// ```
    pub fn without_center(mut self) -> Self {
        self.center = false;
        self
    }

    /// Does not scale the result: there is no `gamma`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::trainable_variables;
    /// let g = Graph::new();
    /// layers::batch_norm(&g.placeholder(DType::Float, [None, Some(3)])).without_scale().build();
    /// assert_eq!(trainable_variables(&g).len(), 1); // beta
    /// ```
    pub fn without_scale(mut self) -> Self {
        self.scale = false;
        self
    }

    /// The name of its scope: `batch_normalization`, with a number if there is one already, unless told otherwise.
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Adds the layer. An input whose number of channels is unknown is a mistake of the graph.
    #[track_caller]
    pub fn build(self) -> Output {
        let graph = self.input.graph().clone();
        in_layer_scope(&graph, self.name.as_deref(), "batch_normalization", |graph| self.build_here(graph))
    }

    #[track_caller]
    fn build_here(&self, graph: &Graph) -> Output {
        let shape = self.input.shape();
        let channels = shape.rank().and_then(|rank| shape.dim(rank.checked_sub(1)?));
        let Some(channels) = channels else {
            graph.note_mistake(err!(InvalidArgument, "the channels of a batch normalization are unknown: {shape}"));
            return self.input.clone();
        };
        let dtype = self.input.dtype().unwrap_or(DType::Float);
        let variable = |name: &str, initializer: Initializer, trainable: bool| {
            graph.variable(name).shape([channels]).dtype(dtype).initializer(initializer).trainable(trainable).get()
        };
        let gamma = self.scale.then(|| variable("gamma", Initializer::Ones, true));
        let beta = self.center.then(|| variable("beta", Initializer::Zeros, true));
        let mean = variable("moving_mean", Initializer::Zeros, false);
        let variance = variable("moving_variance", Initializer::Ones, false);
        let filled = |value: f32| {
            let size = constant(graph, "Const", int_vector(&[i32::try_from(channels).unwrap_or(i32::MAX)]));
            let value = value.to_output(graph, Some(dtype));
            graph.op("Fill").input(size).input(value).output()
        };
        let scale = gamma.as_ref().map_or_else(|| filled(1.0), Variable::current);
        let offset = beta.as_ref().map_or_else(|| filled(0.0), Variable::current);
        let moving = [mean.current(), variance.current()];
        let fused = shape.rank() == Some(4) && dtype == DType::Float;
        let of_batch = || match fused {
            true => self.fused(graph, &scale, &offset, None),
            false => {
                let [mean, variance] = self.moments(graph);
                vec![self.normalized(graph, &mean, &variance, &scale, &offset), mean, variance]
            }
        };
        let of_moving = || match fused {
            true => self.fused(graph, &scale, &offset, Some(&moving)),
            false => {
                let value = self.normalized(graph, &moving[0], &moving[1], &scale, &offset);
                let copy = |value: &Output| graph.op("Identity").input(value).output();
                vec![value, copy(&moving[0]), copy(&moving[1])]
            }
        };
        let values = self.training.choose(of_batch, of_moving);
        let [value, batch_mean, batch_variance] = &values[..] else { return self.input.clone() };
        if !matches!(self.training, Training::Known(false)) {
            let decay = || vec![(1.0 - self.momentum).to_output(graph, Some(dtype))];
            let none = || vec![0f32.to_output(graph, Some(dtype))];
            let decay = self.training.choose(decay, none).swap_remove(0);
            for (moving, batch) in [(&mean, batch_mean), (&variance, batch_variance)] {
                self.move_towards(graph, moving, batch, &decay);
            }
        }
        value.set_shape(shape);
        value.clone()
    }

    /// The op that does all at once: the value, and the mean and variance that it used.
    #[track_caller]
    fn fused(&self, graph: &Graph, scale: &Output, offset: &Output, moving: Option<&[Output; 2]>) -> Vec<Output> {
        let norm = graph.op("FusedBatchNormV3").input(&self.input).input(scale).input(offset);
        let norm = match moving {
            Some([mean, variance]) => norm.input(mean).input(variance),
            None => {
                let nothing = || {
                    let none = constant(graph, "Const", int_vector(&[0]));
                    graph.op("Fill").input(none).input(graph.constant(0f32)).output()
                };
                norm.input(nothing()).input(nothing())
            }
        };
        let norm = norm.attr("epsilon", self.epsilon).attr("is_training", moving.is_none()).build();
        (0..3).map(|output| norm.output(output)).collect()
    }

    /// The mean and variance of each channel.
    #[track_caller]
    fn moments(&self, graph: &Graph) -> [Output; 2] {
        graph.with_name_scope("moments", |graph| {
            let rank = i32::try_from(self.input.shape().rank().unwrap_or(1)).unwrap_or(1);
            let axes: Vec<i32> = (0..rank - 1).collect();
            let axes = constant(graph, "mean/reduction_indices", int_vector(&axes));
            let mean = graph.op("Mean").name("mean").input(&self.input).input(&axes).output();
            let fixed = graph.op("StopGradient").input(&mean).output();
            let squares = graph.op("SquaredDifference").input(&self.input).input(fixed).output();
            let variance = graph.op("Mean").name("variance").input(squares).input(&axes).output();
            [mean, variance]
        })
    }

    #[track_caller]
    fn normalized(&self, graph: &Graph, mean: &Output, variance: &Output, scale: &Output, offset: &Output) -> Output {
        graph.with_name_scope("batchnorm", |graph| {
            let factor = graph.op("Rsqrt").input(variance + self.epsilon).output() * scale;
            &self.input * &factor + (offset - mean * &factor)
        })
    }

    /// Moves an average towards a value, by a node in the collection of update ops.
    #[track_caller]
    fn move_towards(&self, graph: &Graph, moving: &Variable, value: &Output, decay: &Output) {
        let moved = graph.with_colocation(&moving.operation(), |graph| {
            graph.with_name_scope("AssignMovingAvg", |graph| {
                let distance = graph.op("Sub").name("sub").input(moving.current()).input(value).output();
                moving.assign_sub(distance * decay)
            })
        });
        if let Some(name) = moved.name() {
            add_to_collection(graph, keys::UPDATE_OPS, name);
        }
    }
}
