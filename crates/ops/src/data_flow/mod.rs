//! Ops that carry values between steps, devices and calls.

mod queue;

pub(crate) use queue::{Queue, Want};

op_list! {
    arg, fifo_queue, queue_close, queue_dequeue, queue_enqueue, queue_size, recv, retval, send,
}
