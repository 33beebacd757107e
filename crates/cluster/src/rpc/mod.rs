//! TensorFlow's gRPC services: paths to handlers, messages to values, statuses both ways; and calls to other tasks.

mod client;
mod cluster;
mod foreign;
mod limit;
mod line;
mod master_service;
mod stats;
mod status;
mod unary;
mod watch;
mod worker_service;

pub(crate) use client::Peer;
pub(crate) use cluster::cluster_to_proto;
pub(crate) use foreign::foreign_answer;
pub(crate) use limit::check_fits;
pub(crate) use master_service::{MasterService, step_from_proto};
pub(crate) use stats::{stats_from_proto, stats_to_proto};
pub(crate) use status::to_grpc;
pub(crate) use worker_service::WorkerService;
