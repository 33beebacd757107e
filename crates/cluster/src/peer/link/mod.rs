//! The framed connection between our own tasks, on the same port as gRPC.
//!
//! A link has a direction: whoever needs the other connects, calls it and pushes tensors to it; answers and credits come
//! back on the same connection. A connection begins with [`PREFACE`], which no HTTP/2 client sends, then one hello each
//! way, then frames: a length, a head ([`Head`]) and the bytes of the head's tensors. Large tensors follow in
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

use std::time::Duration;

pub(crate) use collective::read_letter;
pub(crate) use connect::Link;
pub(crate) use frame::{CallId, FrameKind, Head, Outbound, PREFACE};
pub(crate) use incoming::{Heard, Inbound, Incoming, Lent, Silence};
pub(crate) use messages::{LinkCall, graph_reply, read_call, step_reply};
pub(crate) use outgoing::Outgoing;
pub(crate) use push::{WINDOW, counted};
pub(crate) use same_host::{ASKS_FOR_DOOR, LocalStream, let_in, listen as listen_on_this_host};
pub(crate) use stream::{WriteHalf, tcp_halves};

/// How often the connecting side says that it is there.
const PING_EVERY: Duration = Duration::from_millis(1500);
/// How long nothing may be heard from the other end before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(5);
