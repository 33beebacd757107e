//! Functions that call each other without end, in ways that the graph shows and in one that it does not.

use graph::{AttrValue, Attrs, FunctionRef, OpBuilder};
use tensorfleet::prelude::*;

use super::{Siege, refused};

fn named(name: &str) -> AttrValue {
    AttrValue::Function(FunctionRef { name: name.to_owned(), attrs: Attrs::new() })
}

fn call(g: &Graph, function: &str, x: &Output) -> Output {
    let types = || AttrValue::Types(vec![DType::Float]);
    let entry = g.op("PartitionedCall").input_list(std::slice::from_ref(x)).attr("Tin", types()).attr("Tout", types());
    entry.attr("f", named(function)).output()
}

/// A function whose body calls this one, twice.
fn define(g: &Graph, name: &str, calls: &str) {
    let body = Graph::new();
    let x = body.placeholder(DType::Float, PartialShape::scalar());
    let y = call(&body, calls, &x) + call(&body, calls, &x);
    g.add_function(name, &body, &[x], &[y]).expect("a function");
}

#[test]
fn a_function_that_calls_itself() {
    let siege = Siege::begin(&[]);
    let g = Graph::new();
    define(&g, "again", "again");
    let y = call(&g, "again", &g.constant(1f32));
    let status = siege.run(&g, &y).expect_err("it has no end");
    assert!(status.message().contains("functions call each other too deep, or too often"), "{status}");
    siege.survived();
}

/// Forty functions, each of which calls the next one twice: 2^40 nodes.
#[test]
fn functions_that_double() {
    let siege = Siege::begin(&[]);
    let g = Graph::new();
    for level in 0..40 {
        define(&g, &format!("level{level}"), &format!("level{}", level + 1));
    }
    let body = Graph::new();
    let x = body.placeholder(DType::Float, PartialShape::scalar());
    g.add_function("level40", &body, std::slice::from_ref(&x), &[&x + 1.0]).expect("a function");
    let y = call(&g, "level0", &g.constant(1f32));
    let status = siege.run(&g, &y).expect_err("it is too large");
    assert!(status.message().contains("functions call each other too deep, or too often"), "{status}");
    siege.survived();
}

fn of_numbers(entry: OpBuilder) -> OpBuilder {
    entry.attr("output_types", vec![DType::Int64]).attr("output_shapes", vec![PartialShape::scalar()])
}

fn next_of(g: &Graph, iterator: &Output) -> Output {
    of_numbers(g.op("IteratorGetNext").input(iterator)).output()
}

/// Iterators whose datasets ask the iterator before: one call within another, thousands deep, through one small function.
#[test]
fn iterators_that_ask_each_other() {
    let siege = Siege::begin(&[]);
    let (g, body) = (Graph::new(), Graph::new());
    let x = body.placeholder(DType::Int64, PartialShape::scalar());
    let before = body.placeholder(DType::Resource, PartialShape::scalar());
    let asked = next_of(&body, &before);
    let ask = g.add_function("ask", &body, &[x, before], &[asked]).expect("a function");
    let range = g.op("RangeDataset").input(g.constant(0i64)).input(g.constant(9i64)).input(g.constant(1i64));
    let range = of_numbers(range).output();
    let (mut iterator, mut begun): (Option<Output>, Vec<Operation>) = (None, Vec::new());
    for _ in 0..3_000 {
        let dataset = match &iterator {
            None => range.clone(),
            Some(before) => {
                let map = g.op("MapDataset").input(&range).input_list(std::slice::from_ref(before));
                let map = map.attr("Targuments", AttrValue::Types(vec![DType::Resource]));
                of_numbers(map.attr("f", AttrValue::Function(ask.clone()))).output()
            }
        };
        let next = of_numbers(g.op("IteratorV2").attr("shared_name", "").attr("container", "")).output();
        begun.push(g.op("MakeIterator").input(&dataset).input(&next).build());
        iterator = Some(next);
    }
    let last = iterator.expect("the last one");
    let element = g.with_control_dependencies(&begun, |g| next_of(g, &last));
    refused(siege.run(&g, &element), Code::ResourceExhausted, &["nested too deep", "thread's stack"]);
    siege.survived();
}
