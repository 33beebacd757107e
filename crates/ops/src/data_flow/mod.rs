//! Queues, accumulators, and tensors that travel between devices.

op_list! {}
