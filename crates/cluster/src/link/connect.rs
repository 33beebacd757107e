//! The connecting end: calls, and pushes of tensors.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use graph::op::{Parcel, RendezvousKey};
use parking_lot::Mutex;
use prost::Message;
use tensor::{Result, Status, Tensor, err};
use tokio::net::TcpStream;

use super::frame::{Head, Kind, Outbound, PREFACE};
use super::incoming::{Heard, Inbound, Incoming, Silence};
use super::messages::{Method, RegisterGraphCall};
use super::outgoing::Outgoing;
use super::{COUNTED, WINDOW};

/// How long a connection may take to come up.
const CONNECT: Duration = Duration::from_secs(4);

/// Called once with an answer, or the reason why there is none.
pub(crate) type Done = Box<dyn FnOnce(Result<Inbound>) + Send>;
type Lost = Box<dyn Fn(&str, &Status) + Send + Sync>;

/// A link to a task, connected when it is first needed, and again after it was lost.
pub(crate) struct Link {
    /// The name of this task; empty for a client.
    own: String,
    peer: String,
    address: String,
    network: tokio::runtime::Handle,
    current: Mutex<Option<Arc<Wire>>>,
    next_call: AtomicU64,
    lost: OnceLock<Lost>,
}

/// One connection.
struct Wire {
    out: Outgoing,
    calls: Mutex<HashMap<u64, Done>>,
    credit: Mutex<Credit>,
}

#[derive(Default)]
struct Credit {
    /// Pushed and not yet claimed.
    used: usize,
    held: VecDeque<(i64, RendezvousKey, Parcel)>,
}

impl Link {
    /// Must be made inside the runtime whose threads shall serve it.
    pub fn new(own: &str, peer: &str, address: &str) -> Link {
        Link {
            own: own.to_owned(),
            peer: peer.to_owned(),
            address: address.to_owned(),
            network: tokio::runtime::Handle::current(),
            current: Mutex::default(),
            next_call: AtomicU64::new(1),
            lost: OnceLock::new(),
        }
    }

    /// Says whom to tell when a connection is lost.
    pub fn on_lost(&self, lost: impl Fn(&str, &Status) + Send + Sync + 'static) {
        let _ = self.lost.set(Box::new(lost));
    }

    /// Makes a call; gives its number. `done` is called once.
    pub fn call(self: &Arc<Self>, method: Method, body: Bytes, tensors: &[(&str, &Tensor)], done: Done) -> u64 {
        let id = self.next_call.fetch_add(1, Ordering::Relaxed);
        let mut message = Outbound::new(Head { method: method as u32, body, ..Head::of_call(Kind::Call, id) });
        for (name, tensor) in tensors {
            if let Err(status) = message.add(name, &Parcel::Tensor((*tensor).clone())) {
                done(Err(status));
                return id;
            }
        }
        self.start(id, message, done);
        id
    }

    /// Registers a graph; gives its handle to `done`, as the answer's message.
    pub fn register_graph(
        self: &Arc<Self>,
        session: &str,
        linked: &[String],
        graph: &wire::GraphDef,
        done: impl FnOnce(Result<String>) + Send + 'static,
    ) {
        let id = self.next_call.fetch_add(1, Ordering::Relaxed);
        let body = RegisterGraphCall { session: session.to_owned(), linked: linked.to_vec() }.encode_to_vec().into();
        let method = Method::RegisterGraph as u32;
        let mut message = Outbound::new(Head { method, body, ..Head::of_call(Kind::Call, id) });
        message.add_bytes("graph", graph.encode_to_vec().into());
        self.start(id, message, Box::new(move |answer| done(answer.map(|answer| answer.head.message))));
    }

    fn start(self: &Arc<Self>, id: u64, message: Outbound, done: Done) {
        let wire = self.wire();
        wire.calls.lock().insert(id, done);
        if let Err(status) = wire.out.post(message) {
            wire.answer(id, Err(self.explain(&status)));
        }
    }

    /// Gives a call up; its `done` is called with this status, unless it was called already.
    pub fn cancel(&self, id: u64, status: Status) {
        let current = self.current.lock().clone();
        if let Some(wire) = current
            && wire.answer(id, Err(status))
        {
            let _ = wire.out.post(Outbound::new(Head::of_call(Kind::Cancel, id)));
        }
    }

    /// Pushes tensors of a step, as far as credits allow; what is beyond them waits here.
    ///
    /// # Errors
    /// `Unavailable` if the connection was just lost; `InvalidArgument` for tensors that cannot leave this process.
    pub fn push(self: &Arc<Self>, step: i64, parcels: Vec<(RendezvousKey, Parcel)>) -> Result<()> {
        let wire = self.wire();
        let (mut message, mut held) =
            (Outbound::new(Head::of_step(Kind::Push, step)), Outbound::new(Head::of_step(Kind::Held, step)));
        for (key, parcel) in parcels {
            let size = counted(&parcel);
            let mut credit = wire.credit.lock();
            if size > 0 && credit.used > 0 && credit.used + size > WINDOW {
                held.add(key.as_str(), &Parcel::Dead)?;
                credit.held.push_back((step, key, parcel));
            } else {
                credit.used += size;
                message.add(key.as_str(), &parcel)?;
            }
        }
        for message in [message, held] {
            if !message.payloads.is_empty() {
                wire.out.post(message).map_err(|status| self.explain(&status))?;
            }
        }
        Ok(())
    }

    /// Tells the other that a step is over, some time soon.
    pub fn clean_up(&self, step: i64) {
        if let Some(wire) = &*self.current.lock() {
            let _ = wire.out.post_later(Head::of_step(Kind::CleanUp, step));
        }
    }

    /// Drops what is held of a step.
    pub fn forget(&self, step: i64) {
        if let Some(wire) = &*self.current.lock() {
            wire.credit.lock().held.retain(|(of, ..)| *of != step);
        }
    }

    /// Hangs up.
    pub fn close(&self) {
        if let Some(wire) = &*self.current.lock() {
            wire.out.close(err!(Cancelled, "the link is not needed any more"));
        }
    }

    fn explain(&self, status: &Status) -> Status {
        err!(Unavailable, "{} at {} is out of reach: {}", self.peer, self.address, status.message())
    }

    /// The connection there is, or a new one.
    fn wire(self: &Arc<Self>) -> Arc<Wire> {
        let mut current = self.current.lock();
        if let Some(wire) = current.as_ref().filter(|wire| !wire.out.is_closed()) {
            return wire.clone();
        }
        let wire = Arc::new(Wire { out: Outgoing::default(), calls: Mutex::default(), credit: Mutex::default() });
        *current = Some(wire.clone());
        let (link, driven) = (self.clone(), wire.clone());
        self.network.spawn(async move {
            let reason = link.drive(&driven).await;
            link.end(&driven, &reason);
        });
        wire
    }

    fn end(&self, wire: &Arc<Wire>, reason: &Status) {
        let reason = self.explain(&wire.out.close(reason.clone()));
        {
            let mut current = self.current.lock();
            if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, wire)) {
                *current = None;
            }
        }
        let calls = std::mem::take(&mut *wire.calls.lock());
        for done in calls.into_values() {
            done(Err(reason.clone()));
        }
        wire.credit.lock().held.clear();
        if let Some(lost) = self.lost.get() {
            lost(&self.peer, &reason);
        }
    }

    /// Connects and serves the connection until it ends; gives the reason.
    async fn drive(&self, wire: &Arc<Wire>) -> Status {
        let stream = match tokio::time::timeout(CONNECT, TcpStream::connect(&self.address)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                let hint = if error.kind() == std::io::ErrorKind::ConnectionRefused { "; is it started?" } else { "" };
                return err!(Unavailable, "{error}{hint}");
            }
            Err(_) => return err!(Unavailable, "no connection within {} s", CONNECT.as_secs()),
        };
        let _ = stream.set_nodelay(true);
        let (read, write) = stream.into_split();
        let hello = Head { message: self.own.clone(), body: self.peer.clone().into(), ..Head::new(Kind::Hello) };
        wire.out.connect(write, vec![Bytes::from_static(PREFACE), hello.to_frame()]);
        let heard = Heard::new();
        let mut incoming = Incoming::new(read, heard.clone());
        tokio::select! {
            status = wire.out.drive() => status,
            status = self.receive(wire, &mut incoming) => status,
            status = keep_alive(wire, heard) => status,
        }
    }

    async fn receive(&self, wire: &Wire, incoming: &mut Incoming) -> Status {
        loop {
            let message = match incoming.next().await {
                Ok(message) => message,
                Err(status) => return status,
            };
            let head = &message.head;
            match Kind::try_from(head.kind) {
                Ok(Kind::Reply) => {
                    let id = head.id;
                    let outcome = head.status().map(|()| message);
                    wire.answer(id, outcome);
                }
                Ok(Kind::Hello) if !self.own.is_empty() && head.message != self.peer => {
                    return err!(FailedPrecondition, "{} answers there", head.message);
                }
                Ok(Kind::Credit) => {
                    let bytes = usize::try_from(head.bytes).unwrap_or(usize::MAX);
                    if let Err(status) = wire.credited(bytes) {
                        return status;
                    }
                }
                Ok(Kind::Want) => {
                    for (key, _) in &message.parcels {
                        if let Err(status) = wire.wanted(head.step, key) {
                            return status;
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

async fn keep_alive(wire: &Wire, heard: Heard) -> Status {
    let mut silence = Silence::new(heard);
    loop {
        if let Some(silence) = silence.next().await {
            let secs = silence.as_secs();
            return err!(Unavailable, "nothing was heard for {secs} s: it was stopped, or the network is gone");
        }
        if let Err(status) = wire.out.post(Outbound::new(Head::new(Kind::Ping))) {
            return status;
        }
    }
}

impl Wire {
    /// Ends a call, if it has not ended.
    fn answer(&self, id: u64, outcome: Result<Inbound>) -> bool {
        let done = self.calls.lock().remove(&id);
        done.map(|done| done(outcome)).is_some()
    }

    /// Bytes were claimed: what was held and fits now is pushed.
    fn credited(&self, bytes: usize) -> Result<()> {
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

    /// Somebody waits for a tensor: credits or not, it is pushed.
    fn wanted(&self, step: i64, key: &str) -> Result<()> {
        let mut credit = self.credit.lock();
        let position = credit.held.iter().position(|(of, held, _)| *of == step && held.as_str() == key);
        let Some((step, key, parcel)) = position.and_then(|at| credit.held.remove(at)) else { return Ok(()) };
        credit.used += counted(&parcel);
        drop(credit);
        self.push_now(step, &key, &parcel)
    }

    fn push_now(&self, step: i64, key: &RendezvousKey, parcel: &Parcel) -> Result<()> {
        let mut message = Outbound::new(Head::of_step(Kind::Push, step));
        message.add(key.as_str(), parcel)?;
        self.out.post(message)
    }
}

/// The bytes of a parcel that credits are for.
pub(super) fn counted(parcel: &Parcel) -> usize {
    match parcel {
        Parcel::Tensor(tensor) => Some(tensor.byte_size()).filter(|size| *size >= COUNTED).unwrap_or(0),
        Parcel::Dead => 0,
    }
}
