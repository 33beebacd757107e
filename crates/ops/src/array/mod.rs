//! Ops that make, move and reshape tensors.

op_list! {
    bitcast, broadcast, check_numerics, concat, constant, diag, dynamic_partition, dynamic_stitch, ensure_shape, expand_dims, fill, gather, gather_nd, identity, identity_n, lin_space, matrix_band_part, matrix_diag, mirror_pad, one_hot, pack, pad, parallel_concat, placeholder, range, reshape, reverse, reverse_sequence, roll, select, shape, slice, space_to_batch, space_to_depth, split, strided_slice, tensor_scatter, tile, transpose, unique, where_op,
}
