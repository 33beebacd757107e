//! The connecting end of a link.

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use graph::op::guarded;
use parking_lot::Mutex;
use runtime::lend_thread;
use tensor::{Result, Status, err};
use tokio::net::TcpStream;

use super::frame::{CallId, FrameKind, Head, Outbound, PREFACE};
use super::incoming::{Heard, Inbound, Incoming, Lent, Silence};
use super::outgoing::Outgoing;
use super::push::Credit;
use super::same_host::find_door;
use super::stream::tcp_halves;
use super::{PATIENCE, within};
use crate::call::TaskName;

/// How long a connection may take to come up.
const CONNECT: Duration = Duration::from_secs(4);

/// Called once with an answer, or the reason why there is none.
pub(super) type Done = Box<dyn FnOnce(Result<Inbound>) + Send>;
type Lost = Box<dyn Fn(&Status) + Send + Sync>;

/// A link to a task, connected when it is first needed, and again after it was lost.
pub(crate) struct Link {
    /// The name of this task; clients have none.
    own: Option<TaskName>,
    peer: String,
    address: String,
    /// Whether to look for a way on this machine.
    same_host: bool,
    network: tokio::runtime::Handle,
    pub(super) current: Mutex<Option<Arc<LinkConnection>>>,
    pub(super) next_call: AtomicU64,
    lost: OnceLock<Lost>,
}

/// One connection of a link.
pub(super) struct LinkConnection {
    pub out: Outgoing,
    pub calls: Mutex<HashMap<CallId, Done>>,
    pub credit: Mutex<Credit>,
}

impl Link {
    /// A link of a task, or of a client, to the process that errors name `peer`; not over the network if that is on the
    /// `same_host`. Must be made inside the runtime whose threads shall serve it.
    pub fn new(own: Option<&TaskName>, peer: &str, address: &str, same_host: bool) -> Link {
        Link {
            same_host,
            own: own.cloned(),
            peer: peer.to_owned(),
            address: address.to_owned(),
            network: tokio::runtime::Handle::current(),
            current: Mutex::default(),
            next_call: AtomicU64::new(1),
            lost: OnceLock::new(),
        }
    }

    /// Returns the name of the process at the other end.
    pub(super) fn peer(&self) -> &str {
        &self.peer
    }

    /// Says whom to tell when a connection is lost.
    pub fn on_lost(&self, lost: impl Fn(&Status) + Send + Sync + 'static) {
        let _ = self.lost.set(Box::new(lost));
    }

    /// Hangs up.
    pub fn close(&self) {
        if let Some(connection) = &*self.current.lock() {
            connection.out.close(err!(Cancelled, "the link is not needed any more"));
        }
    }

    /// Says what a broken connection means.
    pub(super) fn explain(&self, status: &Status) -> Status {
        err!(Unavailable, "{} at {} is out of reach: {}", self.peer, self.address, status.message())
    }

    /// Returns the connection there is, or a new one.
    pub(super) fn connection(self: &Arc<Self>) -> Arc<LinkConnection> {
        let mut current = self.current.lock();
        if let Some(connection) = current.as_ref().filter(|connection| !connection.out.is_closed()) {
            return connection.clone();
        }
        let connection =
            Arc::new(LinkConnection { out: Outgoing::default(), calls: Mutex::default(), credit: Mutex::default() });
        *current = Some(connection.clone());
        let (link, driven) = (self.clone(), connection.clone());
        self.network.spawn(async move {
            let reason = link.drive(&driven).await;
            link.end(&driven, &reason);
        });
        connection
    }

    fn end(&self, connection: &Arc<LinkConnection>, reason: &Status) {
        let reason = self.explain(&connection.out.close(reason.clone()));
        {
            let mut current = self.current.lock();
            if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, connection)) {
                *current = None;
            }
        }
        let calls = std::mem::take(&mut *connection.calls.lock());
        for done in calls.into_values() {
            done(Err(reason.clone()));
        }
        connection.credit.lock().clear();
        if let Some(lost) = self.lost.get() {
            lost(&reason);
        }
    }

    /// Connects and serves the connection until it ends; returns the reason.
    async fn drive(&self, connection: &Arc<LinkConnection>) -> Status {
        let mut stream = match tokio::time::timeout(CONNECT, TcpStream::connect(&self.address)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                let hint = if error.kind() == std::io::ErrorKind::ConnectionRefused { "; is it started?" } else { "" };
                return err!(Unavailable, "{error}{hint}");
            }
            Err(_) => return err!(Unavailable, "no connection within {} s", CONNECT.as_secs()),
        };
        let _ = stream.set_nodelay(true);
        let local = match self.same_host {
            false => None,
            true => match within(PATIENCE, find_door(&mut stream)).await {
                Some(Ok(local)) => local,
                Some(Err(error)) => return err!(Unavailable, "it does not greet: {error}"),
                None => return err!(Unavailable, "it does not greet within {} s", PATIENCE.as_secs()),
            },
        };
        let own = self.own.clone().map(String::from).unwrap_or_default();
        let hello = Head { message: own, body: self.peer.clone().into(), ..Head::new(FrameKind::Hello) };
        let heard = Heard::new();
        let mut incoming = match local {
            Some(local) => {
                drop(stream);
                let back = connection.clone();
                let give_back = move |slots| drop(back.out.post(Outbound::returned(slots)));
                let greeting = vec![Bytes::from_static(PREFACE), hello.to_frame()];
                connection.out.connect(local.write, Some(local.out), greeting);
                Incoming::new(local.read, heard.clone(), Some(Lent::new(local.incoming, give_back)))
            }
            None => {
                let (read, write) = tcp_halves(stream);
                let mut greeting = vec![hello.to_frame()];
                if !self.same_host {
                    greeting.insert(0, Bytes::from_static(PREFACE));
                }
                connection.out.connect(write, None, greeting);
                Incoming::new(read, heard.clone(), None)
            }
        };
        tokio::select! {
            status = connection.out.drive() => status,
            status = self.receive(connection, &mut incoming) => status,
            status = keep_alive(connection, heard) => status,
        }
    }

    async fn receive(&self, connection: &LinkConnection, incoming: &mut Incoming) -> Status {
        loop {
            let outcome = match incoming.next().await {
                // A panic in what takes an answer ends the connection, so that all others who wait are told.
                Ok(message) => {
                    guarded(format_args!("taking an answer"), || lend_thread(|| self.take(connection, message)))
                }
                Err(status) => Err(status),
            };
            if let Err(status) = outcome {
                return status;
            }
        }
    }

    /// # Errors
    /// What makes going on with this connection pointless.
    fn take(&self, connection: &LinkConnection, message: Inbound) -> Result<()> {
        let head = &message.head;
        match FrameKind::try_from(head.kind) {
            Ok(FrameKind::Reply) => {
                let id = head.call();
                let outcome = head.status().map(|()| message);
                connection.answer(id, outcome);
            }
            Ok(FrameKind::Hello) if self.own.is_some() && head.message != self.peer => {
                return Err(err!(FailedPrecondition, "{} answers there", head.message));
            }
            Ok(FrameKind::Returned) => connection.out.returned(head.bytes)?,
            Ok(FrameKind::Credit) => connection.credited(usize::try_from(head.bytes).unwrap_or(usize::MAX))?,
            Ok(FrameKind::Want) => {
                for (key, _) in &message.parcels {
                    connection.wanted(head.step(), key)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

async fn keep_alive(connection: &LinkConnection, heard: Heard) -> Status {
    let mut silence = Silence::new(heard);
    loop {
        if let Some(silence) = silence.next().await {
            let secs = silence.as_secs();
            return err!(Unavailable, "nothing was heard for {secs} s: it was stopped, or the network is gone");
        }
        if let Err(status) = connection.out.post(Outbound::new(Head::new(FrameKind::Ping))) {
            return status;
        }
    }
}

impl LinkConnection {
    /// Ends a call; returns whether it had not ended yet.
    pub fn answer(&self, id: CallId, outcome: Result<Inbound>) -> bool {
        let done = self.calls.lock().remove(&id);
        done.map(|done| done(outcome)).is_some()
    }
}
