//! Runs a graph on many machines: a [`Server`] in each task, with a master and a worker service over TensorFlow's gRPC.

mod master;
mod rpc;
mod server;
mod worker;

pub use server::{Server, ServerOptions};
