//! Connections as gRPC sees them: each stands for a caller, and all end when the server stops.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tonic::transport::server::Connected;

use crate::call::Caller;
use crate::trust::{ByteStream, Proof};

/// A stream that breaks off when the server stops, so that clients learn of it at once.
pub(super) struct GrpcStream {
    stream: Box<dyn ByteStream>,
    stopped: Pin<Box<dyn Future<Output = ()> + Send>>,
    visitor: Visitor,
}

/// Whoever is at the other end of a connection.
#[derive(Clone, Default)]
pub(super) struct Visitor {
    pub caller: Caller,
    /// What the connection has proved.
    pub proof: Proof,
}

impl GrpcStream {
    /// A stream that ends when `stopped` does.
    pub fn new(
        stream: Box<dyn ByteStream>,
        caller: Caller,
        proof: Proof,
        stopped: impl Future<Output = ()> + Send + 'static,
    ) -> GrpcStream {
        GrpcStream { stream, stopped: Box::pin(stopped), visitor: Visitor { caller, proof } }
    }
}

impl Connected for GrpcStream {
    type ConnectInfo = Visitor;

    fn connect_info(&self) -> Visitor {
        self.visitor.clone()
    }
}

impl AsyncRead for GrpcStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.stopped.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for GrpcStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
