//! `ParseExampleDataset` and `ParseExampleDatasetV2`: batches of serialized examples as their features, in the order of the
//! features' names.

use std::sync::Arc;

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, Step};
use tensor::{DType, Result, Shape, Tensor, bail, ensure};

use super::combining::making;
use super::elements::{Counted, Element, Elements, dataset_input};
use super::sources::scalar_i64;
use super::transforms::{By, Way};
use crate::io::{ExampleParser, Parsed};
use crate::ragged::ragged_tensor;
use crate::sparse::packed;

pub(crate) fn register(r: &mut Registry) {
    for (name, order) in [
        ("ParseExampleDataset", "sloppy: bool = false"),
        ("ParseExampleDatasetV2", "deterministic: string = 'default'"),
    ] {
        r.op(name, "input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense -> handle: variant")
            .attr("sparse_keys: list(string) >= 0")
            .attr("dense_keys: list(string) >= 0")
            .attr("sparse_types: list({float, int64, string}) >= 0")
            .attr("Tdense: list({float, int64, string}) >= 0")
            .attr("dense_shapes: list(shape) >= 0")
            .attr("output_types: list(type) >= 1")
            .attr("output_shapes: list(shape) >= 1")
            .attr(order)
            .attr("ragged_keys: list(string) >= 0 = []")
            .attr("ragged_value_types: list({float, int64, string}) >= 0 = []")
            .attr("ragged_split_types: list({int32, int64}) >= 0 = []")
            .shape(ShapeContext::scalar)
            .any_kernel(kernel)
            .not_differentiable();
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let parser = Arc::new(ExampleParser::of_node(node)?);
    making(move |cx: &OpContext<'_>| {
        let (input, calls) = (dataset_input(cx, 0)?, scalar_i64(cx, 1, "num_parallel_calls")?);
        ensure!(calls > 0 || calls == -1, InvalidArgument, "num_parallel_calls must be greater than zero.");
        let (known, plan) = (input.cardinality(), Arc::new(parser.plan(cx, 2)?));
        let parser = parser.clone();
        let parsed = By(move |step: &Step| {
            let (mut way, parser, plan) = (input.begin(step)?, parser.clone(), plan.clone());
            Ok(Box::new(Way(move |step: &Step| {
                let Some(element) = way.next(step)? else { return Ok(None) };
                let [serialized] = &element[..] else {
                    bail!(InvalidArgument, "examples in {} components instead of one", element.len())
                };
                ensure!(
                    serialized.dtype() == DType::String && serialized.shape().rank() == 1,
                    InvalidArgument,
                    "Expected a vector of serialized examples, got {} of shape {}",
                    serialized.dtype(),
                    serialized.shape()
                );
                let mut features = parser.parse(serialized, &plan)?;
                features.sort_by(|(first, _), (second, _)| first.cmp(second));
                features.into_iter().map(|(_, feature)| component(feature)).collect::<Result<Element>>().map(Some)
            })) as Box<dyn Elements>)
        });
        Ok(Counted(parsed, known))
    })
}

fn component(feature: Parsed) -> Result<Tensor> {
    match feature {
        Parsed::Dense(tensor) => Ok(tensor),
        Parsed::Sparse(parts) => packed(parts.into(), Shape::vector(3), DType::Variant),
        Parsed::Ragged(values, splits) => ragged_tensor(vec![splits], values),
    }
}
