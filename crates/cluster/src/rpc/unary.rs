//! One unary gRPC call, from an HTTP request to a handler and back.

use std::future::Future;
use std::pin::Pin;

use tensor::Result;
use tonic::body::Body;
use tonic::server::{Grpc, UnaryService};
use tonic_prost::ProstCodec;

use super::to_grpc;

pub(super) type Answer =
    Pin<Box<dyn Future<Output = std::result::Result<http::Response<Body>, std::convert::Infallible>> + Send>>;

/// TensorFlow's own limit: any message that protobuf can hold.
const MAX_MESSAGE: usize = i32::MAX as usize;

/// Decodes the request, calls the handler, encodes its answer.
pub(super) fn unary<Req, Resp, Fut>(
    request: http::Request<Body>,
    handler: impl FnOnce(Req) -> Fut + Send + 'static,
) -> Answer
where
    Req: prost::Message + Default + 'static,
    Resp: prost::Message + Default + 'static,
    Fut: Future<Output = Result<Resp>> + Send + 'static,
{
    Box::pin(async move {
        let codec: ProstCodec<Resp, Req> = ProstCodec::default();
        let mut grpc = Grpc::new(codec).max_decoding_message_size(MAX_MESSAGE).max_encoding_message_size(MAX_MESSAGE);
        Ok(grpc.unary(Handler(Some(handler)), request).await)
    })
}

/// The answer for a method that is not there.
pub(super) fn unimplemented(path: &str) -> Answer {
    let status = tonic::Status::unimplemented(format!("{path} is not implemented here"));
    Box::pin(async move { Ok(status.into_http()) })
}

struct Handler<F>(Option<F>);

impl<Req, Resp, Fut, F> UnaryService<Req> for Handler<F>
where
    F: FnOnce(Req) -> Fut,
    Fut: Future<Output = Result<Resp>> + Send + 'static,
    Resp: 'static,
{
    type Response = Resp;
    type Future = Pin<Box<dyn Future<Output = std::result::Result<tonic::Response<Resp>, tonic::Status>> + Send>>;

    fn call(&mut self, request: tonic::Request<Req>) -> Self::Future {
        let Some(handler) = self.0.take() else {
            return Box::pin(async { Err(tonic::Status::internal("a unary call was answered twice")) });
        };
        let answer = handler(request.into_inner());
        Box::pin(async move { answer.await.map(tonic::Response::new).map_err(|status| to_grpc(&status)) })
    }
}
