//! Losses: how far predictions are from labels, as one number to be made smaller. One file each.
//!
//! A loss is begun by a function, told more by methods, and added to the graph by `build`. It goes to the collection
//! [`keys::LOSSES`], of which [`total_loss`] is the sum. Nodes are named as `tf.losses` of TensorFlow names them.
//!
//! ```
//! use tensorfleet::prelude::*;
//! use tensorfleet::losses::{self, Reduction};
//! # fn main() -> tensorfleet::Result<()> {
//! let g = Graph::new();
//! let (labels, predictions) = (g.constant([1f32, 2.0]), g.constant([1f32, 4.0]));
//! let mean = losses::mean_squared_error(&labels, &predictions).build(); // (0 + 4) / 2
//! let sum = losses::mean_squared_error(&labels, &predictions).weights(0.5).reduction(Reduction::Sum).build();
//! let session = LocalSession::new(&g)?;
//! let values = session.fetch(RunRequest::new().fetch(&mean).fetch(&sum).fetch(&losses::total_loss(&g)?))?;
//! assert_eq!(values, [Tensor::from(2f32), Tensor::from(2f32), Tensor::from(4f32)]);
//! # Ok(())
//! # }
//! ```
//!
//! Shapes that do not belong together are a mistake of the graph, as far as they are known:
//!
//! ```
//! use tensorfleet::prelude::*;
//! let g = Graph::new();
//! losses::mean_squared_error(&g.constant([[1f32], [2.0]]), &g.constant([1f32, 2.0])).build();
//! let message = g.check().unwrap_err().message().to_owned();
//! assert!(message.ends_with("Shapes [2] and [2,1] are incompatible: those of predictions and labels"), "{message}");
//! ```

mod absolute_difference;
mod hinge;
mod huber;
mod log_loss;
mod mean_squared_error;
mod reduction;
mod sigmoid_cross_entropy;
mod softmax_cross_entropy;
mod sparse_softmax_cross_entropy;
mod total;

pub use absolute_difference::{AbsoluteDifference, absolute_difference};
pub use hinge::{Hinge, hinge};
pub use huber::{Huber, huber};
pub use log_loss::{LogLoss, log_loss};
pub use mean_squared_error::{MeanSquaredError, mean_squared_error};
pub use reduction::{Reduction, Weights};
pub use sigmoid_cross_entropy::{SigmoidCrossEntropy, sigmoid_cross_entropy};
pub use softmax_cross_entropy::{SoftmaxCrossEntropy, softmax_cross_entropy};
pub use sparse_softmax_cross_entropy::{SparseSoftmaxCrossEntropy, sparse_softmax_cross_entropy};
pub use total::{regularization_loss, regularization_losses, total_loss, total_loss_without_regularization};

use graph::{Graph, Output};
use runtime::AsTensor;

use crate::collections::{add_to_collection, keys};
use crate::nodes::expect_same_shape;

/// How far each prediction is from its label.
///
/// A function of [`losses`](self) begins a loss of each type that implements it:
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::losses::{ElementLoss, MeanSquaredError};
/// let g = Graph::new();
/// let each = MeanSquaredError.elements(&g, &g.constant([1f32, 2.0]), &g.constant([0f32, 5.0]));
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&each)?, [1.0, 9.0]);
/// # Ok::<(), Status>(())
/// ```
pub trait ElementLoss {
    /// The usual name of the scope.
    const NAME: &'static str;

    /// Whether labels have the shape of their predictions.
    const SAME_SHAPE: bool = true;

    /// Returns the loss of each element, in the present scope.
    fn elements(&self, graph: &Graph, labels: &Output, predictions: &Output) -> Output;
}

/// A loss in the making.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::losses::Reduction;
/// let g = Graph::new();
/// let loss = losses::mean_squared_error(&g.constant([1f32, 2.0]), &g.constant([0f32, 5.0]));
/// let loss = loss.weights(&g.constant([1f32, 0.0])).reduction(Reduction::Sum).name("error").build();
/// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&loss)?, 1.0);
/// # Ok::<(), Status>(())
/// ```
#[must_use]
pub struct Loss<E> {
    labels: Output,
    predictions: Output,
    weights: Weights,
    reduction: Reduction,
    collection: Option<String>,
    name: Option<String>,
    pub(crate) element: E,
}

impl<E: ElementLoss> Loss<E> {
    pub(crate) fn begin(labels: &Output, predictions: &Output, element: E) -> Loss<E> {
        Loss {
            labels: labels.clone(),
            predictions: predictions.clone(),
            weights: Weights::Number(1.0),
            reduction: Reduction::default(),
            collection: Some(keys::LOSSES.to_owned()),
            name: None,
            element,
        }
    }

    /// What the loss of each element is multiplied with: a number, or a tensor that can be broadcast to the losses.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (labels, predictions) = (g.constant([0f32, 0.0]), g.constant([1f32, 3.0]));
    /// let halved = losses::absolute_difference(&labels, &predictions).weights(0.5).build();
    /// let second = losses::absolute_difference(&labels, &predictions).weights(&g.constant([0f32, 1.0])).build();
    /// assert_eq!(LocalSession::new(&g)?.eval::<(f32, f32), _>((&halved, &second))?, (1.0, 3.0));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn weights(mut self, weights: impl Into<Weights>) -> Self {
        self.weights = weights.into();
        self
    }

    /// How one number is made of the losses of all elements.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::losses::Reduction;
    /// let g = Graph::new();
    /// let loss = losses::absolute_difference(&g.constant([0f32, 0.0]), &g.constant([1f32, 3.0]));
    /// let sum = loss.reduction(Reduction::Sum).build();
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&sum)?, 4.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn reduction(mut self, reduction: Reduction) -> Self {
        self.reduction = reduction;
        self
    }

    /// The collection it goes to, instead of that of all losses; `None` is none.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{collection, keys};
    /// let g = Graph::new();
    /// losses::absolute_difference(&g.constant([0f32]), &g.constant([1f32])).collection("mine").build();
    /// losses::absolute_difference(&g.constant([0f32]), &g.constant([1f32])).collection(None).build();
    /// assert_eq!((collection(&g, "mine").len(), collection(&g, keys::LOSSES).len()), (1, 0));
    /// ```
    pub fn collection<'a>(mut self, key: impl Into<Option<&'a str>>) -> Self {
        self.collection = key.into().map(str::to_owned);
        self
    }

    /// The name of its scope.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let loss = losses::mean_squared_error(&g.constant([1f32]), &g.constant([4f32])).name("error").build();
    /// assert!(loss.name().unwrap().to_string().starts_with("error/"));
    /// ```
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Adds the loss.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{collection, keys};
    /// let g = Graph::new();
    /// let loss = losses::mean_squared_error(&g.constant([1f32]), &g.constant([4f32])).build();
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&loss)?, 9.0);
    /// assert_eq!(collection(&g, keys::LOSSES).len(), 1);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn build(self) -> Output {
        let graph = self.predictions.graph().clone();
        if E::SAME_SHAPE {
            expect_same_shape(&self.labels, &self.predictions);
        }
        let loss = graph.with_name_scope(self.name.as_deref().unwrap_or(E::NAME), |graph| {
            let elements = self.element.elements(graph, &self.labels, &self.predictions);
            self.reduction.reduce(graph, &elements, &self.weights)
        });
        if let (Some(key), Ok(name)) = (&self.collection, (&loss).tensor_name()) {
            add_to_collection(&graph, key, name);
        }
        loss
    }
}
