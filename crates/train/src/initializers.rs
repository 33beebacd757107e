//! Initializers: what a new variable begins with, given its shape and type.

use std::sync::Arc;

use graph::{Graph, Output};
use ops::prelude::*;
use tensor::{DType, Tensor};

/// How the first value of a variable is made.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Initializer;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = g.get_variable("w", &[2], Initializer::constant(0.5f32));
/// let uniform = g.get_variable("uniform", &[2, 3], Initializer::glorot_uniform());
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(w.value()))?, [Tensor::from([0.5f32, 0.5])]);
/// assert_eq!(session.fetch(RunRequest::new().fetch(uniform.value()))?[0].dims(), [2, 3]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub enum Initializer {
    /// Zeros everywhere.
    Zeros,
    /// Ones everywhere.
    Ones,
    /// One value everywhere, or all values.
    Constant(Tensor),
    /// Normal.
    RandomNormal {
        /// The middle.
        mean: f64,
        /// The standard deviation.
        stddev: f64,
        /// The seed; one of the graph's if there is none.
        seed: Option<i64>,
    },
    /// Uniform between two numbers.
    RandomUniform {
        /// The smallest value.
        low: f64,
        /// The bound that values stay below.
        high: f64,
        /// The seed; one of the graph's if there is none.
        seed: Option<i64>,
    },
    /// Normal around 0, drawn again where two standard deviations or more from it.
    TruncatedNormal {
        /// The standard deviation before values are drawn again.
        stddev: f64,
        /// The seed; one of the graph's if there is none.
        seed: Option<i64>,
    },
    /// Uniform, so wide that a layer keeps the variance of what goes through it, in both directions.
    GlorotUniform {
        /// The seed; one of the graph's if there is none.
        seed: Option<i64>,
    },
    /// Truncated normal, of the same variance as [`GlorotUniform`](Initializer::GlorotUniform).
    GlorotNormal {
        /// The seed; one of the graph's if there is none.
        seed: Option<i64>,
    },
    /// A value computed elsewhere in the graph.
    Value(Output),
    /// Anything else: nodes for a shape and a type.
    Function(Arc<dyn Fn(&Graph, &[i64], DType) -> Output + Send + Sync>),
}

impl Initializer {
    /// One value everywhere, or all values.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Initializer;
    /// let g = Graph::new();
    /// let (same, each) = (Initializer::constant(7i32), Initializer::constant([1f32, 2.0]));
    /// let same = g.variable("same").shape(&[2]).dtype(DType::Int32).initializer(same).get();
    /// let each = g.get_variable("each", &[2], each);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<(Vec<i32>, Vec<f32>), _>((&same, &each))?, (vec![7, 7], vec![1.0, 2.0]));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn constant(value: impl Into<Tensor>) -> Initializer {
        Initializer::Constant(value.into())
    }

    /// Normal around 0.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Initializer;
    /// let g = Graph::new();
    /// let w = g.get_variable("w", &[100], Initializer::random_normal(0.01));
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// let values: Vec<f32> = session.eval(&w)?;
    /// assert!(values.iter().all(|value| value.abs() < 0.1)); // ten standard deviations
    /// # Ok::<(), Status>(())
    /// ```
    pub fn random_normal(stddev: f64) -> Initializer {
        Initializer::RandomNormal { mean: 0.0, stddev, seed: None }
    }

    /// Uniform between two numbers.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Initializer;
    /// let g = Graph::new();
    /// let w = g.get_variable("w", &[100], Initializer::random_uniform(2.0, 3.0));
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// let values: Vec<f32> = session.eval(&w)?;
    /// assert!(values.iter().all(|value| (2.0..3.0).contains(value)));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn random_uniform(low: f64, high: f64) -> Initializer {
        Initializer::RandomUniform { low, high, seed: None }
    }

    /// Normal around 0, drawn again where two standard deviations or more from it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Initializer;
    /// let g = Graph::new();
    /// let w = g.get_variable("w", &[100], Initializer::truncated_normal(0.1));
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// let values: Vec<f32> = session.eval(&w)?;
    /// assert!(values.iter().all(|value| value.abs() <= 0.2));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn truncated_normal(stddev: f64) -> Initializer {
        Initializer::TruncatedNormal { stddev, seed: None }
    }

    /// Uniform, of the width that Glorot and Bengio found: a layer keeps the variance of what goes through it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Initializer;
    /// let g = Graph::new();
    /// let w = g.get_variable("w", &[2, 4], Initializer::glorot_uniform());
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// let rows: Vec<[f32; 4]> = session.eval(&w)?;
    /// assert!(rows.concat().iter().all(|value| value.abs() <= 1.0)); // the root of 6 / (2 + 4)
    /// # Ok::<(), Status>(())
    /// ```
    pub fn glorot_uniform() -> Initializer {
        Initializer::GlorotUniform { seed: None }
    }

    /// Truncated normal, of the same variance as [`glorot_uniform`](Initializer::glorot_uniform).
    pub fn glorot_normal() -> Initializer {
        Initializer::GlorotNormal { seed: None }
    }

    /// What TensorFlow takes where nothing is said.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Initializer;
    /// let g = Graph::new();
    /// let count = g.variable("count").shape(&[2]).dtype(DType::Int64);
    /// let count = count.initializer(Initializer::default_for(DType::Int64)).get();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<Vec<i64>, _>(&count)?, [0, 0]); // Glorot uniform for floats
    /// # Ok::<(), Status>(())
    /// ```
    pub fn default_for(dtype: DType) -> Initializer {
        if dtype.is_floating() { Initializer::glorot_uniform() } else { Initializer::Zeros }
    }

    /// The nodes that make the value. `whole` is the shape of the variable that this one is a piece of.
    #[track_caller]
    pub(crate) fn build(&self, graph: &Graph, shape: &[i64], whole: &[i64], dtype: DType) -> Output {
        let options = |seed: &Option<i64>| RandomOptions { dtype, seed: *seed };
        match self {
            Initializer::Zeros => graph.zeros(shape, dtype),
            Initializer::Ones => graph.ones(shape, dtype),
            Initializer::Constant(value) => match constant_of_shape(value, shape, dtype) {
                Ok(value) => graph.constant(value),
                Err(mistake) => {
                    graph.note_mistake(mistake);
                    graph.zeros(shape, dtype)
                }
            },
            Initializer::RandomNormal { mean, stddev, seed } => {
                graph.random_normal_with(shape, *mean, *stddev, options(seed))
            }
            Initializer::RandomUniform { low, high, seed } => {
                graph.random_uniform_with(shape, *low, *high, options(seed))
            }
            Initializer::TruncatedNormal { stddev, seed } => graph.truncated_normal_with(shape, *stddev, options(seed)),
            Initializer::GlorotUniform { seed } => {
                let limit = (3.0 * glorot_variance(whole)).sqrt();
                graph.random_uniform_with(shape, -limit, limit, options(seed))
            }
            Initializer::GlorotNormal { seed } => {
                // The standard deviation of a normal distribution cut off at two of its standard deviations.
                const OF_TRUNCATED: f64 = 0.879_625_661_034_239_8;
                let stddev = glorot_variance(whole).sqrt() / OF_TRUNCATED;
                graph.truncated_normal_with(shape, stddev, options(seed))
            }
            Initializer::Value(value) => value.clone(),
            Initializer::Function(build) => build(graph, shape, dtype),
        }
    }
}

/// `1 / mean(inputs, outputs)` of a layer with weights of this shape.
fn glorot_variance(shape: &[i64]) -> f64 {
    let size = |dims: &[i64]| dims.iter().map(|dim| *dim as f64).product::<f64>();
    let (inputs, outputs) = match shape {
        [] => (1.0, 1.0),
        [one] => (*one as f64, *one as f64),
        [window @ .., inputs, outputs] => (size(window) * *inputs as f64, size(window) * *outputs as f64),
    };
    1.0 / f64::max(1.0, (inputs + outputs) / 2.0)
}
