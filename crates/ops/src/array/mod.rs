//! Ops that make, move and reshape tensors.

op_list! {
    bitcast, broadcast, check_numerics, concat, constant, dynamic_partition, dynamic_stitch, ensure_shape, expand_dims, fill, gather, gather_nd, identity, identity_n, matrix_diag, one_hot, pack, pad, placeholder, range, reshape, reverse, select, shape, slice, split, strided_slice, tile, transpose, unique, where_op,
}
