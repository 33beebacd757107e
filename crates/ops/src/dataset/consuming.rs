//! Ops that go through a dataset at once: `ReduceDataset`, `DatasetToSingleElement`.

use std::sync::Arc;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, bail, ensure};

use super::elements::dataset_input;
use super::function::Function;

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &str = "output_types: list(type) >= 1";
    const SHAPES: &str = "output_shapes: list(shape) >= 1";
    let signature =
        "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments -> components: output_types";
    r.op("ReduceDataset", signature)
        .attr("f: func")
        .attr("Tstate: list(type) >= 1")
        .attr("Targuments: list(type) >= 0")
        .attr(TYPES)
        .attr(SHAPES)
        .attr("use_inter_op_parallelism: bool = true")
        .attr("metadata: string = ''")
        .stateful()
        .shape(declared_shape)
        .any_kernel(reduce_kernel)
        .not_differentiable();
    r.op("DatasetToSingleElement", "dataset: variant -> components: output_types")
        .attr(TYPES)
        .attr(SHAPES)
        .attr("metadata: string = ''")
        .stateful()
        .shape(declared_shape)
        .any_kernel(single_kernel)
        .not_differentiable();
}

fn declared_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    for (index, shape) in cx.attr_shapes("output_shapes")?.to_vec().into_iter().enumerate() {
        cx.set(index, shape);
    }
    Ok(())
}

fn reduce_kernel(node: &Node) -> Result<Kernel> {
    let function = Arc::new(Function::of(node, "f")?);
    let states = node.attr_types("Tstate")?.len();
    let types = node.attr_types("output_types")?.to_vec();
    Ok(Kernel::files(move |cx: &mut OpContext<'_>| {
        let input = dataset_input(cx, 0)?;
        let tensors = |range| -> Result<Vec<_>> { Ok(cx.inputs(range)?.into_iter().cloned().collect()) };
        let mut state = tensors(1..1 + states)?;
        let captured = tensors(1 + states..cx.num_inputs())?;
        let mut way = input.begin(cx.step)?;
        while let Some(element) = way.next(cx.step)? {
            cx.step.cancellation.check()?;
            let args = state.into_iter().chain(element).chain(captured.iter().cloned()).collect();
            state = function.call(cx.step, args)?;
            ensure!(
                state.len() == states,
                InvalidArgument,
                "a reduction of {states} values that gives {}",
                state.len()
            );
        }
        set_outputs(cx, state, &types)
    }))
}

fn single_kernel(node: &Node) -> Result<Kernel> {
    let types = node.attr_types("output_types")?.to_vec();
    Ok(Kernel::files(move |cx: &mut OpContext<'_>| {
        let mut way = dataset_input(cx, 0)?.begin(cx.step)?;
        let Some(element) = way.next(cx.step)? else { bail!(InvalidArgument, "Dataset was empty.") };
        ensure!(way.next(cx.step)?.is_none(), InvalidArgument, "Dataset had more than one element.");
        set_outputs(cx, element, &types)
    }))
}

fn set_outputs(cx: &mut OpContext<'_>, values: Vec<tensor::Tensor>, types: &[tensor::DType]) -> Result<()> {
    let own: Vec<tensor::DType> = values.iter().map(tensor::Tensor::dtype).collect();
    ensure!(own == types, InvalidArgument, "an element of {own:?} instead of {types:?}");
    for (index, value) in values.into_iter().enumerate() {
        cx.set_output(index, value);
    }
    Ok(())
}
