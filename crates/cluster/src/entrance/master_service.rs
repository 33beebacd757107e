//! `MasterService`: what clients call.

use graph::op::Cancellation;
use tensor::proto::from_proto;
use tensor::{Result, ensure, err};
use tokio::sync::oneshot;
use tonic::body::Body;
use wire::services::master as path;

use super::reception::Reception;
use super::service::Methods;
use super::unary::{Response, unary, unimplemented};
use crate::call::messages::{
    callable_answer_to_proto, callable_from_proto, cluster_from_proto, feeds_from_proto, shortened,
    step_answer_to_proto, step_from_proto,
};
use crate::call::{
    Answer, CallableHandle, GraphVersion, NewSession, PartialRunHandle, RequestId, SessionHandle, StepAnswer,
    StepRequest,
};
use crate::master::CancelOnDrop;

/// The methods of `MasterService`.
#[derive(Clone)]
pub(super) struct MasterMethods;

impl Methods for MasterMethods {
    const SERVICE: &'static str = path::SERVICE;

    fn call(request: http::Request<Body>, reception: Reception) -> Response {
        match request.uri().path() {
            path::CREATE_SESSION => unary(request, move |call| create_session(reception, call)),
            path::EXTEND_SESSION => unary(request, move |call| extend_session(reception, call)),
            path::RUN_STEP => unary(request, move |call| run_step(reception, call)),
            path::PARTIAL_RUN_SETUP => unary(request, move |call| set_up_partial_run(reception, call)),
            path::MAKE_CALLABLE => unary(request, move |call| make_callable(reception, call)),
            path::RUN_CALLABLE => unary(request, move |call| run_callable(reception, call)),
            path::RELEASE_CALLABLE => unary(request, move |call: wire::ReleaseCallableRequest| async move {
                reception.master_session(&call.session_handle.into())?.release_callable(CallableHandle(call.handle))?;
                Ok(wire::ReleaseCallableResponse {})
            }),
            path::CLOSE_SESSION => unary(request, move |call: wire::CloseSessionRequest| async move {
                reception.master.close_session(&call.session_handle.into()).await?;
                Ok(wire::CloseSessionResponse {})
            }),
            path::LIST_DEVICES => unary(request, move |call: wire::ListDevicesRequest| async move {
                let session = Some(SessionHandle::from(call.session_handle)).filter(|session| !session.is_empty());
                let local_device = reception.master.list_devices(session.as_ref()).await?;
                Ok(wire::ListDevicesResponse { local_device, remote_device: Vec::new() })
            }),
            path::RESET => unary(request, move |call: wire::ResetRequest| async move {
                reset(&reception, &call).await?;
                Ok(wire::ResetResponse {})
            }),
            other => unimplemented(other),
        }
    }
}

/// Operators close all sessions, as TensorFlow does. A client empties the containers that it names and closes no session.
async fn reset(reception: &Reception, call: &wire::ResetRequest) -> Result<()> {
    if !reception.role.may_wipe() {
        ensure!(
            !call.container.is_empty() && call.container.iter().all(|name| !name.is_empty()),
            PermissionDenied,
            "emptying the container that all share, and closing the sessions of others, takes the certificate of an \
             operator; a client may reset containers by their names"
        );
        return reception.master.clear_containers(&call.container, &call.device_filters).await;
    }
    reception.master.reset(&call.container, &call.device_filters).await
}

async fn create_session(reception: Reception, call: wire::CreateSessionRequest) -> Result<wire::CreateSessionResponse> {
    let config = call.config.unwrap_or_default();
    let cluster = config.cluster_def.as_ref().filter(|cluster| !cluster.job.is_empty());
    let cluster = cluster.map(cluster_from_proto).transpose()?;
    let new = NewSession { graph: call.graph_def.unwrap_or_default(), config };
    let created = reception.master.create_session(new, cluster, &call.target).await?;
    reception.master_session(created.handle())?;
    Ok(wire::CreateSessionResponse {
        session_handle: created.handle().as_str().to_owned(),
        graph_version: GraphVersion::default().0,
    })
}

async fn extend_session(reception: Reception, call: wire::ExtendSessionRequest) -> Result<wire::ExtendSessionResponse> {
    let session = reception.master_session(&call.session_handle.into())?;
    let version = GraphVersion(call.current_graph_version);
    let version = session.extend(call.graph_def.unwrap_or_default(), version).await?;
    Ok(wire::ExtendSessionResponse { new_graph_version: version.0 })
}

/// Errors of a step travel in the body if the client asked for it: it repeats calls that fail outside of the body.
async fn run_step(reception: Reception, call: wire::RunStepRequest) -> Result<wire::RunStepResponse> {
    let in_body = call.store_errors_in_response_body;
    match answer_step(reception, call).await {
        Err(status) if in_body => Ok(wire::RunStepResponse {
            status_code: status.code().number(),
            status_error_message: shortened(&status.wire_message()),
            ..Default::default()
        }),
        other => other,
    }
}

async fn answer_step(reception: Reception, mut call: wire::RunStepRequest) -> Result<wire::RunStepResponse> {
    let session = SessionHandle::from(std::mem::take(&mut call.session_handle));
    let partial = PartialRunHandle::from(std::mem::take(&mut call.partial_run_handle));
    let (id, names) = (RequestId(call.request_id), call.fetch.clone());
    let feeds = feeds_from_proto(&call.feed)?;
    let request = step_from_proto(call, feeds);
    let cancellation = Cancellation::new();
    let guard = CancelOnDrop(Some(cancellation.clone()));
    let outcome = if partial.as_str().is_empty() {
        answered(|answer| reception.run_step(&session, id, request, &cancellation, || answer)).await
    } else {
        run_partially(&reception, &session, id, &partial, request, &cancellation).await
    };
    guard.disarm();
    step_answer_to_proto(names, &outcome?)
}

async fn run_partially(
    reception: &Reception,
    session: &SessionHandle,
    id: RequestId,
    partial: &PartialRunHandle,
    request: StepRequest,
    cancellation: &Cancellation,
) -> Result<StepAnswer> {
    let session = reception.master_session(session)?;
    reception.master.recent.check("RunStep (Master)", id)?;
    let limit = request.options.timeout.or(session.operation_timeout);
    let step = session.run_partially(partial, request, cancellation);
    let Some(limit) = limit else { return step.await };
    let late = |_| Err(err!(DeadlineExceeded, "the step did not end within {} ms", limit.as_millis()));
    tokio::time::timeout(limit, step).await.unwrap_or_else(late)
}

async fn set_up_partial_run(
    reception: Reception,
    call: wire::PartialRunSetupRequest,
) -> Result<wire::PartialRunSetupResponse> {
    reception.master.recent.check("PartialRunSetup (Master)", RequestId(call.request_id))?;
    let session = reception.master_session(&call.session_handle.into())?;
    let handle = session.set_up_partial_run(call.feed, call.fetch, call.target).await?;
    Ok(wire::PartialRunSetupResponse { partial_run_handle: handle.into() })
}

async fn make_callable(reception: Reception, call: wire::MakeCallableRequest) -> Result<wire::MakeCallableResponse> {
    reception.master.recent.check("MakeCallable (Master)", RequestId(call.request_id))?;
    let session = reception.master_session(&call.session_handle.into())?;
    let handle = session.make_callable(callable_from_proto(call.options.unwrap_or_default())?).await?;
    Ok(wire::MakeCallableResponse { handle: handle.0 })
}

async fn run_callable(reception: Reception, call: wire::RunCallableRequest) -> Result<wire::RunCallableResponse> {
    reception.master.recent.check("RunCallable (Master)", RequestId(call.request_id))?;
    let session = reception.master_session(&call.session_handle.into())?;
    let callable = session.callable(CallableHandle(call.handle))?;
    let request = callable.step(call.feed.iter().map(from_proto).collect::<Result<_>>()?)?;
    let cancellation = Cancellation::new();
    let guard = CancelOnDrop(Some(cancellation.clone()));
    let outcome = answered(|answer| {
        session.run_within(request, &cancellation, answer);
        Ok(())
    })
    .await;
    guard.disarm();
    callable_answer_to_proto(&outcome?)
}

/// Starts a step and waits for its answer.
pub(super) async fn answered(start: impl FnOnce(Answer) -> Result<()>) -> Result<StepAnswer> {
    let (send, outcome) = oneshot::channel();
    start(Answer::new(move |outcome| drop(send.send(outcome))))?;
    outcome.await.unwrap_or_else(|_| Err(err!(Internal, "the step ended without an answer")))
}
