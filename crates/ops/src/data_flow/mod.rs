//! Ops that carry values between steps, devices and calls.

mod accumulator;
mod array_store;
mod queue;
mod queue_order;
mod waiting;

pub use accumulator::Accumulator;
pub(crate) use queue::{Queue, Tuple, Want};

op_list! {
    arg, barrier, conditional_accumulator, fifo_queue, optional, queue_close, queue_dequeue, queue_enqueue, queue_size, recv, retval, send,
    session_tensor, stack, staging, staging_map, table, tensor_array, tensor_list,
}
