//! `MasterService`: what clients call.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use runtime::RunOptions;
use tensor::proto::{from_proto, to_proto};
use tensor::{Result, Tensor, ensure, err};
use tonic::body::Body;
use tonic::server::NamedService;
use wire::run_options::TraceLevel;
use wire::services::master as path;

use super::stats::stats_to_proto;
use super::status::shortened;
use super::unary::{Answer, unary, unimplemented};
use crate::master::{Master, StepRequest};

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
        match request.uri().path() {
            path::CREATE_SESSION => unary(request, move |call: wire::CreateSessionRequest| async move {
                let handle =
                    master.create_session(call.graph_def.unwrap_or_default(), call.config.unwrap_or_default()).await?;
                Ok(wire::CreateSessionResponse { session_handle: handle, graph_version: 0 })
            }),
            path::EXTEND_SESSION => unary(request, move |call: wire::ExtendSessionRequest| async move {
                let graph = call.graph_def.unwrap_or_default();
                let version = master.extend_session(&call.session_handle, graph, call.current_graph_version).await?;
                Ok(wire::ExtendSessionResponse { new_graph_version: version })
            }),
            path::RUN_STEP => unary(request, move |call| run_step(master, call)),
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
                master.reset(&call.container).await?;
                Ok(wire::ResetResponse {})
            }),
            other => unimplemented(other),
        }
    }
}

/// Errors of a step travel in the body if the client asked for it, because clients repeat calls that fail outside of it.
async fn run_step(master: Arc<Master>, call: wire::RunStepRequest) -> Result<wire::RunStepResponse> {
    let in_body = call.store_errors_in_response_body;
    match answer_step(master, call).await {
        Err(status) if in_body => Ok(wire::RunStepResponse {
            status_code: status.code().number(),
            status_error_message: shortened(&status.wire_message()),
            ..Default::default()
        }),
        other => other,
    }
}

async fn answer_step(master: Arc<Master>, call: wire::RunStepRequest) -> Result<wire::RunStepResponse> {
    let mut feeds: Vec<(String, Tensor)> = Vec::with_capacity(call.feed.len());
    for feed in &call.feed {
        let value = from_proto(feed.tensor.as_ref().unwrap_or(&wire::TensorProto::default()))?;
        feeds.push((feed.name.clone(), value));
    }
    ensure!(call.partial_run_handle.is_empty(), Unimplemented, "partial runs are not supported");
    let asked = call.options.unwrap_or_default();
    let options = RunOptions { trace: asked.trace_level >= TraceLevel::SoftwareTrace as i32, ..Default::default() };
    let fetches = call.fetch.clone();
    let request = StepRequest { feeds, fetches: call.fetch, targets: call.target };
    let step = master.run_step(&call.session_handle, request, &options);
    let answer = match u64::try_from(asked.timeout_in_ms).ok().filter(|millis| *millis > 0) {
        None => step.await?,
        Some(millis) => {
            let late = || err!(DeadlineExceeded, "the step did not end within {millis} ms");
            tokio::time::timeout(Duration::from_millis(millis), step).await.unwrap_or_else(|_| Err(late()))?
        }
    };
    let mut response = wire::RunStepResponse::default();
    for (name, tensor) in fetches.into_iter().zip(&answer.tensors) {
        response.tensor.push(wire::NamedTensorProto { name, tensor: Some(to_proto(tensor)?) });
    }
    response.metadata =
        Some(wire::RunMetadata { step_stats: answer.stats.as_ref().map(stats_to_proto), ..Default::default() });
    Ok(response)
}
