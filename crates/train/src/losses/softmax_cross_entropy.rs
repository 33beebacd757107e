//! Cross entropy of distributions over classes.

use graph::{Graph, Output};

use super::{ElementLoss, Loss};
use crate::nodes::{cast, constant, constant_at, int_vector};

/// Begins the cross entropy of labels, which are distributions over classes (`[batch, classes]`), and the softmax of logits.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let loss = losses::softmax_cross_entropy(&g.constant([[1f32, 0.0]]), &g.constant([[3f32, 3.0]])).build();
/// let value = LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&loss))?[0].to_scalar::<f32>()?;
/// assert!((value - std::f32::consts::LN_2).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
pub fn softmax_cross_entropy(onehot_labels: &Output, logits: &Output) -> Loss<SoftmaxCrossEntropy> {
    Loss::begin(onehot_labels, logits, SoftmaxCrossEntropy { label_smoothing: 0.0 })
}

/// The cross entropy of each example.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::losses::Reduction;
/// let g = Graph::new();
/// let (labels, logits) = (g.constant([[1f32, 0.0], [0.0, 1.0]]), g.constant([[100f32, 0.0], [100.0, 0.0]]));
/// let each = losses::softmax_cross_entropy(&labels, &logits).reduction(Reduction::None).build();
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&each)?, [0.0, 100.0]);
/// # Ok::<(), Status>(())
/// ```
pub struct SoftmaxCrossEntropy {
    label_smoothing: f32,
}

impl Loss<SoftmaxCrossEntropy> {
    /// How far labels are moved towards all classes being equal: not at all unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (labels, logits) = (g.constant([[1f32, 0.0]]), g.constant([[100f32, 0.0]]));
    /// let loss = losses::softmax_cross_entropy(&labels, &logits).label_smoothing(0.5).build();
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&loss)?, 25.0); // the labels are 0.75 and 0.25
    /// # Ok::<(), Status>(())
    /// ```
    pub fn label_smoothing(mut self, smoothing: f32) -> Self {
        self.element.label_smoothing = smoothing;
        self
    }
}

impl ElementLoss for SoftmaxCrossEntropy {
    const NAME: &'static str = "softmax_cross_entropy_loss";

    #[track_caller]
    fn elements(&self, graph: &Graph, labels: &Output, logits: &Output) -> Output {
        let labels = match (logits.dtype(), self.label_smoothing) {
            (Some(dtype), smoothing) if smoothing > 0.0 => {
                let shape = graph.op("Shape").input(labels).output();
                let name = graph.unique_name("strided_slice");
                let part =
                    |suffix: &str, value: i32| constant_at(graph, &format!("{name}/{suffix}"), int_vector(&[value]));
                let (begin, end, step) = (part("stack", 1), part("stack_1", 2), part("stack_2", 1));
                let classes =
                    graph.op("StridedSlice").name_exactly(&name).input(shape).input(begin).input(end).input(step);
                let classes = cast(graph, &classes.attr("shrink_axis_mask", 1i64).output(), dtype);
                let name = graph.unique_name("truediv");
                let smoothed = constant_at(graph, &format!("{name}/x"), smoothing);
                let share = graph.op("RealDiv").name_exactly(name).input(smoothed).input(classes).output();
                let name = graph.unique_name("mul");
                let kept = constant_at(graph, &format!("{name}/y"), 1.0 - smoothing);
                let kept = graph.op("Mul").name_exactly(name).input(labels).input(kept).output();
                graph.op("AddV2").name("add").input(kept).input(share).output()
            }
            _ => labels.clone(),
        };
        let labels = graph.op("StopGradient").name("labels_stop_gradient").input(labels).output();
        let loss = graph.op("SoftmaxCrossEntropyWithLogits").name("xentropy");
        match logits.shape().rank() {
            Some(2) | None => loss.input(logits).input(labels).output(),
            // All dimensions but the last are one for the op, and come back after it.
            Some(rank) => {
                let rows = |value: &Output| {
                    let classes = logits.shape().dim(rank - 1).and_then(|classes| i32::try_from(classes).ok());
                    let shape = constant(graph, "xentropy/shape", int_vector(&[-1, classes.unwrap_or(-1)]));
                    graph.op("Reshape").input(value).input(shape).output()
                };
                let loss = loss.input(rows(logits)).input(rows(&labels)).output();
                let shape = graph.op("Shape").input(logits).output();
                let count = constant(graph, "xentropy/outer", int_vector(&[i32::try_from(rank).unwrap_or(1) - 1]));
                let begin = constant(graph, "xentropy/begin", int_vector(&[0]));
                let outer = graph.op("Slice").input(shape).input(begin).input(count).output();
                graph.op("Reshape").input(loss).input(outer).output()
            }
        }
    }
}
