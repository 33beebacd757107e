//! Ops that steer what runs.

op_list! { abort, assert, control_trigger, loops, merge, no_op, ref_select, switch }
