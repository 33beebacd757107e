//! The hinge loss.

use graph::{Graph, Output};

use super::{ElementLoss, Loss};
use crate::nodes::{constant_at, ones_like};

/// Begins the loss `max(0, 1 - y * logit)`, where `y` is -1 for labels of 0 and 1 for labels of 1.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let loss = losses::hinge(&g.constant([1f32, 0.0]), &g.constant([3f32, 1.0])).build();
/// assert_eq!(LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&loss))?, [Tensor::from(1f32)]); // (0 + 2) / 2
/// # Ok(())
/// # }
/// ```
#[doc(alias = "hinge_loss")]
pub fn hinge(labels: &Output, logits: &Output) -> Loss<Hinge> {
    Loss::begin(labels, logits, Hinge)
}

/// The hinge loss of each element.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::losses::Reduction;
/// let g = Graph::new();
/// let loss = losses::hinge(&g.constant([1f32, 0.0]), &g.constant([3f32, 1.0]));
/// let each = loss.reduction(Reduction::None).build();
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&each)?, [0.0, 2.0]);
/// # Ok::<(), Status>(())
/// ```
pub struct Hinge;

impl ElementLoss for Hinge {
    const NAME: &'static str = "hinge_loss";

    #[track_caller]
    fn elements(&self, graph: &Graph, labels: &Output, logits: &Output) -> Output {
        let ones = ones_like(graph, labels);
        let name = graph.unique_name("mul");
        let two = constant_at(graph, &format!("{name}/x"), 2f32);
        let doubled = graph.op("Mul").name_exactly(name).input(two).input(labels).output();
        let signs = graph.op("Sub").input(doubled).input(&ones).output();
        let product = graph.op("Mul").input(signs).input(logits).output();
        let distance = graph.op("Sub").input(ones).input(product).output();
        graph.op("Relu").input(distance).output()
    }
}
