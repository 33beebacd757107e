//! Sparse tensors: ops on indices, values and a dense shape.

mod coordinates;

pub(crate) use coordinates::Coordinates;

op_list! {
    serialize_sparse, set_operation, sparse_add, sparse_concat, sparse_fill_empty_rows, sparse_mat_mul, sparse_reduce, sparse_reorder,
    sparse_reshape, sparse_to_dense,
}
