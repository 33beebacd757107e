//! A task as a master sees it: its own by plain calls, our others over links, TensorFlow's by gRPC.

use std::sync::Arc;
use std::time::Duration;

use graph::op::{Cancellation, Registration, RendezvousKey};
use graph::{DeviceName, GraphData, graph_to_proto};
use parking_lot::Mutex;
use prost::Message;
use tensor::proto::{from_proto, to_proto};
use tensor::{Code, Result, Status, Tensor, err};
use tokio::sync::oneshot;
use wire::services::worker as path;

use super::session::MasterSession;
use crate::link::{Method, RunGraphCall, run_graph_answer};
use crate::peers::Peers;
use crate::random::random_id;
use crate::rpc::{Peer, check_fits, cluster_to_proto, stats_from_proto};
use crate::worker::{Answer, PartialCall, StepAnswer, StepCall, Worker};

/// A task that takes part in a session.
#[derive(Clone)]
pub(super) enum Task {
    Own(Arc<Worker>),
    Other(Arc<Peer>),
}

impl Task {
    pub fn name(&self) -> &str {
        match self {
            Task::Own(worker) => worker.task(),
            Task::Other(peer) => peer.name(),
        }
    }

    /// Opens a session of a master, whose view of the cluster is `peers`.
    pub async fn create_session(
        &self,
        handle: &str,
        isolate: bool,
        peers: &Arc<Peers>,
        incarnation: u64,
    ) -> Result<()> {
        match self {
            Task::Own(worker) => {
                worker.create_session(handle, isolate, Some(peers.clone()))?;
                Ok(())
            }
            Task::Other(peer) => {
                let task: DeviceName = peer.name().parse()?;
                let server_def = peers.described_by_client().map(|cluster| wire::ServerDef {
                    cluster: Some(cluster_to_proto(cluster)),
                    job_name: task.job.unwrap_or_default(),
                    task_index: task.task.unwrap_or_default() as i32,
                    protocol: "grpc".to_owned(),
                    ..Default::default()
                });
                let request = wire::CreateWorkerSessionRequest {
                    session_handle: handle.to_owned(),
                    server_def,
                    isolate_session_state: isolate,
                    master_task: peers.own().to_owned(),
                    master_incarnation: incarnation as i64,
                    ..Default::default()
                };
                let _: wire::CreateWorkerSessionResponse = peer.call(path::CREATE_WORKER_SESSION, request).await?;
                Ok(())
            }
        }
    }

    pub async fn delete_session(&self, handle: &str) -> Result<()> {
        match self {
            Task::Own(worker) => worker.delete_session(handle),
            Task::Other(peer) => {
                let request = wire::DeleteWorkerSessionRequest { session_handle: handle.to_owned() };
                let _: wire::DeleteWorkerSessionResponse = peer.call(path::DELETE_WORKER_SESSION, request).await?;
            }
        }
        Ok(())
    }

    /// Registers a graph; between the tasks of `linked` its tensors are pushed.
    pub async fn register_graph(&self, session: &MasterSession, graph: GraphData, linked: &[String]) -> Result<String> {
        let handle = &session.handle;
        match self {
            Task::Own(worker) => worker.register_graph(handle, &graph, linked),
            Task::Other(peer) if session.peers.is_linked(peer) => {
                let (send, outcome) = oneshot::channel();
                peer.link()
                    .register_graph(handle, linked, &graph_to_proto(&graph)?, |outcome| drop(send.send(outcome)));
                outcome.await.unwrap_or_else(|_| Err(err!(Internal, "registering ended without an answer")))
            }
            Task::Other(peer) => {
                let request = wire::RegisterGraphRequest {
                    session_handle: handle.clone(),
                    graph_def: Some(graph_to_proto(&graph)?),
                    create_worker_session_called: true,
                    ..Default::default()
                };
                let response: wire::RegisterGraphResponse = peer.call(path::REGISTER_GRAPH, request).await?;
                Ok(response.graph_handle)
            }
        }
    }

    /// Runs a graph; `done` is called once, soon after cancelling at the latest.
    pub fn run_graph(
        &self,
        session: &MasterSession,
        graph: &str,
        call: StepCall,
        cancellation: &Cancellation,
        done: Answer,
    ) {
        match self {
            Task::Own(worker) => worker.run_graph(&session.handle, graph, call, cancellation, done),
            Task::Other(peer) if session.peers.is_linked(peer) => {
                run_over_link(peer, &session.handle, graph, &call, cancellation, done);
            }
            Task::Other(peer) => {
                let (tell, cancelled) = oneshot::channel();
                let registration = cancellation.on_cancel(move |status| drop(tell.send(status.clone())));
                let (peer, handle, graph) = (peer.clone(), session.handle.clone(), graph.to_owned());
                session.worker.network.spawn(async move {
                    let outcome = tokio::select! {
                        outcome = run_remotely(&peer, &handle, &graph, call) => {
                            outcome.map_err(|status| from_task(&peer, status))
                        }
                        reason = cancelled => Err(reason.unwrap_or_else(|_| err!(Cancelled, "the step was cancelled"))),
                    };
                    drop(registration);
                    done(outcome);
                });
            }
        }
    }

    /// Forgets a step. Nobody waits for it, so a failure is no one's concern: the task forgets by itself in time.
    pub fn clean_up(&self, session: &MasterSession, step: i64) {
        match self {
            Task::Own(worker) => worker.clean_up(step),
            Task::Other(peer) if session.peers.is_linked(peer) => peer.link().clean_up(step),
            Task::Other(peer) => {
                let peer = peer.clone();
                session.worker.network.spawn(async move {
                    // A connection may have dropped while the task lives on, with what the step left there.
                    for pause in [Duration::ZERO, Duration::from_secs(1), Duration::from_secs(4)] {
                        tokio::time::sleep(pause).await;
                        let request = wire::CleanupGraphRequest { step_id: step };
                        let outcome: Result<wire::CleanupGraphResponse> = peer.call(path::CLEANUP_GRAPH, request).await;
                        match outcome {
                            Err(status) if status.code() == Code::Unavailable => {
                                tracing::debug!(task = peer.name(), step, %status, "clean up");
                            }
                            _ => return,
                        }
                    }
                });
            }
        }
    }

    pub async fn clear_containers(&self, containers: &[String]) -> Result<()> {
        match self {
            Task::Own(worker) => worker.clear_containers(containers),
            Task::Other(peer) => {
                let request = wire::CleanupAllRequest { container: containers.to_vec() };
                let _: wire::CleanupAllResponse = peer.call(path::CLEANUP_ALL, request).await?;
            }
        }
        Ok(())
    }
}

fn run_over_link(
    peer: &Arc<Peer>,
    session: &str,
    graph: &str,
    call: &StepCall,
    cancellation: &Cancellation,
    done: Answer,
) {
    let body = RunGraphCall::new(session, graph, call).encode_to_vec().into();
    let tensors: Vec<(&str, &Tensor)> = call.sends.iter().map(|(key, tensor)| (key.as_str(), tensor)).collect();
    // Cancelling is listened to until there is an answer.
    let listening: Arc<Mutex<Option<Registration>>> = Arc::default();
    let (slot, of) = (listening.clone(), peer.clone());
    let answered = Box::new(move |answer: Result<_>| {
        let registration = slot.lock().take();
        drop(registration);
        done(answer.and_then(run_graph_answer).map_err(|status| from_task(&of, status)));
    });
    let id = peer.link().call(Method::RunGraph, body, &tensors, answered);
    let link = peer.link().clone();
    let registration = cancellation.on_cancel(move |status| link.cancel(id, status.clone()));
    *listening.lock() = Some(registration);
}

async fn run_remotely(peer: &Peer, session: &str, graph: &str, call: StepCall) -> Result<StepAnswer> {
    let mut request = wire::RunGraphRequest {
        session_handle: session.to_owned(),
        graph_handle: graph.to_owned(),
        step_id: call.id,
        recv_key: call.receives.iter().map(|key| key.as_str().to_owned()).collect(),
        exec_opts: Some(wire::ExecutorOpts {
            record_timeline: call.trace,
            record_partition_graphs: call.graphs,
            ..Default::default()
        }),
        is_partial: call.partial.is_some(),
        is_last_partial_run: call.partial == Some(PartialCall::Last),
        store_errors_in_response_body: true,
        create_worker_session_called: true,
        request_id: random_id(),
        ..Default::default()
    };
    check_fits(call.sends.iter().map(|(_, tensor)| tensor))?;
    for (key, tensor) in &call.sends {
        request.send.push(wire::NamedTensorProto { name: key.as_str().to_owned(), tensor: Some(to_proto(tensor)?) });
    }
    let response: wire::RunGraphResponse = peer.call(path::RUN_GRAPH, request).await?;
    if response.status_code != 0 {
        return Err(Status::new(Code::from_number(response.status_code), response.status_error_message));
    }
    let find = |key: &RendezvousKey| {
        let named = response.recv.iter().find(|named| named.name == key.as_str());
        let tensor = named.and_then(|named| named.tensor.as_ref());
        from_proto(tensor.ok_or_else(|| err!(Internal, "{} did not return {}", peer.name(), key.name()))?)
    };
    let tensors = call.receives.iter().map(find).collect::<Result<_>>()?;
    let stats = response.step_stats.as_ref().map(stats_from_proto);
    Ok(StepAnswer { tensors, stats, graphs: response.partition_graph })
}

/// Says where an error came from, as TensorFlow's masters do.
fn from_task(peer: &Peer, status: Status) -> Status {
    let message = format!("From {}:\n{}", peer.name(), status.message());
    let told = Status::new(status.code(), message);
    if status.is_derived() || status.message().contains("[_Derived_]") { told.derived() } else { told }
}
