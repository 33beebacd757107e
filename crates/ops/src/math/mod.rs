//! Arithmetic.

mod binary_grad;
mod reduce_grad;
mod square_matrices;

op_list! {
    add_n, arg_max, batch_mat_mul, binary, bincount, bucketize, cast, cholesky, clip_by_value, compare, complex,
    cross, cumulative, einsum, fused_elementwise, fused_mat_mul, lower_bound, mat_mul, matrix_determinant,
    matrix_inverse, matrix_solve, matrix_triangular_solve, reduce, segment, sparse_segment, sum_to_shape, unary, unary_composition, unary_grad, unsorted_segment,
    unsorted_segment_sum,
}
