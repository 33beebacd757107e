//! Ops that steer what runs.

op_list! { no_op }
