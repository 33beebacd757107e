//! Arithmetic.

pub(crate) mod binary_grad;
mod matrices;
mod reduce_grad;

op_list! {
    add_n, approximate_equal, arg_max, banded_triangular_solve, batch_mat_mul, binary, bincount, bitwise, bucketize,
    cast, cholesky, clip_by_value, compare, complex, cross, cumulative, eig, einsum, fake_quant, fft,
    fused_elementwise, fused_mat_mul, histogram_fixed_width, lower_bound, lu, mat_mul, matrix_determinant,
    matrix_function, matrix_inverse, matrix_solve, matrix_solve_ls, matrix_triangular_solve, next_after, qr, quantize,
    quantize_and_dequantize, reduce, segment, self_adjoint_eig, sparse_mat_mul, sparse_segment, special_binary,
    special_unary, sum_to_shape, svd, tridiagonal, unary, unary_composition, unary_grad, unsorted_segment,
    unsorted_segment_sum,
}
