//! Arithmetic.

op_list! { mat_mul }
