//! How gRPC's connections are made: over TCP, and over TLS where this process has certificates.

use std::error::Error;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tonic::codegen::Service;

use crate::trust::{ByteStream, Keys, hold_handshake, name_at};

/// Connects to one address, with the certificates of the moment.
#[derive(Clone)]
pub(super) struct Connector {
    address: Arc<str>,
    keys: Arc<Keys>,
}

impl Connector {
    pub fn new(address: &str, keys: &Arc<Keys>) -> Connector {
        Connector { address: address.into(), keys: keys.clone() }
    }

    async fn connect(self) -> io::Result<TokioIo<Box<dyn ByteStream>>> {
        let stream = TcpStream::connect(&*self.address).await?;
        stream.set_nodelay(true)?;
        let Some(config) = self.keys.tls_to_grpc() else { return Ok(TokioIo::new(Box::new(stream))) };
        let name = name_at(&self.address).map_err(|status| io::Error::other(status.message().to_owned()))?;
        let stream = TlsConnector::from(config).connect(name, stream).await.map_err(|error| hold_handshake(&error))?;
        Ok(TokioIo::new(Box::new(stream)))
    }
}

impl Service<http::Uri> for Connector {
    type Response = TokioIo<Box<dyn ByteStream>>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: http::Uri) -> Self::Future {
        Box::pin(self.clone().connect())
    }
}

/// Whether a connection failed because the two ends do not trust each other. In TLS 1.3 a server refuses a client after the
/// client's side of the handshake is done, so the refusal comes with what is read first, through HTTP/2, which keeps the words only.
pub(super) fn is_refusal(error: &(dyn Error + 'static)) -> bool {
    let refused = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    error.downcast_ref().is_some_and(refused) || error.to_string().starts_with("received fatal alert")
}
