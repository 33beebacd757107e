//! `WorkerService`: what masters call, and workers in need of a tensor.

use std::sync::Arc;
use std::task::{Context, Poll};

use graph::op::{Cancellation, Parcel, RendezvousKey};
use graph::{GraphData, ImportOptions, graph_from_proto};
use tensor::proto::{from_proto, to_proto};
use tensor::{Result, err};
use tokio::sync::oneshot;
use tonic::body::Body;
use tonic::server::NamedService;
use wire::services::worker as path;

use super::check_fits;
use super::cluster::cluster_from_proto;
use super::stats::stats_to_proto;
use super::status::shortened;
use super::unary::{Answer, unary, unimplemented};
use crate::connection::Connection;
use crate::peers::Peers;
use crate::worker::{PartialCall, StepAnswer, StepCall, Worker};

/// Routes `WorkerService` calls to a [`Worker`].
#[derive(Clone)]
pub(crate) struct WorkerService(pub Arc<Worker>);

impl NamedService for WorkerService {
    const NAME: &'static str = path::SERVICE;
}

impl tonic::codegen::Service<http::Request<Body>> for WorkerService {
    type Response = http::Response<Body>;
    type Error = std::convert::Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::result::Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Answer {
        let worker = self.0.clone();
        let connection = request.extensions().get::<Connection>().cloned().unwrap_or_default();
        match request.uri().path() {
            path::GET_STATUS => unary(request, move |_: wire::GetStatusRequest| async move {
                Ok(wire::GetStatusResponse { device_attributes: worker.device_attributes() })
            }),
            path::CREATE_WORKER_SESSION => unary(request, move |call: wire::CreateWorkerSessionRequest| async move {
                let server = call.server_def.unwrap_or_default();
                let peers = match server.cluster.filter(|cluster| !cluster.job.is_empty()) {
                    None => None,
                    Some(cluster) => {
                        let task = u32::try_from(server.task_index)
                            .map_err(|_| err!(InvalidArgument, "{} is not a task number", server.task_index))?;
                        let cluster = cluster_from_proto(&cluster)?;
                        Some(Arc::new(Peers::by_client(&cluster, &server.job_name, task)?))
                    }
                };
                worker.create_session(&call.session_handle, call.isolate_session_state, peers)?.used_by(&connection);
                Ok(wire::CreateWorkerSessionResponse {})
            }),
            path::DELETE_WORKER_SESSION => unary(request, move |call: wire::DeleteWorkerSessionRequest| async move {
                worker.delete_session(&call.session_handle);
                Ok(wire::DeleteWorkerSessionResponse {})
            }),
            path::REGISTER_GRAPH => unary(request, move |call| register_graph(worker, connection, call)),
            path::DEREGISTER_GRAPH => unary(request, move |call: wire::DeregisterGraphRequest| async move {
                worker.deregister_graph(&call.session_handle, &call.graph_handle)?;
                Ok(wire::DeregisterGraphResponse {})
            }),
            path::RUN_GRAPH => unary(request, move |call| run_graph(worker, connection, call)),
            path::CLEANUP_GRAPH => unary(request, move |call: wire::CleanupGraphRequest| async move {
                worker.clean_up(call.step_id);
                Ok(wire::CleanupGraphResponse {})
            }),
            path::CLEANUP_ALL => unary(request, move |call: wire::CleanupAllRequest| async move {
                worker.clear_containers(&call.container);
                Ok(wire::CleanupAllResponse {})
            }),
            path::RECV_TENSOR => unary(request, move |call: wire::RecvTensorRequest| async move {
                worker.recent.check("RecvTensor (Worker)", call.request_id)?;
                let parcel = worker.recv_tensor(call.step_id, &call.rendezvous_key).await?;
                Ok(match parcel {
                    Parcel::Dead => wire::RecvTensorResponse { is_dead: true, ..Default::default() },
                    Parcel::Tensor(tensor) => {
                        check_fits([&tensor])?;
                        wire::RecvTensorResponse { tensor: Some(to_proto(&tensor)?), ..Default::default() }
                    }
                })
            }),
            path::MARK_RECV_FINISHED => {
                unary(request, |_: wire::MarkRecvFinishedRequest| async { Ok(wire::MarkRecvFinishedResponse {}) })
            }
            path::LOGGING => unary(request, |_: wire::LoggingRequest| async { Ok(wire::LoggingResponse::default()) }),
            other => unimplemented(other),
        }
    }
}

async fn register_graph(
    worker: Arc<Worker>,
    connection: Connection,
    call: wire::RegisterGraphRequest,
) -> Result<wire::RegisterGraphResponse> {
    worker.session(&call.session_handle)?.used_by(&connection);
    let (send, outcome) = oneshot::channel();
    let pool = worker.kernels.clone();
    pool.spawn(move || {
        let work = || {
            let mut graph = GraphData::default();
            let options = ImportOptions { allow_internal_ops: true, ..Default::default() };
            graph_from_proto(&mut graph, call.graph_def.unwrap_or_default(), worker.registry(), options)?;
            worker.register_graph(&call.session_handle, &graph, &[])
        };
        drop(send.send(work()));
    });
    let graph_handle = outcome.await.unwrap_or_else(|_| Err(err!(Internal, "registering failed without an answer")))?;
    Ok(wire::RegisterGraphResponse { graph_handle })
}

/// Errors of a step travel in the body if the master asked for it.
async fn run_graph(
    worker: Arc<Worker>,
    connection: Connection,
    call: wire::RunGraphRequest,
) -> Result<wire::RunGraphResponse> {
    let in_body = call.store_errors_in_response_body;
    match answer_run(worker, connection, call).await {
        Err(status) if in_body => Ok(wire::RunGraphResponse {
            status_code: status.code().number(),
            status_error_message: shortened(&status.wire_message()),
            ..Default::default()
        }),
        other => other,
    }
}

async fn answer_run(
    worker: Arc<Worker>,
    connection: Connection,
    call: wire::RunGraphRequest,
) -> Result<wire::RunGraphResponse> {
    worker.recent.check("RunGraph (Worker)", call.request_id)?;
    worker.session(&call.session_handle)?.used_by(&connection);
    let mut sends = Vec::with_capacity(call.send.len());
    for named in &call.send {
        let tensor = from_proto(
            named.tensor.as_ref().ok_or_else(|| err!(InvalidArgument, "{} was sent without a value", named.name))?,
        )?;
        sends.push((RendezvousKey::parse(&named.name)?, tensor));
    }
    let receives = call.recv_key.iter().map(|key| RendezvousKey::parse(key)).collect::<Result<_>>()?;
    let options = call.exec_opts.unwrap_or_default();
    let partial =
        call.is_partial.then_some(if call.is_last_partial_run { PartialCall::Last } else { PartialCall::NotLast });
    let step = StepCall {
        id: call.step_id,
        sends,
        receives,
        trace: options.record_timeline,
        graphs: options.record_partition_graphs,
        partial,
    };
    let names = call.recv_key.clone();
    let cancellation = Cancellation::new();
    let guard = CallOffOnDrop { worker: worker.clone(), step: step.id, cancellation: Some(cancellation.clone()) };
    let (send, outcome) = oneshot::channel();
    let answer = Box::new(move |outcome| drop(send.send(outcome)));
    worker.run_graph(&call.session_handle, &call.graph_handle, step, &cancellation, answer);
    let outcome: Result<StepAnswer> =
        outcome.await.unwrap_or_else(|_| Err(err!(Internal, "the step ended without an answer")));
    guard.disarm();
    let answer = outcome?;
    let mut response = wire::RunGraphResponse {
        step_stats: answer.stats.as_ref().map(stats_to_proto),
        partition_graph: answer.graphs,
        ..Default::default()
    };
    check_fits(&answer.tensors)?;
    for (name, tensor) in names.into_iter().zip(&answer.tensors) {
        response.recv.push(wire::NamedTensorProto { name, tensor: Some(to_proto(tensor)?) });
    }
    Ok(response)
}

/// Calls a step off when its master hangs up: it is over then, and nobody else may be left to clean it up.
struct CallOffOnDrop {
    worker: Arc<Worker>,
    step: i64,
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
