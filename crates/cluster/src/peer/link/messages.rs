//! What is asked over a link, and answered: each message once, both ways.

use bytes::Bytes;
use graph::op::{Parcel, RendezvousKey, StepId};
use prost::Message;
use tensor::{Result, Tensor, bail, err};

use super::frame::{CallId, FrameKind, Head, Outbound};
use super::incoming::Inbound;
use crate::call::messages::{stats_from_proto, stats_to_proto, step_from_proto};
use crate::call::{
    GraphHandle, GraphTerms, PartialCall, RequestId, SessionHandle, StepAnswer, StepCall, StepRequest, TaskName,
};

/// A call that has arrived. Everything else, which is rare, goes over gRPC.
pub(crate) enum LinkCall {
    RunStep { session: SessionHandle, request_id: RequestId, request: StepRequest },
    RegisterGraph { session: SessionHandle, terms: GraphTerms, graph: Bytes },
    RunGraph { session: SessionHandle, graph: GraphHandle, call: StepCall },
}

/// The numbers of the calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
enum Method {
    RunStep = 1,
    RegisterGraph = 2,
    RunGraph = 3,
}

/// The body of a call that runs a registered graph. The client's values are the tensors of the message, by key.
#[derive(Clone, PartialEq, prost::Message)]
struct RunGraphBody {
    #[prost(string, tag = "1")]
    session: String,
    #[prost(string, tag = "2")]
    graph: String,
    #[prost(int64, tag = "3")]
    step: i64,
    #[prost(string, repeated, tag = "4")]
    receives: Vec<String>,
    #[prost(bool, tag = "5")]
    trace: bool,
    #[prost(bool, tag = "6")]
    graphs: bool,
    #[prost(bool, tag = "7")]
    partial: bool,
    #[prost(bool, tag = "8")]
    last: bool,
}

/// The body of a call that registers a graph, whose definition is the message's only tensor.
#[derive(Clone, PartialEq, prost::Message)]
struct RegisterGraphBody {
    #[prost(string, tag = "1")]
    session: String,
    /// The tasks between which tensors of the graph are pushed.
    #[prost(string, repeated, tag = "2")]
    linked: Vec<String>,
    /// Whether tasks of TensorFlow run in its steps.
    #[prost(bool, tag = "3")]
    mixed: bool,
    /// The key of its collectives.
    #[prost(sfixed64, tag = "4")]
    collectives: i64,
}

/// Writes a step of a client, with its feeds beside the message.
///
/// # Errors
/// `InvalidArgument` for a tensor that cannot leave this process.
pub(super) fn run_step_call(
    id: CallId,
    message: &wire::RunStepRequest,
    feeds: &[(String, Tensor)],
) -> Result<Outbound> {
    let mut call = outbound_call(id, Method::RunStep, message);
    for (name, tensor) in feeds {
        call.add(name, &Parcel::Tensor(tensor.clone()))?;
    }
    Ok(call)
}

/// Writes a step of a registered graph.
///
/// # Errors
/// `InvalidArgument` for a tensor that cannot leave this process.
pub(super) fn run_graph_call(
    id: CallId,
    session: &SessionHandle,
    graph: &GraphHandle,
    call: &StepCall,
) -> Result<Outbound> {
    let body = RunGraphBody {
        session: session.as_str().to_owned(),
        graph: graph.as_str().to_owned(),
        step: call.id.0,
        receives: call.receives.iter().map(|key| key.as_str().to_owned()).collect(),
        trace: call.trace,
        graphs: call.graphs,
        partial: call.partial.is_some(),
        last: call.partial == Some(PartialCall::Last),
    };
    let mut message = outbound_call(id, Method::RunGraph, &body);
    for (key, tensor) in &call.sends {
        message.add(key.as_str(), &Parcel::Tensor(tensor.clone()))?;
    }
    Ok(message)
}

/// Writes a graph to be registered.
pub(super) fn register_graph_call(
    id: CallId,
    session: &SessionHandle,
    terms: &GraphTerms,
    graph: &wire::GraphDef,
) -> Outbound {
    let body = RegisterGraphBody {
        session: session.as_str().to_owned(),
        linked: terms.linked.iter().map(|task| task.as_str().to_owned()).collect(),
        mixed: terms.mixed,
        collectives: terms.collectives,
    };
    let mut message = outbound_call(id, Method::RegisterGraph, &body);
    message.add_bytes("graph", graph.encode_to_vec().into());
    message
}

fn outbound_call(id: CallId, method: Method, body: &impl Message) -> Outbound {
    let body = body.encode_to_vec().into();
    Outbound::new(Head { method: method as u32, body, ..Head::of_call(FrameKind::Call, id) })
}

/// Reads a call.
///
/// # Errors
/// `InvalidArgument` for what does not decode; `Unimplemented` for a method that is not there.
pub(crate) fn read_call(message: Inbound) -> Result<LinkCall> {
    let Inbound { head, parcels } = message;
    match head.method {
        number if number == Method::RunGraph as u32 => {
            let body: RunGraphBody = decode(head.body)?;
            let mut sends = Vec::with_capacity(parcels.len());
            for (key, tensor) in tensors_of(parcels)? {
                sends.push((RendezvousKey::parse(&key)?, tensor));
            }
            let call = StepCall {
                id: StepId(body.step),
                sends,
                receives: body.receives.iter().map(|key| RendezvousKey::parse(key)).collect::<Result<_>>()?,
                trace: body.trace,
                graphs: body.graphs,
                partial: PartialCall::from_flags(body.partial, body.last),
                on_this_thread: false,
            };
            Ok(LinkCall::RunGraph { session: body.session.into(), graph: body.graph.into(), call })
        }
        number if number == Method::RunStep as u32 => {
            let mut body: wire::RunStepRequest = decode(head.body)?;
            let session = std::mem::take(&mut body.session_handle).into();
            let request_id = RequestId(body.request_id);
            Ok(LinkCall::RunStep { session, request_id, request: step_from_proto(body, tensors_of(parcels)?) })
        }
        number if number == Method::RegisterGraph as u32 => {
            let body: RegisterGraphBody = decode(head.body)?;
            let linked = body.linked.into_iter().map(TaskName::from).collect();
            let terms = GraphTerms { linked, mixed: body.mixed, collectives: body.collectives };
            Ok(LinkCall::RegisterGraph { session: body.session.into(), terms, graph: bytes_of(parcels)? })
        }
        number => bail!(Unimplemented, "there is no method {number}"),
    }
}

/// Writes what came of a step: tensors in the order asked for, and what else was asked for in the body.
pub(crate) fn step_reply(id: CallId, outcome: Result<StepAnswer>) -> Outbound {
    let mut message = Outbound::new(Head::of_call(FrameKind::Reply, id));
    let told = outcome.and_then(|answer| {
        for tensor in answer.tensors {
            message.add("", &Parcel::Tensor(tensor))?;
        }
        if answer.stats.is_some() || !answer.graphs.is_empty() {
            let body = wire::RunGraphResponse {
                step_stats: answer.stats.as_ref().map(stats_to_proto),
                partition_graph: answer.graphs,
                ..Default::default()
            };
            message.head.body = body.encode_to_vec().into();
        }
        Ok(())
    });
    match told {
        Ok(()) => message,
        Err(status) => failure_reply(id, &status),
    }
}

/// Reads what came of a step.
///
/// # Errors
/// `Internal` for an answer that makes no sense.
pub(super) fn read_step_reply(answer: Inbound) -> Result<StepAnswer> {
    let tensors = tensors_of(answer.parcels)?.into_iter().map(|(_, tensor)| tensor).collect();
    let mut told = StepAnswer { tensors, ..Default::default() };
    if !answer.head.body.is_empty() {
        let body = wire::RunGraphResponse::decode(answer.head.body)
            .map_err(|error| err!(Internal, "an answer does not decode: {error}"))?;
        told.stats = body.step_stats.as_ref().map(stats_from_proto);
        told.graphs = body.partition_graph;
    }
    Ok(told)
}

/// Writes what came of registering a graph: its handle.
pub(crate) fn graph_reply(id: CallId, outcome: Result<GraphHandle>) -> Outbound {
    match outcome {
        Ok(handle) => Outbound::new(Head { message: handle.into(), ..Head::of_call(FrameKind::Reply, id) }),
        Err(status) => failure_reply(id, &status),
    }
}

/// Reads what came of registering a graph.
pub(super) fn read_graph_reply(answer: Inbound) -> GraphHandle {
    answer.head.message.into()
}

fn failure_reply(id: CallId, status: &tensor::Status) -> Outbound {
    let mut message = Outbound::new(Head::of_call(FrameKind::Reply, id));
    message.head.set_status(status);
    message
}

/// Returns the tensors of a message; dead ones have no place in a call.
fn tensors_of(parcels: Vec<(String, Parcel)>) -> Result<Vec<(String, Tensor)>> {
    let live = |(name, parcel)| match parcel {
        Parcel::Tensor(tensor) => Ok((name, tensor)),
        Parcel::Dead => Err(err!(InvalidArgument, "{name} was given without a value")),
    };
    parcels.into_iter().map(live).collect()
}

/// Returns the one tensor of a message that holds plain bytes.
fn bytes_of(parcels: Vec<(String, Parcel)>) -> Result<Bytes> {
    match parcels.into_iter().next() {
        Some((_, Parcel::Tensor(tensor))) if tensor.buffer().is_some() => {
            Ok(tensor.buffer().map(|buffer| buffer.to_bytes()).unwrap_or_default())
        }
        _ => bail!(InvalidArgument, "a call without its message"),
    }
}

fn decode<M: Message + Default>(body: Bytes) -> Result<M> {
    M::decode(body).map_err(|error| err!(InvalidArgument, "a call does not decode: {error}"))
}
