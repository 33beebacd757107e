//! `VariableShape`: the shape of a resource variable's value.

use graph::op::{Kernel, OpContext, Registry, ResourceVariable, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("VariableShape", "input: resource -> output: out_type")
        .attr("out_type: {int32, int64} = int32")
        .stateful()
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let rank = cx.handle(0).and_then(|(_, shape)| shape.rank());
    cx.set(0, PartialShape::vector(rank.map(|rank| rank as i64)));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let wide = node.attr_type("out_type")? == DType::Int64;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let shape = cx.resource::<ResourceVariable>(0)?.0.update(|value| Ok(value.shape().clone()))?;
        let dims = shape.dims();
        if wide {
            cx.set_output(0, Tensor::vector(dims));
            return Ok(());
        }
        let mut narrow = Vec::with_capacity(dims.len());
        for dim in dims {
            ensure!(
                *dim <= i32::MAX as i64,
                InvalidArgument,
                "VariableShape: dimension {dim} does not fit into int32; use out_type int64"
            );
            narrow.push(*dim as i32);
        }
        cx.set_output(0, Tensor::vector(&narrow));
        Ok(())
    }))
}
