//! Dropout: in training, a part of the values is left out at random.

use graph::{Graph, Output};
use tensor::DType;

use super::Training;
use crate::nodes::{cast, constant, constant_at};

/// Begins a layer that in training sets this part of its values to zero, and makes the others so much larger that their sum
/// stays what it is to be expected. Without training, values stay as they are.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.ones(&[1000], DType::Float);
/// let kept = layers::dropout(&x, 0.5).training(true).build();
/// let values = LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&kept))?;
/// assert!(values[0].as_slice::<f32>()?.iter().all(|value| *value == 0.0 || *value == 2.0));
/// # Ok(())
/// # }
/// ```
pub fn dropout(input: &Output, rate: f32) -> Dropout {
    Dropout { input: input.clone(), rate, training: Training::Known(false), seed: None, name: None }
}

/// A dropout layer in the making: [`dropout`].
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let (x, is_training) = (g.ones(&[10], DType::Float), g.placeholder(DType::Bool, ()));
/// let y = layers::dropout(&x, 0.5).training(&is_training).seed(1).build();
/// let session = LocalSession::new(&g)?;
/// assert_eq!(session.feed(&is_training, false).eval::<Vec<f32>, _>(&y)?, [1.0; 10]);
/// assert_ne!(session.feed(&is_training, true).eval::<Vec<f32>, _>(&y)?, [1.0; 10]);
/// # Ok::<(), Status>(())
/// ```
#[must_use]
pub struct Dropout {
    input: Output,
    rate: f32,
    training: Training,
    seed: Option<i64>,
    name: Option<String>,
}

impl Dropout {
    /// Whether this is training: a `bool`, or a tensor of one. It is not unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let x = g.ones(&[10], DType::Float);
    /// let y = layers::dropout(&x, 0.5).training(false).build();
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&y)?, [1.0; 10]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn training(mut self, training: impl Into<Training>) -> Self {
        self.training = training.into();
        self
    }

    /// The seed of its random numbers.
    pub fn seed(mut self, seed: i64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The name of its scope: `dropout`, with a number if there is one already, unless told otherwise.
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Adds the layer.
    #[track_caller]
    pub fn build(self) -> Output {
        let graph = self.input.graph().clone();
        graph.with_name_scope(self.name.as_deref().unwrap_or("dropout"), |graph| {
            let kept = || vec![graph.op("Identity").input(&self.input).output()];
            if self.rate <= 0.0 {
                return kept().swap_remove(0);
            }
            self.training.choose(|| vec![self.dropped(graph)], kept).swap_remove(0)
        })
    }

    #[track_caller]
    fn dropped(&self, graph: &Graph) -> Output {
        graph.with_name_scope("dropout", |graph| {
            let dtype = self.input.dtype().unwrap_or(DType::Float);
            let scale = cast(graph, &constant(graph, "Const", 1.0 / (1.0 - self.rate)), dtype);
            let scaled = graph.op("Mul").input(&self.input).input(scale).output();
            let shape = graph.op("Shape").input(&self.input).output();
            let (seed, seed2) = graph.seeds(self.seed);
            let random = graph.op("RandomUniform").name("random_uniform/RandomUniform").input(shape);
            let random = random.attr("dtype", dtype).attr("seed", seed).attr("seed2", seed2).output();
            let name = graph.unique_name("GreaterEqual");
            let rate = cast(graph, &constant_at(graph, &format!("{name}/y"), self.rate), dtype);
            let keep = graph.op("GreaterEqual").name_exactly(name).input(random).input(rate).output();
            let zero = cast(graph, &constant(graph, "Const", 0f32), dtype);
            let value = graph.op("SelectV2").input(keep).input(scaled).input(zero).output();
            value.set_shape(self.input.shape());
            value
        })
    }
}
