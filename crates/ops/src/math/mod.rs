//! Arithmetic.

op_list! { add_n, arg_max, binary, binary_grad, cast, compare, mat_mul, reduce, reduce_grad, segment, unary, unary_grad }
