//! The connecting end of a link.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use graph::op::guarded;
use parking_lot::Mutex;
use runtime::lend_thread;
use tensor::{Code, Result, Status, ensure, err};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::frame::{CallId, FrameKind, Head, Outbound, PREFACE};
use super::incoming::{Heard, Inbound, Incoming, Lent, Silence};
use super::outgoing::Outgoing;
use super::push::Credit;
use super::same_host::{ASKS_FOR_DOOR, enter_door};
use super::stream::{ReadHalf, WriteHalf, tcp_halves, tls_halves};
use super::terms::{COLLECTIVES, Terms};
use super::within;
use crate::call::TaskName;
use crate::trust::{Keys, hold_handshake, name_at};

/// How long a connection may take to come up.
const CONNECT: Duration = Duration::from_secs(4);
/// How long the other end may take to say who it is.
const GREETING: Duration = Duration::from_secs(10);

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
    keys: Arc<Keys>,
    network: tokio::runtime::Handle,
    pub(super) current: Mutex<Option<Arc<LinkConnection>>>,
    pub(super) next_call: AtomicU64,
    lost: OnceLock<Lost>,
}

/// One connection of a link.
#[derive(Default)]
pub(super) struct LinkConnection {
    pub out: Outgoing,
    pub calls: Mutex<HashMap<CallId, Done>>,
    pub credit: Mutex<Credit>,
    /// Known when the other end has greeted.
    terms: OnceLock<Terms>,
    /// Whether letters about collectives have been sent, or wait to be.
    needs: AtomicBool,
}

impl Link {
    /// A link of a task, or of a client, to the process that errors name `peer`; not over the network if that is on the
    /// `same_host`. Must be made inside the runtime whose threads shall serve it.
    pub fn new(own: Option<&TaskName>, peer: &str, address: &str, same_host: bool, keys: &Arc<Keys>) -> Link {
        Link {
            same_host,
            keys: keys.clone(),
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
        match status.code() {
            Code::Unauthenticated | Code::PermissionDenied | Code::Unimplemented => {
                status.clone().context(format_args!("{} at {}", self.peer, self.address))
            }
            _ => err!(Unavailable, "{} at {} is out of reach: {}", self.peer, self.address, status.message()),
        }
    }

    /// Returns the connection there is, or a new one.
    pub(super) fn connection(self: &Arc<Self>) -> Arc<LinkConnection> {
        let mut current = self.current.lock();
        if let Some(connection) = current.as_ref().filter(|connection| !connection.out.is_closed()) {
            return connection.clone();
        }
        let connection = Arc::new(LinkConnection::default());
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
        let begun = match self.connect().await {
            Ok((read, write)) => within(GREETING, self.greet(connection, read, write)).await,
            Err(status) => return status,
        };
        let (mut incoming, heard) = match begun {
            Some(Ok(begun)) => begun,
            Some(Err(status)) => return status,
            None => return err!(Unavailable, "it does not greet within {} s", GREETING.as_secs()),
        };
        tokio::select! {
            status = connection.out.drive() => status,
            status = self.receive(connection, &mut incoming) => status,
            status = keep_alive(connection, heard) => status,
        }
    }

    async fn connect(&self) -> Result<(ReadHalf, WriteHalf)> {
        let stream = match tokio::time::timeout(CONNECT, TcpStream::connect(&self.address)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                let hint = if error.kind() == std::io::ErrorKind::ConnectionRefused { "; is it started?" } else { "" };
                return Err(err!(Unavailable, "{error}{hint}"));
            }
            Err(_) => return Err(err!(Unavailable, "no connection within {} s", CONNECT.as_secs())),
        };
        let _ = stream.set_nodelay(true);
        let Some(config) = self.keys.tls_to_link() else { return Ok(tcp_halves(stream)) };
        let shaken = TlsConnector::from(config).connect(name_at(&self.address)?, stream);
        match tokio::time::timeout(CONNECT, shaken).await {
            Ok(Ok(stream)) => {
                let (socket, tls) = stream.into_inner();
                Ok(tls_halves(socket, tls.into()))
            }
            Ok(Err(error)) => Err(err!(Unauthenticated, "{}", hold_handshake(&error))),
            Err(_) => Err(err!(Unavailable, "no TLS handshake within {} s", CONNECT.as_secs())),
        }
    }

    /// Says hello and hears it, through the other end's door if that is on this machine. Nothing else is sent before the
    /// other end has said who it is.
    async fn greet(
        &self,
        connection: &Arc<LinkConnection>,
        read: ReadHalf,
        mut write: WriteHalf,
    ) -> Result<(Incoming, Heard)> {
        let heard = Heard::new();
        let mut incoming = Incoming::new(read, heard.clone(), None).before_greeting();
        let own = self.own.clone().map(String::from).unwrap_or_default();
        let token = self.keys.token().unwrap_or_default();
        let mut hello = Head { token, ..Terms::OWN.say(Head::new(FrameKind::Hello)) };
        let (mut preface, mut memory) = (&PREFACE[..], None);
        if self.same_host {
            let ask = Head { method: ASKS_FOR_DOOR, ..hello.clone() };
            let answer = said_hello(&mut incoming, &write, preface, &ask).await?;
            preface = &[];
            if let Some(local) = enter_door(&answer.body).await {
                let back = connection.clone();
                let lent = Lent::new(local.incoming, move |slots| drop(back.out.post(Outbound::returned(slots))));
                incoming = Incoming::new(local.read, heard.clone(), Some(lent)).before_greeting();
                (write, memory, preface) = (local.write, Some(local.out), PREFACE);
                hello.token = answer.token;
            }
        }
        (hello.message, hello.body) = (own, self.peer.clone().into());
        let answer = said_hello(&mut incoming, &write, preface, &hello).await?;
        ensure!(
            self.own.is_none() || answer.message == self.peer,
            FailedPrecondition,
            "{} answers there",
            answer.message
        );
        incoming.greeted();
        connection.agree(Terms::shared_with(&answer))?;
        connection.out.connect(write, memory, Vec::new());
        Ok((incoming, heard))
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

/// Says hello, after a preface, and returns what the other end answers.
///
/// # Errors
/// Why it does not let this end in.
async fn said_hello(incoming: &mut Incoming, write: &WriteHalf, preface: &[u8], hello: &Head) -> Result<Head> {
    let greeting = [preface, &hello.to_frame()].concat();
    write.write_all(&greeting).await.map_err(|error| err!(Unavailable, "it does not greet: {error}"))?;
    let answer = incoming.next().await.map_err(|status| status.context("it does not greet"))?.head;
    answer.status()?;
    ensure!(answer.kind == FrameKind::Hello as i32, InvalidArgument, "it does not greet");
    Ok(answer)
}

impl LinkConnection {
    /// Notes what the other end knows.
    ///
    /// # Errors
    /// `Unimplemented` if something waits to be sent that it does not know.
    fn agree(&self, terms: Terms) -> Result<()> {
        let _ = self.terms.set(terms);
        match self.needs.load(Ordering::Acquire) {
            true => self.check_letters(),
            false => Ok(()),
        }
    }

    /// # Errors
    /// `Unimplemented` if the other end is known not to take letters.
    pub fn check_letters(&self) -> Result<()> {
        self.needs.store(true, Ordering::Release);
        match self.terms.get() {
            Some(terms) if !terms.has(COLLECTIVES) => {
                Err(err!(Unimplemented, "it is of an older version, which knows no collectives"))
            }
            _ => Ok(()),
        }
    }

    /// Ends a call; returns whether it had not ended yet.
    pub fn answer(&self, id: CallId, outcome: Result<Inbound>) -> bool {
        let done = self.calls.lock().remove(&id);
        done.map(|done| done(outcome)).is_some()
    }
}
