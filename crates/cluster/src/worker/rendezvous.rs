//! A step's rendezvous across tasks. Between linked tasks tensors are pushed; for others they wait here until they are
//! asked for, and those of others are asked for there.

use std::sync::Arc;

use graph::op::{Cancellation, Parcel, Receive, Rendezvous, RendezvousKey};
use parking_lot::Mutex;
use runtime::LocalRendezvous;
use tensor::proto::from_proto;
use tensor::{Result, err};
use tokio::sync::oneshot;
use wire::services::worker as path;

use super::step::Steps;
use crate::link::Link;
use crate::peers::{Peers, task_of};
use crate::random::random_id;
use crate::rpc::Peer;

/// The one place that decides how a tensor reaches a peer.
pub(super) struct TaskRendezvous {
    pub step: i64,
    pub local: Arc<LocalRendezvous>,
    pub steps: Arc<Steps>,
    /// The tasks of the step that push to each other.
    pub linked: Arc<[String]>,
    /// What waits to be pushed together.
    pub outbox: Mutex<Outbox>,
    pub peers: Arc<Peers>,
    pub network: tokio::runtime::Handle,
    pub cancellation: Cancellation,
}

#[derive(Default)]
pub(super) struct Outbox {
    parcels: Vec<(Arc<Link>, RendezvousKey, Parcel)>,
    bytes: usize,
}

/// So many bytes set off without waiting for more.
const ENOUGH: usize = 64 << 10;

impl TaskRendezvous {
    fn is_linked(&self, task: &str) -> bool {
        self.linked.iter().any(|linked| linked == task)
    }
}

impl Rendezvous for TaskRendezvous {
    fn send(&self, key: &RendezvousKey, parcel: Parcel) -> Result<()> {
        let task = task_of(key.recv_device());
        if task == self.peers.own() || !self.is_linked(task) {
            return self.local.send(key, parcel);
        }
        let link = self.peers.get(task)?.link().clone();
        let enough = {
            let mut outbox = self.outbox.lock();
            outbox.bytes += if let Parcel::Tensor(tensor) = &parcel { tensor.byte_size() } else { 0 };
            outbox.parcels.push((link, key.clone(), parcel));
            outbox.bytes >= ENOUGH
        };
        if enough {
            self.flush();
        }
        Ok(())
    }

    fn recv(&self, key: &RendezvousKey, receive: Receive) {
        let task = task_of(key.send_device());
        if task == self.peers.own() {
            return self.local.recv(key, receive);
        }
        if self.is_linked(task) {
            let (steps, step, name) = (self.steps.clone(), self.step, key.as_str().to_owned());
            let claim = Box::new(move |outcome| {
                steps.claimed(step, &name);
                receive(outcome);
            });
            self.local.recv(key, claim);
            return self.steps.ask(self.step, key.as_str());
        }
        let peer = match self.peers.get(task) {
            Ok(peer) => peer.clone(),
            Err(status) => return receive(Err(status)),
        };
        let (step, key, cancellation) = (self.step, key.as_str().to_owned(), self.cancellation.clone());
        self.network.spawn(async move {
            let (tell, cancelled) = oneshot::channel();
            let _registration = cancellation.on_cancel(move |status| drop(tell.send(status.clone())));
            let outcome = tokio::select! {
                outcome = pull(&peer, step, key) => outcome,
                reason = cancelled => Err(reason.unwrap_or_else(|_| err!(Cancelled, "the step was cancelled"))),
            };
            receive(outcome);
        });
    }

    fn flush(&self) {
        let mut waiting = {
            let mut outbox = self.outbox.lock();
            outbox.bytes = 0;
            std::mem::take(&mut outbox.parcels)
        };
        while let Some((link, ..)) = waiting.first() {
            let link = link.clone();
            let (theirs, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(to, ..)| Arc::ptr_eq(to, &link));
            waiting = rest;
            let parcels = theirs.into_iter().map(|(_, key, parcel)| (key, parcel)).collect();
            if let Err(status) = link.push(self.step, parcels) {
                // Nobody can be told but the step itself.
                self.cancellation.cancel(status);
            }
        }
    }
}

async fn pull(peer: &Peer, step: i64, key: String) -> Result<Parcel> {
    let request =
        wire::RecvTensorRequest { step_id: step, rendezvous_key: key, request_id: random_id(), ..Default::default() };
    let response: wire::RecvTensorResponse = peer.call(path::RECV_TENSOR, request).await?;
    if response.is_dead {
        return Ok(Parcel::Dead);
    }
    from_proto(&response.tensor.unwrap_or_default()).map(Parcel::Tensor)
}
