//! The outgoing side: other processes, and how they are reached.
//!
//! A [`WorkerPeer`] is a worker and a [`MasterPeer`] a master, wherever it is: in this process, where a call is a plain
//! call, or in another one, a [`Remote`], which is called over the framed connection of our own (`link`) if it is one of
//! ours, and else over gRPC (`grpc`). That is decided in `Remote::route` and in these two and nowhere else: those who call
//! do not know. [`TensorRoutes`] says the same for the tensors that tasks of a step exchange. [`LetterPost`] carries what the members of
//! collective groups send each other; with tasks of TensorFlow in a group, [`MixedGroups`] does.

mod allowed;
mod discovery;
mod gate;
mod grpc;
mod in_process;
pub(crate) mod link;
mod master;
mod mixed;
mod operator;
mod peers;
mod post;
mod remote;
mod tensors;
mod worker;

pub(crate) use discovery::renamed;
pub(crate) use gate::Gate;
pub(crate) use in_process::InProcess;
pub use link::link_terms;
pub(crate) use master::MasterPeer;
pub(crate) use mixed::{MixedGroups, graph_key};
pub use operator::Operator;
pub use peers::Transport;
pub(crate) use peers::{Peers, device_attributes, tasks_of};
pub(crate) use post::LetterPost;
pub(crate) use remote::Remote;
pub(crate) use tensors::{TensorRoute, TensorRoutes};
pub(crate) use worker::WorkerPeer;
