//! Arithmetic.

op_list! {
    add_n, arg_max, batch_mat_mul, binary, binary_grad, cast, clip_by_value, compare, cumulative, fused_mat_mul, mat_mul, reduce, reduce_grad, segment, unary, unary_grad,
}
