//! A step's rendezvous across tasks. Between linked tasks tensors are pushed; for others they wait here until they are
//! asked for, and those of others are asked for there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::op::{Cancellation, Parcel, Receive, Rendezvous, RendezvousKey, StepId};
use parking_lot::Mutex;
use runtime::LocalRendezvous;
use tensor::Result;

use super::steps::Steps;
use crate::peer::{Remote, TensorRoute, TensorRoutes};

/// The rendezvous of a step, as its kernels on this task see it.
pub(super) struct TaskRendezvous {
    pub step: StepId,
    pub local: Arc<LocalRendezvous>,
    pub steps: Arc<Steps>,
    pub routes: TensorRoutes,
    /// What waits to be pushed together.
    pub outbox: Mutex<Outbox>,
    pub cancellation: Cancellation,
}

/// Tensors that are pushed together, when the step pauses.
#[derive(Default)]
pub(super) struct Outbox {
    parcels: Vec<(Arc<Remote>, RendezvousKey, Parcel)>,
    bytes: usize,
    /// When the first of them was put.
    since: Option<Instant>,
}

/// A tensor of so many bytes is so long on its way that it sets off at once.
const LARGE: usize = 1 << 20;
/// So many bytes set off before anything that takes longer than `SHORT`.
const ENOUGH: usize = 64 << 10;
const SHORT: Duration = Duration::from_micros(10);
/// Little waits for more for so long: a few times what a message costs its receiver, who is woken for it.
const LINGER: Duration = Duration::from_micros(500);

impl Outbox {
    /// Returns whether what is here must set off before a pause of this length.
    fn is_due(&self, pause: Duration) -> bool {
        let late = |since: Instant| since.elapsed() + pause > LINGER;
        self.since.is_some_and(|since| (self.bytes >= ENOUGH && pause > SHORT) || late(since))
    }
}

impl Rendezvous for TaskRendezvous {
    fn send(&self, key: &RendezvousKey, parcel: Parcel) -> Result<()> {
        // What is not pushed waits here for whoever asks.
        let Ok(TensorRoute::Pushed(peer)) = self.routes.of_device(key.recv_device()) else {
            return self.local.send(key, parcel);
        };
        let size = if let Parcel::Tensor(tensor) = &parcel { tensor.byte_size() } else { 0 };
        let due = {
            let mut outbox = self.outbox.lock();
            outbox.bytes += size;
            outbox.since.get_or_insert_with(Instant::now);
            outbox.parcels.push((peer.clone(), key.clone(), parcel));
            size >= LARGE || outbox.is_due(Duration::ZERO)
        };
        if due {
            self.flush();
        }
        Ok(())
    }

    fn recv(&self, key: &RendezvousKey, receive: Receive) {
        match self.routes.of_device(key.send_device()) {
            Ok(TensorRoute::Here) => self.local.recv(key, receive),
            Ok(TensorRoute::Pushed(_)) => {
                let (steps, step, name) = (self.steps.clone(), self.step, key.as_str().to_owned());
                let claim = Box::new(move |outcome| {
                    steps.claimed(step, &name);
                    receive(outcome);
                });
                self.local.recv(key, claim);
                self.steps.ask(self.step, key.as_str());
            }
            Ok(TensorRoute::Asked(peer)) => peer.ask(self.step, key, &self.cancellation, receive),
            Err(status) => receive(Err(status)),
        }
    }

    fn flush(&self) {
        let mut waiting = {
            let mut outbox = self.outbox.lock();
            (outbox.bytes, outbox.since) = (0, None);
            std::mem::take(&mut outbox.parcels)
        };
        while let Some((peer, ..)) = waiting.first() {
            let peer = peer.clone();
            let (theirs, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(to, ..)| Arc::ptr_eq(to, &peer));
            waiting = rest;
            let parcels = theirs.into_iter().map(|(_, key, parcel)| (key, parcel)).collect();
            if let Err(status) = peer.push(self.step, parcels) {
                // Nobody can be told but the step itself.
                self.cancellation.cancel(status);
            }
        }
    }
    fn pause(&self, nanos: u64) {
        let due = self.outbox.lock().is_due(Duration::from_nanos(nanos));
        if due {
            self.flush();
        }
    }
}
