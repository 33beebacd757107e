//! One unary gRPC call, from an HTTP request to a handler and back.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::Poll;

use graph::op::panicked;
use tensor::Result;
use tonic::body::Body;
use tonic::server::{Grpc, UnaryService};
use tonic_prost::ProstCodec;

use super::announced::Announced;
use crate::call::messages::to_grpc;

/// The HTTP response, when there is one.
pub(super) type Response =
    Pin<Box<dyn Future<Output = std::result::Result<http::Response<Body>, std::convert::Infallible>> + Send>>;

/// TensorFlow's own limit: any message that protobuf can hold.
const MAX_MESSAGE: usize = i32::MAX as usize;

/// Decodes the request, calls the handler, encodes its answer. A handler that panics has failed with `Internal`.
pub(super) fn unary<Req, Resp, Fut>(
    request: http::Request<Body>,
    handler: impl FnOnce(Req) -> Fut + Send + 'static,
) -> Response
where
    Req: prost::Message + Default + 'static,
    Resp: prost::Message + Default + 'static,
    Fut: Future<Output = Result<Resp>> + Send + 'static,
{
    Box::pin(async move {
        let path = request.uri().path().to_owned();
        let codec: ProstCodec<Resp, Req> = ProstCodec::default();
        let mut grpc = Grpc::new(codec).max_decoding_message_size(MAX_MESSAGE).max_encoding_message_size(MAX_MESSAGE);
        let request = request.map(Announced::new);
        Ok(grpc.unary(Handler { path, handler: Some(handler) }, request).await)
    })
}

/// The answer to somebody who may not ask this.
pub(super) fn refused(status: &tensor::Status) -> Response {
    let status = to_grpc(status);
    Box::pin(async move { Ok(status.into_http()) })
}

/// The answer for a method that is not there.
pub(super) fn unimplemented(path: &str) -> Response {
    let status = tonic::Status::unimplemented(format!("{path} is not implemented here"));
    Box::pin(async move { Ok(status.into_http()) })
}

struct Handler<F> {
    path: String,
    handler: Option<F>,
}

impl<Req, Resp, Fut, F> UnaryService<Req> for Handler<F>
where
    F: FnOnce(Req) -> Fut + Send + 'static,
    Fut: Future<Output = Result<Resp>> + Send + 'static,
    Req: Send + 'static,
    Resp: 'static,
{
    type Response = Resp;
    type Future = Pin<Box<dyn Future<Output = std::result::Result<tonic::Response<Resp>, tonic::Status>> + Send>>;

    fn call(&mut self, request: tonic::Request<Req>) -> Self::Future {
        let Some(handler) = self.handler.take() else {
            return Box::pin(async { Err(tonic::Status::internal("a unary call was answered twice")) });
        };
        let path = std::mem::take(&mut self.path);
        Box::pin(async move {
            let answer = guarded_call(&path, async move { handler(request.into_inner()).await });
            answer.await.map(tonic::Response::new).map_err(|status| to_grpc(&status))
        })
    }
}

/// Waits for an answer. A panic on the way to it is the answer.
async fn guarded_call<R>(path: &str, call: impl Future<Output = Result<R>>) -> Result<R> {
    let mut call = pin!(call);
    poll_fn(|cx| {
        catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(cx)))
            .unwrap_or_else(|panic| Poll::Ready(Err(panicked(format_args!("the handler of {path}"), &*panic))))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor::Code;

    #[tokio::test]
    async fn a_handler_that_panics_has_answered() {
        let outcome: Result<()> = guarded_call("/some.Service/Method", async { panic!("on purpose") }).await;
        let status = outcome.unwrap_err();
        let message = "the handler of /some.Service/Method panicked: on purpose";
        assert_eq!((status.code(), status.message()), (Code::Internal, message));
    }
}
