//! A task as an operator sees it.

use std::sync::Arc;
use std::time::Duration;

use tensor::{Result, err};
use wire::operator as told;
use wire::services::{master, operator as path, worker};

use super::grpc::GrpcChannel;
use super::master::{client_runtime, wait};
use crate::trust::{Keys, Security};

/// A task that is asked how it is, and told what to do. TensorFlow's servers answer `Unimplemented` to most of it.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet_cluster::{Operator, Security, Server};
/// # fn main() -> tensor::Result<()> {
/// let server = Server::local(ops::registry())?;
/// let operator = Operator::new("the server", server.target().trim_start_matches("grpc://"), &Security::default())?;
/// let status = operator.status(Default::default(), Duration::from_secs(10))?;
/// assert_eq!((status.task.as_str(), status.sessions.len()), ("/job:local/replica:0/task:0", 0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Operator {
    channel: GrpcChannel,
}

impl Operator {
    /// Names the task at `host:port`; `who` names it in errors. Nothing is connected yet.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed address, or a token or certificates that cannot be used.
    pub fn new(who: &str, address: &str, security: &Security) -> Result<Operator> {
        let _inside = client_runtime()?.enter();
        Ok(Operator { channel: GrpcChannel::new(who, address, &Arc::new(Keys::new(security)?))? })
    }

    /// Asks for its devices, as any server of TensorFlow's protocol answers.
    ///
    /// # Errors
    /// `Unavailable` if the task is out of reach; `DeadlineExceeded` if it does not answer in time.
    pub fn devices(&self, limit: Duration) -> Result<Vec<wire::DeviceAttributes>> {
        let answer: wire::GetStatusResponse =
            self.call(worker::GET_STATUS, wire::GetStatusRequest::default(), limit)?;
        Ok(answer.device_attributes)
    }

    /// Asks how the task is.
    ///
    /// # Errors
    /// `Unimplemented` if it is not ours; `Unavailable` if it is out of reach; `DeadlineExceeded` if it does not answer.
    pub fn status(&self, wanted: told::StatusRequest, limit: Duration) -> Result<told::StatusResponse> {
        self.call(path::STATUS, wanted, limit)
    }

    /// Sends bytes there, and lets so many come back.
    ///
    /// # Errors
    /// As [`status`](Operator::status).
    pub fn echo(&self, payload: Vec<u8>, answer: u64, limit: Duration) -> Result<told::EchoResponse> {
        self.call(path::ECHO, told::EchoRequest { payload: payload.into(), answer }, limit)
    }

    /// Waits for the task's next steps and returns what they did.
    ///
    /// # Errors
    /// As [`status`](Operator::status); `Unavailable` if somebody else does the same.
    pub fn trace(&self, steps: u32, limit: Duration) -> Result<told::TraceResponse> {
        let request = told::TraceRequest { steps, timeout_millis: limit.as_millis() as u64 };
        self.call(path::TRACE, request, limit + Duration::from_secs(10))
    }

    /// Lets no more steps begin, waits for those under way, and stops the task.
    ///
    /// # Errors
    /// As [`status`](Operator::status).
    pub fn drain(&self, limit: Duration) -> Result<told::DrainResponse> {
        let request = told::DrainRequest { timeout_millis: limit.as_millis() as u64 };
        self.call(path::DRAIN, request, limit + Duration::from_secs(10))
    }

    /// Asks where the nodes of a session are; it may be named by the beginning of its handle.
    ///
    /// # Errors
    /// As [`status`](Operator::status); `NotFound` if the task is not the master of such a session.
    pub fn placement(&self, session: &str, limit: Duration) -> Result<told::PlacementResponse> {
        self.call(path::PLACEMENT, told::PlacementRequest { session: session.to_owned() }, limit)
    }

    /// Closes the sessions of the task's clients and empties containers on all tasks, as any master of TensorFlow's protocol does.
    ///
    /// # Errors
    /// `Unavailable` if a task is out of reach; `DeadlineExceeded` if it takes too long.
    pub fn reset(&self, containers: Vec<String>, limit: Duration) -> Result<()> {
        let request = wire::ResetRequest { container: containers, ..Default::default() };
        self.call::<_, wire::ResetResponse>(master::RESET, request, limit).map(drop)
    }

    fn call<Req, Resp>(&self, path: &'static str, request: Req, limit: Duration) -> Result<Resp>
    where
        Req: prost::Message + Clone + 'static,
        Resp: prost::Message + Default + 'static,
    {
        let channel = self.channel.clone();
        let late =
            || err!(DeadlineExceeded, "{} at {} did not answer within {limit:?}", channel.who(), channel.address());
        let asked = channel.clone();
        wait(None, async move { Ok(tokio::time::timeout(limit, asked.call_once(path, request)).await.ok()) })?
            .unwrap_or_else(|| Err(late()))
    }
}
