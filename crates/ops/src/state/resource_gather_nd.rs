//! `ResourceGatherNd`: elements or slices of a resource variable, by their coordinates.

use graph::op::{GradContext, Kernel, OpContext, Registry, ResourceVariable, ShapeContext};
use graph::{Gradient, IndexedSlices, Node, ReadAttrs};
use tensor::{PartialShape, Result, ensure};

use crate::array::gather_nd::gather_nd;
use crate::array::index_vectors::BadIndices;

pub(crate) fn register(r: &mut Registry) {
    r.op("ResourceGatherNd", "resource: resource, indices: Tindices -> output: dtype")
        .attr("dtype: type")
        .attr("Tindices: {int32, int64}")
        .stateful()
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let indices = cx.with_rank_at_least(1, 1)?;
    let (Some((_, table)), Some((length, places))) =
        (cx.handle(0), indices.raw_dims().and_then(|dims| dims.split_last()))
    else {
        return Ok(());
    };
    let (true, Some(dims)) = (*length >= 0, table.raw_dims()) else { return Ok(()) };
    ensure!(
        *length <= dims.len() as i64,
        InvalidArgument,
        "indices.shape[-1] must be <= params.rank, but saw indices shape: {indices} and params shape: {table}"
    );
    cx.set(0, PartialShape::from_dims(&[places, &dims[*length as usize..]].concat()));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let variable = cx.resource::<ResourceVariable>(0)?;
        let gathered = variable.0.view(|table| {
            ensure!(
                table.dtype() == dtype,
                InvalidArgument,
                "the variable holds {}, but {dtype} was asked for",
                table.dtype()
            );
            gather_nd(table, cx.input(1)?, BadIndices::Refuse, &cx.node.name)
        })?;
        cx.set_output(0, gathered);
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (handle, indices, dy) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let shape = cx.op("VariableShape").input(handle).attr("out_type", cx.dtype(1)).output();
    let index_shape = indices.shape();
    if index_shape.rank() == Some(2) && index_shape.dim(1) == Some(1) {
        let rows = cx.op("Squeeze").input(indices).attr("squeeze_dims", vec![-1i64]).output();
        return Ok(vec![Some(Gradient::Slices(IndexedSlices { values: dy, indices: rows, dense_shape: shape })), None]);
    }
    Ok(vec![Some(cx.op("ScatterNd").input(indices).input(dy).input(shape).output().into()), None])
}
