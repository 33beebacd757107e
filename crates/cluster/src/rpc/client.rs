//! Calling another task.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use tensor::{Code, Result, Status};
use wire::services::worker::GET_STATUS;

use super::line::Line;
use super::watch::Watch;
use crate::link::Link;

/// Another task, by name and address. The connection is made when it is first needed, and again after it was lost.
pub(crate) struct Peer {
    line: Line,
    watch: Watch,
    link: Arc<Link>,
    /// Whether the task was seen to be one of ours.
    ours: AtomicBool,
    /// Why the task could not be found lately.
    pub verdict: Mutex<Option<(Instant, Status)>>,
}

impl Peer {
    /// For the task (or, with an empty name, the client) `own`. Must be made inside the runtime whose threads shall serve
    /// the connection.
    ///
    /// # Errors
    /// `InvalidArgument` if the address is malformed.
    pub fn new(own: &str, name: String, address: String) -> Result<Peer> {
        Ok(Peer {
            link: Arc::new(Link::new(own, &name, &address)),
            watch: Watch::new(format!("{name} at {address}")),
            line: Line::new(name, address)?,
            ours: AtomicBool::new(false),
            verdict: Mutex::default(),
        })
    }

    pub fn name(&self) -> &str {
        self.line.name()
    }

    pub fn address(&self) -> &str {
        self.line.address()
    }

    /// The framed connection, for a task that is one of ours.
    pub fn link(&self) -> &Arc<Link> {
        &self.link
    }

    pub fn is_ours(&self) -> bool {
        self.ours.load(Ordering::Relaxed)
    }

    pub fn set_ours(&self) {
        self.ours.store(true, Ordering::Relaxed);
    }

    /// Makes one call, for as long as the task is there.
    ///
    /// # Errors
    /// What the task answered; `Unavailable`, naming task, address and reason, if it is out of reach or was lost.
    pub async fn call<Req, Resp>(&self, path: &'static str, request: Req) -> Result<Resp>
    where
        Req: prost::Message + Clone + 'static,
        Resp: prost::Message + Default + 'static,
    {
        tokio::select! {
            biased;
            outcome = self.call_once(path, request) => outcome,
            status = self.lost() => Err(status),
        }
    }

    /// Ends when the task is lost: it does not even say that it is there. Connections to a stopped process, or over a
    /// cable that was pulled, look fine otherwise. (TensorFlow's servers punish HTTP/2 pings, so a call is made.)
    async fn lost(&self) -> Status {
        let ask = || {
            let line = self.line.clone();
            async move {
                let answer: Result<wire::GetStatusResponse> =
                    line.call(GET_STATUS, wire::GetStatusRequest::default()).await;
                match answer {
                    Err(status) if status.code() == Code::Unavailable => Err(status),
                    _ => Ok(()),
                }
            }
        };
        self.watch.lost(ask).await
    }

    /// Makes one call, however long it takes.
    ///
    /// # Errors
    /// What the task answered; `Unavailable`, naming task, address and reason, if it is out of reach.
    pub async fn call_once<Req, Resp>(&self, path: &'static str, request: Req) -> Result<Resp>
    where
        Req: prost::Message + Clone + 'static,
        Resp: prost::Message + Default + 'static,
    {
        self.line.call(path, request).await
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.link.close();
    }
}
