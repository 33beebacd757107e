//! Ops that carry values between steps, devices and calls.

op_list! { arg, recv, retval, send }
