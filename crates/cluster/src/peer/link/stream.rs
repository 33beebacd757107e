//! The two halves of a connection, over the network or on this machine.

use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::os::unix::net;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, Interest, ReadBuf};
use tokio::net::{TcpStream, UnixStream, tcp};

use super::tls_stream::TlsStream;

/// What is read from.
pub(crate) enum ReadHalf {
    Tcp(tcp::OwnedReadHalf),
    Local(Arc<AsyncFd<net::UnixStream>>),
    Tls(Arc<TlsStream>),
}

/// What is written to.
pub(crate) enum WriteHalf {
    Tcp(tcp::OwnedWriteHalf),
    Local(LocalWrite),
    Tls(Arc<TlsStream>),
}

/// The writing half of a connection on this machine; the other end sees the end of the stream when it is dropped.
pub(crate) struct LocalWrite(Arc<AsyncFd<net::UnixStream>>);

impl Drop for LocalWrite {
    fn drop(&mut self) {
        // If it is closed already, so much the better.
        let _ = self.0.get_ref().shutdown(Shutdown::Write);
    }
}

/// Takes a connection over the network apart.
pub(crate) fn tcp_halves(stream: TcpStream) -> (ReadHalf, WriteHalf) {
    let (read, write) = stream.into_split();
    (ReadHalf::Tcp(read), WriteHalf::Tcp(write))
}

/// Takes a connection over TLS apart, when its handshake is done.
pub(crate) fn tls_halves(socket: TcpStream, tls: rustls::Connection) -> (ReadHalf, WriteHalf) {
    let stream = Arc::new(TlsStream::new(socket, tls));
    (ReadHalf::Tls(stream.clone()), WriteHalf::Tls(stream))
}

/// Takes a connection on this machine apart.
///
/// The system tells whoever wants to know when such a socket can be written to each time the other end has read something: a
/// thread would be woken once for every message that was sent. So nobody asks, until there is no room.
///
/// # Errors
/// If the process is out of descriptors.
pub(crate) fn local_halves(stream: UnixStream) -> io::Result<(ReadHalf, WriteHalf)> {
    let stream = Arc::new(watched(stream.into_std()?, Interest::READABLE)?);
    Ok((ReadHalf::Local(stream.clone()), WriteHalf::Local(LocalWrite(stream))))
}

/// Lets the runtime watch a socket for one kind of event.
#[allow(
    deprecated,
    reason = "what is deprecated is meant for any owner of a descriptor; a socket of std keeps its own"
)]
fn watched(stream: net::UnixStream, interest: Interest) -> io::Result<AsyncFd<net::UnixStream>> {
    AsyncFd::with_interest(stream, interest)
}

impl AsyncRead for ReadHalf {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            ReadHalf::Tcp(half) => Pin::new(half).poll_read(cx, buffer),
            ReadHalf::Tls(stream) => stream.poll_read(cx, buffer),
            ReadHalf::Local(stream) => poll_local(stream, cx, buffer),
        }
    }
}

fn poll_local(
    stream: &AsyncFd<net::UnixStream>,
    cx: &mut Context<'_>,
    buffer: &mut ReadBuf<'_>,
) -> Poll<io::Result<()>> {
    loop {
        let mut ready = ready!(stream.poll_read_ready(cx))?;
        let room = buffer.initialize_unfilled();
        let length = room.len();
        match stream.get_ref().read(room) {
            Ok(count) => {
                // Less than there was room for is all that there is.
                if 0 < count && count < length {
                    ready.clear_ready();
                }
                buffer.advance(count);
                return Poll::Ready(Ok(()));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready.clear_ready(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Poll::Ready(Err(error)),
        }
    }
}

impl WriteHalf {
    /// Waits until something can be written.
    ///
    /// # Errors
    /// If the connection is broken.
    pub async fn writable(&self) -> io::Result<()> {
        match self {
            WriteHalf::Tcp(half) => half.writable().await,
            WriteHalf::Local(half) => {
                let stream = half.0.get_ref().try_clone()?;
                watched(stream, Interest::WRITABLE)?.writable().await.map(drop)
            }
            WriteHalf::Tls(stream) => stream.writable().await,
        }
    }

    /// Writes as much of the slices as the connection takes now.
    ///
    /// # Errors
    /// `WouldBlock` if it takes nothing now.
    pub fn try_write_vectored(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            WriteHalf::Tcp(half) => half.try_write_vectored(slices),
            WriteHalf::Local(half) => half.0.get_ref().write_vectored(slices),
            WriteHalf::Tls(stream) => stream.try_write_vectored(slices),
        }
    }

    /// Gives the connection what it has accepted and kept.
    ///
    /// # Errors
    /// `WouldBlock` if it does not take all of it now.
    pub fn try_flush(&self) -> io::Result<()> {
        match self {
            WriteHalf::Tcp(_) | WriteHalf::Local(_) => Ok(()),
            WriteHalf::Tls(stream) => stream.try_flush(),
        }
    }

    /// Whether something that was accepted has not gone out.
    pub fn pending(&self) -> bool {
        match self {
            WriteHalf::Tcp(_) | WriteHalf::Local(_) => false,
            WriteHalf::Tls(stream) => stream.pending(),
        }
    }

    /// Writes all of these bytes, before anything else is written.
    ///
    /// # Errors
    /// If the connection is broken.
    pub async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.writable().await?;
            match self.try_write_vectored(&[IoSlice::new(bytes)]) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        while let Err(error) = self.try_flush() {
            if error.kind() != io::ErrorKind::WouldBlock {
                return Err(error);
            }
            self.writable().await?;
        }
        Ok(())
    }
}
