//! Who may come in, and how this process proves who it is: tokens and certificates.
//!
//! [`Security`] says where they are, [`Keys`] holds them, read again when they change. Whoever connects gets a [`Role`]: from the
//! certificate of the connection, else from a token, which gRPC carries in every call and a link in its hello. Where
//! neither is set nothing is asked. Nothing here knows what the roles may do with sessions and graphs; [`Role`] says only
//! what is true of it.

mod keys;
mod role;
mod security;
mod tls;
mod validity;

pub(crate) use keys::{Keys, Proof, name_at};
pub(crate) use role::Role;
pub use role::{CLIENT_URI, OPERATOR_URI, task_uri};
pub use security::{Security, TlsFiles, Token};
pub(crate) use tls::{ByteStream, LINK_PROTOCOL, hold_handshake};
