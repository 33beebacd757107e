//! The shell of a gRPC service: HTTP requests in, with the caller at the door, to a list of methods.

use std::marker::PhantomData;
use std::sync::Arc;
use std::task::{Context, Poll};

use tonic::body::Body;
use tonic::server::NamedService;

use super::patience::{in_time, patience};
use super::reception::Reception;
use super::stream::Visitor;
use super::unary::{Response, refused};
use crate::master::Master;
use crate::trust::Keys;
use crate::worker::Worker;

/// The methods of a service.
pub(super) trait Methods: Clone + Send + Sync + 'static {
    /// The service's name, which its paths begin with.
    const SERVICE: &'static str;

    /// Answers a request, by the method that its path names.
    fn call(request: http::Request<Body>, reception: Reception) -> Response;
}

/// A service with these methods.
#[derive(Clone)]
pub(super) struct Service<M> {
    master: Arc<Master>,
    worker: Arc<Worker>,
    keys: Arc<Keys>,
    methods: PhantomData<M>,
}

impl<M: Methods> Service<M> {
    pub fn new(master: &Arc<Master>, worker: &Arc<Worker>, keys: &Arc<Keys>) -> Service<M> {
        Service { master: master.clone(), worker: worker.clone(), keys: keys.clone(), methods: PhantomData }
    }
}

impl<M: Methods> NamedService for Service<M> {
    const NAME: &'static str = M::SERVICE;
}

impl<M: Methods> tonic::codegen::Service<http::Request<Body>> for Service<M> {
    type Response = http::Response<Body>;
    type Error = std::convert::Infallible;
    type Future = Response;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::result::Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Response {
        let Visitor { caller, proof } = request.extensions().get::<Visitor>().cloned().unwrap_or_default();
        let token = request.headers().get(http::header::AUTHORIZATION);
        let token = token.and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        match self.keys.admit(&proof, token) {
            Ok(role) => {
                let (master, worker, patience) =
                    (self.master.clone(), self.worker.clone(), patience(request.headers()));
                in_time(patience, M::call(request, Reception { master, worker, caller, role }))
            }
            Err(status) => refused(&status),
        }
    }
}
