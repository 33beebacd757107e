//! Ops on variables, by reference and by resource handle.

mod access;

pub(crate) use access::{Access, variable_of};

op_list! {
    assign, assign_add, assign_variable, count_up_to, is_variable_initialized, read_variable, resource_gather, scatter, scatter_nd,
    var_handle, variable, variable_shape,
}
