//! What a layer does to its result: the name of an op of one input, or a function.

use std::sync::Arc;

use graph::Output;

/// The last step of a layer. It is made of the name of an op (`"Relu"`, `"Tanh"`, `"Sigmoid"`, `"Softmax"`), or of a function.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None, Some(4)]);
/// layers::dense(&x, 3).activation("Relu").build();
/// layers::dense(&x, 3).activation(|x: &Output| x.relu() * 2.0).build();
/// assert!(g.check().is_ok());
/// ```
#[derive(Clone)]
pub struct Activation(Arc<dyn Fn(&Output) -> Output + Send + Sync>);

impl Activation {
    /// Returns the activated value.
    #[track_caller]
    pub fn apply(&self, value: &Output) -> Output {
        (self.0)(value)
    }
}

impl From<&'static str> for Activation {
    fn from(op: &'static str) -> Activation {
        Activation(Arc::new(move |value: &Output| value.graph().op(op).input(value).output()))
    }
}

impl<F: Fn(&Output) -> Output + Send + Sync + 'static> From<F> for Activation {
    fn from(function: F) -> Activation {
        Activation(Arc::new(function))
    }
}
