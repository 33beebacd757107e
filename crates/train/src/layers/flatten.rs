//! Flattening: each example of a batch as one row.

use graph::Output;

use crate::nodes::{constant, int_vector};
use crate::optimizers::first_element;

/// Returns each example of a batch as one row.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let images = g.placeholder(DType::Float, [None, Some(2), Some(3)]);
/// assert_eq!(layers::flatten(&images).shape(), PartialShape::from([None, Some(6)]));
/// ```
#[track_caller]
pub fn flatten(input: &Output) -> Output {
    input.graph().with_name_scope("flatten", |graph| {
        let shape = input.shape();
        let sizes: Option<Vec<i64>> = shape.dims().and_then(|dims| dims.get(1..)?.iter().copied().collect());
        let size = sizes.map(|sizes| sizes.iter().product::<i64>()).and_then(|size| i32::try_from(size).ok());
        let rows = match size {
            Some(size) => constant(graph, "Const", int_vector(&[-1, size])),
            None => {
                let batch = first_element(graph, &graph.op("Shape").input(input).output());
                let rest = constant(graph, "Reshape/shape/1", -1i32);
                graph.op("Pack").name("Reshape/shape").input_list(&[batch, rest]).output()
            }
        };
        graph.op("Reshape").input(input).input(rows).output()
    })
}
