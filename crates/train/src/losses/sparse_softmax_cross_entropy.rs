//! Cross entropy of classes that are given by number.

use graph::{Graph, Output};

use super::{ElementLoss, Loss};

/// Begins the cross entropy of labels, which are numbers of classes, and the softmax of logits.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let loss = losses::sparse_softmax_cross_entropy(&g.constant([1i64]), &g.constant([[3f32, 3.0]])).build();
/// let value = LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&loss))?[0].to_scalar::<f32>()?;
/// assert!((value - std::f32::consts::LN_2).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
pub fn sparse_softmax_cross_entropy(labels: &Output, logits: &Output) -> Loss<SparseSoftmaxCrossEntropy> {
    Loss::begin(labels, logits, SparseSoftmaxCrossEntropy)
}

/// The cross entropy of each example.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::losses::Reduction;
/// let g = Graph::new();
/// let loss = losses::sparse_softmax_cross_entropy(&g.constant([0i64, 1]), &g.constant([[100f32, 0.0], [100.0, 0.0]]));
/// let each = loss.reduction(Reduction::None).build();
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&each)?, [0.0, 100.0]);
/// # Ok::<(), Status>(())
/// ```
pub struct SparseSoftmaxCrossEntropy;

impl ElementLoss for SparseSoftmaxCrossEntropy {
    const NAME: &'static str = "sparse_softmax_cross_entropy_loss";
    const SAME_SHAPE: bool = false;

    #[track_caller]
    fn elements(&self, graph: &Graph, labels: &Output, logits: &Output) -> Output {
        graph.with_name_scope("xentropy", |graph| {
            graph.op("SparseSoftmaxCrossEntropyWithLogits").name("xentropy").input(logits).input(labels).output()
        })
    }
}
