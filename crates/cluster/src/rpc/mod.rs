//! TensorFlow's gRPC services: paths to handlers, messages to values, statuses both ways.

mod master_service;
mod status;
mod unary;
mod worker_service;

pub(crate) use master_service::MasterService;
pub(crate) use status::to_grpc;
pub(crate) use worker_service::WorkerService;
