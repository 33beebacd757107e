//! Ops by which the members of a group exchange tensors without anybody in between.

mod entry;
mod merge;
mod reduction;
mod ring;
#[cfg(test)]
mod testing;
mod tree;

op_list! {
    collective_all_to_all, collective_bcast_recv, collective_bcast_send, collective_communicator, collective_gather,
    collective_reduce, collective_reduce_scatter,
}
