//! Steps as clients ask masters for them: `RunStep` and `RunCallable`.

use std::time::Duration;

use tensor::proto::{from_proto, to_proto};
use tensor::{Result, Tensor, ensure, err};
use wire::run_options::TraceLevel;

use super::limit::check_fits;
use super::{stats_from_proto, stats_to_proto, status_from_body};
use crate::call::{Callable, RequestId, SessionHandle, StepAnswer, StepOptions, StepRequest};

/// Writes a request; its feeds, which may travel beside the message, are returned.
pub(crate) fn step_to_proto(
    session: &SessionHandle,
    request: StepRequest,
) -> (wire::RunStepRequest, Vec<(String, Tensor)>) {
    let options = request.options;
    let message = wire::RunStepRequest {
        session_handle: session.as_str().to_owned(),
        fetch: request.fetches,
        target: request.targets,
        options: Some(wire::RunOptions {
            timeout_in_ms: options.timeout.map_or(0, |timeout| timeout.as_millis() as i64),
            trace_level: if options.trace { TraceLevel::FullTrace as i32 } else { 0 },
            output_partition_graphs: options.graphs,
            ..Default::default()
        }),
        store_errors_in_response_body: true,
        request_id: RequestId::random().0,
        ..Default::default()
    };
    (message, request.feeds)
}

/// Writes feeds for a message of gRPC.
///
/// # Errors
/// `InvalidArgument` if they do not fit into one message, or cannot leave this process.
pub(crate) fn feeds_to_proto(feeds: &[(String, Tensor)]) -> Result<Vec<wire::NamedTensorProto>> {
    check_fits(feeds.iter().map(|(_, tensor)| tensor))?;
    feeds.iter().map(|(name, tensor)| named(name.clone(), tensor)).collect()
}

/// Reads the feeds of a message of gRPC.
///
/// # Errors
/// `InvalidArgument` for malformed tensors.
pub(crate) fn feeds_from_proto(feeds: &[wire::NamedTensorProto]) -> Result<Vec<(String, Tensor)>> {
    let empty = wire::TensorProto::default();
    feeds.iter().map(|feed| Ok((feed.name.clone(), from_proto(feed.tensor.as_ref().unwrap_or(&empty))?))).collect()
}

/// Reads a request whose feeds have been read.
pub(crate) fn step_from_proto(message: wire::RunStepRequest, feeds: Vec<(String, Tensor)>) -> StepRequest {
    let options = options_from_proto(&message.options.unwrap_or_default());
    StepRequest { feeds, fetches: message.fetch, targets: message.target, options }
}

/// Writes the answer to a step that asked for these fetches.
///
/// # Errors
/// `InvalidArgument` for tensors that do not fit into one message, or cannot leave this process.
pub(crate) fn step_answer_to_proto(fetches: Vec<String>, answer: &StepAnswer) -> Result<wire::RunStepResponse> {
    check_fits(&answer.tensors)?;
    let tensor = fetches.into_iter().zip(&answer.tensors).map(|(name, tensor)| named(name, tensor));
    Ok(wire::RunStepResponse {
        tensor: tensor.collect::<Result<_>>()?,
        metadata: Some(metadata_to_proto(answer)),
        ..Default::default()
    })
}

/// Reads the answer to a step that asked for these fetches.
///
/// # Errors
/// The step's; `Internal` if a fetch is missing.
pub(crate) fn step_answer_from_proto(message: wire::RunStepResponse, fetches: &[String]) -> Result<StepAnswer> {
    status_from_body(message.status_code, &message.status_error_message)?;
    let mut answer = StepAnswer::default();
    for name in fetches {
        let named = message.tensor.iter().find(|named| named.name == *name);
        let tensor = named.and_then(|named| named.tensor.as_ref());
        answer.tensors.push(from_proto(tensor.ok_or_else(|| err!(Internal, "the server did not return {name}"))?)?);
    }
    if let Some(metadata) = message.metadata {
        answer.stats = metadata.step_stats.as_ref().map(stats_from_proto);
        answer.graphs = metadata.partition_graphs;
        answer.costs = metadata.cost_graph;
    }
    Ok(answer)
}

/// Reads what a client agrees on for a callable.
///
/// # Errors
/// `Unimplemented` for feeds and fetches on devices, and for connected tensors.
pub(crate) fn callable_from_proto(message: wire::CallableOptions) -> Result<Callable> {
    let plain = message.feed_devices.is_empty() && message.fetch_devices.is_empty();
    ensure!(plain, Unimplemented, "feed and fetch devices of callables are not supported on a server");
    let connected = !message.tensor_connection.is_empty();
    ensure!(!connected, Unimplemented, "tensor connections of callables are not supported on a server");
    Ok(Callable {
        feeds: message.feed,
        fetches: message.fetch,
        targets: message.target,
        options: options_from_proto(&message.run_options.unwrap_or_default()),
    })
}

/// Writes the answer to a callable.
///
/// # Errors
/// `InvalidArgument` for tensors that do not fit into one message, or cannot leave this process.
pub(crate) fn callable_answer_to_proto(answer: &StepAnswer) -> Result<wire::RunCallableResponse> {
    check_fits(&answer.tensors)?;
    let fetch = answer.tensors.iter().map(to_proto).collect::<Result<_>>()?;
    Ok(wire::RunCallableResponse { fetch, metadata: Some(metadata_to_proto(answer)) })
}

/// Reads a time limit in milliseconds, of which none and less mean that there is none.
pub(crate) fn time_limit(millis: i64) -> Option<Duration> {
    u64::try_from(millis).ok().filter(|millis| *millis > 0).map(Duration::from_millis)
}

fn options_from_proto(message: &wire::RunOptions) -> StepOptions {
    StepOptions {
        trace: message.trace_level >= TraceLevel::SoftwareTrace as i32,
        graphs: message.output_partition_graphs,
        timeout: time_limit(message.timeout_in_ms),
        on_this_thread: false,
    }
}

fn metadata_to_proto(answer: &StepAnswer) -> wire::RunMetadata {
    wire::RunMetadata {
        step_stats: answer.stats.as_ref().map(stats_to_proto),
        partition_graphs: answer.graphs.clone(),
        cost_graph: answer.costs.clone(),
        ..Default::default()
    }
}

fn named(name: String, tensor: &Tensor) -> Result<wire::NamedTensorProto> {
    Ok(wire::NamedTensorProto { name, tensor: Some(to_proto(tensor)?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_survives_its_message() {
        let request = || StepRequest {
            feeds: vec![("x:0".to_owned(), Tensor::from([1f32, 2.0]))],
            fetches: vec!["y:0".to_owned()],
            targets: vec!["train".to_owned()],
            options: StepOptions {
                trace: true,
                graphs: true,
                timeout: Some(Duration::from_millis(1500)),
                on_this_thread: false,
            },
        };
        let (mut message, feeds) = step_to_proto(&SessionHandle::from("s".to_owned()), request());
        message.feed = feeds_to_proto(&feeds).unwrap();
        assert_eq!((message.session_handle.as_str(), message.request_id == 0), ("s", false));
        let feeds = feeds_from_proto(&message.feed).unwrap();
        let (read, meant) = (step_from_proto(message, feeds), request());
        assert_eq!((read.feeds, read.fetches, read.targets), (meant.feeds, meant.fetches, meant.targets));
        assert!(read.options.trace && read.options.graphs);
        assert_eq!(read.options.timeout, meant.options.timeout);
    }

    #[test]
    fn an_answer_survives_its_message_and_names_what_is_missing() {
        let fetches = vec!["y:0".to_owned()];
        let answer = StepAnswer { tensors: vec![Tensor::from(3i64)], ..Default::default() };
        let message = step_answer_to_proto(fetches.clone(), &answer).unwrap();
        assert_eq!(step_answer_from_proto(message.clone(), &fetches).unwrap().tensors, answer.tensors);
        let missing = step_answer_from_proto(message, &["z:0".to_owned()]).err().unwrap();
        assert_eq!(missing.message(), "the server did not return z:0");
        let failed = wire::RunStepResponse { status_code: 5, ..Default::default() };
        assert_eq!(step_answer_from_proto(failed, &[]).err().unwrap().code(), tensor::Code::NotFound);
    }
}
