//! Ops that make, move and reshape tensors.

op_list! {
    broadcast, concat, constant, expand_dims, fill, identity, pack, placeholder, reshape, shape, strided_slice,
}
