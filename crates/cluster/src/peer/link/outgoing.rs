//! The writing half: frames are written where they arise if the connection is free, else by one task, many at a time.

use std::collections::VecDeque;
use std::io::{ErrorKind, IoSlice};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use parking_lot::Mutex;
use tensor::memory::{ensure_free, ensure_possible};
use tensor::{Result, Status, err};
use tokio::sync::Notify;

use super::frame::{FrameKind, Head, Outbound, PIECE};
use super::memory::OutMemory;
use super::stream::WriteHalf;

/// Tensors of at least this size go through memory, if the other end is on this machine.
const THROUGH_MEMORY: usize = 64 << 10;

/// So much may wait for the other end to read it, whatever memory there is.
const LITTLE: u64 = 4 << 20;

/// What one end sends. Frames may be posted before there is a connection, and from any thread.
#[derive(Default)]
pub(crate) struct Outgoing {
    state: Mutex<SendQueue>,
    /// There is something for the writing task, or the end.
    wake: Notify,
}

/// What is to be sent, and where to.
#[derive(Default)]
struct SendQueue {
    stream: Option<Arc<WriteHalf>>,
    /// Where pieces are put for the other end, if it is on this machine.
    memory: Option<OutMemory>,
    queue: VecDeque<Bytes>,
    /// Tensors that are sent in pieces, when nothing else is to be sent.
    large: VecDeque<Large>,
    /// The writing task is at it.
    writing: bool,
    closed: Option<Status>,
    serial: u64,
    /// Bytes that wait to be written.
    bytes: u64,
}

/// What is left of a tensor that is sent in pieces.
struct Large {
    serial: u64,
    index: u32,
    rest: Bytes,
}

impl Outgoing {
    /// Sends a message.
    ///
    /// # Errors
    /// Why the connection is closed.
    pub fn post(&self, message: Outbound) -> Result<()> {
        let mut state = self.state.lock();
        state.put(message)?;
        self.go_on(state)
    }

    /// Sends a message together with the next one, or when the other end is pinged.
    ///
    /// # Errors
    /// Why the connection is closed.
    pub fn post_later(&self, head: Head) -> Result<()> {
        self.state.lock().put(Outbound::new(head))
    }

    fn go_on(&self, mut state: parking_lot::MutexGuard<'_, SendQueue>) -> Result<()> {
        if state.stream.is_some() && !state.writing {
            state.write();
        }
        if state.has_work() || state.closed.is_some() {
            self.wake.notify_one();
        }
        state.closed.clone().map_or(Ok(()), Err)
    }

    /// Takes slots of memory back that the other end has read: a bit for each.
    ///
    /// # Errors
    /// `InvalidArgument` for slots that it was not given; why the connection is closed.
    pub fn returned(&self, slots: u64) -> Result<()> {
        let mut state = self.state.lock();
        if let Some(memory) = &mut state.memory {
            memory.take_back(slots)?;
        }
        self.go_on(state)
    }

    /// From now on there is a connection, with memory to hand large tensors over if both ends are on one machine. What is
    /// already queued goes out after `greeting`.
    pub fn connect(&self, stream: WriteHalf, memory: Option<OutMemory>, greeting: Vec<Bytes>) {
        let mut state = self.state.lock();
        (state.stream, state.memory) = (Some(Arc::new(stream)), memory);
        for bytes in greeting.into_iter().rev() {
            state.queue.push_front(bytes);
        }
        self.wake.notify_one();
    }

    /// Ends the connection; returns the first reason for that.
    pub fn close(&self, reason: Status) -> Status {
        let mut state = self.state.lock();
        state.queue.clear();
        state.large.clear();
        (state.stream, state.memory) = (None, None);
        let reason = state.closed.get_or_insert(reason).clone();
        self.wake.notify_one();
        reason
    }

    /// Returns whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.state.lock().closed.is_some()
    }

    /// Writes what could not be written where it arose; ends with the connection.
    pub async fn drive(&self) -> Status {
        loop {
            let stream = {
                let mut state = self.state.lock();
                if let Some(status) = &state.closed {
                    return status.clone();
                }
                let work = state.has_work();
                state.writing = work && state.stream.is_some();
                state.stream.clone().filter(|_| work)
            };
            match stream {
                None => self.wake.notified().await,
                Some(stream) => {
                    let ready = stream.writable().await;
                    let mut state = self.state.lock();
                    match ready {
                        Ok(()) => state.write(),
                        Err(error) => state.fail(&error),
                    }
                }
            }
        }
    }
}

impl SendQueue {
    fn put(&mut self, mut message: Outbound) -> Result<()> {
        if let Some(status) = &self.closed {
            return Err(status.clone());
        }
        let limit = if self.memory.is_some() { THROUGH_MEMORY } else { PIECE };
        for (tensor, payload) in message.head.tensors.iter_mut().zip(&message.payloads) {
            tensor.in_pieces = payload.len() > limit;
        }
        if message.head.tensors.iter().any(|tensor| tensor.in_pieces) {
            self.serial += 1;
            message.head.serial = self.serial;
        }
        let frame = message.head.to_frame();
        let more = frame.len() + message.payloads.iter().map(Bytes::len).sum::<usize>();
        // Somebody who asks and does not read must not fill this process.
        let all = self.bytes.saturating_add(more as u64);
        // One message finds room always, for its tensors lie here in any case, and so does what is little.
        if self.bytes > 0 && all > LITTLE {
            let what = format_args!("what waits for the other end to read it");
            // All of it is counted already, where it was made.
            let room = ensure_possible(all, what).and_then(|()| ensure_free(more as u64, what));
            if let Err(status) = room {
                self.abandon();
                return Err(self.closed.get_or_insert(status).clone());
            }
        }
        self.bytes = all;
        self.queue.push_back(frame);
        for (index, payload) in message.payloads.into_iter().enumerate() {
            if payload.len() > limit {
                self.large.push_back(Large { serial: self.serial, index: index as u32, rest: payload });
            } else if !payload.is_empty() {
                self.queue.push_back(payload);
            }
        }
        Ok(())
    }

    /// Returns whether there is something to write now.
    fn has_work(&self) -> bool {
        let pending = || self.stream.as_ref().is_some_and(|stream| stream.pending());
        !self.queue.is_empty()
            || pending()
            || (!self.large.is_empty() && self.memory.as_ref().is_none_or(OutMemory::has_room))
    }

    /// Writes as much as the connection takes now.
    fn write(&mut self) {
        let Some(stream) = self.stream.clone() else { return };
        loop {
            // A piece in memory takes no room in the connection, so it goes along with what else there is.
            if (self.queue.is_empty() || self.memory.is_some()) && !self.next_piece() && self.queue.is_empty() {
                match stream.try_flush() {
                    Err(error) if error.kind() != ErrorKind::WouldBlock => self.fail(&error),
                    _ => {}
                }
                return;
            }
            let slices: Vec<IoSlice<'_>> = self.queue.iter().take(64).map(|bytes| IoSlice::new(bytes)).collect();
            match stream.try_write_vectored(&slices) {
                Ok(written) => self.advance(written),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return self.fail(&error),
            }
        }
    }

    fn advance(&mut self, mut written: usize) {
        self.bytes = self.bytes.saturating_sub(written as u64);
        while let Some(front) = self.queue.front_mut() {
            if written < front.len() {
                front.advance(written);
                return;
            }
            written -= front.len();
            self.queue.pop_front();
        }
    }

    /// Puts the next piece of a large tensor into the queue; returns whether there is one.
    fn next_piece(&mut self) -> bool {
        let Some(large) = self.large.front_mut() else { return false };
        let length = large.rest.len().min(PIECE);
        let mut head = Head::new(FrameKind::Piece);
        (head.serial, head.index, head.bytes) = (large.serial, large.index, length as u64);
        match self.memory.as_mut().map(|memory| memory.put(&large.rest[..length])) {
            Some(Ok(None)) => return false,
            Some(Ok(Some(slot))) => head.slot = slot + 1,
            // Out of memory for this; the connection does as well.
            Some(Err(_)) => self.memory = None,
            None => {}
        }
        let piece = large.rest.split_to(length);
        if large.rest.is_empty() {
            self.large.pop_front();
        }
        let in_memory = head.slot > 0;
        if in_memory {
            self.bytes = self.bytes.saturating_sub(length as u64);
        }
        self.queue.push_back(head.to_frame());
        if !in_memory {
            self.queue.push_back(piece);
        }
        true
    }

    /// Lets go of all that waits.
    fn abandon(&mut self) {
        self.queue.clear();
        self.large.clear();
        self.bytes = 0;
    }

    fn fail(&mut self, error: &std::io::Error) {
        self.abandon();
        self.closed.get_or_insert_with(|| err!(Unavailable, "the connection broke: {error}"));
    }
}
