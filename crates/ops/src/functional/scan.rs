//! `scan` and `foldl`: a state that goes through the rows.

use graph::Output;
use tensor::DType;

use super::map_fn::stacked;
use super::tensor_array::TensorArray;
use super::{for_each, row_count};

/// The states that come of going through the rows of a tensor: each is the function of the one before and a row. They are
/// given one below the other, for each part of the state.
///
/// ```
/// use tensorfleet::ops::scan;
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([1f32, 2.0, 3.0]);
/// let sums = scan(|state, row| vec![&state[0] + row], &x, &[g.constant(0f32)]);
/// assert_eq!(eval(&sums[0])?, Tensor::from([1f32, 3.0, 6.0]));
/// # Ok(())
/// # }
/// ```
///
/// A mistake of the graph (`InvalidArgument`) is a function that returns another number of values than the state has, or
/// such of other types or shapes.
#[track_caller]
pub fn scan(
    function: impl FnOnce(&[Output], &Output) -> Vec<Output>,
    elems: &Output,
    initial: &[Output],
) -> Vec<Output> {
    let graph = elems.graph();
    graph.with_name_scope("scan", |graph| {
        let rows = TensorArray::unstack(elems);
        let count = row_count(elems);
        let array = |part: &Output| TensorArray::new(graph, part.dtype().unwrap_or(DType::Float), &count, part.shape());
        let results: Vec<TensorArray> = initial.iter().map(array).collect();
        let step = |index: &Output, state: &[Output]| {
            let (state, flows) = state.split_at(initial.len());
            let mut next = function(state, &rows.read(index));
            let written: Vec<Output> = results
                .iter()
                .zip(flows)
                .zip(&next)
                .map(|((array, flow), value)| array.with_flow(flow).write(index, value).flow().clone())
                .collect();
            next.extend(written);
            next
        };
        let mut vars = initial.to_vec();
        vars.extend(results.iter().map(|array| array.flow().clone()));
        let end = for_each(graph, &count, step, &vars);
        let flows = &end[initial.len()..];
        results
            .iter()
            .zip(flows)
            .zip(initial)
            .map(|((array, flow), part)| stacked(&array.with_flow(flow), &count, elems, &part.shape()))
            .collect()
    })
}

/// The last state that comes of going through the rows of a tensor, the first row first.
///
/// ```
/// use tensorfleet::ops::foldl;
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([1f32, 2.0, 3.0]);
/// let sum = foldl(|state, row| vec![&state[0] + row], &x, &[g.constant(0f32)]);
/// assert_eq!(eval(&sum[0])?, Tensor::from(6f32));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn foldl(
    function: impl FnOnce(&[Output], &Output) -> Vec<Output>,
    elems: &Output,
    initial: &[Output],
) -> Vec<Output> {
    let graph = elems.graph();
    graph.with_name_scope("foldl", |graph| {
        let rows = TensorArray::unstack(elems);
        let step = |index: &Output, state: &[Output]| function(state, &rows.read(index));
        for_each(graph, &row_count(elems), step, initial)
    })
}
