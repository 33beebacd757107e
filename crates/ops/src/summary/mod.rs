//! Summaries for TensorBoard.

op_list! {}
