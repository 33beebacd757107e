//! Arithmetic.

pub(crate) mod binary_grad;
mod reduce_grad;
mod square_matrices;

op_list! {
    add_n, approximate_equal, arg_max, batch_mat_mul, binary, bincount, bitwise, bucketize, cast, cholesky, clip_by_value, compare, complex,
    cross, cumulative, einsum, fused_elementwise, fused_mat_mul, histogram_fixed_width, lower_bound, mat_mul, matrix_determinant,
    matrix_inverse, matrix_solve, matrix_triangular_solve, next_after, reduce, segment, sparse_segment, special_binary, special_unary, sum_to_shape, unary, unary_composition, unary_grad, unsorted_segment,
    unsorted_segment_sum,
}
