//! A connection of a link over TLS: read by one task, written from any thread as far as the socket takes it.

use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::task::{Context, Poll, ready};

use parking_lot::Mutex;
use rustls::Connection;
use tokio::io::ReadBuf;
use tokio::net::TcpStream;

/// So many bytes are encrypted before the socket takes the first of them.
const AHEAD: usize = 256 << 10;
/// So much is taken from the socket at once.
const READ: usize = 256 << 10;

/// Both halves share this.
pub(crate) struct TlsStream {
    socket: TcpStream,
    session: Mutex<Session>,
}

struct Session {
    tls: Connection,
    /// Bytes of the socket that TLS has not taken.
    read: Box<[u8]>,
    begin: usize,
    end: usize,
}

impl TlsStream {
    /// A connection whose handshake is done.
    pub fn new(socket: TcpStream, mut tls: Connection) -> TlsStream {
        tls.set_buffer_limit(Some(AHEAD));
        let session = Session { tls, read: vec![0; READ].into(), begin: 0, end: 0 };
        TlsStream { socket, session: Mutex::new(session) }
    }

    /// Reads what has arrived.
    pub fn poll_read(&self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            if self.session.lock().read(&self.socket, buffer)? {
                return Poll::Ready(Ok(()));
            }
            ready!(self.socket.poll_read_ready(cx))?;
        }
    }

    /// Waits until something can be written.
    pub async fn writable(&self) -> io::Result<()> {
        self.socket.writable().await
    }

    /// Encrypts as much of the slices as is taken now. What the socket does not take of it is [`pending`](Self::pending).
    ///
    /// # Errors
    /// `WouldBlock` if nothing is taken now.
    pub fn try_write_vectored(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut session = self.session.lock();
        session.flush(&self.socket)?;
        let taken = session.tls.writer().write_vectored(slices)?;
        match session.flush(&self.socket) {
            Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
            _ => Ok(taken),
        }
    }

    /// Gives the socket what is encrypted.
    ///
    /// # Errors
    /// `WouldBlock` if it does not take all of it now.
    pub fn try_flush(&self) -> io::Result<()> {
        self.session.lock().flush(&self.socket)
    }

    /// Whether something is encrypted that the socket has not taken.
    pub fn pending(&self) -> bool {
        self.session.lock().tls.wants_write()
    }
}

impl Session {
    /// Reads into the buffer; false if more must arrive first. Nothing is read at the end.
    fn read(&mut self, socket: &TcpStream, buffer: &mut ReadBuf<'_>) -> io::Result<bool> {
        loop {
            match self.tls.reader().read(buffer.initialize_unfilled()) {
                Ok(count) => {
                    buffer.advance(count);
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            if self.begin == self.end {
                match socket.try_read(&mut self.read) {
                    Ok(count) => (self.begin, self.end) = (0, count),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                    Err(error) => return Err(error),
                }
            }
            // No bytes at all are the end, which TLS then knows of.
            self.begin += self.tls.read_tls(&mut &self.read[self.begin..self.end])?;
            if let Err(error) = self.tls.process_new_packets() {
                // The other end shall know why.
                let _ = self.flush(socket);
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
            if self.tls.wants_write() {
                let _ = self.flush(socket);
            }
        }
    }

    fn flush(&mut self, socket: &TcpStream) -> io::Result<()> {
        while self.tls.wants_write() {
            self.tls.write_tls(&mut Socket(socket))?;
        }
        Ok(())
    }
}

/// What a socket takes now.
struct Socket<'a>(&'a TcpStream);

impl Write for Socket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.try_write_vectored(slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
