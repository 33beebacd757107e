//! Optimizer updates.

op_list! {}
