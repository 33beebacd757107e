//! The gRPC connection to another process.

use std::error::Error;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use http::header::AUTHORIZATION;
use http::uri::PathAndQuery;
use tensor::{Code, Result, Status, err};
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::transport::{Channel, Endpoint};
use tonic_prost::ProstCodec;
use wire::services::worker::GET_STATUS;

use super::connector::{Connector, is_refusal};
use super::watch::Watch;
use crate::call::messages::to_grpc;
use crate::trust::Keys;

/// How long a connection may take to come up before the task counts as out of reach.
const CONNECT: Duration = Duration::from_secs(4);
const MAX_MESSAGE: usize = i32::MAX as usize;

/// A gRPC connection to a process, made when it is first needed, and again after it was lost. Clones share it.
#[derive(Clone)]
pub(in crate::peer) struct GrpcChannel {
    /// The process, as errors name it.
    who: Arc<str>,
    address: Arc<str>,
    channel: Channel,
    watch: Watch,
    keys: Arc<Keys>,
}

impl GrpcChannel {
    /// Must be made inside the runtime whose threads shall serve the connection.
    ///
    /// # Errors
    /// `InvalidArgument` if the address is malformed.
    pub fn new(who: &str, address: &str, keys: &Arc<Keys>) -> Result<GrpcChannel> {
        let endpoint = Endpoint::from_shared(format!("http://{address}"))
            .map_err(|error| err!(InvalidArgument, "{who}: '{address}' is not an address: {error}"))?;
        let channel = endpoint
            .connect_timeout(CONNECT)
            .initial_stream_window_size(4 << 20)
            .initial_connection_window_size(16 << 20)
            .connect_with_connector_lazy(Connector::new(address, keys));
        let watch = Watch::new(format!("{who} at {address}"));
        Ok(GrpcChannel { who: who.into(), address: address.into(), channel, watch, keys: keys.clone() })
    }

    /// Returns the name of the process in errors.
    pub fn who(&self) -> &str {
        &self.who
    }

    /// Returns the host and port of the process.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Makes one call, for as long as the process is there.
    ///
    /// # Errors
    /// What the process answered; `Unavailable`, naming process, address and reason, if it is out of reach or was lost.
    pub async fn call<Req, Resp>(&self, path: &'static str, request: Req) -> Result<Resp>
    where
        Req: prost::Message + Clone + 'static,
        Resp: prost::Message + Default + 'static,
    {
        tokio::select! {
            biased;
            outcome = self.call_once(path, request) => outcome,
            status = self.lost() => Err(status),
        }
    }

    /// Ends when the process is lost: it does not even say that it is there. Connections to a stopped process, or over a
    /// cable that was pulled, look fine otherwise. (TensorFlow's servers punish HTTP/2 pings, so a call is made.)
    async fn lost(&self) -> Status {
        let ask = || {
            let channel = self.clone();
            async move {
                let answer: Result<wire::GetStatusResponse> =
                    channel.call_once(GET_STATUS, wire::GetStatusRequest::default()).await;
                match answer {
                    Err(status) if status.code() == Code::Unavailable => Err(status),
                    _ => Ok(()),
                }
            }
        };
        self.watch.lost(ask).await
    }

    /// Makes one call, however long it takes.
    ///
    /// # Errors
    /// What the process answered; `Unavailable`, naming process, address and reason, if it is out of reach.
    pub async fn call_once<Req, Resp>(&self, path: &'static str, request: Req) -> Result<Resp>
    where
        Req: prost::Message + Clone + 'static,
        Resp: prost::Message + Default + 'static,
    {
        match self.try_call(path, request.clone()).await {
            // The channel may tell of a connection that was refused before the task came up; nothing was sent then.
            Err(status) if status.message().contains("refused") => self.try_call(path, request).await,
            outcome => outcome,
        }
    }

    async fn try_call<Req, Resp>(&self, path: &'static str, request: Req) -> Result<Resp>
    where
        Req: prost::Message + 'static,
        Resp: prost::Message + Default + 'static,
    {
        let mut grpc = tonic::client::Grpc::new(self.channel.clone())
            .max_decoding_message_size(MAX_MESSAGE)
            .max_encoding_message_size(MAX_MESSAGE);
        grpc.ready().await.map_err(|error| self.unreachable(&error))?;
        let codec: ProstCodec<Req, Resp> = ProstCodec::default();
        let mut request = tonic::Request::new(request);
        if let Some(token) = self.authorization() {
            request.metadata_mut().as_mut().insert(AUTHORIZATION, token);
        }
        let answer = grpc.unary(request, PathAndQuery::from_static(path), codec).await;
        answer.map(tonic::Response::into_inner).map_err(|status| self.explain(&status))
    }

    fn authorization(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::try_from(format!("Bearer {}", self.keys.token()?)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Passes a call of somebody else on, with what lets this process in.
    pub async fn pass(&self, mut request: http::Request<Body>) -> http::Response<Body> {
        request.headers_mut().remove(AUTHORIZATION);
        if let Some(token) = self.authorization() {
            request.headers_mut().insert(AUTHORIZATION, token);
        }
        let mut channel = self.channel.clone();
        let ready = poll_fn(|cx| Service::poll_ready(&mut channel, cx)).await;
        let answer = match ready {
            Ok(()) => channel.call(request).await,
            Err(error) => Err(error),
        };
        answer.unwrap_or_else(|error| to_grpc(&self.unreachable(&error)).into_http())
    }

    fn explain(&self, status: &tonic::Status) -> Status {
        // A status with a source did not come from the task but from the connection to it.
        match status.source() {
            Some(cause) => self.unreachable(cause),
            None => Status::new(Code::from_number(status.code() as i32), status.message()),
        }
    }

    fn unreachable(&self, error: &dyn Error) -> Status {
        let mut reason = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            reason = inner.to_string();
            if is_refusal(inner) {
                return err!(Unauthenticated, "{} at {}: {reason}", self.who, self.address);
            }
            cause = inner.source();
        }
        let hint = if reason.contains("refused") { "; is it started?" } else { "" };
        err!(Unavailable, "{} at {} is out of reach: {reason}{hint}", self.who, self.address)
    }
}
