//! Sparse matrices as values: `SparseTensorToCSRSparseMatrix`, `DenseToCSRSparseMatrix`, `CSRSparseMatrixToSparseTensor`,
//! `CSRSparseMatrixToDense`, `CSRSparseMatrixComponents`, `SparseMatrixNNZ` and `SparseMatrixTranspose`.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::number::Number;
use tensor::{Complex64, Complex128, PartialShape, Result, Shape, Tensor, ensure};

use super::csr_value::{CsrMatrix, ELEMENTS, TYPES, picked};

pub(crate) fn register(r: &mut Registry) {
    r.op("SparseTensorToCSRSparseMatrix", "indices: int64, values: T, dense_shape: int64 -> sparse_matrix: variant")
        .attr("T: {float, double, complex64, complex128}")
        .shape(ShapeContext::scalar)
        .kernel("T", TYPES, |_| Ok(Kernel::compute(from_sparse)));
    r.op("DenseToCSRSparseMatrix", "dense_input: T, indices: int64 -> sparse_output: variant")
        .attr("T: {float, double, complex64, complex128}")
        .shape(ShapeContext::scalar)
        .kernel("T", TYPES, |_| Ok(Kernel::compute(from_dense)));
    r.op("CSRSparseMatrixToSparseTensor", "sparse_matrix: variant -> indices: int64, values: type, dense_shape: int64")
        .attr(ELEMENTS)
        .shape(sparse_shape)
        .kernel("type", TYPES, to_sparse_kernel);
    r.op("CSRSparseMatrixToDense", "sparse_input: variant -> dense_output: type")
        .attr(ELEMENTS)
        .shape(ShapeContext::unknown)
        .kernel("type", TYPES, to_dense_kernel);
    r.op(
        "CSRSparseMatrixComponents",
        "csr_sparse_matrix: variant, index: int32 -> row_ptrs: int32, col_inds: int32, values: type",
    )
    .attr(ELEMENTS)
    .shape(components_shape)
    .kernel("type", TYPES, components_kernel);
    r.op("SparseMatrixNNZ", "sparse_matrix: variant -> nnz: int32")
        .shape(ShapeContext::unknown)
        .any_kernel(|_| Ok(Kernel::compute(count)))
        .not_differentiable();
    r.op("SparseMatrixTranspose", "input: variant -> output: variant")
        .attr("conjugate: bool = false")
        .attr(ELEMENTS)
        .shape(ShapeContext::scalar)
        .kernel("type", TYPES, transpose_kernel);
}

fn sparse_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::new(&[None, None]));
    cx.set(1, PartialShape::vector(None));
    cx.set(2, PartialShape::vector(None));
    Ok(())
}

fn components_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0)?;
    (0..3).for_each(|output| cx.set(output, PartialShape::vector(None)));
    Ok(())
}

fn from_sparse(cx: &mut OpContext<'_>) -> Result<()> {
    let (indices, values, dims) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
    let (dims, entries) = (dims.to_i64_vec()?, values.num_elements() as i64);
    ensure!(
        values.dims().len() == 1 && indices.dims() == [entries, dims.len() as i64],
        InvalidArgument,
        "indices {}, values {} and a shape of {} dimensions are not a sparse tensor",
        indices.shape(),
        values.shape(),
        dims.len()
    );
    let made = CsrMatrix::at(&dims, indices.as_slice::<i64>()?, values)?;
    cx.set_output(0, made.into_tensor()?);
    Ok(())
}

fn from_dense(cx: &mut OpContext<'_>) -> Result<()> {
    let (dense, indices) = (cx.input(0)?, cx.input(1)?);
    let (dims, rank) = (dense.dims(), dense.dims().len());
    ensure!(
        rank == 2 || rank == 3,
        InvalidArgument,
        "params must have rank == 2 or 3; but saw shape: {}",
        dense.shape()
    );
    ensure!(
        indices.dims().len() == 2 && indices.dims()[1] == rank as i64,
        InvalidArgument,
        "indices.shape[1] must be equal to the rank of params, but saw: {} vs. {rank}",
        indices.shape()
    );
    let coordinates = indices.as_slice::<i64>()?;
    let mut places = Vec::with_capacity(coordinates.len() / rank);
    for entry in coordinates.chunks_exact(rank) {
        ensure!(
            entry.iter().zip(dims).all(|(at, dim)| (0..*dim).contains(at)),
            InvalidArgument,
            "indices {entry:?} do not index into param shape {}",
            dense.shape()
        );
        places.push(entry.iter().zip(dims).fold(0, |place, (at, dim)| place * *dim as usize + *at as usize));
    }
    let made = CsrMatrix::at(dims, coordinates, &picked(dense, &places)?)?;
    cx.set_output(0, made.into_tensor()?);
    Ok(())
}

fn to_sparse_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("type")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let matrix = CsrMatrix::input(cx, 0, dtype)?;
        let rank = matrix.dims.len() as i64;
        cx.set_output(0, Tensor::new([matrix.columns.len() as i64, rank], matrix.coordinates())?);
        cx.set_output(1, matrix.values);
        cx.set_output(2, Tensor::vector(&matrix.dims));
        Ok(())
    }))
}

fn to_dense_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("type")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let matrix = CsrMatrix::input(cx, 0, dtype)?;
        let dense = dense(&matrix)?;
        cx.set_output(0, dense);
        Ok(())
    }))
}

/// All elements; of entries at one place the last counts.
pub(super) fn dense(matrix: &CsrMatrix) -> Result<Tensor> {
    let shape = Shape::new(&matrix.dims)?;
    Tensor::check_size(matrix.values.dtype(), &shape)?;
    dispatch!(matrix.values.dtype(), T in [f32, f64, Complex64, Complex128] => {
        let values = matrix.values.as_slice::<T>()?;
        Tensor::build(shape, |out: &mut [T]| {
            out.fill(<T as Number>::ZERO);
            for number in 0..matrix.batch() {
                for row in 0..matrix.height() {
                    for place in matrix.row(number, row) {
                        let to = (number * matrix.height() + row) * matrix.width() + matrix.columns[place] as usize;
                        out[to] = values[place];
                    }
                }
            }
            Ok(())
        })
    })
}

fn components_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("type")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (matrix, index) = (CsrMatrix::input(cx, 0, dtype)?, cx.input(1)?);
        ensure!(index.shape().is_scalar(), InvalidArgument, "index should be a scalar, but saw: {}", index.shape());
        let (index, batch) = (index.to_scalar::<i32>()?, matrix.batch());
        ensure!((0..batch as i64).contains(&(index as i64)), InvalidArgument, "index ({index}) not in [0, {batch})");
        let (index, width) = (index as usize, matrix.height() + 1);
        let held: Vec<usize> = (matrix.starts[index] as usize..matrix.starts[index + 1] as usize).collect();
        cx.set_output(0, Tensor::vector(&matrix.rows[index * width..][..width]));
        cx.set_output(1, Tensor::vector(&held.iter().map(|place| matrix.columns[*place]).collect::<Vec<_>>()));
        cx.set_output(2, picked(&matrix.values, &held)?);
        Ok(())
    }))
}

fn count(cx: &mut OpContext<'_>) -> Result<()> {
    let matrix = CsrMatrix::any_input(cx, 0)?;
    let counts: Vec<i32> = matrix.starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    cx.set_output(0, if matrix.dims.len() == 3 { Tensor::vector(&counts) } else { Tensor::from(counts[0]) });
    Ok(())
}

fn transpose_kernel(node: &Node) -> Result<Kernel> {
    let (dtype, conjugate) = (node.attr_type("type")?, node.attr_bool("conjugate")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let transposed = CsrMatrix::input(cx, 0, dtype)?.transposed(conjugate)?;
        cx.set_output(0, transposed.into_tensor()?);
        Ok(())
    }))
}
