//! A server that answers as TensorFlow's do, or as ours of an earlier version, and runs nothing.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, BufMut, Bytes};
use prost::Message;
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::{Service, http};
use tonic::server::{Grpc, NamedService, UnaryService};

use crate::fleet::free_port;

/// What a server says of itself.
#[derive(Clone)]
pub struct Pretender {
    /// As in `/job:ps/replica:0/task:0`.
    pub task: String,
    /// As a task of ours of this version; TensorFlow's without.
    pub version: Option<String>,
}

impl Pretender {
    /// Serves until the process ends; returns where.
    pub fn serve(self) -> String {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let ours = self.version.is_some().then(|| Answers::<true>(self.clone()));
        let server = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let routes =
                tonic::transport::Server::builder().add_service(Answers::<false>(self)).add_optional_service(ours);
            runtime.block_on(routes.serve(address)).expect("a server");
        };
        std::thread::spawn(server);
        address.to_string()
    }

    /// The message that answers a call.
    fn answer(&self, path: &str) -> Option<Vec<u8>> {
        if path == wire::services::worker::GET_STATUS {
            let device = wire::DeviceAttributes {
                name: format!("{}/device:CPU:0", self.task),
                device_type: "CPU".to_owned(),
                ..Default::default()
            };
            let devices = wire::GetStatusResponse { device_attributes: vec![device] };
            return Some(devices.encode_to_vec());
        }
        let version = self.version.clone()?;
        if path == wire::services::operator::STATUS {
            let status = wire::operator::StatusResponse { task: self.task.clone(), version, ..Default::default() };
            return Some(status.encode_to_vec());
        }
        let echo = wire::operator::EchoResponse::default();
        (path == wire::services::operator::ECHO).then(|| echo.encode_to_vec())
    }
}

/// A service of the server: for operators, or for tasks.
#[derive(Clone)]
struct Answers<const OPERATOR: bool>(Pretender);

impl<const OPERATOR: bool> NamedService for Answers<OPERATOR> {
    const NAME: &'static str =
        if OPERATOR { wire::services::operator::SERVICE } else { wire::services::worker::SERVICE };
}

impl<const OPERATOR: bool> Service<http::Request<Body>> for Answers<OPERATOR> {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let answer = self.0.answer(request.uri().path());
        Box::pin(async move {
            match answer {
                Some(bytes) => Ok(Grpc::new(Raw).unary(Say(bytes.into()), request).await),
                None => Ok(tonic::Status::unimplemented("it is not there").into_http()),
            }
        })
    }
}

struct Say(Bytes);

impl UnaryService<Bytes> for Say {
    type Response = Bytes;
    type Future = Ready<Result<tonic::Response<Bytes>, tonic::Status>>;

    fn call(&mut self, _: tonic::Request<Bytes>) -> Self::Future {
        ready(Ok(tonic::Response::new(self.0.clone())))
    }
}

/// Messages as they are.
#[derive(Clone, Copy)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Raw;
    type Decoder = Raw;

    fn encoder(&mut self) -> Raw {
        Raw
    }

    fn decoder(&mut self) -> Raw {
        Raw
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = tonic::Status;

    fn encode(&mut self, item: Bytes, target: &mut EncodeBuf<'_>) -> Result<(), tonic::Status> {
        target.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = tonic::Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, tonic::Status> {
        Ok(Some(source.copy_to_bytes(source.remaining())))
    }
}
