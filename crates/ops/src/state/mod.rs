//! Ops on variables, by reference and by resource handle.

mod access;

pub(crate) use access::{Access, variable_of};

op_list! {
    assign, assign_add, assign_variable, count_up_to, destroy_resource, disable_copy_on_read, is_variable_initialized,
    moment, read_variable, resource_gather, resource_gather_nd, scatter, scatter_nd, strided_slice_assign,
    temporary_variable, var_handle, variable, variable_shape,
}
