//! Ops that make, move and reshape tensors.

mod border;
pub(crate) mod index_vectors;

op_list! {
    bitcast, broadcast, check_numerics, concat, constant, data_format, diag, dynamic_partition, dynamic_stitch, ensure_shape,
    expand_dims, fill, gather, gather_nd, identity, identity_n, inplace, invert_permutation, lin_space, list_diff,
    matrix_band_part, matrix_diag, matrix_set_diag, mirror_pad, one_hot, pack, pad, parallel_concat, placeholder, prevent_gradient,
    range, reshape, reverse, reverse_sequence, roll, scatter_nd, select, shape, slice, space_to_batch, space_to_depth,
    split, squeeze, strided_slice, tensor_scatter, tile, to_bool, transpose, unique, unravel_index, where_op, zeros_like,
}
