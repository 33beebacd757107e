//! Runs a graph on many machines: a [`Server`] in each task, with a master and a worker service over TensorFlow's gRPC,
//! and [`RemoteSession`], which runs steps on a server.
//!
//! The crate is built in layers, each of which uses only those below it: `call` (what is asked and answered), `trust` (who may
//! come in), `peer` (other processes, and how they are reached), `master` and `worker` (which do not know each other), `entrance` (gRPC services
//! and links that come in), `client`; [`Server`], [`LocalCluster`] and [`Gateway`] put them
//! together.
//!
//! ```
//! use tensorfleet::prelude::*;
//! use tensorfleet_cluster::{LocalCluster, RemoteSession};
//! # fn main() -> tensorfleet::Result<()> {
//! let cluster = LocalCluster::start(&[("ps", 1), ("worker", 1)], &ops::registry())?;
//! let g = Graph::new();
//! let there = g.with_device("/job:ps/task:0", |g| g.constant([1f32, 2.0]));
//! let sum = g.with_device("/job:worker/task:0", |_| there.reduce_sum(..));
//! let session = RemoteSession::new(cluster.target("worker", 0)?, &g)?;
//! assert_eq!(session.fetch(RunRequest::new().fetch(&sum))?[0], Tensor::from(3f32));
//! # Ok(())
//! # }
//! ```

#![warn(missing_docs)]

mod call;
mod client;
mod entrance;
mod gateway;
mod journal;
mod local_cluster;
mod master;
mod peer;
mod server;
mod signals;
mod trust;
mod worker;

pub use call::messages::stats_to_proto;
pub use client::{RemoteOptions, RemoteSession, RemoteSessions};
pub use gateway::Gateway;
pub use local_cluster::LocalCluster;
pub use peer::{Operator, Transport, link_terms};
pub use server::{Server, ServerOptions};
pub use signals::on_stop_signals;
pub use trust::{CLIENT_URI, OPERATOR_URI, Security, TlsFiles, Token, task_uri};
