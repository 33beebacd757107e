//! Whether a layer is built for training: known when the graph is built, or a tensor.

use graph::{Output, cond};

/// Whether a layer trains: a `bool`, or a scalar of bools that is computed or fed.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::layers::Training;
/// let g = Graph::new();
/// let fed = g.placeholder(DType::Bool, ());
/// assert!(matches!(Training::from(true), Training::Known(true)));
/// assert!(matches!(Training::from(&fed), Training::Tensor(_)));
/// ```
#[derive(Clone, Debug)]
pub enum Training {
    /// Known when the graph is built.
    Known(bool),
    /// Found out in each step.
    Tensor(Output),
}

impl Training {
    /// The values of one of two branches.
    #[track_caller]
    pub(super) fn choose(
        &self,
        training: impl FnOnce() -> Vec<Output>,
        otherwise: impl FnOnce() -> Vec<Output>,
    ) -> Vec<Output> {
        match self {
            Training::Known(true) => training(),
            Training::Known(false) => otherwise(),
            Training::Tensor(pred) => cond(pred, training, otherwise),
        }
    }
}

impl From<bool> for Training {
    fn from(training: bool) -> Training {
        Training::Known(training)
    }
}

impl From<&Output> for Training {
    fn from(training: &Output) -> Training {
        Training::Tensor(training.clone())
    }
}
