//! Strings.

op_list! {}
