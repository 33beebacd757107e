//! Calling another task.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use http::uri::PathAndQuery;
use parking_lot::Mutex;
use tensor::{Code, Result, Status, err};
use tokio::sync::Mutex as AsyncMutex;
use tonic::transport::{Channel, Endpoint};
use tonic_prost::ProstCodec;
use wire::services::worker::GET_STATUS;

use crate::link::Link;

/// How long a connection may take to come up before the task counts as out of reach.
const CONNECT: Duration = Duration::from_secs(4);
const MAX_MESSAGE: usize = i32::MAX as usize;
/// While an answer is awaited, the task is asked this often whether it is still there,
const PROBE_EVERY: Duration = Duration::from_secs(1);
/// and counts as lost if it has not said so for this long.
const PATIENCE: Duration = Duration::from_secs(5);

/// Another task, by name and address. The connection is made when it is first needed, and again after it was lost.
pub(crate) struct Peer {
    name: String,
    address: String,
    channel: Channel,
    link: Arc<Link>,
    /// Whether the task was seen to be one of ours.
    ours: AtomicBool,
    /// Why the task could not be found lately.
    pub verdict: Mutex<Option<(Instant, Status)>>,
    /// When the task was last asked whether it is there, and what came of it.
    probed: AsyncMutex<Option<(Instant, Result<()>)>>,
}

impl Peer {
    /// For the task (or, with an empty name, the client) `own`. Must be made inside the runtime whose threads shall serve
    /// the connection.
    ///
    /// # Errors
    /// `InvalidArgument` if the address is malformed.
    pub fn new(own: &str, name: String, address: String) -> Result<Peer> {
        let endpoint = Endpoint::from_shared(format!("http://{address}"))
            .map_err(|error| err!(InvalidArgument, "{name}: '{address}' is not an address: {error}"))?;
        let channel = endpoint
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .initial_stream_window_size(4 << 20)
            .initial_connection_window_size(16 << 20)
            .connect_lazy();
        Ok(Peer {
            link: Arc::new(Link::new(own, &name, &address)),
            name,
            address,
            channel,
            ours: AtomicBool::new(false),
            verdict: Mutex::default(),
            probed: AsyncMutex::default(),
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn address(&self) -> &str {
        &self.address
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
        loop {
            tokio::time::sleep(PROBE_EVERY).await;
            let mut probed = self.probed.lock().await;
            if probed.as_ref().is_none_or(|(when, _)| when.elapsed() >= PROBE_EVERY) {
                let asked = self.call_once(GET_STATUS, wire::GetStatusRequest::default());
                let answer: std::result::Result<Result<wire::GetStatusResponse>, _> =
                    tokio::time::timeout(PATIENCE, asked).await;
                let outcome = match answer {
                    Ok(Err(status)) if status.code() == Code::Unavailable => Err(status),
                    Ok(_) => Ok(()),
                    Err(_) => Err(err!(
                        Unavailable,
                        "{} at {} has not answered for {} s: it was stopped, or the network is gone",
                        self.name,
                        self.address,
                        PATIENCE.as_secs()
                    )),
                };
                *probed = Some((Instant::now(), outcome));
            }
            if let Some((_, Err(status))) = &*probed {
                return status.clone();
            }
        }
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
        match self.try_call(path, request.clone()).await {
            // The channel may tell of a connection that was refused before the task came up; nothing was sent then.
            Err(status) if status.message().contains("refused") => self.try_call(path, request).await,
            outcome => outcome,
        }
    }

    async fn try_call<Req, Resp>(&self, path: &'static str, request: Req) -> Result<Resp>
    where
        Req: prost::Message + 'static,
        Resp: prost::Message + Default + 'static,
    {
        let mut grpc = tonic::client::Grpc::new(self.channel.clone())
            .max_decoding_message_size(MAX_MESSAGE)
            .max_encoding_message_size(MAX_MESSAGE);
        grpc.ready().await.map_err(|error| self.unreachable(&error))?;
        let codec: ProstCodec<Req, Resp> = ProstCodec::default();
        let answer = grpc.unary(tonic::Request::new(request), PathAndQuery::from_static(path), codec).await;
        answer.map(tonic::Response::into_inner).map_err(|status| self.explain(&status))
    }

    fn explain(&self, status: &tonic::Status) -> Status {
        // A status with a source did not come from the task but from the connection to it.
        match status.source() {
            Some(cause) => self.unreachable(cause),
            None => Status::new(Code::from_number(status.code() as i32), status.message()),
        }
    }

    fn unreachable(&self, error: &dyn Error) -> Status {
        let mut reason = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            reason = inner.to_string();
            cause = inner.source();
        }
        let hint = if reason.contains("refused") { "; is it started?" } else { "" };
        err!(Unavailable, "{} at {} is out of reach: {reason}{hint}", self.name, self.address)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.link.close();
    }
}
