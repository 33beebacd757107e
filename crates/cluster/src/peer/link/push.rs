//! Pushing tensors, as far as credits allow.

use std::collections::VecDeque;
use std::sync::Arc;

use graph::op::{Parcel, RendezvousKey, StepId};
use tensor::Result;

use super::connect::{Link, LinkConnection};
use super::frame::{FrameKind, Head, Outbound, PIECE};

/// Unclaimed bytes that one task may have pushed to another.
pub(crate) const WINDOW: usize = 256 << 20;
/// Smaller tensors are not counted.
const COUNTED: usize = 4 << 10;

/// What was pushed and is not yet claimed, and what waits until something is.
#[derive(Default)]
pub(super) struct Credit {
    used: usize,
    held: VecDeque<(StepId, RendezvousKey, Parcel)>,
}

impl Credit {
    /// Drops everything that waits.
    pub fn clear(&mut self) {
        self.held.clear();
    }
}

impl Link {
    /// Pushes tensors of a step; what is beyond the credits waits here.
    ///
    /// # Errors
    /// `Unavailable` if the connection was just lost; `InvalidArgument` for tensors that cannot leave this process.
    pub fn push(self: &Arc<Self>, step: StepId, parcels: Vec<(RendezvousKey, Parcel)>) -> Result<()> {
        let connection = self.connection();
        let of_kind = |kind| Outbound::new(Head::of_step(kind, step));
        let (mut message, mut held) = (of_kind(FrameKind::Push), of_kind(FrameKind::Held));
        let mut large = Vec::new();
        for (key, parcel) in parcels {
            let size = counted(&parcel);
            let mut credit = connection.credit.lock();
            if size > 0 && credit.used > 0 && credit.used + size > WINDOW {
                held.add(key.as_str(), &Parcel::Dead)?;
                credit.held.push_back((step, key, parcel));
            } else {
                credit.used += size;
                drop(credit);
                if size > PIECE {
                    // By itself, so that it keeps nobody waiting for the others.
                    let mut alone = of_kind(FrameKind::Push);
                    alone.add(key.as_str(), &parcel)?;
                    large.push(alone);
                } else {
                    message.add(key.as_str(), &parcel)?;
                }
            }
        }
        for message in [message, held].into_iter().chain(large) {
            if !message.payloads.is_empty() {
                connection.out.post(message).map_err(|status| self.explain(&status))?;
            }
        }
        Ok(())
    }

    /// Drops what waits here for a step.
    pub fn forget(&self, step: StepId) {
        if let Some(connection) = &*self.current.lock() {
            connection.credit.lock().held.retain(|(of, ..)| *of != step);
        }
    }
}

impl LinkConnection {
    /// Bytes were claimed: what waits and fits now is pushed.
    ///
    /// # Errors
    /// Why the connection is closed.
    pub fn credited(&self, bytes: usize) -> Result<()> {
        let mut credit = self.credit.lock();
        credit.used = credit.used.saturating_sub(bytes);
        let mut fitting = Vec::new();
        while let Some((_, _, parcel)) = credit.held.front() {
            let size = counted(parcel);
            if credit.used > 0 && credit.used + size > WINDOW {
                break;
            }
            credit.used += size;
            fitting.extend(credit.held.pop_front());
        }
        drop(credit);
        fitting.into_iter().try_for_each(|(step, key, parcel)| self.push_now(step, &key, &parcel))
    }

    /// Somebody waits for a tensor, by its key: credits or not, it is pushed.
    ///
    /// # Errors
    /// Why the connection is closed.
    pub fn wanted(&self, step: StepId, key: &str) -> Result<()> {
        let mut credit = self.credit.lock();
        let position = credit.held.iter().position(|(of, held, _)| *of == step && held.as_str() == key);
        let Some((step, key, parcel)) = position.and_then(|at| credit.held.remove(at)) else { return Ok(()) };
        credit.used += counted(&parcel);
        drop(credit);
        self.push_now(step, &key, &parcel)
    }

    fn push_now(&self, step: StepId, key: &RendezvousKey, parcel: &Parcel) -> Result<()> {
        let mut message = Outbound::new(Head::of_step(FrameKind::Push, step));
        message.add(key.as_str(), parcel)?;
        self.out.post(message)
    }
}

/// Returns the bytes of a parcel that credits are for.
pub(crate) fn counted(parcel: &Parcel) -> usize {
    match parcel {
        Parcel::Tensor(tensor) => Some(tensor.byte_size()).filter(|size| *size >= COUNTED).unwrap_or(0),
        Parcel::Dead => 0,
    }
}
