//! The framed connection between our own tasks, on the same port as gRPC.
//!
//! A link has a direction: whoever needs the other connects, calls it and pushes tensors to it; answers and credits come
//! back on the same connection. A connection begins with [`PREFACE`], which no HTTP/2 client sends, then one hello each
//! way, which says who comes, what lets it in, and which version and features it knows (`terms`), then frames: a length, a head ([`Head`]) and the bytes of the head's tensors. Large tensors follow in
//! pieces, between which other frames pass, and are written from and read into their final buffers.
//!
//! Tensors are pushed as soon as they exist. Unclaimed ones are bounded by credits: beyond them the sender keeps a tensor
//! and says so, and a receiver that waits for it asks for it, so that what nobody needs yet cannot hold up what somebody
//! waits for. Between processes of one machine a link goes over a Unix socket, and large tensors through memory that both ends
//! have open (`same_host`). While a link is open its two ends hear from each other every few seconds, or consider the other lost.

mod calls;
mod collective;
mod connect;
mod frame;
mod incoming;
mod memory;
mod messages;
mod outgoing;
mod push;
mod same_host;
mod stream;
mod terms;
mod tls_stream;

use std::pin::pin;
use std::time::Duration;

pub(crate) use collective::read_letter;
pub(crate) use connect::Link;
pub(crate) use frame::{CallId, FrameKind, Head, Outbound, PREFACE};
pub(crate) use incoming::{Heard, Inbound, Incoming, Lent, Silence};
pub(crate) use messages::{LinkCall, graph_reply, read_call, step_reply};
pub(crate) use outgoing::Outgoing;
pub(crate) use push::{WINDOW, counted};
pub(crate) use same_host::{ASKS_FOR_DOOR, LocalStream, let_in, listen as listen_on_this_host};
pub(crate) use stream::{ReadHalf, WriteHalf, tcp_halves, tls_halves};
pub(crate) use terms::Terms;
pub use terms::link_terms;

/// How often the connecting side says that it is there.
const PING_EVERY: Duration = Duration::from_millis(1500);
/// How long nothing may be heard from the other end before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(5);
/// A wait is counted in ticks of this length.
const TICK: Duration = Duration::from_millis(250);

/// Waits for something; `None` if it takes longer than this. Ticks are counted, however long they last, so that time which a busy
/// machine does not give to this process does not count.
pub(crate) async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    for _ in 0..limit.as_millis().div_ceil(TICK.as_millis()) {
        if let Ok(done) = tokio::time::timeout(TICK, &mut work).await {
            return Some(done);
        }
    }
    None
}
