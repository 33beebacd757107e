//! Another process, and the choice between its two connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use graph::op::{Cancellation, Parcel, Receive, RendezvousKey, StepId};
use parking_lot::Mutex;
use runtime::CollectiveLetter;
use tensor::{Result, Status};

use super::Transport;
use super::grpc::{GrpcChannel, unless_cancelled};
use super::link::Link;
use crate::call::TaskName;
use crate::trust::Keys;

/// By this description of its devices, one of our tasks knows another that can be linked.
const LINKABLE: &str = "tensorfleet 1";
/// One of our tasks that shall not be linked describes its devices so.
const OVER_GRPC_ONLY: &str = "tensorfleet, over gRPC only";

/// Another process, by name and address. Connections are made when they are first needed, and again after they were lost.
pub(crate) struct Remote {
    channel: GrpcChannel,
    link: Arc<Link>,
    /// Whether it may be linked if it is one of ours.
    may_link: bool,
    /// Whether it was seen to be one of ours.
    ours: AtomicBool,
    /// Whether it also takes links.
    linkable: AtomicBool,
    network: tokio::runtime::Handle,
    /// Tensors that were pushed there.
    pushed: Traffic,
    /// Tensors that were asked for there.
    asked: Traffic,
    /// Why the task could not be found lately.
    pub(super) verdict: Mutex<Option<(Instant, Status)>>,
}

/// Tensors and their bytes, counted.
#[derive(Default)]
struct Traffic {
    tensors: AtomicU64,
    bytes: AtomicU64,
}

impl Traffic {
    fn count(&self, parcel: &Parcel) {
        if let Parcel::Tensor(tensor) = parcel {
            self.tensors.fetch_add(1, Ordering::Relaxed);
            self.bytes.fetch_add(tensor.byte_size() as u64, Ordering::Relaxed);
        }
    }
}

/// How another process is called.
pub(super) enum Route<'a> {
    Link(&'a Arc<Link>),
    Grpc(&'a GrpcChannel),
}

impl Remote {
    /// For the task `own`, or a client; `who` names the process in errors and is the name of its task for another task.
    /// Must be made inside the runtime whose threads shall serve the connections.
    ///
    /// # Errors
    /// `InvalidArgument` if the address is malformed.
    pub fn new(
        own: Option<&TaskName>,
        who: &str,
        address: &str,
        transport: Transport,
        keys: &Arc<Keys>,
    ) -> Result<Remote> {
        Ok(Remote {
            link: Arc::new(Link::new(own, who, address, transport.uses_same_host(), keys)),
            channel: GrpcChannel::new(who, address, keys)?,
            may_link: transport != Transport::Grpc,
            ours: AtomicBool::new(false),
            linkable: AtomicBool::new(false),
            network: tokio::runtime::Handle::current(),
            pushed: Traffic::default(),
            asked: Traffic::default(),
            verdict: Mutex::default(),
        })
    }

    /// Returns the name of the process in errors: that of its task.
    pub fn name(&self) -> &str {
        self.channel.who()
    }

    /// Returns the host and port of the process.
    pub fn address(&self) -> &str {
        self.channel.address()
    }

    /// Returns how many tensors went there and were asked for there.
    pub fn traffic(&self) -> wire::operator::Traffic {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        wire::operator::Traffic {
            task: self.name().to_owned(),
            address: self.address().to_owned(),
            linked: self.is_linked(),
            sent_bytes: load(&self.pushed.bytes),
            sent_tensors: load(&self.pushed.tensors),
            received_bytes: load(&self.asked.bytes),
            received_tensors: load(&self.asked.tensors),
        }
    }

    /// Chooses the connection for what both can carry.
    pub(super) fn route(&self) -> Route<'_> {
        if self.is_linked() { Route::Link(&self.link) } else { Route::Grpc(&self.channel) }
    }

    /// Returns whether steps and tensors go over the link.
    pub fn is_linked(&self) -> bool {
        self.may_link && self.linkable.load(Ordering::Relaxed)
    }

    /// Returns whether the process was seen to be one of ours.
    pub(super) fn is_ours(&self) -> bool {
        self.ours.load(Ordering::Relaxed)
    }

    /// Returns whether a link is wanted, should the process be one of ours.
    pub(super) fn may_link(&self) -> bool {
        self.may_link
    }

    /// Notes what the process is, by its devices.
    pub(super) fn learn(&self, devices: &[wire::DeviceAttributes]) {
        let says = |text: &str| devices.iter().any(|device| device.physical_device_desc == text);
        if says(LINKABLE) {
            self.linkable.store(true, Ordering::Relaxed);
        }
        if says(LINKABLE) || says(OVER_GRPC_ONLY) {
            self.ours.store(true, Ordering::Relaxed);
        }
    }

    /// The connection that every server has.
    pub(super) fn grpc(&self) -> &GrpcChannel {
        &self.channel
    }

    /// Where calls that nobody waits for are made.
    pub(super) fn network(&self) -> &tokio::runtime::Handle {
        &self.network
    }

    /// Says whom to tell when the link is lost.
    pub fn on_lost(&self, lost: impl Fn(&Status) + Send + Sync + 'static) {
        self.link.on_lost(lost);
    }

    /// Pushes tensors of a step over the link; what credits do not allow waits here.
    ///
    /// # Errors
    /// `Unavailable` if the connection was just lost; `InvalidArgument` for tensors that cannot leave this process.
    pub fn push(&self, step: StepId, parcels: Vec<(RendezvousKey, Parcel)>) -> Result<()> {
        parcels.iter().for_each(|(_, parcel)| self.pushed.count(parcel));
        self.link.push(step, parcels)
    }

    /// Sends a letter about collectives over the link.
    ///
    /// # Errors
    /// `Unavailable` if the connection was just lost; `InvalidArgument` for a tensor that cannot leave this process.
    pub fn post_letter(&self, letter: CollectiveLetter) -> Result<()> {
        self.link.post_letter(letter)
    }

    /// Drops what waits here to be pushed for a step.
    pub fn forget(&self, step: StepId) {
        self.link.forget(step);
    }

    /// Asks for a tensor of a step, over gRPC; `receive` gets it when it exists.
    pub fn ask(self: &Arc<Self>, step: StepId, key: &RendezvousKey, cancellation: &Cancellation, receive: Receive) {
        let (remote, key, cancellation) = (self.clone(), key.clone(), cancellation.clone());
        self.network.spawn(async move {
            let outcome = unless_cancelled(&cancellation, remote.channel.receive_tensor(step, &key)).await;
            outcome.iter().for_each(|parcel| remote.asked.count(parcel));
            receive(outcome);
        });
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.link.close();
    }
}

/// Returns how a task describes its devices, so that others know whether to link it.
pub(super) fn device_description(transport: Transport) -> &'static str {
    if transport == Transport::Grpc { OVER_GRPC_ONLY } else { LINKABLE }
}
