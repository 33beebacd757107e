//! A step's rendezvous across tasks: what is sent waits here; what comes from another task is asked for there.

use std::sync::Arc;

use graph::op::{Cancellation, Parcel, Receive, Rendezvous, RendezvousKey};
use runtime::LocalRendezvous;
use tensor::proto::from_proto;
use tensor::{Result, err};
use tokio::sync::oneshot;
use wire::services::worker as path;

use crate::peers::{Peers, task_of};
use crate::random::random_id;
use crate::rpc::Peer;

/// The one place that decides how a tensor reaches a peer.
pub(super) struct TaskRendezvous {
    pub step: i64,
    pub local: Arc<LocalRendezvous>,
    pub peers: Arc<Peers>,
    pub network: tokio::runtime::Handle,
    pub cancellation: Cancellation,
}

impl Rendezvous for TaskRendezvous {
    fn send(&self, key: &RendezvousKey, parcel: Parcel) -> Result<()> {
        self.local.send(key, parcel)
    }

    fn recv(&self, key: &RendezvousKey, receive: Receive) {
        let task = task_of(key.send_device());
        if task == self.peers.own() {
            return self.local.recv(key, receive);
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
