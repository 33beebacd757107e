//! Ops that steer what runs.

op_list! {
    abort, assert, calls, control_trigger, loops, merge, no_op, py_func, ref_identity, ref_select, switch,
}
