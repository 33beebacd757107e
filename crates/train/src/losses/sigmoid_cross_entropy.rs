//! Cross entropy of independent yes-or-no decisions.

use graph::{Graph, Output};

use super::{ElementLoss, Loss};
use crate::nodes::constant_at;

/// Begins the cross entropy of labels between 0 and 1 and the sigmoid of logits.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let loss = losses::sigmoid_cross_entropy(&g.constant([[1f32, 0.0]]), &g.constant([[0f32, 0.0]])).build();
/// let value = LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&loss))?[0].to_scalar::<f32>()?;
/// assert!((value - std::f32::consts::LN_2).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
pub fn sigmoid_cross_entropy(multi_class_labels: &Output, logits: &Output) -> Loss<SigmoidCrossEntropy> {
    Loss::begin(multi_class_labels, logits, SigmoidCrossEntropy { label_smoothing: 0.0 })
}

/// The cross entropy of each decision.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::losses::Reduction;
/// let g = Graph::new();
/// let loss = losses::sigmoid_cross_entropy(&g.constant([[1f32, 0.0]]), &g.constant([[100f32, 100.0]]));
/// let each: Vec<[f32; 2]> = LocalSession::new(&g)?.eval(&loss.reduction(Reduction::None).build())?;
/// assert!(each[0][0] < 1e-6 && each[0][1] == 100.0);
/// # Ok::<(), Status>(())
/// ```
pub struct SigmoidCrossEntropy {
    label_smoothing: f32,
}

impl Loss<SigmoidCrossEntropy> {
    /// How far labels are moved towards one half: not at all unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let loss = losses::sigmoid_cross_entropy(&g.constant([[1f32]]), &g.constant([[100f32]]));
    /// let loss = loss.label_smoothing(0.5).build();
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&loss)?, 25.0); // the label is 0.75
    /// # Ok::<(), Status>(())
    /// ```
    pub fn label_smoothing(mut self, smoothing: f32) -> Self {
        self.element.label_smoothing = smoothing;
        self
    }
}

impl ElementLoss for SigmoidCrossEntropy {
    const NAME: &'static str = "sigmoid_cross_entropy_loss";

    #[track_caller]
    fn elements(&self, graph: &Graph, labels: &Output, logits: &Output) -> Output {
        let labels = match self.label_smoothing {
            smoothing if smoothing > 0.0 => {
                let name = graph.unique_name("mul");
                let kept = constant_at(graph, &format!("{name}/y"), 1.0 - smoothing);
                let kept = graph.op("Mul").name_exactly(name).input(labels).input(kept).output();
                let name = graph.unique_name("add");
                let half = constant_at(graph, &format!("{name}/y"), 0.5 * smoothing);
                graph.op("AddV2").name_exactly(name).input(kept).input(half).output()
            }
            _ => labels.clone(),
        };
        graph.with_name_scope("xentropy", |graph| {
            // max(x, 0) - x * z + log(1 + exp(-|x|)), which does not overflow.
            let scope = graph.name_scope();
            let zeros = graph.op("ZerosLike").name("zeros_like").input(logits).output();
            let positive = graph.op("GreaterEqual").input(logits).input(&zeros).output();
            let above_0 = graph.op("Select").input(&positive).input(logits).input(&zeros).output();
            let negated = graph.op("Neg").input(logits).output();
            let below_0 = graph.op("Select").input(&positive).input(negated).input(logits).output();
            let product = graph.op("Mul").name("mul").input(logits).input(&labels).output();
            let straight = graph.op("Sub").name("sub").input(above_0).input(product).output();
            let exp = graph.op("Exp").input(below_0).output();
            let log = graph.op("Log1p").input(exp).output();
            graph.op("AddV2").name_exactly(scope).input(straight).input(log).output()
        })
    }
}
