//! The reading half: whole messages, with their tensors in buffers of their own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use graph::op::Parcel;
use parking_lot::Mutex;
use tensor::{Buffer, Result, Status, bail, ensure, err};
use tokio::io::{AsyncReadExt, BufReader};

use super::frame::{FrameKind, Head, MAX_GREETING, MAX_HEAD, PIECE};
use super::memory::{InMemory, SLOTS};
use super::stream::ReadHalf;
use super::{PATIENCE, PING_EVERY};

/// A message that has arrived.
pub(crate) struct Inbound {
    pub head: Head,
    /// Its tensors, by name.
    pub parcels: Vec<(String, Parcel)>,
}

/// What one end receives.
pub(crate) struct Incoming {
    stream: BufReader<ReadHalf>,
    incomplete: HashMap<u64, Incomplete>,
    heard: Heard,
    lent: Option<Lent>,
    max_head: usize,
}

/// Memory of the other end, in which pieces lie.
pub(crate) struct Lent {
    memory: InMemory,
    /// Tells the other end which slots have been read: a bit for each.
    give_back: Box<dyn Fn(u64) + Send>,
    /// Slots that have been read, of which the other end does not know yet.
    read: u64,
}

impl Lent {
    /// Pieces lie in `memory`; `give_back` tells its owner which slots have been read.
    pub fn new(memory: InMemory, give_back: impl Fn(u64) + Send + 'static) -> Lent {
        Lent { memory, give_back: Box::new(give_back), read: 0 }
    }

    /// Reads a piece from a slot. While more of a tensor is to come, slots are given back early, so that both ends are busy;
    /// after its `last` piece, only when half of them have been read: a message for each small tensor costs more than it.
    fn read(&mut self, slot: u32, piece: &mut [u8], last: bool) -> Result<()> {
        self.memory.read(slot, piece)?;
        self.read |= 1 << slot;
        if self.read.count_ones() >= if last { SLOTS / 2 } else { GIVE_BACK } {
            (self.give_back)(std::mem::take(&mut self.read));
        }
        Ok(())
    }
}

/// When something last arrived.
#[derive(Clone)]
pub(crate) struct Heard(Arc<Mutex<Instant>>);

/// A message of which pieces are missing.
struct Incomplete {
    head: Head,
    /// Made when their first bytes arrive: what is only announced takes no memory.
    buffers: Vec<Option<Buffer>>,
    filled: Vec<usize>,
    missing: usize,
}

/// So much is read at once of what is not known to belong to a tensor: enough for many small messages, and little of a
/// large tensor, whose other bytes are read to where they belong.
const READ_AHEAD: usize = 16 << 10;
/// So many slots are given back together while a tensor is under way.
const GIVE_BACK: u32 = 2;
/// So many messages may be incomplete at once.
const MAX_INCOMPLETE: usize = 65_536;

impl Heard {
    /// Something was heard just now.
    pub fn new() -> Heard {
        Heard(Arc::new(Mutex::new(Instant::now())))
    }

    fn ago(&self) -> Duration {
        self.0.lock().elapsed()
    }

    fn now(&self) {
        *self.0.lock() = Instant::now();
    }
}

/// Notices that nothing arrives any more.
pub(crate) struct Silence {
    heard: Heard,
    overslept: Duration,
}

impl Silence {
    /// Begins to listen.
    pub fn new(heard: Heard) -> Silence {
        Silence { heard, overslept: Duration::ZERO }
    }

    /// Waits until the next ping is due; then returns how long nothing was heard, if that is too long. Time that the machine
    /// did not give to this process does not count: what came meanwhile may not have been read.
    pub async fn next(&mut self) -> Option<Duration> {
        let begin = Instant::now();
        tokio::time::sleep(PING_EVERY).await;
        let ago = self.heard.ago();
        if ago < PING_EVERY {
            self.overslept = Duration::ZERO;
        }
        self.overslept += begin.elapsed().saturating_sub(PING_EVERY);
        (ago > PATIENCE + self.overslept).then_some(ago)
    }
}

impl Incoming {
    /// Reads from a connection, and notes in `heard` that something arrived.
    pub fn new(stream: ReadHalf, heard: Heard, lent: Option<Lent>) -> Incoming {
        Incoming {
            stream: BufReader::with_capacity(READ_AHEAD, stream),
            incomplete: HashMap::new(),
            heard,
            lent,
            max_head: MAX_HEAD,
        }
    }

    /// The same, from somebody who has not said who they are yet: their messages are short.
    pub fn before_greeting(self) -> Incoming {
        Incoming { max_head: MAX_GREETING, ..self }
    }

    /// From now on messages may be as large as they are.
    pub fn greeted(&mut self) {
        self.max_head = MAX_HEAD;
    }

    /// Reads exactly so many bytes that are not a frame.
    pub async fn read_exact(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.stream.read_exact(bytes).await.map(drop).map_err(|error| broken(&error))
    }

    /// Returns the next message that is complete.
    ///
    /// # Errors
    /// `Unavailable` when the connection has ended; `InvalidArgument` for what is not a message.
    pub async fn next(&mut self) -> Result<Inbound> {
        loop {
            let length = self.stream.read_u32_le().await.map_err(|error| broken(&error))? as usize;
            self.heard.now();
            ensure!(length <= self.max_head, InvalidArgument, "a frame's head of {length} bytes");
            let mut head = vec![0; length];
            self.read_exact(&mut head).await?;
            let head = Head::read(Bytes::from(head))?;
            let complete = if head.kind == FrameKind::Piece as i32 {
                self.piece(&head).await?
            } else {
                self.message(head).await?
            };
            if let Some(message) = complete {
                return Ok(message);
            }
        }
    }

    /// Reads the tensors of a message, as far as they follow at once.
    async fn message(&mut self, head: Head) -> Result<Option<Inbound>> {
        let (mut buffers, mut filled, mut missing) = (Vec::with_capacity(head.tensors.len()), Vec::new(), 0);
        for tensor in &head.tensors {
            let length = tensor.check()?;
            if tensor.in_pieces {
                missing += length;
                filled.push(0);
                buffers.push(None);
                continue;
            }
            ensure!(length <= PIECE, InvalidArgument, "{}: {length} bytes in one piece", tensor.name);
            // What is small finds room, also beyond the limit: the connection goes on with other things.
            let mut buffer = Buffer::dirty(length);
            if let Some(bytes) = buffer.get_mut() {
                self.read_exact(bytes).await?;
            }
            filled.push(length);
            buffers.push(Some(buffer));
        }
        let message = Incomplete { head, buffers, filled, missing };
        if message.missing == 0 {
            return message.finish().map(Some);
        }
        ensure!(self.incomplete.len() < MAX_INCOMPLETE, ResourceExhausted, "too many messages in pieces");
        let serial = message.head.serial;
        ensure!(
            self.incomplete.insert(serial, message).is_none(),
            InvalidArgument,
            "two messages have the number {serial}"
        );
        Ok(None)
    }

    async fn piece(&mut self, head: &Head) -> Result<Option<Inbound>> {
        let (serial, index, length) = (head.serial, head.index as usize, head.bytes as usize);
        let Some(message) = self.incomplete.get_mut(&serial) else {
            bail!(InvalidArgument, "a piece of the unknown message {serial}");
        };
        let tensors = (message.head.tensors.get(index), message.buffers.get_mut(index), message.filled.get_mut(index));
        let (Some(tensor), Some(buffer), Some(filled)) = tensors else {
            bail!(InvalidArgument, "a piece of tensor {index}, which message {serial} does not have");
        };
        // All pieces but the last are whole, so that whoever wants memory taken must fill it.
        let left = tensor.size as usize - *filled;
        let expected = left.min(PIECE);
        ensure!(
            tensor.in_pieces && length == expected && length > 0,
            InvalidArgument,
            "a piece of {length} bytes instead of {expected}"
        );
        let buffer = match buffer {
            Some(buffer) => buffer,
            None => buffer.insert(Buffer::try_dirty(tensor.check()?)?),
        };
        let end = *filled + length;
        if let Some(bytes) = buffer.get_mut() {
            let bytes = &mut bytes[*filled..end];
            match (head.slot.checked_sub(1), &mut self.lent) {
                (None, _) => drop(self.stream.read_exact(bytes).await.map_err(|error| broken(&error))?),
                (Some(slot), Some(lent)) => lent.read(slot, bytes, length == left)?,
                (Some(slot), None) => bail!(InvalidArgument, "a piece in slot {slot} of no memory"),
            }
        }
        self.heard.now();
        *filled = end;
        message.missing -= length;
        if message.missing > 0 {
            return Ok(None);
        }
        self.incomplete.remove(&serial).map(Incomplete::finish).transpose()
    }
}

impl Incomplete {
    fn finish(mut self) -> Result<Inbound> {
        let heads = std::mem::take(&mut self.head.tensors);
        let mut parcels = Vec::with_capacity(heads.len());
        for (head, buffer) in heads.into_iter().zip(self.buffers) {
            let parcel = head.assemble(buffer.unwrap_or_else(|| Buffer::dirty(0)))?;
            parcels.push((head.name, parcel));
        }
        Ok(Inbound { head: self.head, parcels })
    }
}

fn broken(error: &std::io::Error) -> Status {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => err!(Unavailable, "the connection was closed"),
        _ => err!(Unavailable, "the connection broke: {error}"),
    }
}
