//! Ops that steer what runs.

op_list! {
    abort, assert, calls, control_trigger, function_loops, loops, merge, no_op, py_func, ref_identity, ref_select, switch,
}
