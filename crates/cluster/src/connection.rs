//! Connections as the services see them: who is still there, and an end to all of them when the server stops.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tonic::transport::server::Connected;

/// Stands for an open connection: it lives exactly as long.
#[derive(Clone, Default)]
pub(crate) struct Connection(Arc<()>);

impl Connection {
    pub fn watch(&self) -> ConnectionWatch {
        ConnectionWatch(Arc::downgrade(&self.0))
    }
}

/// Tells whether a connection is still open.
pub(crate) struct ConnectionWatch(Weak<()>);

impl ConnectionWatch {
    pub fn is_open(&self) -> bool {
        self.0.strong_count() > 0
    }

    pub fn is_of(&self, connection: &Connection) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&connection.0))
    }
}

/// A stream that breaks off when the server stops, so that clients learn of it at once.
pub(crate) struct ServerStream {
    stream: TcpStream,
    stopped: Pin<Box<dyn Future<Output = ()> + Send>>,
    connection: Connection,
}

impl ServerStream {
    pub fn new(stream: TcpStream, stopped: impl Future<Output = ()> + Send + 'static) -> ServerStream {
        ServerStream { stream, stopped: Box::pin(stopped), connection: Connection::default() }
    }
}

impl Connected for ServerStream {
    type ConnectInfo = Connection;

    fn connect_info(&self) -> Connection {
        self.connection.clone()
    }
}

impl AsyncRead for ServerStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.stopped.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for ServerStream {
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
