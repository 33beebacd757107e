//! The two halves of a connection, over the network or on this machine.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::{TcpStream, UnixStream, tcp, unix};

/// What is read from.
pub(crate) enum ReadHalf {
    Tcp(tcp::OwnedReadHalf),
    Unix(unix::OwnedReadHalf),
}

/// What is written to.
pub(crate) enum WriteHalf {
    Tcp(tcp::OwnedWriteHalf),
    Unix(unix::OwnedWriteHalf),
}

/// Takes a connection over the network apart.
pub(crate) fn tcp_halves(stream: TcpStream) -> (ReadHalf, WriteHalf) {
    let (read, write) = stream.into_split();
    (ReadHalf::Tcp(read), WriteHalf::Tcp(write))
}

/// Takes a connection on this machine apart.
pub(crate) fn unix_halves(stream: UnixStream) -> (ReadHalf, WriteHalf) {
    let (read, write) = stream.into_split();
    (ReadHalf::Unix(read), WriteHalf::Unix(write))
}

impl AsyncRead for ReadHalf {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            ReadHalf::Tcp(half) => Pin::new(half).poll_read(cx, buffer),
            ReadHalf::Unix(half) => Pin::new(half).poll_read(cx, buffer),
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
            WriteHalf::Unix(half) => half.writable().await,
        }
    }

    /// Writes as much of the slices as the connection takes now.
    ///
    /// # Errors
    /// `WouldBlock` if it takes nothing now.
    pub fn try_write_vectored(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            WriteHalf::Tcp(half) => half.try_write_vectored(slices),
            WriteHalf::Unix(half) => half.try_write_vectored(slices),
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
        Ok(())
    }
}
