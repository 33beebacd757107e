//! Values in values in values: what goes through them level by level must not run out of stack.

use graph::OpBuilder;
use tensorfleet::prelude::*;

use super::{Siege, refused};

/// Twenty thousand of most kinds were once enough to end a server.
const LEVELS: usize = 20_000;
/// Enough to pass the limit by far, for those that differ in nothing but the kind.
const FEWER: usize = 3_000;
const TOO_DEEP: [&str; 2] = ["nested 1001 deep", "the limit is 1000"];

/// A value, wrapped so many times.
fn chain(mut value: Output, levels: usize, wrap: impl Fn(&Graph, &Output) -> Output) -> Output {
    let g = value.graph().clone();
    for _ in 0..levels {
        value = wrap(&g, &value);
    }
    value
}

fn optional(g: &Graph, value: &Output) -> Output {
    g.op("OptionalFromValue").input_list(std::slice::from_ref(value)).output()
}

fn of_numbers(entry: OpBuilder) -> Output {
    entry.attr("output_types", vec![DType::Int64]).attr("output_shapes", vec![PartialShape::from([0; 0])]).output()
}

fn skip(g: &Graph, dataset: &Output) -> Output {
    of_numbers(g.op("SkipDataset").input(dataset).input(g.constant(0i64)))
}

fn prefetch(g: &Graph, dataset: &Output) -> Output {
    of_numbers(g.op("PrefetchDataset").input(dataset).input(g.constant(1i64)))
}

fn range(g: &Graph) -> Output {
    let entry = g.op("RangeDataset").input(g.constant(5i64)).input(g.constant(8i64)).input(g.constant(1i64));
    of_numbers(entry)
}

/// The first element of a dataset.
fn first(g: &Graph, dataset: &Output) -> Output {
    let iterator = of_numbers(g.op("IteratorV2").attr("shared_name", "").attr("container", ""));
    let begun = g.op("MakeIterator").input(dataset).input(&iterator).build();
    g.with_control_dependencies(&[begun], |g| of_numbers(g.op("IteratorGetNext").input(&iterator)))
}

#[test]
fn optionals_in_optionals() {
    let siege = Siege::begin(&[]);
    let g = Graph::new();
    let last = chain(g.constant(1f32), LEVELS, optional);
    let has = g.op("OptionalHasValue").input(&last).output();
    refused(siege.run(&g, &has), Code::ResourceExhausted, &TOO_DEEP);
    siege.survived();
}

#[test]
fn lists_in_lists() {
    let siege = Siege::begin(&[]);
    let g = Graph::new();
    let (shape, most) = (g.constant(-1i32), g.constant(-1i32));
    let list = g.op("EmptyTensorList").input(&shape).input(&most).attr("element_dtype", DType::Variant);
    let list = list.attr("shape_type", DType::Int32).output();
    let push = |g: &Graph, inner: &Output| g.op("TensorListPushBack").input(&list).input(inner).output();
    let last = chain(list.clone(), FEWER, push);
    let length = g.op("TensorListLength").input(&last).output();
    refused(siege.run(&g, &length), Code::ResourceExhausted, &TOO_DEEP);
    siege.survived();
}

#[test]
fn datasets_of_datasets() {
    let siege = Siege::begin(&[]);
    let g = Graph::new();
    let last = chain(range(&g), FEWER, skip);
    refused(siege.run(&g, &first(&g, &last)), Code::ResourceExhausted, &TOO_DEEP);
    siege.survived();
}

/// As many as there may be: they are gone through, and let go, without running out of stack.
#[test]
fn the_deepest_dataset_that_is_allowed() {
    let siege = Siege::begin(&[]);
    let g = Graph::new();
    let last = chain(range(&g), 999, skip);
    assert_eq!(siege.run(&g, &first(&g, &last)).expect("an element"), Tensor::from(5i64));
    siege.survived();
}

/// A thread for each level would be a thousand threads; those beyond the limit do without.
#[test]
fn a_thousand_datasets_that_run_ahead() {
    let siege = Siege::begin(&[]);
    let g = Graph::new();
    let last = chain(range(&g), 999, prefetch);
    assert_eq!(siege.run(&g, &first(&g, &last)).expect("an element"), Tensor::from(5i64));
    siege.survived();
}

/// Each level holds the one below twice: 2^60 values, if they are written out or made anew.
#[test]
fn doubling_at_every_level() {
    let siege = Siege::begin(&[]);
    let g = Graph::new();
    let twice =
        |g: &Graph, value: &Output| g.op("OptionalFromValue").input_list(&[value.clone(), value.clone()]).output();
    let small = chain(g.constant(1f32), 15, twice);
    siege.run(&g, &small).expect("64 thousand values");
    let large = chain(small, 45, twice);
    refused(siege.run(&g, &large), Code::ResourceExhausted, &["variants 60 deep", "at most 16"]);
    let zeros = g.op("ZerosLike").input(&large).output();
    let has = g.op("OptionalHasValue").input(&zeros).output();
    refused(siege.run(&g, &has), Code::ResourceExhausted, &["a variant of zeros takes"]);
    siege.survived();
}
