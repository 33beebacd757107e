//! Neural network layers.

op_list! {}
