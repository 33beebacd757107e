//! `ResourceGather`: rows of a resource variable. It works under the variable's lock, without a snapshot, so updates of
//! a large table meanwhile need no copy of it.

use graph::op::{GradContext, Kernel, OpContext, Registry, ResourceVariable, ShapeContext};
use graph::{Gradient, IndexedSlices, Node, Output, ReadAttrs};
use tensor::{Complex128, DType, Element, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::scatter::{check_indices, words_of};

pub(crate) fn register(r: &mut Registry) {
    r.op("ResourceGather", "resource: resource, indices: Tindices -> output: dtype")
        .attr("batch_dims: int = 0")
        .attr("validate_indices: bool = true")
        .attr("dtype: type")
        .attr("Tindices: {int32, int64}")
        .stateful()
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (batch, indices) = (cx.attr_int("batch_dims")?, cx.input(1));
    ensure!(batch >= 0, InvalidArgument, "batch_dims is negative ({batch})");
    if let Some((_, table)) = cx.handle(0)
        && let (Some(table), Some(indices)) = (table.raw_dims(), indices.raw_dims())
    {
        let batch = batch as usize;
        let fits = batch < table.len() && batch <= indices.len();
        ensure!(fits, InvalidArgument, "params must be at least {} dimensional", batch + 1);
        let dims = [&table[..batch], &indices[batch..], &table[batch + 1..]].concat();
        cx.set(0, PartialShape::from_dims(&dims));
    }
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (batch, dtype) = (node.attr_int("batch_dims")?, node.attr_type("dtype")?);
    ensure!(batch >= 0, InvalidArgument, "batch_dims is negative ({batch})");
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let variable = cx.resource::<ResourceVariable>(0)?;
        let rows = variable.0.view(|table| {
            ensure!(
                table.dtype() == dtype,
                InvalidArgument,
                "the variable holds {}, but {dtype} was asked for",
                table.dtype()
            );
            gather(table, cx.input(1)?, batch as usize)
        })?;
        cx.set_output(0, rows);
        Ok(())
    }))
}

/// The rows `indices` of a table; the first `batch` dimensions of both go together.
fn gather(table: &Tensor, indices: &Tensor, batch: usize) -> Result<Tensor> {
    let (table_dims, index_dims) = (table.dims(), indices.dims());
    ensure!(batch < table_dims.len(), InvalidArgument, "params must be at least {} dimensional", batch + 1);
    ensure!(
        batch <= index_dims.len() && table_dims[..batch] == index_dims[..batch],
        InvalidArgument,
        "the first {batch} dimensions of params {} and indices {} must be equal",
        table.shape(),
        indices.shape()
    );
    let numbers = indices.to_i64_vec()?;
    check_indices(&numbers, index_dims, table_dims[batch])?;
    let shape = Shape::new(&[&table_dims[..batch], &index_dims[batch..], &table_dims[batch + 1..]].concat())?;
    let batches = Shape::new(&table_dims[..batch])?.num_elements();
    let width = Shape::new(&table_dims[batch + 1..])?.num_elements();
    let per_batch = numbers.len().checked_div(batches).unwrap_or(0);
    // Row `n` of the result is this row of the table.
    let rows = table_dims[batch] as usize;
    let source = |n: usize| n.checked_div(per_batch).unwrap_or(0) * rows + numbers[n] as usize;
    if table.dtype() == DType::String {
        let strings = table.strings()?;
        let picked = (0..numbers.len()).flat_map(|n| strings[source(n) * width..][..width].iter().cloned()).collect();
        return Tensor::from_strings(shape, picked);
    }
    let words = words_of(table.dtype())?;
    let raw = table.bitcast(words)?;
    let picked = dispatch!(words, T in [u8, u16, u32, u64, Complex128] => pick::<T>(&raw, shape, width, source));
    picked?.bitcast(table.dtype())
}

fn pick<T: Element>(
    table: &Tensor,
    shape: Shape,
    width: usize,
    source: impl Fn(usize) -> usize + Sync,
) -> Result<Tensor> {
    const ELEMENTS_WORTH_A_THREAD: usize = 32 * 1024;
    let data = table.as_slice::<T>()?;
    Tensor::build(shape, |out: &mut [T]| {
        if width == 0 {
            return Ok(());
        }
        math::threads::parallel_units(out, width, ELEMENTS_WORTH_A_THREAD / width + 1, |first, out| {
            for (n, row) in out.chunks_exact_mut(width).enumerate() {
                row.copy_from_slice(&data[source(first + n) * width..][..width]);
            }
        });
        Ok(())
    })
}

/// The gradient has the rows that were taken, and belongs to the variable.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    if cx.attr_int("batch_dims")? != 0 {
        bail!(Unimplemented, "the gradient of ResourceGather with batch_dims");
    }
    let (handle, indices, dy) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let vector = |value: i32| cx.graph.constant([value]);
    let dense_shape = cx.op("VariableShape").input(&handle).output();
    let zero = cx.graph.constant(0i32);
    let size = cx.op("Size").input(&indices).output();
    let count = cx.op("ExpandDims").input(&size).input(&zero).output();
    let row_shape = cx
        .op("StridedSlice")
        .input(&dense_shape)
        .input(vector(1))
        .input(vector(0))
        .input(vector(1))
        .attr("end_mask", 1i64)
        .output();
    let values_shape = cx.op("ConcatV2").input_list(&[count.clone(), row_shape]).input(&zero).output();
    let values: Output = cx.op("Reshape").input(&dy).input(&values_shape).output();
    let indices = cx.op("Reshape").input(&indices).input(&count).output();
    Ok(vec![Some(Gradient::Slices(IndexedSlices { values, indices, dense_shape })), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_by_number() {
        let table = Tensor::from([[1i32, 2], [3, 4], [5, 6]]);
        let rows = gather(&table, &Tensor::from([2i64, 0]), 0).unwrap();
        assert_eq!(rows, Tensor::from([[5i32, 6], [1, 2]]));
        // tf.gather([[1, 2], [3, 4], [5, 6]], [1, 0, 0], batch_dims=1) in TensorFlow 2.21.
        assert_eq!(gather(&table, &Tensor::from([1i32, 0, 0]), 1).unwrap(), Tensor::from([2i32, 3, 5]));
        let status = gather(&table, &Tensor::from([[0i32, 1], [1, -2]]), 0).unwrap_err();
        assert_eq!(status.message(), "indices[1,1] = -2 is not in [0, 3)");
        assert!(gather(&Tensor::from(1f32), &Tensor::from([0i32]), 0).is_err());
    }
}
