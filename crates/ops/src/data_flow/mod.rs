//! Ops that carry values between steps, devices and calls.

mod accumulator;
mod array_store;
mod barrier_store;
pub(crate) mod handles;
mod queue;
mod queue_config;
mod queue_order;
mod staging_area;
mod table_store;
mod tensor_list_value;
mod waiting;

pub use accumulator::Accumulator;
pub(crate) use queue::{Queue, Tuple, Want};
pub(crate) use table_store::{TABLE_TYPE, Table, pair_of};
pub(crate) use tensor_list_value::{Add, sum_of_variants, zeros_like_variant};

op_list! {
    arg, barrier, conditional_accumulator, fifo_queue, hash_table, initialize_table, lookup_table, optional,
    queue_close, queue_dequeue, queue_enqueue, queue_size, recv, retval, send, session_tensor, shards, stack, staging,
    staging_map, tensor_array, tensor_array_concat, tensor_array_gather, tensor_array_write, tensor_list,
    tensor_list_concat, tensor_list_gather, tensor_list_item, tensor_list_stack, tensor_map,
}
