//! The calls of masters, workers and clients, as requests to TensorFlow's services.

use std::time::Duration;

use bytes::Bytes;
use graph::op::{Cancellation, Parcel, RendezvousKey, StepId};
use graph::{GraphData, graph_to_proto};
use tensor::{Code, Result, err};
use tokio::sync::oneshot;
use wire::services::{master, worker};

use super::GrpcChannel;
use crate::call::messages::{
    buffer_from_proto, feeds_to_proto, graph_answer_from_proto, graph_call_to_proto, new_session_to_proto,
    parcel_from_proto, step_answer_from_proto, step_to_proto, told_by,
};
use crate::call::{
    GraphHandle, NewWorkerSession, RequestId, SessionHandle, StepAnswer, StepCall, StepRequest, TaskName,
};

/// What masters and workers ask of a worker.
impl GrpcChannel {
    /// Opens a session of the master of a task.
    pub async fn create_worker_session(
        &self,
        new: &NewWorkerSession,
        master: &TaskName,
        incarnation: u64,
    ) -> Result<()> {
        let request = new_session_to_proto(new, master, incarnation);
        let _: wire::CreateWorkerSessionResponse = self.call(worker::CREATE_WORKER_SESSION, request).await?;
        Ok(())
    }

    /// Forgets a session.
    pub async fn delete_worker_session(&self, session: &SessionHandle) -> Result<()> {
        let request = wire::DeleteWorkerSessionRequest { session_handle: session.as_str().to_owned() };
        let _: wire::DeleteWorkerSessionResponse = self.call(worker::DELETE_WORKER_SESSION, request).await?;
        Ok(())
    }

    /// Registers a graph; its collectives have this key, 0 if it has none.
    pub async fn register_graph(
        &self,
        session: &SessionHandle,
        graph: &GraphData,
        collectives: i64,
    ) -> Result<GraphHandle> {
        let request = wire::RegisterGraphRequest {
            session_handle: session.as_str().to_owned(),
            graph_def: Some(graph_to_proto(graph)?),
            create_worker_session_called: true,
            collective_graph_key: collectives,
            ..Default::default()
        };
        let response: wire::RegisterGraphResponse = self.call(worker::REGISTER_GRAPH, request).await?;
        Ok(response.graph_handle.into())
    }

    /// Forgets a graph.
    pub async fn deregister_graph(&self, session: &SessionHandle, graph: &GraphHandle) -> Result<()> {
        let request = wire::DeregisterGraphRequest {
            session_handle: session.as_str().to_owned(),
            graph_handle: graph.as_str().to_owned(),
            create_worker_session_called: true,
        };
        let _: wire::DeregisterGraphResponse = self.call(worker::DEREGISTER_GRAPH, request).await?;
        Ok(())
    }

    /// Runs a step of a graph.
    pub async fn run_graph(&self, session: &SessionHandle, graph: &GraphHandle, call: StepCall) -> Result<StepAnswer> {
        let outcome = async {
            let request = graph_call_to_proto(session, graph, &call)?;
            let response: wire::RunGraphResponse = self.call(worker::RUN_GRAPH, request).await?;
            graph_answer_from_proto(response, &call.receives)
        };
        outcome.await.map_err(|status| told_by(self.who(), status))
    }

    /// Forgets a step. A connection may have dropped while the task lives on, with what the step left there, so this is
    /// tried again.
    pub async fn clean_up(&self, step: StepId) {
        for pause in [Duration::ZERO, Duration::from_secs(1), Duration::from_secs(4)] {
            tokio::time::sleep(pause).await;
            let request = wire::CleanupGraphRequest { step_id: step.0 };
            let outcome: Result<wire::CleanupGraphResponse> = self.call(worker::CLEANUP_GRAPH, request).await;
            match outcome {
                Err(status) if status.code() == Code::Unavailable => {
                    tracing::debug!(task = self.who(), %step, %status, "clean up");
                }
                _ => return,
            }
        }
    }

    /// Empties containers.
    pub async fn clear_containers(&self, containers: &[String]) -> Result<()> {
        let request = wire::CleanupAllRequest { container: containers.to_vec() };
        let _: wire::CleanupAllResponse = self.call(worker::CLEANUP_ALL, request).await?;
        Ok(())
    }

    /// Asks for a tensor of a step, which is answered when it exists.
    pub async fn receive_tensor(&self, step: StepId, key: &RendezvousKey) -> Result<Parcel> {
        let request = wire::RecvTensorRequest {
            step_id: step.0,
            rendezvous_key: key.as_str().to_owned(),
            request_id: RequestId::random().0,
            ..Default::default()
        };
        let response: wire::RecvTensorResponse = self.call(worker::RECV_TENSOR, request).await?;
        parcel_from_proto(response)
    }

    /// Joins a collective group, which is answered when it is complete.
    pub async fn complete_group(&self, request: wire::CompleteGroupRequest) -> Result<wire::CompleteGroupResponse> {
        self.call(worker::COMPLETE_GROUP, request).await
    }

    /// Agrees on an exchange of a collective group.
    pub async fn complete_instance(
        &self,
        request: wire::CompleteInstanceRequest,
    ) -> Result<wire::CompleteInstanceResponse> {
        self.call(worker::COMPLETE_INSTANCE, request).await
    }

    /// Returns the next number of a graph's steps.
    pub async fn step_sequence(&self, graph_key: i64) -> Result<i64> {
        let request = wire::GetStepSequenceRequest { graph_key: vec![graph_key] };
        let answer: wire::GetStepSequenceResponse = self.call(worker::GET_STEP_SEQUENCE, request).await?;
        let sequence = answer.step_sequence.into_iter().find(|sequence| sequence.graph_key == graph_key);
        sequence.map(|sequence| sequence.next_step_id).ok_or_else(|| err!(Internal, "{} names no step", self.who()))
    }

    /// Asks for a buffer of an exchange, which is answered when it exists.
    pub async fn receive_buffer(&self, request: wire::RecvBufRequest) -> Result<Bytes> {
        let response: wire::RecvBufResponse = self.call(worker::RECV_BUF, request).await?;
        buffer_from_proto(response)
    }

    /// Returns the devices, without watching whether the task is there.
    pub async fn devices(&self) -> Result<Vec<wire::DeviceAttributes>> {
        let answer: wire::GetStatusResponse =
            self.call_once(worker::GET_STATUS, wire::GetStatusRequest::default()).await?;
        Ok(answer.device_attributes)
    }
}

/// What clients ask of a master.
impl GrpcChannel {
    /// Runs a step.
    pub async fn run_step(&self, session: &SessionHandle, request: StepRequest) -> Result<StepAnswer> {
        let fetches = request.fetches.clone();
        let (mut message, feeds) = step_to_proto(session, request);
        message.feed = feeds_to_proto(&feeds)?;
        let response: wire::RunStepResponse = self.call(master::RUN_STEP, message).await?;
        step_answer_from_proto(response, &fetches)
    }

    /// Closes a session.
    pub async fn close_session(&self, session: &SessionHandle) -> Result<()> {
        let request = wire::CloseSessionRequest { session_handle: session.as_str().to_owned() };
        let _: wire::CloseSessionResponse = self.call(master::CLOSE_SESSION, request).await?;
        Ok(())
    }
}

/// Waits for a call until it is cancelled; then hangs up, by which the other end knows.
pub(in crate::peer) async fn unless_cancelled<R>(
    cancellation: &Cancellation,
    call: impl Future<Output = Result<R>>,
) -> Result<R> {
    let (tell, cancelled) = oneshot::channel();
    let _registration = cancellation.on_cancel(move |status| drop(tell.send(status.clone())));
    tokio::select! {
        outcome = call => outcome,
        reason = cancelled => Err(reason.unwrap_or_else(|_| err!(Cancelled, "the step was cancelled"))),
    }
}
