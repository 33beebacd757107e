//! Penalties on the size of weights, which go to the collection of regularization losses.

use graph::{Graph, Output};
use runtime::AsTensor;

use crate::collections::{add_to_collection, keys};
use crate::variable::Variable;

/// A penalty on weights.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::layers::Regularizer;
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None, Some(4)]);
/// layers::dense(&x, 3).kernel_regularizer(Regularizer::L2(0.01)).build();
/// assert_eq!(losses::regularization_losses(&g).len(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Regularizer {
    /// The sum of absolute values, times this.
    L1(f32),
    /// Half the sum of squares, times this.
    L2(f32),
}

impl Regularizer {
    /// Adds the penalty on a variable to the regularization losses of its graph.
    #[track_caller]
    pub(super) fn add(self, variable: &Variable) {
        let graph = variable.handle().graph();
        let scope = format!("{}/Regularizer/", variable.name());
        let build = |graph: &Graph| self.penalty(graph, variable);
        let penalty = graph.with_name_scope(&scope, build);
        if let Ok(name) = (&penalty).tensor_name() {
            add_to_collection(graph, keys::REGULARIZATION_LOSSES, name);
        }
    }

    #[track_caller]
    fn penalty(self, graph: &Graph, variable: &Variable) -> Output {
        let value = variable.current();
        match self {
            Regularizer::L1(scale) => graph.with_name_scope("l1_regularizer", |graph| {
                let sizes = graph.op("Abs").input(&value).output();
                crate::nodes::sum_of_all(graph, &sizes) * scale
            }),
            Regularizer::L2(scale) => {
                graph.with_name_scope("l2_regularizer", |graph| graph.op("L2Loss").input(&value).output() * scale)
            }
        }
    }
}
