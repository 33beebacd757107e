//! A master as a client sees it, wherever it is.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use graph::op::Cancellation;
use tensor::{Code, Result, Status, ensure, err};
use wire::services::master as path;
use wire::services::worker::GET_STATUS;

use super::Transport;
use super::gate::address_of;
use super::grpc::{GrpcChannel, unless_cancelled};
use super::in_process;
use super::link::Link;
use super::remote::{Remote, Route};
use crate::call::messages::step_to_proto;
use crate::call::{Answer, GraphVersion, NewSession, SessionHandle, StepAnswer, StepRequest};
use crate::trust::{Keys, Security};

/// A server keeps the time of a step itself, and says more; so much longer is its answer waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// A master at a target. All its calls wait without a runtime on the calling thread, so that they work from anywhere.
pub(crate) struct MasterPeer {
    remote: Arc<Remote>,
    /// The target, if steps are plain calls of a master in this process.
    here: Option<String>,
}

impl MasterPeer {
    /// Names the master at a target, such as `grpc://host:2222`. Nothing is connected yet.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed target, or a token or certificates that cannot be used.
    pub fn new(target: &str, transport: Transport, security: &Security) -> Result<MasterPeer> {
        let address = address_of(target)?;
        let here = transport == Transport::Auto && in_process::find(target).is_some();
        let _inside = client_runtime()?.enter();
        let keys = Arc::new(Keys::new(security)?);
        let remote = Remote::new(None, &format!("the server {target}"), address, transport, &keys)?;
        Ok(MasterPeer { remote: Arc::new(remote), here: here.then(|| target.to_owned()) })
    }

    /// Opens a session; finds out whether steps can go over a link.
    ///
    /// # Errors
    /// `InvalidArgument` for a graph that cannot be placed; `Unavailable` if the server is out of reach.
    pub fn create_session(
        &self,
        target: &str,
        new: NewSession,
        timeout: Option<Duration>,
    ) -> Result<(SessionHandle, GraphVersion)> {
        let request = wire::CreateSessionRequest {
            graph_def: Some(new.graph),
            config: Some(new.config),
            target: target.to_owned(),
        };
        let remote = self.remote.clone();
        let response = wait(timeout, async move {
            let response: wire::CreateSessionResponse = remote.grpc().call(path::CREATE_SESSION, request).await?;
            if remote.may_link() {
                match remote.grpc().call(GET_STATUS, wire::GetStatusRequest::default()).await {
                    Ok(wire::GetStatusResponse { device_attributes }) => remote.learn(&device_attributes),
                    // A gateway, through which no links go.
                    Err(status) if status.code() == Code::Unimplemented => {}
                    Err(status) => return Err(status),
                }
            }
            Ok(response)
        })?;
        Ok((response.session_handle.into(), GraphVersion(response.graph_version)))
    }

    /// Adds nodes to a session's graph.
    ///
    /// # Errors
    /// `Aborted` if `version` is not the master's; as [`create_session`](MasterPeer::create_session).
    pub fn extend_session(
        &self,
        session: &SessionHandle,
        nodes: wire::GraphDef,
        version: GraphVersion,
        timeout: Option<Duration>,
    ) -> Result<GraphVersion> {
        let request = wire::ExtendSessionRequest {
            session_handle: session.as_str().to_owned(),
            graph_def: Some(nodes),
            current_graph_version: version.0,
        };
        let remote = self.remote.clone();
        let call = async move { remote.grpc().call(path::EXTEND_SESSION, request).await };
        let response: wire::ExtendSessionResponse = wait(timeout, call)?;
        Ok(GraphVersion(response.new_graph_version))
    }

    /// Runs a step and waits for it.
    ///
    /// # Errors
    /// What the step failed with; `Unavailable` if the server is out of reach; `DeadlineExceeded` after `timeout`, which
    /// holds for a step that states no limit of its own.
    pub fn run_step(
        &self,
        session: &SessionHandle,
        request: StepRequest,
        timeout: Option<Duration>,
        cancellation: Option<&Cancellation>,
    ) -> Result<StepAnswer> {
        let expected = request.fetches.len();
        let timeout = request.options.timeout.or(timeout);
        let answer = match (&self.here, self.remote.route()) {
            (Some(target), _) => run_here(target, session, request, timeout, cancellation)?,
            (None, Route::Link(link)) => run_over_link(link, session, request, timeout, cancellation)?,
            (None, Route::Grpc(channel)) => run_over_grpc(channel, session, request, timeout, cancellation)?,
        };
        let given = answer.tensors.len();
        ensure!(given == expected, Internal, "the server returned {given} tensors instead of {expected}");
        Ok(answer)
    }

    /// Closes a session.
    ///
    /// # Errors
    /// `Unavailable` if the server is out of reach; `Aborted` if it has forgotten the session.
    pub fn close_session(&self, session: &SessionHandle, timeout: Option<Duration>) -> Result<()> {
        let (remote, session) = (self.remote.clone(), session.clone());
        wait(timeout, async move { remote.grpc().close_session(&session).await })
    }

    /// Closes a session, without waiting for it.
    pub fn close_session_later(&self, session: &SessionHandle) {
        let (remote, session) = (self.remote.clone(), session.clone());
        if let Ok(runtime) = client_runtime() {
            runtime.spawn(async move { remote.grpc().close_session(&session).await });
        }
    }

    /// Closes all sessions of the master and empties these containers (the default ones, if none is named) on all tasks.
    ///
    /// # Errors
    /// `Unavailable` if the server is out of reach.
    pub fn reset(&self, containers: &[String]) -> Result<()> {
        let request = wire::ResetRequest { container: containers.to_vec(), ..Default::default() };
        let remote = self.remote.clone();
        let _: wire::ResetResponse = wait(None, async move { remote.grpc().call(path::RESET, request).await })?;
        Ok(())
    }

    /// Returns the names of the devices of all tasks.
    ///
    /// # Errors
    /// `Unavailable` if the server or a task is out of reach.
    pub fn devices(&self) -> Result<Vec<String>> {
        let remote = self.remote.clone();
        let request = wire::ListDevicesRequest::default();
        let answer: wire::ListDevicesResponse =
            wait(None, async move { remote.grpc().call(path::LIST_DEVICES, request).await })?;
        Ok(answer.local_device.into_iter().chain(answer.remote_device).map(|device| device.name).collect())
    }
}

/// Runs a step on a master in this process, without a connection in between.
fn run_here(
    target: &str,
    session: &SessionHandle,
    mut request: StepRequest,
    timeout: Option<Duration>,
    cancellation: Option<&Cancellation>,
) -> Result<StepAnswer> {
    // A thread that has to be back in time only waits.
    (request.options.timeout, request.options.on_this_thread) = (timeout, timeout.is_none());
    let master = in_process::find(target).ok_or_else(|| err!(Unavailable, "the server {target} has stopped"))?;
    let (send, outcome) = sync_channel(1);
    let own = Cancellation::new();
    let outside = cancellation.map(|outside| {
        let own = own.clone();
        outside.on_cancel(move |reason| own.cancel(reason.clone()))
    });
    master.run_step(session, request, &own, Answer::new(move |outcome| drop(send.send(outcome))));
    let answer = receive(&outcome, None);
    drop(outside);
    answer.unwrap_or_else(Err)
}

fn run_over_link(
    link: &Arc<Link>,
    session: &SessionHandle,
    request: StepRequest,
    timeout: Option<Duration>,
    cancellation: Option<&Cancellation>,
) -> Result<StepAnswer> {
    let (message, feeds) = step_to_proto(session, request);
    let (send, outcome) = sync_channel(1);
    let id = link.run_step(&message, &feeds, move |outcome| drop(send.send(outcome)));
    let outside = cancellation.map(|outside| {
        let link = link.clone();
        outside.on_cancel(move |reason| link.cancel(id, reason.clone()))
    });
    let answer = receive(&outcome, timeout.map(|limit| limit + PATIENCE));
    drop(outside);
    answer.unwrap_or_else(|status| {
        link.cancel(id, status.clone());
        Err(status)
    })
}

fn run_over_grpc(
    channel: &GrpcChannel,
    session: &SessionHandle,
    request: StepRequest,
    timeout: Option<Duration>,
    cancellation: Option<&Cancellation>,
) -> Result<StepAnswer> {
    let (channel, session, cancellation) = (channel.clone(), session.clone(), cancellation.cloned());
    // Whoever gives up hangs up, and the server cancels the step.
    wait(timeout, async move {
        let step = channel.run_step(&session, request);
        match &cancellation {
            None => step.await,
            Some(cancellation) => unless_cancelled(cancellation, step).await,
        }
    })
}

/// Waits for an outcome; fails with the reason why there is none.
fn receive<R>(outcome: &Receiver<R>, limit: Option<Duration>) -> std::result::Result<R, Status> {
    let broken = || err!(Internal, "the call broke off");
    match limit {
        None => outcome.recv().map_err(|_| broken()),
        Some(limit) => outcome.recv_timeout(limit).map_err(|error| match error {
            RecvTimeoutError::Timeout => err!(DeadlineExceeded, "the server did not answer in time"),
            RecvTimeoutError::Disconnected => broken(),
        }),
    }
}

/// Waits for a call without a runtime on this thread.
pub(super) fn wait<R: Send + 'static>(
    timeout: Option<Duration>,
    call: impl Future<Output = Result<R>> + Send + 'static,
) -> Result<R> {
    let (send, outcome) = sync_channel(1);
    client_runtime()?.spawn(async move {
        let result = match timeout {
            None => call.await,
            Some(limit) => {
                let late = || err!(DeadlineExceeded, "the server did not answer within {limit:?}");
                tokio::time::timeout(limit, call).await.unwrap_or_else(|_| Err(late()))
            }
        };
        let _ = send.send(result);
    });
    receive(&outcome, None).unwrap_or_else(Err)
}

/// The network threads of all clients of this process.
pub(super) fn client_runtime() -> Result<&'static tokio::runtime::Runtime> {
    static RUNTIME: LazyLock<std::io::Result<tokio::runtime::Runtime>> = LazyLock::new(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).thread_name("client").enable_all().build()
    });
    RUNTIME.as_ref().map_err(|error| err!(ResourceExhausted, "cannot start network threads: {error}"))
}
