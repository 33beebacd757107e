//! Arithmetic.

op_list! {
    add_n, arg_max, batch_mat_mul, binary, binary_grad, bincount, bucketize, cast, clip_by_value, compare, complex, cross, cumulative, einsum, fused_mat_mul, mat_mul, reduce, reduce_grad, segment, solve, sorted_segment, sparse_segment, unary, unary_composition, unary_grad,
}
