//! The losses of a graph together.

use graph::{Graph, Output};
use tensor::Result;

use crate::collections::{collection, keys};

/// Returns the sum of all losses, and of all penalties on weights.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Initializer;
/// use tensorfleet::layers::Regularizer;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32]]);
/// let ones = Initializer::Ones;
/// let y = layers::dense(&x, 1).kernel_initializer(ones).kernel_regularizer(Regularizer::L2(0.5)).build();
/// losses::mean_squared_error(&g.constant([[3f32]]), &y).build(); // (3 - 1)^2
/// let total = losses::total_loss(&g)?; // and 0.5 * 1^2 / 2
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&total))?, [Tensor::from(4.25f32)]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `NotFound` if a collection names an output that the graph does not have.
#[doc(alias = "get_total_loss")]
#[track_caller]
pub fn total_loss(graph: &Graph) -> Result<Output> {
    let mut all = outputs(graph, keys::LOSSES)?;
    all.extend(outputs(graph, keys::REGULARIZATION_LOSSES)?);
    Ok(sum(graph, "total_loss", &all))
}

/// Returns the sum of all losses alone.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::layers::Regularizer;
/// let g = Graph::new();
/// let y = layers::dense(&g.constant([[0f32]]), 1).kernel_regularizer(Regularizer::L2(0.5)).build();
/// losses::mean_squared_error(&g.constant([[3f32]]), &y).build();
/// let loss = losses::total_loss_without_regularization(&g)?;
/// let session = LocalSession::new(&g)?;
/// session.eval(&global_variables_initializer(&g))?;
/// assert_eq!(session.eval::<f32, _>(&loss)?, 9.0); // (3 - 0)^2
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// `NotFound` if the collection names an output that the graph does not have.
#[track_caller]
pub fn total_loss_without_regularization(graph: &Graph) -> Result<Output> {
    Ok(sum(graph, "total_loss", &outputs(graph, keys::LOSSES)?))
}

/// Returns the penalties on weights, in the order in which they were added.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::layers::Regularizer;
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None, Some(4)]);
/// let hidden = layers::dense(&x, 3).kernel_regularizer(Regularizer::L2(0.5)).build();
/// layers::dense(&hidden, 2).kernel_regularizer(Regularizer::L1(0.5)).build();
/// assert_eq!(losses::regularization_losses(&g).len(), 2);
/// ```
#[doc(alias = "get_regularization_losses")]
pub fn regularization_losses(graph: &Graph) -> Vec<Output> {
    outputs(graph, keys::REGULARIZATION_LOSSES).unwrap_or_default()
}

/// Returns the sum of all penalties on weights, which is 0 if there are none.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::layers::Regularizer;
/// use tensorfleet::train::Initializer;
/// let g = Graph::new();
/// let (x, ones) = (g.placeholder(DType::Float, [None, Some(4)]), Initializer::Ones);
/// layers::dense(&x, 1).kernel_initializer(ones).kernel_regularizer(Regularizer::L1(0.5)).build();
/// let penalty = losses::regularization_loss(&g)?;
/// let session = LocalSession::new(&g)?;
/// session.eval(&global_variables_initializer(&g))?;
/// assert_eq!(session.eval::<f32, _>(&penalty)?, 2.0); // half of four
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// `NotFound` if the collection names an output that the graph does not have.
#[doc(alias = "get_regularization_loss")]
#[track_caller]
pub fn regularization_loss(graph: &Graph) -> Result<Output> {
    Ok(sum(graph, "total_regularization_loss", &outputs(graph, keys::REGULARIZATION_LOSSES)?))
}

fn outputs(graph: &Graph, key: &str) -> Result<Vec<Output>> {
    collection(graph, key).iter().map(|name| graph.output(name)).collect()
}

#[track_caller]
fn sum(graph: &Graph, name: &str, terms: &[Output]) -> Output {
    match terms {
        [] => crate::nodes::constant(graph, name, 0f32),
        [one] => graph.op("Identity").name(name).input(one).output(),
        _ => graph.op("AddN").name(name).input_list(terms).output(),
    }
}
