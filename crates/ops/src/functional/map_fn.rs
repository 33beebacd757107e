//! `map_fn`: a function of each row.

use graph::Output;
use tensor::{DType, PartialShape};

use super::tensor_array::TensorArray;
use super::{for_each, row_count};

/// The results of a function on each row of a tensor, one below the other.
///
/// `dtype` is the type of the results. Rows may be computed at the same time.
///
/// ```
/// use tensorfleet::ops::map_fn;
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([1f32, 2.0, 3.0]);
/// let squares = map_fn(|row| row * row, &x, DType::Float);
/// assert_eq!(eval(&squares)?, Tensor::from([1f32, 4.0, 9.0]));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn map_fn(function: impl FnOnce(&Output) -> Output, elems: &Output, dtype: DType) -> Output {
    let graph = elems.graph();
    graph.with_name_scope("map", |graph| {
        let rows = TensorArray::unstack(elems);
        let count = row_count(elems);
        let results = TensorArray::new(graph, dtype, &count, PartialShape::unknown());
        let mut shape = PartialShape::unknown();
        let step = |index: &Output, state: &[Output]| {
            let result = function(&rows.read(index));
            shape = result.shape();
            vec![results.with_flow(&state[0]).write(index, &result).flow().clone()]
        };
        let end = for_each(graph, &count, step, &[results.flow().clone()]);
        stacked(&results.with_flow(&end[0]), &count, elems, &shape)
    })
}

/// The results for the rows of `elems`, each of this shape.
pub(super) fn stacked(results: &TensorArray, count: &Output, elems: &Output, shape: &PartialShape) -> Output {
    let rows = elems.shape().rank().filter(|rank| *rank > 0).and_then(|_| elems.shape().dim(0));
    let stacked = results.gather(count);
    stacked.set_shape(PartialShape::vector(rows).concatenate(shape));
    stacked
}
