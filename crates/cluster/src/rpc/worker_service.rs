//! `WorkerService`: what masters call, and workers in need of a tensor.

use std::sync::Arc;
use std::task::{Context, Poll};

use tonic::body::Body;
use tonic::server::NamedService;
use wire::services::worker as path;

use super::unary::{Answer, unary, unimplemented};
use crate::worker::Worker;

/// Routes `WorkerService` calls to a [`Worker`].
#[derive(Clone)]
pub(crate) struct WorkerService(pub Arc<Worker>);

impl NamedService for WorkerService {
    const NAME: &'static str = path::SERVICE;
}

impl tonic::codegen::Service<http::Request<Body>> for WorkerService {
    type Response = http::Response<Body>;
    type Error = std::convert::Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Answer {
        let worker = self.0.clone();
        match request.uri().path() {
            path::GET_STATUS => unary(request, move |_: wire::GetStatusRequest| async move {
                Ok(wire::GetStatusResponse { device_attributes: worker.device_attributes() })
            }),
            other => unimplemented(other),
        }
    }
}
