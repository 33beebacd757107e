//! Ops that make, move and reshape tensors.

op_list! { constant, identity }
