//! Functions of functions: loops over the rows of tensors.

mod map_fn;
mod scan;
mod tensor_array;

pub use map_fn::map_fn;
pub use scan::{foldl, scan};
pub use tensor_array::TensorArray;

use graph::{Graph, Output, WhileLoop};

/// How many rows a tensor has.
fn row_count(elems: &Output) -> Output {
    let graph = elems.graph();
    match elems.shape().rank().filter(|rank| *rank > 0).and_then(|_| elems.shape().dim(0)) {
        Some(rows) if rows <= i64::from(i32::MAX) => graph.constant(rows as i32),
        _ => {
            let shape = graph.op("Shape").input(elems).output();
            let (zero, one) = (graph.constant([0i32]), graph.constant([1i32]));
            let slice = graph.op("StridedSlice").input(shape).input(zero).input(&one).input(&one);
            slice.attr("shrink_axis_mask", 1i64).output()
        }
    }
}

/// A loop over the numbers below `count`: the state after the last one.
#[track_caller]
fn for_each(
    graph: &Graph,
    count: &Output,
    body: impl FnOnce(&Output, &[Output]) -> Vec<Output>,
    state: &[Output],
) -> Vec<Output> {
    let mut vars = vec![graph.constant(0i32)];
    vars.extend_from_slice(state);
    let step = |state: &[Output]| {
        let mut next = vec![&state[0] + 1];
        next.extend(body(&state[0], &state[1..]));
        next
    };
    let goes_on = |state: &[Output]| state[0].binary("Less", "Less", count);
    let mut results = WhileLoop::new().maximum_iterations(count.clone()).build(graph, goes_on, step, &vars);
    results.remove(0);
    results
}
