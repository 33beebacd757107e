//! `DatasetCardinality`: how many elements a dataset has, as far as that can be told without going through it.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::Result;

use super::elements::dataset_input;

pub(crate) fn register(r: &mut Registry) {
    r.op("DatasetCardinality", "input_dataset: variant -> cardinality: int64")
        .attr("cardinality_options: string = ''")
        .shape(ShapeContext::scalar)
        .any_kernel(kernel)
        .not_differentiable();
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let cardinality = dataset_input(cx, 0)?.cardinality();
        cx.set_output(0, cardinality);
        Ok(())
    }))
}
