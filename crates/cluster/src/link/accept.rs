//! The accepting end: answers calls, and delivers the tensors that are pushed.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use graph::op::{Cancellation, Parcel, RendezvousKey};
use graph::{GraphData, ImportOptions, graph_from_proto};
use parking_lot::Mutex;
use prost::Message;
use tensor::{Result, Status, bail, ensure, err};
use tokio::net::TcpStream;

use super::WINDOW;
use super::connect::counted;
use super::frame::{Head, Kind, Outbound, PREFACE};
use super::incoming::{Heard, Inbound, Incoming, Silence};
use super::messages::{Method, RegisterGraphCall, RunGraphCall, bytes_of, reply, tensors_of};
use super::outgoing::Outgoing;
use crate::connection::Connection;
use crate::master::Master;
use crate::rpc::step_from_proto;
use crate::worker::Worker;

/// How long a new connection may take to say who it is.
const GREETING: Duration = Duration::from_secs(10);
/// Credits are given back in portions of at least this.
const PORTION: usize = WINDOW / 32;

/// Serves a connection that began with the preface, until it ends.
pub(crate) async fn serve(stream: TcpStream, master: Arc<Master>, worker: Arc<Worker>) {
    let (read, write) = stream.into_split();
    let heard = Heard::new();
    let mut incoming = Incoming::new(read, heard.clone());
    let from = match tokio::time::timeout(GREETING, greet(&mut incoming)).await {
        Ok(Ok(from)) => from,
        Ok(Err(status)) => return tracing::debug!(%status, "a link that does not begin as one"),
        Err(_) => return,
    };
    let end = Arc::new(End {
        from,
        master,
        worker,
        back: Arc::default(),
        connection: Connection::default(),
        calls: Mutex::default(),
        steps: Mutex::default(),
    });
    let hello = Head { message: end.worker.task().to_owned(), ..Head::new(Kind::Hello) };
    end.back.out.connect(write, vec![hello.to_frame()]);
    // Also when the server stops in the middle of everything.
    let closing = CloseOnDrop(end.clone());
    let reason = tokio::select! {
        status = end.back.out.drive() => status,
        status = receive(&end, &mut incoming) => status,
        status = silence(&end, heard) => status,
    };
    end.close(&reason);
    drop(closing);
}

struct CloseOnDrop(Arc<End>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close(&err!(Unavailable, "the server stops"));
    }
}

/// Reads preface and hello; gives the name of the task at the other end, which is empty for a client.
async fn greet(incoming: &mut Incoming) -> Result<String> {
    let mut preface = [0; PREFACE.len()];
    incoming.read_exact(&mut preface).await?;
    ensure!(&preface == PREFACE, InvalidArgument, "another preface");
    let hello = incoming.next().await?;
    ensure!(hello.head.kind == Kind::Hello as i32, InvalidArgument, "no hello");
    Ok(hello.head.message)
}

/// One accepted connection.
struct End {
    from: String,
    master: Arc<Master>,
    worker: Arc<Worker>,
    back: Arc<Back>,
    connection: Connection,
    /// Calls that run, to be cancelled when nobody waits for them.
    calls: Mutex<HashMap<u64, Cancellation>>,
    /// Steps that were begun and not cleaned up.
    steps: Mutex<HashSet<i64>>,
}

/// The way back.
#[derive(Default)]
pub(crate) struct Back {
    out: Outgoing,
    /// Credits that have not been given back yet.
    owed: AtomicUsize,
}

/// Gives credits back when a pushed tensor was claimed or dropped.
pub(crate) struct CreditGuard {
    back: Weak<Back>,
    bytes: usize,
}

impl Drop for CreditGuard {
    fn drop(&mut self) {
        let Some(back) = self.back.upgrade() else { return };
        let owed = back.owed.fetch_add(self.bytes, Ordering::AcqRel) + self.bytes;
        if owed >= PORTION {
            let bytes = back.owed.swap(0, Ordering::AcqRel) as u64;
            let _ = back.out.post(Outbound::new(Head { bytes, ..Head::new(Kind::Credit) }));
        }
    }
}

/// A task that says nothing is lost. A client may be stopped for as long as it likes.
async fn silence(end: &End, heard: Heard) -> Status {
    let mut silence = Silence::new(heard);
    loop {
        if let Some(silence) = silence.next().await
            && !end.from.is_empty()
        {
            return err!(Unavailable, "nothing was heard from {} for {} s", end.from, silence.as_secs());
        }
    }
}

async fn receive(end: &Arc<End>, incoming: &mut Incoming) -> Status {
    loop {
        let outcome = match incoming.next().await {
            Ok(message) => end.take(message),
            Err(status) => Err(status),
        };
        if let Err(status) = outcome {
            return status;
        }
    }
}

impl End {
    /// # Errors
    /// What makes going on with this connection pointless.
    fn take(self: &Arc<Self>, message: Inbound) -> Result<()> {
        let head = &message.head;
        match Kind::try_from(head.kind) {
            Ok(Kind::Call) => {
                let id = head.id;
                if let Err(status) = self.call(message) {
                    self.answer(id, Err(status));
                }
            }
            Ok(Kind::Cancel) => {
                let call = self.calls.lock().remove(&head.id);
                if let Some(call) = call {
                    call.cancel(err!(Cancelled, "the caller gave up"));
                }
            }
            Ok(Kind::Push) => self.deliver(message)?,
            Ok(Kind::Held) => {
                for (key, _) in &message.parcels {
                    let (back, step, name) = (Arc::downgrade(&self.back), head.step, key.clone());
                    self.worker.announce(step, key, move || want(&back, step, &name));
                }
            }
            Ok(Kind::CleanUp) => {
                self.steps.lock().remove(&head.step);
                self.worker.clean_up(head.step);
            }
            Ok(Kind::Ping) => self.back.out.post(Outbound::new(Head::new(Kind::Pong)))?,
            _ => bail!(InvalidArgument, "a frame of kind {} makes no sense here", head.kind),
        }
        Ok(())
    }

    fn deliver(&self, message: Inbound) -> Result<()> {
        let step = message.head.step;
        for (key, parcel) in message.parcels {
            let key = RendezvousKey::parse(&key)?;
            let bytes = counted(&parcel);
            let guard = (bytes > 0).then(|| CreditGuard { back: Arc::downgrade(&self.back), bytes });
            self.worker.deliver(step, &key, parcel, guard);
        }
        Ok(())
    }

    fn call(self: &Arc<Self>, message: Inbound) -> Result<()> {
        let Inbound { head, parcels } = message;
        let (id, end) = (head.id, self.clone());
        match Method::from_number(head.method) {
            Some(Method::RunGraph) => {
                let (session, graph, call) = decode::<RunGraphCall>(head.body)?.into_step(parcels)?;
                self.worker.session(&session)?.used_by(&self.connection);
                let cancellation = self.begin(id);
                self.steps.lock().insert(call.id);
                let answer = Box::new(move |outcome| end.answer(id, outcome));
                self.worker.run_graph(&session, &graph, call, &cancellation, answer);
            }
            Some(Method::RunStep) => {
                let call = decode::<wire::RunStepRequest>(head.body)?;
                let session = self.master.session(&call.session_handle)?;
                session.lease.used_by(&self.connection);
                self.master.recent.check("RunStep (Master)", call.request_id)?;
                let (request, limit) = step_from_proto(call, tensors_of(parcels)?);
                let cancellation = self.begin(id);
                session.run_within(request, limit, &cancellation, Box::new(move |outcome| end.answer(id, outcome)));
            }
            Some(Method::RegisterGraph) => {
                let call = decode::<RegisterGraphCall>(head.body)?;
                self.worker.session(&call.session)?.used_by(&self.connection);
                let bytes = bytes_of(parcels)?;
                self.worker.kernels.spawn(move || end.register(id, call, bytes));
            }
            None => bail!(Unimplemented, "there is no method {}", head.method),
        }
        Ok(())
    }

    fn register(&self, id: u64, call: RegisterGraphCall, graph: Bytes) {
        let work = || {
            let message = decode::<wire::GraphDef>(graph)?;
            let mut graph = GraphData::default();
            let options = ImportOptions { allow_internal_ops: true, ..Default::default() };
            graph_from_proto(&mut graph, message, self.worker.registry(), options)?;
            self.worker.register_graph(&call.session, &graph, &call.linked)
        };
        let mut head = Head::of_call(Kind::Reply, id);
        match work() {
            Ok(handle) => head.message = handle,
            Err(status) => head.set_status(&status),
        }
        let _ = self.back.out.post(Outbound::new(head));
    }

    fn begin(&self, id: u64) -> Cancellation {
        let cancellation = Cancellation::new();
        self.calls.lock().insert(id, cancellation.clone());
        cancellation
    }

    fn answer(&self, id: u64, outcome: Result<crate::worker::StepAnswer>) {
        self.calls.lock().remove(&id);
        // Whoever hung up needs no answer.
        let _ = self.back.out.post(reply(id, outcome));
    }

    fn close(&self, reason: &Status) {
        self.back.out.close(reason.clone());
        let calls = std::mem::take(&mut *self.calls.lock());
        for call in calls.into_values() {
            call.cancel(err!(Cancelled, "the caller is gone: {}", reason.message()));
        }
        // Nobody else will: their master was on this connection.
        let steps = std::mem::take(&mut *self.steps.lock());
        for step in steps {
            self.worker.clean_up(step);
        }
        if !self.from.is_empty() {
            self.worker.peer_lost(&self.from, &err!(Unavailable, "{} was lost: {}", self.from, reason.message()));
        }
    }
}

fn want(back: &Weak<Back>, step: i64, key: &str) {
    if let Some(back) = back.upgrade() {
        let mut message = Outbound::new(Head::of_step(Kind::Want, step));
        let _ = message.add(key, &Parcel::Dead).and_then(|()| back.out.post(message));
    }
}

fn decode<M: Message + Default>(body: Bytes) -> Result<M> {
    M::decode(body).map_err(|error| err!(InvalidArgument, "a call does not decode: {error}"))
}
