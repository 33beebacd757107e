//! From the losses of elements to one number.

use graph::{Graph, Output};
use tensor::DType;

use crate::nodes::{all_axes, cast, constant_at, ones_like, sum_of_all, zeros_like};

/// How one number is made of the losses of all elements.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::losses::Reduction;
/// let g = Graph::new();
/// let (labels, predictions, weights) = (g.zeros(&[2], DType::Float), g.constant([1f32, 3.0]), g.constant([0f32, 2.0]));
/// let loss = |how| losses::absolute_difference(&labels, &predictions).weights(&weights).reduction(how).build();
/// let (sum, mean, by_size) = (loss(Reduction::Sum), loss(Reduction::Mean), loss(Reduction::SumOverBatchSize));
/// let values: (f32, f32, f32) = LocalSession::new(&g)?.eval((&sum, &mean, &by_size))?;
/// assert_eq!(values, (6.0, 3.0, 3.0));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// None is made: the weighted losses stay as they are.
    None,
    /// The sum of the weighted losses.
    Sum,
    /// The sum of the weighted losses, divided by the sum of the weights.
    Mean,
    /// The sum of the weighted losses, divided by how many elements there are.
    SumOverBatchSize,
    /// The sum of the weighted losses, divided by how many of the weights are not zero.
    #[default]
    SumByNonzeroWeights,
}

/// What the loss of each element is multiplied with.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::losses::Weights;
/// let g = Graph::new();
/// assert!(matches!(Weights::from(0.5), Weights::Number(0.5)));
/// assert!(matches!(Weights::from(&g.constant([0.5f32, 1.0])), Weights::Tensor(_)));
/// ```
#[derive(Clone, Debug)]
pub enum Weights {
    /// The same for all.
    Number(f32),
    /// A tensor that can be broadcast to the losses.
    Tensor(Output),
}

impl From<f32> for Weights {
    fn from(weight: f32) -> Weights {
        Weights::Number(weight)
    }
}

impl From<&Output> for Weights {
    fn from(weights: &Output) -> Weights {
        Weights::Tensor(weights.clone())
    }
}

impl Reduction {
    /// Adds the nodes, in the present scope.
    #[track_caller]
    pub(super) fn reduce(self, graph: &Graph, losses: &Output, weights: &Weights) -> Output {
        let dtype = losses.dtype().unwrap_or(DType::Float);
        let weights = match weights {
            Weights::Tensor(weights) => cast(graph, weights, dtype),
            Weights::Number(weight) => {
                let name = graph.unique_name("Cast");
                cast(graph, &constant_at(graph, &format!("{name}/x"), *weight), dtype)
            }
        };
        let weighted = graph.op("Mul").input(losses).input(&weights).output();
        if self == Reduction::None {
            return weighted;
        }
        let total = sum_of_all(graph, &weighted);
        let count = match self {
            Reduction::None | Reduction::Sum => return total,
            Reduction::Mean => {
                let ones = ones_like(graph, losses);
                sum_of_all(graph, &(ones * &weights))
            }
            Reduction::SumOverBatchSize => {
                let name = graph.unique_name("num_elements");
                let size = graph.op("Size").name_exactly(&name).input(losses).output();
                graph.op("Cast").name_exactly(format!("{name}/Cast")).input(size).attr("DstT", dtype).output()
            }
            Reduction::SumByNonzeroWeights => nonzero_weights(graph, losses, &weights),
        };
        let total = sum_of_all(graph, &total);
        graph.op("DivNoNan").name("value").input(total).input(count).output()
    }
}

/// How many elements have a weight that is not zero.
#[track_caller]
fn nonzero_weights(graph: &Graph, losses: &Output, weights: &Output) -> Output {
    graph.with_name_scope("num_present", |graph| {
        let scope = graph.name_scope();
        let name = graph.unique_name("Equal");
        let zero = cast(graph, &constant_at(graph, &format!("{name}/y"), 0f32), losses.dtype().unwrap_or(DType::Float));
        let absent = graph.op("Equal").name_exactly(name).input(weights).input(zero).output();
        let (zeros, ones) = (zeros_like(graph, weights), ones_like(graph, weights));
        let present = graph.op("Select").input(absent).input(zeros).input(ones).output();
        let present = graph.with_name_scope("broadcast_weights", |graph| {
            let (scope, ones) = (graph.name_scope(), ones_like(graph, losses));
            graph.op("Mul").name_exactly(scope).input(present).input(ones).output()
        });
        let axes = all_axes(graph, &present);
        graph.op("Sum").name_exactly(scope).input(present).input(axes).output()
    })
}
