//! `RaggedFillEmptyRows` and `RaggedFillEmptyRowsGrad`: rows without values get a default one.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use crate::sparse::{fill_empty_rows, fill_empty_rows_grad, fill_empty_rows_grad_shape};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "RaggedFillEmptyRows",
        "value_rowids: int64, values: T, nrows: int64, default_value: T -> output_value_rowids: int64, output_values: T, \
         empty_row_indicator: bool, reverse_index_map: int64",
    )
    .attr("T: type")
    .shape(shape)
    .any_kernel(kernel)
    .gradient(gradient);
    r.op("RaggedFillEmptyRowsGrad", "reverse_index_map: int64, grad_values: T -> d_values: T, d_default_value: T")
        .attr("T: type")
        .shape(fill_empty_rows_grad_shape)
        .kernel("T", graph::op::types::NUMBERS, fill_empty_rows_grad);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let rows = cx.with_rank(0, 1)?;
    cx.with_rank(1, 1)?;
    cx.with_rank(2, 0)?;
    cx.with_rank(3, 0)?;
    cx.set(0, PartialShape::vector(None));
    cx.set(1, PartialShape::vector(None));
    cx.set(2, PartialShape::vector(None));
    cx.set(3, PartialShape::vector(rows.dim(0)));
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (rowids, values, nrows) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        ensure!(nrows.shape().is_scalar(), InvalidArgument, "nrows must be a scalar, saw: {}", nrows.shape());
        ensure!(rowids.shape().rank() == 1, InvalidArgument, "value_rowids must be a vector, saw: {}", rowids.shape());
        // One column of coordinates, of a tensor that has one dimension.
        let indices = rowids.reshape(Shape::new(&[rowids.num_elements() as i64, 1])?)?;
        let nrows = Tensor::vector(&nrows.to_i64_vec()?);
        let [indices, values, empty, reverse] = fill_empty_rows(&indices, values, &nrows, cx.input(3)?)?;
        let rowids = indices.reshape(Shape::vector(indices.num_elements()))?;
        cx.set_output(0, rowids);
        cx.set_output(1, values);
        cx.set_output(2, empty);
        cx.set_output(3, reverse);
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("RaggedFillEmptyRowsGrad").input(cx.y(3)).input(cx.dy(1)?).build();
    Ok(vec![None, Some(node.output(0).into()), None, Some(node.output(1).into())])
}
