//! Ragged tensors: values, and for each axis of rows where each row ends.

mod splits;

op_list! {
    ragged_range, ragged_tensor_to_sparse, ragged_tensor_to_tensor,
}
