//! Ops by which the members of a group exchange tensors without anybody in between.

mod entry;
mod merge;
mod reduction;

op_list! {
    collective_bcast_recv, collective_bcast_send, collective_gather, collective_reduce,
}
