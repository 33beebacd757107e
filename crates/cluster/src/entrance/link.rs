//! The accepting end of links: answers calls, and delivers the tensors that are pushed.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use graph::op::{Cancellation, Parcel, RendezvousKey, StepId, guarded};
use parking_lot::Mutex;
use prost::Message;
use runtime::lend_thread;
use tensor::{Result, Status, bail, ensure, err};
use tokio::net::UnixStream;

use super::door::Door;
use super::reception::Reception;
use crate::call::{Answer, Caller, CreditGuard, Creditor, TaskName, WorkerCalls};
use crate::master::Master;
use crate::peer::link::{
    ASKS_FOR_DOOR, CallId, FrameKind, Head, Heard, Inbound, Incoming, Lent, LinkCall, LocalStream, Outbound, Outgoing,
    PREFACE, ReadHalf, Silence, Terms, WINDOW, WriteHalf, counted, graph_reply, let_in, read_call, read_letter,
    step_reply, within,
};
use crate::trust::{Keys, Proof, Role};
use crate::worker::Worker;

/// How long a new connection may take to say who it is.
const GREETING: Duration = Duration::from_secs(20);
/// Credits are given back in portions of at least this.
const PORTION: usize = WINDOW / 32;

/// So many tensors may have been asked for that never came, because their steps ended.
const MOST_WANTED: usize = 65_536;

/// What a connection needs to become a link.
#[derive(Clone)]
pub(super) struct Lobby {
    pub master: Arc<Master>,
    pub worker: Arc<Worker>,
    pub keys: Arc<Keys>,
    /// Where processes of this machine come in, if they can.
    pub door: Option<Arc<Door>>,
    /// Where the connection comes from.
    pub whence: Arc<str>,
}

/// Serves a connection over the network, until it ends. Whoever asks and is let in is told the door for processes of this
/// machine.
pub(super) async fn serve((read, write): (ReadHalf, WriteHalf), proof: Proof, lobby: Lobby) {
    let heard = Heard::new();
    let mut incoming = Incoming::new(read, heard.clone(), None).before_greeting();
    let greeted = within(GREETING, lobby.greet(&mut incoming, &write, Some(&proof))).await;
    let guest = match greeted {
        Some(Ok(guest)) => guest,
        Some(Err(status)) => {
            tracing::debug!(%status, "a link that does not begin as one");
            let _ = tokio::time::timeout(GREETING, write.write_all(&refusal(&status).to_frame())).await;
            return;
        }
        None => return,
    };
    let back: Arc<WayBack> = Arc::default();
    back.out.connect(write, None, vec![lobby.hello(&guest).to_frame()]);
    serve_until_end(guest, incoming, heard, back, lobby).await;
}

/// Serves a process of this machine that comes through its door, until it ends.
pub(super) async fn serve_local(stream: UnixStream, lobby: Lobby) {
    let back: Arc<WayBack> = Arc::default();
    let (heard, lender) = (Heard::new(), back.clone());
    let begin = async {
        let LocalStream { read, write, out, incoming } =
            let_in(stream).await.map_err(|error| err!(Unavailable, "{error}"))?;
        let lent = Lent::new(incoming, move |slots| drop(lender.out.post(Outbound::returned(slots))));
        let mut incoming = Incoming::new(read, heard.clone(), Some(lent)).before_greeting();
        let guest = lobby.greet(&mut incoming, &write, None).await?;
        Ok::<_, Status>((guest, incoming, write, out))
    };
    let (guest, incoming, write, out) = match within(GREETING, begin).await {
        Some(Ok(begun)) => begun,
        Some(Err(status)) => return tracing::debug!(%status, "somebody at the door who is not let in"),
        None => return,
    };
    back.out.connect(write, Some(out), vec![lobby.hello(&guest).to_frame()]);
    serve_until_end(guest, incoming, heard, back, lobby).await;
}

/// Somebody who was let in.
struct Guest {
    /// The name of the task, which a client does not have.
    from: Option<TaskName>,
    role: Role,
    terms: Terms,
}

/// A hello that tells why somebody is not let in.
fn refusal(status: &Status) -> Head {
    let mut hello = Head::new(FrameKind::Hello);
    hello.set_status(status);
    hello
}

impl Lobby {
    fn hello(&self, guest: &Guest) -> Head {
        guest.terms.say(Head { message: self.worker.task().as_str().to_owned(), ..Head::new(FrameKind::Hello) })
    }

    /// Reads preface and hello, and lets in who may come in: over the network by what the connection proves, or by a token;
    /// through the door by what was given for it.
    async fn greet(&self, incoming: &mut Incoming, write: &WriteHalf, proof: Option<&Proof>) -> Result<Guest> {
        let mut preface = [0; PREFACE.len()];
        incoming.read_exact(&mut preface).await?;
        ensure!(&preface == PREFACE, InvalidArgument, "another preface");
        let mut hello = next_hello(incoming).await?;
        let role = match proof {
            Some(proof) => {
                let token = Some(hello.token.as_bytes()).filter(|token| !token.is_empty());
                self.keys.admit(proof, token)?
            }
            None => match &self.door {
                Some(door) if self.keys.ask() => door.admit(&hello.token)?,
                _ => Role::Anyone,
            },
        };
        if proof.is_some() && hello.method == ASKS_FOR_DOOR {
            let (door, token) = self.door.as_ref().map(|door| door.tell(&role)).unwrap_or_default();
            let answer = Head { body: door.into(), token, ..Head::new(FrameKind::Hello) };
            write.write_all(&answer.to_frame()).await.map_err(|error| err!(Unavailable, "{error}"))?;
            hello = next_hello(incoming).await?;
        }
        let terms = Terms::shared_with(&hello);
        let from = Some(hello.message).filter(|name| !name.is_empty()).map(TaskName::from);
        ensure!(
            role.may_be(from.as_ref()),
            PermissionDenied,
            "somebody goes by the name of {}, and the certificate says otherwise",
            from.as_ref().map_or("", |from| from.as_str())
        );
        ensure!(
            from.as_ref() != Some(self.worker.task()),
            PermissionDenied,
            "somebody goes by the name of {}, which is here",
            self.worker.task().as_str()
        );
        incoming.greeted();
        Ok(Guest { from, role, terms })
    }
}

async fn next_hello(incoming: &mut Incoming) -> Result<Head> {
    let hello = incoming.next().await?.head;
    ensure!(hello.kind == FrameKind::Hello as i32, InvalidArgument, "no hello");
    Ok(hello)
}

async fn serve_until_end(
    Guest { from, role, .. }: Guest,
    mut incoming: Incoming,
    heard: Heard,
    back: Arc<WayBack>,
    Lobby { master, worker, whence, .. }: Lobby,
) {
    let reception = Reception { master, worker, caller: Caller::from(whence), role };
    let link = Arc::new(AcceptedLink { from, reception, back, calls: Mutex::default(), steps: Mutex::default() });
    // Also when the server stops in the middle of everything.
    let closing = CloseOnDrop(link.clone());
    let reason = tokio::select! {
        status = link.back.out.drive() => status,
        status = receive(&link, &mut incoming) => status,
        status = silence(&link, heard) => status,
    };
    link.close(&reason);
    drop(closing);
}

struct CloseOnDrop(Arc<AcceptedLink>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close(&err!(Unavailable, "the server stops"));
    }
}

/// One accepted connection.
struct AcceptedLink {
    /// The task at the other end, if it is not a client.
    from: Option<TaskName>,
    reception: Reception,
    back: Arc<WayBack>,
    /// Calls that run, to be cancelled when nobody waits for them.
    calls: Mutex<HashMap<CallId, Cancellation>>,
    /// Steps that were begun and not cleaned up.
    steps: Mutex<HashSet<StepId>>,
}

/// The way of answers and credits.
#[derive(Default)]
struct WayBack {
    out: Outgoing,
    /// Credits that have not been given back yet.
    owed: AtomicUsize,
    /// Bytes that were pushed here and not yet claimed.
    unclaimed: AtomicUsize,
    /// What was asked for, credits or not.
    wanted: Mutex<HashSet<(StepId, String)>>,
}

impl WayBack {
    /// Notes bytes that were pushed.
    ///
    /// # Errors
    /// `ResourceExhausted` if they are more than the other end has credits for, and were not asked for.
    fn owe(&self, step: StepId, key: &str, bytes: usize) -> Result<()> {
        let before = self.unclaimed.fetch_add(bytes, Ordering::AcqRel);
        let asked_for = self.wanted.lock().remove(&(step, key.to_owned()));
        ensure!(
            asked_for || before == 0 || before + bytes <= WINDOW,
            ResourceExhausted,
            "{bytes} bytes were pushed for step {step} on top of {before} that nobody has claimed; the limit is {WINDOW}"
        );
        Ok(())
    }
}

impl Creditor for WayBack {
    fn give_back(&self, bytes: usize) {
        self.unclaimed.fetch_sub(bytes, Ordering::AcqRel);
        let owed = self.owed.fetch_add(bytes, Ordering::AcqRel) + bytes;
        if owed >= PORTION {
            let bytes = self.owed.swap(0, Ordering::AcqRel) as u64;
            let _ = self.out.post(Outbound::new(Head { bytes, ..Head::new(FrameKind::Credit) }));
        }
    }
}

/// Ends when a task says nothing any more. A client may be stopped for as long as it likes.
async fn silence(link: &AcceptedLink, heard: Heard) -> Status {
    let mut silence = Silence::new(heard);
    loop {
        if let (Some(silence), Some(from)) = (silence.next().await, &link.from) {
            return err!(Unavailable, "nothing was heard from {from} for {} s", silence.as_secs());
        }
    }
}

async fn receive(link: &Arc<AcceptedLink>, incoming: &mut Incoming) -> Status {
    loop {
        let outcome = match incoming.next().await {
            // Kernels may run in here. What panics has been answered; the connection serves others too.
            Ok(message) => guarded(format_args!("a message of a link"), || lend_thread(|| link.take(message))),
            Err(status) => Err(status),
        };
        match outcome {
            Err(status) if status.code() == tensor::Code::Internal => tracing::error!(%status, "a link goes on"),
            Err(status) => return status,
            Ok(()) => {}
        }
    }
}

impl AcceptedLink {
    /// # Errors
    /// What makes going on with this connection pointless.
    fn take(self: &Arc<Self>, message: Inbound) -> Result<()> {
        let (head, worker) = (&message.head, &self.reception.worker);
        let kind = FrameKind::try_from(head.kind);
        if let Ok(FrameKind::Push | FrameKind::Collective | FrameKind::Held | FrameKind::CleanUp) = kind {
            self.reception.for_tasks()?;
        }
        match kind {
            Ok(FrameKind::Call) => {
                let id = head.call();
                if let Err(status) = guarded(format_args!("a call"), || self.call(id, message)) {
                    self.finish(id, step_reply(id, Err(status)));
                }
            }
            Ok(FrameKind::Cancel) => {
                let call = self.calls.lock().remove(&head.call());
                if let Some(call) = call {
                    call.cancel(err!(Cancelled, "the caller gave up"));
                }
            }
            Ok(FrameKind::Push) => self.deliver(message)?,
            Ok(FrameKind::Collective) => {
                let Some(from) = &self.from else { bail!(InvalidArgument, "a client is in no collective group") };
                worker.take_letter(from, read_letter(message)?);
            }
            Ok(FrameKind::Held) => {
                for (key, _) in &message.parcels {
                    let (back, step, name) = (Arc::downgrade(&self.back), head.step(), key.clone());
                    worker.announce(step, key, move || want(&back, step, &name))?;
                }
            }
            Ok(FrameKind::CleanUp) => {
                self.steps.lock().remove(&head.step());
                self.back.wanted.lock().retain(|(step, _)| *step != head.step());
                worker.clean_up(head.step());
            }
            Ok(FrameKind::Returned) => self.back.out.returned(head.bytes)?,
            Ok(FrameKind::Ping) => self.back.out.post(Outbound::new(Head::new(FrameKind::Pong)))?,
            _ => bail!(InvalidArgument, "a frame of kind {} makes no sense here", head.kind),
        }
        Ok(())
    }

    fn deliver(&self, message: Inbound) -> Result<()> {
        let step = message.head.step();
        for (key, parcel) in message.parcels {
            let key = RendezvousKey::parse(&key)?;
            let bytes = counted(&parcel);
            let guard = match bytes {
                0 => None,
                _ => {
                    self.back.owe(step, key.as_str(), bytes)?;
                    let back: Weak<WayBack> = Arc::downgrade(&self.back);
                    Some(CreditGuard::new(back, bytes))
                }
            };
            self.reception.worker.deliver(step, &key, parcel, guard)?;
        }
        Ok(())
    }

    fn call(self: &Arc<Self>, id: CallId, message: Inbound) -> Result<()> {
        let reception = &self.reception;
        match read_call(message)? {
            LinkCall::RunGraph { session, graph, call } => {
                let (step, cancellation) = (call.id, Cancellation::new());
                reception.run_graph(&session, &graph, call, &cancellation, || {
                    self.steps.lock().insert(step);
                    self.answer(id, &cancellation)
                })
            }
            LinkCall::RunStep { session, request_id, request } => {
                let cancellation = Cancellation::new();
                let answer = || self.answer(id, &cancellation);
                reception.run_step(&session, request_id, request, &cancellation, answer)
            }
            LinkCall::RegisterGraph { session, terms, graph } => {
                let link = self.clone();
                let read = move || {
                    wire::GraphDef::decode(graph)
                        .map_err(|error| err!(InvalidArgument, "a graph does not decode: {error}"))
                };
                reception.register_graph(session, terms, read, move |outcome| {
                    let _ = link.back.out.post(graph_reply(id, outcome));
                })
            }
        }
    }

    /// Notes a call that runs; returns what answers it.
    fn answer(self: &Arc<Self>, id: CallId, cancellation: &Cancellation) -> Answer {
        self.calls.lock().insert(id, cancellation.clone());
        let link = self.clone();
        Answer::new(move |outcome| link.finish(id, step_reply(id, outcome)))
    }

    fn finish(&self, id: CallId, reply: Outbound) {
        self.calls.lock().remove(&id);
        // Whoever hung up needs no answer.
        let _ = self.back.out.post(reply);
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
            self.reception.worker.clean_up(step);
        }
        if let Some(from) = &self.from {
            let lost = err!(Unavailable, "{from} was lost: {}", reason.message());
            self.reception.worker.peer_lost(from, &lost);
        }
    }
}

fn want(back: &Weak<WayBack>, step: StepId, key: &str) {
    if let Some(back) = back.upgrade() {
        let mut wanted = back.wanted.lock();
        if wanted.len() >= MOST_WANTED {
            wanted.clear();
        }
        wanted.insert((step, key.to_owned()));
        drop(wanted);
        let mut message = Outbound::new(Head::of_step(FrameKind::Want, step));
        let _ = message.add(key, &Parcel::Dead).and_then(|()| back.out.post(message));
    }
}
