//! `MasterService`: what clients call.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use graph::op::Cancellation;
use tensor::proto::{from_proto, to_proto};
use tensor::{Result, Tensor, ensure, err};
use tokio::sync::oneshot;
use tonic::body::Body;
use tonic::server::NamedService;
use wire::run_options::TraceLevel;
use wire::services::master as path;

use super::check_fits;
use super::cluster::cluster_from_proto;
use super::stats::stats_to_proto;
use super::status::shortened;
use super::unary::{Answer, unary, unimplemented};
use crate::connection::Connection;
use crate::master::{Callable, CancelOnDrop, Master, MasterSession, StepOptions, StepRequest};
use crate::worker::StepAnswer;

/// Routes `MasterService` calls to a [`Master`].
#[derive(Clone)]
pub(crate) struct MasterService(pub Arc<Master>);

impl NamedService for MasterService {
    const NAME: &'static str = path::SERVICE;
}

impl tonic::codegen::Service<http::Request<Body>> for MasterService {
    type Response = http::Response<Body>;
    type Error = std::convert::Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::result::Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Answer {
        let master = self.0.clone();
        let connection = request.extensions().get::<Connection>().cloned().unwrap_or_default();
        // A session lives as long as a connection that has used it, and a while longer.
        let session = move |master: &Master, handle: &str| -> Result<Arc<MasterSession>> {
            let session = master.session(handle)?;
            session.lease.used_by(&connection);
            Ok(session)
        };
        match request.uri().path() {
            path::CREATE_SESSION => unary(request, move |call: wire::CreateSessionRequest| async move {
                let config = call.config.unwrap_or_default();
                let cluster = config.cluster_def.as_ref().filter(|cluster| !cluster.job.is_empty());
                let cluster = cluster.map(cluster_from_proto).transpose()?;
                let graph = call.graph_def.unwrap_or_default();
                let created = master.create_session(graph, config, cluster, &call.target).await?;
                session(&master, created.handle())?;
                Ok(wire::CreateSessionResponse { session_handle: created.handle().to_owned(), graph_version: 0 })
            }),
            path::EXTEND_SESSION => unary(request, move |call: wire::ExtendSessionRequest| async move {
                let session = session(&master, &call.session_handle)?;
                let version = session.extend(call.graph_def.unwrap_or_default(), call.current_graph_version).await?;
                Ok(wire::ExtendSessionResponse { new_graph_version: version })
            }),
            path::RUN_STEP => unary(request, move |call: wire::RunStepRequest| async move {
                let in_body = call.store_errors_in_response_body;
                let session = session(&master, &call.session_handle);
                match async { run_step(&master, session?, call).await }.await {
                    // Clients repeat calls that fail outside of the body.
                    Err(status) if in_body => Ok(wire::RunStepResponse {
                        status_code: status.code().number(),
                        status_error_message: shortened(&status.wire_message()),
                        ..Default::default()
                    }),
                    other => other,
                }
            }),
            path::PARTIAL_RUN_SETUP => unary(request, move |call: wire::PartialRunSetupRequest| async move {
                master.recent.check("PartialRunSetup (Master)", call.request_id)?;
                let session = session(&master, &call.session_handle)?;
                let partial_run_handle = session.set_up_partial_run(call.feed, call.fetch, call.target).await?;
                Ok(wire::PartialRunSetupResponse { partial_run_handle })
            }),
            path::MAKE_CALLABLE => unary(request, move |call: wire::MakeCallableRequest| async move {
                master.recent.check("MakeCallable (Master)", call.request_id)?;
                let session = session(&master, &call.session_handle)?;
                let handle = session.make_callable(callable(call.options.unwrap_or_default())?).await?;
                Ok(wire::MakeCallableResponse { handle })
            }),
            path::RUN_CALLABLE => unary(request, move |call: wire::RunCallableRequest| async move {
                master.recent.check("RunCallable (Master)", call.request_id)?;
                run_callable(session(&master, &call.session_handle)?, call).await
            }),
            path::RELEASE_CALLABLE => unary(request, move |call: wire::ReleaseCallableRequest| async move {
                session(&master, &call.session_handle)?.release_callable(call.handle)?;
                Ok(wire::ReleaseCallableResponse {})
            }),
            path::CLOSE_SESSION => unary(request, move |call: wire::CloseSessionRequest| async move {
                master.close_session(&call.session_handle).await?;
                Ok(wire::CloseSessionResponse {})
            }),
            path::LIST_DEVICES => unary(request, move |call: wire::ListDevicesRequest| async move {
                Ok(wire::ListDevicesResponse {
                    local_device: master.list_devices(&call.session_handle).await?,
                    remote_device: Vec::new(),
                })
            }),
            path::RESET => unary(request, move |call: wire::ResetRequest| async move {
                master.reset(&call.container, &call.device_filters).await?;
                Ok(wire::ResetResponse {})
            }),
            other => unimplemented(other),
        }
    }
}

async fn run_step(
    master: &Master,
    session: Arc<MasterSession>,
    call: wire::RunStepRequest,
) -> Result<wire::RunStepResponse> {
    master.recent.check("RunStep (Master)", call.request_id)?;
    let mut feeds: Vec<(String, Tensor)> = Vec::with_capacity(call.feed.len());
    for feed in &call.feed {
        let value = from_proto(feed.tensor.as_ref().unwrap_or(&wire::TensorProto::default()))?;
        feeds.push((feed.name.clone(), value));
    }
    let (names, partial) = (call.fetch.clone(), call.partial_run_handle.clone());
    let (request, limit) = step_from_proto(call, feeds);
    let cancellation = Cancellation::new();
    let guard = CancelOnDrop(Some(cancellation.clone()));
    let outcome = match partial.is_empty() {
        true => run_within(&session, request, limit, &cancellation).await,
        false => match limit.or(session.operation_timeout) {
            None => session.run_partially(&partial, request, &cancellation).await,
            Some(limit) => {
                let step = session.run_partially(&partial, request, &cancellation);
                let late = |_| Err(err!(DeadlineExceeded, "the step did not end within {} ms", limit.as_millis()));
                tokio::time::timeout(limit, step).await.unwrap_or_else(late)
            }
        },
    };
    guard.disarm();
    let answer = outcome?;
    let mut response = wire::RunStepResponse { metadata: Some(metadata(&answer)), ..Default::default() };
    check_fits(&answer.tensors)?;
    for (name, tensor) in names.into_iter().zip(&answer.tensors) {
        response.tensor.push(wire::NamedTensorProto { name, tensor: Some(to_proto(tensor)?) });
    }
    Ok(response)
}

fn callable(options: wire::CallableOptions) -> Result<Callable> {
    let plain = options.feed_devices.is_empty() && options.fetch_devices.is_empty();
    ensure!(plain, Unimplemented, "feed and fetch devices of callables are not supported on a server");
    let connected = !options.tensor_connection.is_empty();
    ensure!(!connected, Unimplemented, "tensor connections of callables are not supported on a server");
    let asked = options.run_options.unwrap_or_default();
    Ok(Callable {
        feeds: options.feed,
        fetches: options.fetch,
        targets: options.target,
        options: self::options(&asked),
        timeout_ms: asked.timeout_in_ms,
    })
}

async fn run_callable(
    session: Arc<MasterSession>,
    call: wire::RunCallableRequest,
) -> Result<wire::RunCallableResponse> {
    let callable = session.callable(call.handle)?;
    let feeds = call.feed.iter().map(from_proto).collect::<Result<_>>()?;
    let cancellation = Cancellation::new();
    let guard = CancelOnDrop(Some(cancellation.clone()));
    let outcome = run_within(&session, callable.step(feeds)?, limit(callable.timeout_ms), &cancellation).await;
    guard.disarm();
    let answer = outcome?;
    check_fits(&answer.tensors)?;
    let fetch = answer.tensors.iter().map(to_proto).collect::<Result<_>>()?;
    Ok(wire::RunCallableResponse { fetch, metadata: Some(metadata(&answer)) })
}

async fn run_within(
    session: &Arc<MasterSession>,
    request: StepRequest,
    limit: Option<Duration>,
    cancellation: &Cancellation,
) -> Result<StepAnswer> {
    let (send, outcome) = oneshot::channel();
    session.run_within(request, limit, cancellation, Box::new(move |outcome| drop(send.send(outcome))));
    outcome.await.unwrap_or_else(|_| Err(err!(Internal, "the step ended without an answer")))
}

/// A step as clients ask for it, and its time limit.
pub(crate) fn step_from_proto(
    call: wire::RunStepRequest,
    feeds: Vec<(String, Tensor)>,
) -> (StepRequest, Option<Duration>) {
    let asked = call.options.unwrap_or_default();
    let request = StepRequest { feeds, fetches: call.fetch, targets: call.target, options: options(&asked) };
    (request, limit(asked.timeout_in_ms))
}

fn limit(millis: i64) -> Option<Duration> {
    u64::try_from(millis).ok().filter(|millis| *millis > 0).map(Duration::from_millis)
}

fn options(asked: &wire::RunOptions) -> StepOptions {
    StepOptions { trace: asked.trace_level >= TraceLevel::SoftwareTrace as i32, graphs: asked.output_partition_graphs }
}

fn metadata(answer: &StepAnswer) -> wire::RunMetadata {
    wire::RunMetadata {
        step_stats: answer.stats.as_ref().map(stats_to_proto),
        partition_graphs: answer.graphs.clone(),
        ..Default::default()
    }
}
