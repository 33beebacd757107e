//! The client's side: sessions on a server.

mod remote_session;
mod remote_sessions;

pub use remote_session::{RemoteOptions, RemoteSession};
pub use remote_sessions::RemoteSessions;
