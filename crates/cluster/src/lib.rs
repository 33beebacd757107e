//! Runs a graph on many machines: a [`Server`] in each task, with a master and a worker service over TensorFlow's gRPC,
//! and [`RemoteSession`], which runs steps on a server.

mod connection;
mod in_process;
mod lease;
mod link;
mod local_cluster;
mod master;
mod peers;
mod random;
mod recent;
mod remote_session;
mod remote_sessions;
mod rpc;
mod server;
mod worker;

pub use local_cluster::LocalCluster;
pub use peers::Transport;
pub use remote_session::{RemoteOptions, RemoteSession};
pub use remote_sessions::RemoteSessions;
pub use server::{Server, ServerOptions};
