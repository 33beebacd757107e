//! Files: readers, checkpoints, parsing.

op_list! {}
