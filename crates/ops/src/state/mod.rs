//! Variables.

op_list! {}
