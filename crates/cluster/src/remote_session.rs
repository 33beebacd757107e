//! A session on a server: graph and steps go there, values come back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use graph::op::Cancellation;
use graph::{Graph, GraphData, graph_to_proto, node_to_proto};
use parking_lot::Mutex;
use prost::Message;
use runtime::{RunOptions, RunRequest, RunResult, Session};
use tensor::proto::{from_proto, to_proto};
use tensor::{Code, Result, Status, Tensor, ensure, err};
use wire::services::master as path;
use wire::services::worker::GET_STATUS;

use crate::Transport;
use crate::in_process;
use crate::link::{Method, run_graph_answer};
use crate::master::{StepOptions, StepRequest};
use crate::random::random_id;
use crate::rpc::{Peer, check_fits, stats_from_proto};
use crate::worker::MARKER;

#[derive(Clone, Debug, Default)]
pub struct RemoteOptions {
    /// Where a kind of device does not exist, take one that does.
    pub soft_placement: bool,
    pub log_placement: bool,
    /// Only tasks that match one of these (and the server itself) take part; empty means all.
    pub device_filters: Vec<String>,
    /// Share no variables or queues with other sessions.
    pub isolate: bool,
    /// The timeout of calls that have none of their own.
    pub operation_timeout: Option<Duration>,
    pub transport: Transport,
}

/// How steps reach the master.
enum Route {
    /// It is in this process; here is its target.
    Here(String),
    Link,
    Grpc,
}

/// A session on the master at `grpc://host:port`. It may be used from many threads, also inside a tokio runtime.
pub struct RemoteSession {
    master: Arc<Peer>,
    handle: String,
    source: Option<Graph>,
    /// How many nodes the server knows, and its version of the graph.
    known: Mutex<(usize, i64)>,
    timeout: Option<Duration>,
    route: Route,
    closed: AtomicBool,
}

impl RemoteSession {
    /// Opens a session on a graph; nodes added later are taken along.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed target or a graph that cannot be placed; `Unavailable` if the server is out of
    /// reach; the graph's first mistake.
    pub fn new(target: &str, graph: &Graph, options: RemoteOptions) -> Result<RemoteSession> {
        let mut session = RemoteSession::from_data(target, &graph.snapshot()?, options)?;
        session.source = Some(graph.clone());
        Ok(session)
    }

    /// Opens a session on a finished graph.
    ///
    /// # Errors
    /// As [`new`](RemoteSession::new).
    pub fn from_data(target: &str, graph: &GraphData, options: RemoteOptions) -> Result<RemoteSession> {
        let address = address_of(target)?;
        let config = wire::ConfigProto {
            allow_soft_placement: options.soft_placement,
            log_device_placement: options.log_placement,
            device_filters: options.device_filters,
            isolate_session_state: options.isolate,
            operation_timeout_in_ms: options.operation_timeout.map_or(0, |timeout| timeout.as_millis() as i64),
            ..Default::default()
        };
        let request = wire::CreateSessionRequest {
            graph_def: Some(graph_to_proto(graph)?),
            config: Some(config),
            target: target.to_owned(),
        };
        // A lazy channel must be made inside the runtime that drives it.
        let (name, address) = (format!("the server {target}"), address.to_owned());
        let may_link = options.transport != Transport::Grpc;
        let here = options.transport == Transport::Auto && in_process::find(target).is_some();
        let (master, response, linked) = wait(options.operation_timeout, async move {
            let master = Arc::new(Peer::new("", name, address)?);
            let response: wire::CreateSessionResponse = master.call(path::CREATE_SESSION, request).await?;
            Ok((master.clone(), response, may_link && is_ours(&master).await?))
        })?;
        Ok(RemoteSession {
            master,
            handle: response.session_handle,
            source: None,
            known: Mutex::new((graph.len(), response.graph_version)),
            timeout: options.operation_timeout,
            route: match linked {
                _ if here => Route::Here(target.to_owned()),
                true => Route::Link,
                false => Route::Grpc,
            },
            closed: AtomicBool::new(false),
        })
    }

    /// Closes all sessions of a server and empties these containers (the default ones, if none is named) on all tasks.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed target; `Unavailable` if the server is out of reach.
    pub fn reset(target: &str, containers: &[String]) -> Result<()> {
        let address = address_of(target)?.to_owned();
        let request = wire::ResetRequest { container: containers.to_vec(), ..Default::default() };
        let name = format!("the server {target}");
        wait(None, async move {
            let _: wire::ResetResponse = Peer::new("", name, address)?.call(path::RESET, request).await?;
            Ok(())
        })
    }

    fn call<Req, Resp>(&self, path: &'static str, request: Req, timeout: Option<Duration>) -> Result<Resp>
    where
        Req: prost::Message + Clone + 'static,
        Resp: prost::Message + Default + 'static,
    {
        let master = self.master.clone();
        wait(timeout.or(self.timeout), async move { master.call(path, request).await })
    }

    /// Runs a step on a master in this process, without a connection in between.
    fn run_here(&self, target: &str, request: RunRequest) -> Result<RunResult> {
        let stopped = || err!(Unavailable, "the server {target} has stopped");
        let session = in_process::find(target).ok_or_else(stopped)?.session(&self.handle)?;
        let (send, outcome) = std::sync::mpsc::sync_channel(1);
        let cancellation = Cancellation::new();
        let outside = request.options.cancellation.as_ref().map(|outside| {
            let cancellation = cancellation.clone();
            outside.on_cancel(move |reason| cancellation.cancel(reason.clone()))
        });
        let step = StepRequest {
            feeds: request.feeds,
            fetches: request.fetches,
            targets: request.targets,
            options: StepOptions { trace: request.options.trace, graphs: false },
        };
        let limit = request.options.timeout.or(self.timeout);
        session.run_within(step, limit, &cancellation, Box::new(move |outcome| drop(send.send(outcome))));
        let answer = outcome.recv().unwrap_or_else(|_| Err(stopped()))?;
        drop(outside);
        Ok(RunResult { tensors: answer.tensors, stats: answer.stats })
    }

    fn run_over_link(
        &self,
        message: wire::RunStepRequest,
        feeds: &[(String, Tensor)],
        options: RunOptions,
    ) -> Result<RunResult> {
        let expected = message.fetch.len();
        let feeds: Vec<(&str, &Tensor)> = feeds.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
        let (send, outcome) = std::sync::mpsc::sync_channel(1);
        let done = Box::new(move |answer: Result<_>| drop(send.send(answer.and_then(run_graph_answer))));
        let id = self.master.link().call(Method::RunStep, message.encode_to_vec().into(), &feeds, done);
        let outside = options.cancellation.as_ref().map(|outside| {
            let master = self.master.clone();
            outside.on_cancel(move |reason| master.link().cancel(id, reason.clone()))
        });
        let answer = match options.timeout.or(self.timeout) {
            None => outcome.recv().ok(),
            // The server keeps the time too, and says more; here is only the end of our patience with it.
            Some(limit) => outcome.recv_timeout(limit + Duration::from_millis(500)).ok(),
        };
        drop(outside);
        let answer = answer.unwrap_or_else(|| {
            let status = err!(DeadlineExceeded, "the server did not answer in time");
            self.master.link().cancel(id, status.clone());
            Err(status)
        })?;
        let given = answer.tensors.len();
        ensure!(given == expected, Internal, "the server returned {given} tensors instead of {expected}");
        Ok(RunResult { tensors: answer.tensors, stats: answer.stats.filter(|_| options.trace) })
    }

    /// Hangs up without closing the session, as a process that dies does. The server forgets it in time.
    pub fn leave(mut self) {
        self.closed = AtomicBool::new(true);
    }

    fn follow_source(&self) -> Result<()> {
        let Some(source) = &self.source else { return Ok(()) };
        source.check()?;
        if source.read(GraphData::len) > self.known.lock().0 { self.extend(source.snapshot()?) } else { Ok(()) }
    }
}

impl Session for RemoteSession {
    fn run(&self, request: RunRequest) -> Result<RunResult> {
        request.check()?;
        self.follow_source()?;
        if let Route::Here(target) = &self.route {
            return self.run_here(target, request);
        }
        let mut message = wire::RunStepRequest {
            session_handle: self.handle.clone(),
            fetch: request.fetches.clone(),
            target: request.targets,
            options: Some(wire::RunOptions {
                timeout_in_ms: request.options.timeout.map_or(0, |timeout| timeout.as_millis() as i64),
                trace_level: if request.options.trace { wire::run_options::TraceLevel::FullTrace as i32 } else { 0 },
                ..Default::default()
            }),
            store_errors_in_response_body: true,
            request_id: random_id(),
            ..Default::default()
        };
        if matches!(self.route, Route::Link) {
            return self.run_over_link(message, &request.feeds, request.options);
        }
        check_fits(request.feeds.iter().map(|(_, tensor)| tensor))?;
        for (name, tensor) in &request.feeds {
            message.feed.push(wire::NamedTensorProto { name: name.clone(), tensor: Some(to_proto(tensor)?) });
        }
        let master = self.master.clone();
        let timeout = request.options.timeout.or(self.timeout);
        let step = async move { master.call(path::RUN_STEP, message).await };
        // Who is given up hangs up, and the server cancels the step.
        let response: wire::RunStepResponse = match &request.options.cancellation {
            None => wait(timeout, step),
            Some(cancellation) => {
                let (give_up, given_up) = tokio::sync::oneshot::channel();
                let _outside = cancellation.on_cancel(move |reason| drop(give_up.send(reason.clone())));
                wait(timeout, async move {
                    tokio::select! {
                        response = step => response,
                        Ok(reason) = given_up => Err(reason),
                    }
                })
            }
        }?;
        if response.status_code != 0 {
            return Err(Status::new(Code::from_number(response.status_code), response.status_error_message));
        }
        let mut tensors = Vec::with_capacity(request.fetches.len());
        for name in &request.fetches {
            let named = response.tensor.iter().find(|named| named.name == *name);
            let tensor = named.and_then(|named| named.tensor.as_ref());
            tensors.push(from_proto(tensor.ok_or_else(|| err!(Internal, "the server did not return {name}"))?)?);
        }
        let stats = response.metadata.and_then(|metadata| metadata.step_stats).as_ref().map(stats_from_proto);
        Ok(RunResult { tensors, stats: stats.filter(|_| request.options.trace) })
    }

    fn extend(&self, graph: GraphData) -> Result<()> {
        let mut known = self.known.lock();
        ensure!(
            graph.len() >= known.0,
            InvalidArgument,
            "the extended graph has {} nodes, fewer than the {} before",
            graph.len(),
            known.0
        );
        let mut delta = graph_to_proto(&graph.emptied())?;
        for node in &graph.nodes()[known.0..] {
            delta.node.push(node_to_proto(&graph, node)?);
        }
        let request = wire::ExtendSessionRequest {
            session_handle: self.handle.clone(),
            graph_def: Some(delta),
            current_graph_version: known.1,
        };
        let response: wire::ExtendSessionResponse = self.call(path::EXTEND_SESSION, request, None)?;
        *known = (graph.len(), response.new_graph_version);
        Ok(())
    }

    fn close(&self) -> Result<()> {
        self.closed.store(true, Ordering::Relaxed);
        let request = wire::CloseSessionRequest { session_handle: self.handle.clone() };
        let _: wire::CloseSessionResponse = self.call(path::CLOSE_SESSION, request, Some(Duration::from_secs(10)))?;
        Ok(())
    }
}

impl Drop for RemoteSession {
    /// Closes the session, without waiting for it.
    fn drop(&mut self) {
        if self.closed.load(Ordering::Relaxed) {
            return;
        }
        let (master, request) =
            (self.master.clone(), wire::CloseSessionRequest { session_handle: self.handle.clone() });
        if let Ok(runtime) = client_runtime() {
            runtime.spawn(async move {
                let _: Result<wire::CloseSessionResponse> = master.call(path::CLOSE_SESSION, request).await;
            });
        }
    }
}

fn address_of(target: &str) -> Result<&str> {
    target
        .strip_prefix("grpc://")
        .ok_or_else(|| err!(InvalidArgument, "'{target}' is not a target of the form grpc://host:port"))
}

/// Whether a server is one of ours that can be linked.
async fn is_ours(server: &Peer) -> Result<bool> {
    let status: wire::GetStatusResponse = server.call(GET_STATUS, wire::GetStatusRequest::default()).await?;
    Ok(status.device_attributes.iter().any(|device| device.physical_device_desc == MARKER))
}

/// Waits for a call without a runtime on this thread, so that it works from anywhere.
fn wait<R: Send + 'static>(
    timeout: Option<Duration>,
    call: impl Future<Output = Result<R>> + Send + 'static,
) -> Result<R> {
    let (send, outcome) = std::sync::mpsc::sync_channel(1);
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
    outcome.recv().unwrap_or_else(|_| Err(err!(Internal, "the call broke off")))
}

/// The network threads of all sessions of this process.
fn client_runtime() -> Result<&'static tokio::runtime::Runtime> {
    static RUNTIME: LazyLock<std::io::Result<tokio::runtime::Runtime>> = LazyLock::new(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).thread_name("client").enable_all().build()
    });
    RUNTIME.as_ref().map_err(|error| err!(ResourceExhausted, "cannot start network threads: {error}"))
}
