//! Sparse tensors: ops on indices, values and a dense shape.

mod coordinates;
mod cross_columns;
mod csr_value;
mod numbers;

pub(crate) use coordinates::Coordinates;
pub(crate) use cross_columns::{CrossColumn, Crosser, Hash, crosses};

op_list! {
    csr_mat_mul, csr_matrix, edit_distance, serialize_sparse, set_operation, sparse_add, sparse_concat, sparse_count, sparse_cross,
    sparse_dense_cwise, sparse_fill_empty_rows, sparse_mat_mul, sparse_reduce, sparse_reorder, sparse_reshape, sparse_slice,
    sparse_slice_grad, sparse_softmax, sparse_sparse_extremes, sparse_split, sparse_tensor_dense_add, sparse_tensors_map,
    sparse_to_dense,
}
