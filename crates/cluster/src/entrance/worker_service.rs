//! `WorkerService`: what masters call, and workers in need of a tensor.

use std::sync::Arc;

use graph::op::{Cancellation, RendezvousKey, StepId};
use tensor::{Result, err};
use tokio::sync::oneshot;
use tonic::body::Body;
use wire::services::worker as path;

use super::master_service::answered;
use super::reception::Reception;
use super::service::Methods;
use super::unary::{Response, refused, unary, unimplemented};
use crate::call::messages::{
    buffer_to_proto, graph_answer_to_proto, graph_call_from_proto, new_session_from_proto, parcel_to_proto, shortened,
};
use crate::call::{GraphHandle, GraphTerms, RequestId, SessionHandle, WorkerCalls};
use crate::worker::Worker;

/// The methods of `WorkerService`.
#[derive(Clone)]
pub(super) struct WorkerMethods;

impl Methods for WorkerMethods {
    const SERVICE: &'static str = path::SERVICE;

    fn call(request: http::Request<Body>, reception: Reception) -> Response {
        // Clients ask for the devices, by which they know what kind of server it is.
        if let (false, Err(status)) = (request.uri().path() == path::GET_STATUS, reception.for_tasks()) {
            return refused(&status);
        }
        match request.uri().path() {
            path::GET_STATUS => unary(request, move |_: wire::GetStatusRequest| async move {
                Ok(wire::GetStatusResponse { device_attributes: reception.worker.devices() })
            }),
            path::CREATE_WORKER_SESSION => unary(request, move |call| create_session(reception, call)),
            path::DELETE_WORKER_SESSION => unary(request, move |call: wire::DeleteWorkerSessionRequest| async move {
                reception.worker.delete_session(&call.session_handle.into());
                Ok(wire::DeleteWorkerSessionResponse {})
            }),
            path::REGISTER_GRAPH => unary(request, move |call| register_graph(reception, call)),
            path::DEREGISTER_GRAPH => unary(request, move |call: wire::DeregisterGraphRequest| async move {
                reception.worker.forget_graph(&call.session_handle.into(), &call.graph_handle.into())?;
                Ok(wire::DeregisterGraphResponse {})
            }),
            path::RUN_GRAPH => unary(request, move |call| run_graph(reception, call)),
            path::CLEANUP_GRAPH => unary(request, move |call: wire::CleanupGraphRequest| async move {
                reception.worker.clean_up(StepId(call.step_id));
                Ok(wire::CleanupGraphResponse {})
            }),
            path::CLEANUP_ALL => unary(request, move |call: wire::CleanupAllRequest| async move {
                reception.worker.clear_containers(&call.container);
                Ok(wire::CleanupAllResponse {})
            }),
            path::RECV_TENSOR => unary(request, move |call: wire::RecvTensorRequest| async move {
                reception.worker.recent.check("RecvTensor (Worker)", RequestId(call.request_id))?;
                let key = RendezvousKey::parse(&call.rendezvous_key)?;
                parcel_to_proto(&reception.worker.recv_tensor(StepId(call.step_id), &key).await?)
            }),
            path::COMPLETE_GROUP => unary(request, move |call: wire::CompleteGroupRequest| async move {
                reception.worker.mixed.complete_group(call).await
            }),
            path::COMPLETE_INSTANCE => unary(request, move |call: wire::CompleteInstanceRequest| async move {
                reception.worker.mixed.complete_instance(call).await
            }),
            path::GET_STEP_SEQUENCE => unary(request, move |call: wire::GetStepSequenceRequest| async move {
                reception.worker.mixed.step_sequence(&call)
            }),
            path::RECV_BUF => unary(request, move |call: wire::RecvBufRequest| async move {
                reception.worker.recent.check("RecvBuf (Worker)", RequestId(call.request_id))?;
                buffer_to_proto(&reception.worker.mixed.receive(&call).await?)
            }),
            path::MARK_RECV_FINISHED => {
                unary(request, |_: wire::MarkRecvFinishedRequest| async { Ok(wire::MarkRecvFinishedResponse {}) })
            }
            path::LOGGING => unary(request, |_: wire::LoggingRequest| async { Ok(wire::LoggingResponse::default()) }),
            other => unimplemented(other),
        }
    }
}

async fn create_session(
    reception: Reception,
    call: wire::CreateWorkerSessionRequest,
) -> Result<wire::CreateWorkerSessionResponse> {
    let new = new_session_from_proto(call)?;
    let handle = new.handle.clone();
    reception.worker.create_session(new)?;
    reception.use_worker_session(&handle)?;
    Ok(wire::CreateWorkerSessionResponse {})
}

async fn register_graph(reception: Reception, call: wire::RegisterGraphRequest) -> Result<wire::RegisterGraphResponse> {
    let (send, outcome) = oneshot::channel();
    let graph = call.graph_def.unwrap_or_default();
    let done = move |outcome| drop(send.send(outcome));
    // Whoever names a key runs its part in the same steps.
    let collectives = call.collective_graph_key;
    let terms = GraphTerms { mixed: collectives != 0, collectives, ..GraphTerms::default() };
    reception.register_graph(call.session_handle.into(), terms, move || Ok(graph), done)?;
    let handle: GraphHandle =
        outcome.await.unwrap_or_else(|_| Err(err!(Internal, "registering ended without an answer")))?;
    Ok(wire::RegisterGraphResponse { graph_handle: handle.into() })
}

/// Errors of a step travel in the body if the master asked for it.
async fn run_graph(reception: Reception, call: wire::RunGraphRequest) -> Result<wire::RunGraphResponse> {
    let in_body = call.store_errors_in_response_body;
    match answer_graph(reception, call).await {
        Err(status) if in_body => Ok(wire::RunGraphResponse {
            status_code: status.code().number(),
            status_error_message: shortened(&status.wire_message()),
            ..Default::default()
        }),
        other => other,
    }
}

async fn answer_graph(reception: Reception, mut call: wire::RunGraphRequest) -> Result<wire::RunGraphResponse> {
    reception.worker.recent.check("RunGraph (Worker)", RequestId(call.request_id))?;
    let session = SessionHandle::from(std::mem::take(&mut call.session_handle));
    let graph = GraphHandle::from(std::mem::take(&mut call.graph_handle));
    let step = graph_call_from_proto(&call)?;
    let cancellation = Cancellation::new();
    let guard =
        CallOffOnDrop { worker: reception.worker.clone(), step: step.id, cancellation: Some(cancellation.clone()) };
    let outcome = answered(|answer| reception.run_graph(&session, &graph, step, &cancellation, || answer)).await;
    guard.disarm();
    graph_answer_to_proto(call.recv_key, outcome?)
}

/// Calls a step off when its master hangs up: it is over then, and nobody else may be left to clean it up.
struct CallOffOnDrop {
    worker: Arc<Worker>,
    step: StepId,
    cancellation: Option<Cancellation>,
}

impl CallOffOnDrop {
    fn disarm(mut self) {
        self.cancellation = None;
    }
}

impl Drop for CallOffOnDrop {
    fn drop(&mut self) {
        if let Some(cancellation) = self.cancellation.take() {
            cancellation.cancel(err!(Cancelled, "the master no longer waits for the step"));
            self.worker.clean_up(self.step);
        }
    }
}
