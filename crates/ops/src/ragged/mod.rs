//! Ragged tensors: values, and for each axis of rows where each row ends.

mod splits;

op_list! {
    ragged_cross, ragged_fill_empty_rows, ragged_gather, ragged_range, ragged_tensor_to_sparse, ragged_tensor_to_tensor,
    ragged_variant,
}
