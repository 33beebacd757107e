//! How tasks of one machine find that out: a server listens on a Unix socket whose name it tells to whoever asks over the
//! network and is let in there. Who can connect to that name, which nobody can guess, is on the same machine; processes of other
//! users are not let in, nor, where something is asked for, whoever does not show what the server gave along with the name. Both ends then exchange the memory for large tensors. Whoever does not get so far stays with TCP.

use std::io;
use std::mem::MaybeUninit;
use std::time::Duration;

use tokio::io::Interest;
use tokio::net::UnixStream;

use super::memory::{InMemory, OutMemory};
use super::stream::{ReadHalf, WriteHalf, local_halves};
use super::within;

pub(crate) use system::listen;

/// A hello with this method asks for the name of the Unix socket.
pub(crate) const ASKS_FOR_DOOR: u32 = 1;
/// How long the other end may take to open its door.
const PATIENCE: Duration = Duration::from_secs(2);

/// A connection on this machine, and the memory of both its ends.
pub(crate) struct LocalStream {
    pub read: ReadHalf,
    pub write: WriteHalf,
    pub out: OutMemory,
    pub incoming: InMemory,
}

/// Goes through the door that a server named; `None` if it is none for us.
pub(super) async fn enter_door(door: &[u8]) -> Option<LocalStream> {
    if door.is_empty() {
        return None;
    }
    match within(PATIENCE, enter(door)).await {
        Some(Ok(local)) => Some(local),
        Some(Err(error)) => {
            tracing::debug!(%error, "the other end is elsewhere, or another user's");
            None
        }
        None => None,
    }
}

async fn enter(door: &[u8]) -> io::Result<LocalStream> {
    let stream = system::connect(door)?;
    check_user(&stream)?;
    let out = OutMemory::new()?;
    send_memory(&stream, &out).await?;
    let incoming = receive_memory(&stream).await?;
    let (read, write) = local_halves(stream)?;
    Ok(LocalStream { read, write, out, incoming })
}

/// Lets a process of this machine in, if it is of the same user.
///
/// # Errors
/// If it is not, or does not do as it should.
pub(crate) async fn let_in(stream: UnixStream) -> io::Result<LocalStream> {
    check_user(&stream)?;
    let incoming = receive_memory(&stream).await?;
    let out = OutMemory::new()?;
    send_memory(&stream, &out).await?;
    let (read, write) = local_halves(stream)?;
    Ok(LocalStream { read, write, out, incoming })
}

fn check_user(stream: &UnixStream) -> io::Result<()> {
    let (theirs, own) = (stream.peer_cred()?.uid(), rustix::process::geteuid().as_raw());
    if theirs == own {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, format!("a process of user {theirs}, not {own}")))
}

/// Passes the descriptor of some memory, with the byte that one needs to be passed at all.
async fn send_memory(stream: &UnixStream, memory: &OutMemory) -> io::Result<()> {
    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    use std::os::fd::AsFd;
    let send = || {
        let descriptors = [memory.file().as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(&descriptors));
        Ok(sendmsg(stream, &[io::IoSlice::new(&[0])], &mut control, SendFlags::NOSIGNAL)?)
    };
    stream.async_io(Interest::WRITABLE, send).await.map(drop)
}

async fn receive_memory(stream: &UnixStream) -> io::Result<InMemory> {
    use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
    let receive = || {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        recvmsg(stream, &mut [io::IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
        let descriptors = control.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        });
        Ok(descriptors.flatten().next())
    };
    match stream.async_io(Interest::READABLE, receive).await? {
        Some(descriptor) => InMemory::new(descriptor.into()),
        None => Err(io::Error::new(io::ErrorKind::InvalidData, "the other end passes no memory")),
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{self, SocketAddr};

    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};
    use tokio::net::{UnixListener, UnixStream};

    use crate::call::random_handle;

    const PREFIX: &str = "tensorfleet-";

    /// Listens on a socket without a file; returns its name too. Must be called inside a runtime.
    ///
    /// # Errors
    /// If the system has no such sockets.
    pub(crate) fn listen() -> io::Result<(UnixListener, String)> {
        let name = format!("{PREFIX}{}{}", random_handle(), random_handle());
        let listener = net::UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
        listener.set_nonblocking(true)?;
        Ok((UnixListener::from_std(listener)?, name))
    }

    /// Connects to a name, or fails at once.
    pub(super) fn connect(name: &[u8]) -> io::Result<UnixStream> {
        // Nobody may send us to the sockets of other programs.
        if !name.starts_with(PREFIX.as_bytes()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "another program's socket"));
        }
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        rustix::net::connect(&socket, &SocketAddrUnix::new_abstract_name(name)?)?;
        UnixStream::from_std(socket.into())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    use tokio::net::{UnixListener, UnixStream};

    pub(crate) fn listen() -> io::Result<(UnixListener, String)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn connect(_: &[u8]) -> io::Result<UnixStream> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    use graph::op::Parcel;
    use parking_lot::Mutex;
    use std::sync::Arc;
    use tensor::{Code, DType, Tensor};
    use tokio::io::AsyncReadExt;

    use super::super::frame::{FrameKind, Head, Outbound, PIECE, TensorHead};
    use super::super::incoming::{Heard, Incoming, Lent};
    use super::super::outgoing::Outgoing;

    /// Both ends of a connection through a door.
    async fn both_ends() -> (LocalStream, LocalStream) {
        let (listener, name) = listen().unwrap();
        let accept = async { let_in(listener.accept().await?.0).await };
        let (accepted, entered) = tokio::join!(accept, enter(name.as_bytes()));
        (accepted.unwrap(), entered.unwrap())
    }

    #[tokio::test]
    async fn each_end_reads_what_the_other_puts() {
        let (mut one, mut other) = both_ends().await;
        let mut read = [0; 3];
        for (from, to) in [(&mut one.out, &other.incoming), (&mut other.out, &one.incoming)] {
            let slot = from.put(b"abc").unwrap().unwrap();
            to.read(slot, &mut read).unwrap();
            assert_eq!(&read, b"abc");
            read.fill(0);
        }
    }

    #[tokio::test]
    async fn who_passes_no_memory_or_something_else_is_not_let_in() {
        let (listener, name) = listen().unwrap();
        let stranger = system::connect(name.as_bytes()).unwrap();
        let (accepted, _) = listener.accept().await.unwrap();
        stranger.writable().await.unwrap();
        stranger.try_write(&[0]).unwrap();
        let refused = let_in(accepted).await.err().unwrap();
        assert_eq!(refused.to_string(), "the other end passes no memory");

        let liar = system::connect(name.as_bytes()).unwrap();
        let (accepted, _) = listener.accept().await.unwrap();
        let file = std::fs::File::open("/proc/self/exe").unwrap();
        let descriptors = [file.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = rustix::net::SendAncillaryBuffer::new(&mut space);
        control.push(rustix::net::SendAncillaryMessage::ScmRights(&descriptors));
        let flags = rustix::net::SendFlags::empty();
        rustix::net::sendmsg(&liar, &[io::IoSlice::new(&[0])], &mut control, flags).unwrap();
        assert_eq!(let_in(accepted).await.err().unwrap().kind(), io::ErrorKind::InvalidInput);
    }

    #[tokio::test]
    async fn only_doors_of_servers_are_entered() {
        assert_eq!(enter(b"/tmp/.X11-unix/X0").await.err().unwrap().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(enter(b"tensorfleet-elsewhere").await.err().unwrap().kind(), io::ErrorKind::ConnectionRefused);
    }

    fn numbers(count: usize) -> Tensor {
        Tensor::new([count as i64], (0..count).map(|i| i as f32).collect::<Vec<f32>>()).unwrap()
    }

    #[tokio::test]
    async fn large_tensors_go_through_memory_and_others_pass_them() {
        let (one, other) = both_ends().await;
        let out = Arc::new(Outgoing::default());
        out.connect(one.write, Some(one.out), Vec::new());
        let back = out.clone();
        let lent = Lent::new(other.incoming, move |slots| back.returned(slots).unwrap());
        let mut incoming = Incoming::new(other.read, Heard::new(), Some(lent));
        // More than all slots hold at once.
        let sent = [numbers(3), numbers(30_000), numbers(5 * PIECE), numbers(17)];
        let receive = async {
            let mut received = Vec::new();
            while received.len() < sent.len() {
                received.extend(incoming.next().await.unwrap().parcels);
            }
            received
        };
        for (index, tensor) in sent.iter().enumerate() {
            let mut message = Outbound::new(Head::new(FrameKind::Push));
            message.add(&index.to_string(), &Parcel::Tensor(tensor.clone())).unwrap();
            out.post(message).unwrap();
        }
        let mut received = tokio::select! {
            received = receive => received,
            status = out.drive() => panic!("{status}"),
        };
        received.sort_by(|(a, _), (b, _)| a.cmp(b));
        for ((_, parcel), tensor) in received.iter().zip(&sent) {
            assert!(matches!(parcel, Parcel::Tensor(got) if got == tensor));
        }
    }

    #[tokio::test]
    async fn slots_of_small_tensors_come_back_together() {
        let (one, other) = both_ends().await;
        let out = Arc::new(Outgoing::default());
        out.connect(one.write, Some(one.out), Vec::new());
        let returned: Arc<Mutex<Vec<u64>>> = Arc::default();
        let (noted, back) = (returned.clone(), out.clone());
        let lent = Lent::new(other.incoming, move |slots| {
            noted.lock().push(slots);
            back.returned(slots).unwrap();
        });
        let mut incoming = Incoming::new(other.read, Heard::new(), Some(lent));
        let one_by_one = async {
            for _ in 0..10 {
                let mut message = Outbound::new(Head::new(FrameKind::Push));
                message.add("x", &Parcel::Tensor(numbers(PIECE / 8))).unwrap();
                out.post(message).unwrap();
                incoming.next().await.unwrap();
            }
        };
        tokio::select! {
            () = one_by_one => {}
            status = out.drive() => panic!("{status}"),
        }
        // The two that were read last have not been given back yet.
        assert_eq!(*returned.lock(), [0b1111, 0b1111]);
    }

    #[tokio::test]
    async fn a_piece_in_memory_takes_no_room_in_the_connection() {
        let (one, mut other) = both_ends().await;
        let out = Outgoing::default();
        out.connect(one.write, Some(one.out), Vec::new());
        let mut message = Outbound::new(Head::new(FrameKind::Push));
        message.add("x", &Parcel::Tensor(numbers(PIECE / 8))).unwrap();
        out.post(message).unwrap();
        out.close(tensor::err!(Cancelled, "enough"));
        drop(out);
        let mut carried = Vec::new();
        other.read.read_to_end(&mut carried).await.unwrap();
        assert!(!carried.is_empty() && carried.len() < 200, "{} bytes", carried.len());
    }

    /// What an end answers to a message of one tensor in pieces and one piece of it.
    async fn told(piece: Head, with_memory: bool) -> (tensor::Result<usize>, u64) {
        let (mut one, other) = both_ends().await;
        one.out.put(&[7; 1000]).unwrap();
        let tensor = TensorHead {
            dtype: DType::UInt8.number(),
            dims: vec![1000],
            size: 1000,
            in_pieces: true,
            ..Default::default()
        };
        let announced = Head { serial: 1, tensors: vec![tensor], ..Head::new(FrameKind::Push) };
        let frames = [announced.to_frame(), piece.to_frame()].concat();
        one.write.write_all(&frames).await.unwrap();
        let returned: Arc<Mutex<u64>> = Arc::default();
        let noted = returned.clone();
        let lent = Lent::new(other.incoming, move |slots| *noted.lock() |= slots);
        let mut incoming = Incoming::new(other.read, Heard::new(), with_memory.then_some(lent));
        let told = incoming.next().await.map(|message| match &message.parcels[0].1 {
            Parcel::Tensor(tensor) => tensor.as_slice::<u8>().unwrap().iter().filter(|byte| **byte == 7).count(),
            Parcel::Dead => 0,
        });
        let returned = *returned.lock();
        (told, returned)
    }

    #[tokio::test]
    async fn an_end_that_lies_about_pieces_gets_an_error() {
        let piece = |slot: u32, bytes: u64| Head { serial: 1, slot, bytes, ..Head::new(FrameKind::Piece) };
        assert_eq!(told(piece(1, 1000), true).await.0.unwrap(), 1000);
        for (slot, bytes) in [(9, 1000), (u32::MAX, 1000), (1, 999), (1, 1001), (1, u64::MAX)] {
            let (refused, returned) = told(piece(slot, bytes), true).await;
            assert_eq!((refused.unwrap_err().code(), returned), (Code::InvalidArgument, 0), "slot {slot}, {bytes}");
        }
        assert_eq!(told(piece(1, 1000), false).await.0.unwrap_err().code(), Code::InvalidArgument);
    }
}
