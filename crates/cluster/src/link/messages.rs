//! What is asked over a link, and answered.

use bytes::Bytes;
use graph::op::{Parcel, RendezvousKey};
use prost::Message;
use tensor::{Result, Tensor, bail, err};

use super::frame::{Head, Kind, Outbound};
use super::incoming::Inbound;
use crate::rpc::{stats_from_proto, stats_to_proto};
use crate::worker::{PartialCall, StepAnswer, StepCall};

/// The calls that a link carries; everything else, which is rare, goes over gRPC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum Method {
    RunStep = 1,
    RegisterGraph = 2,
    RunGraph = 3,
}

impl Method {
    pub(super) fn from_number(number: u32) -> Option<Method> {
        [Method::RunStep, Method::RegisterGraph, Method::RunGraph].into_iter().find(|method| *method as u32 == number)
    }
}

/// Runs a registered graph. The client's values are the tensors of the message, by key.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct RunGraphCall {
    #[prost(string, tag = "1")]
    pub session: String,
    #[prost(string, tag = "2")]
    pub graph: String,
    #[prost(int64, tag = "3")]
    pub step: i64,
    #[prost(string, repeated, tag = "4")]
    pub receives: Vec<String>,
    #[prost(bool, tag = "5")]
    pub trace: bool,
    #[prost(bool, tag = "6")]
    pub graphs: bool,
    #[prost(bool, tag = "7")]
    pub partial: bool,
    #[prost(bool, tag = "8")]
    pub last: bool,
}

/// Registers a graph, whose definition is the message's only tensor.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct RegisterGraphCall {
    #[prost(string, tag = "1")]
    pub session: String,
    /// The tasks between which tensors of the graph are pushed.
    #[prost(string, repeated, tag = "2")]
    pub linked: Vec<String>,
}

impl RunGraphCall {
    pub fn new(session: &str, graph: &str, call: &StepCall) -> RunGraphCall {
        RunGraphCall {
            session: session.to_owned(),
            graph: graph.to_owned(),
            step: call.id,
            receives: call.receives.iter().map(|key| key.as_str().to_owned()).collect(),
            trace: call.trace,
            graphs: call.graphs,
            partial: call.partial.is_some(),
            last: call.partial == Some(PartialCall::Last),
        }
    }

    /// # Errors
    /// `InvalidArgument` for malformed keys or values.
    pub(super) fn into_step(self, parcels: Vec<(String, Parcel)>) -> Result<(String, String, StepCall)> {
        let mut sends = Vec::with_capacity(parcels.len());
        for (key, tensor) in tensors_of(parcels)? {
            sends.push((RendezvousKey::parse(&key)?, tensor));
        }
        let call = StepCall {
            id: self.step,
            sends,
            receives: self.receives.iter().map(|key| RendezvousKey::parse(key)).collect::<Result<_>>()?,
            trace: self.trace,
            graphs: self.graphs,
            partial: self.partial.then_some(if self.last { PartialCall::Last } else { PartialCall::NotLast }),
        };
        Ok((self.session, self.graph, call))
    }
}

/// The tensors of a message; dead ones have no place in a call.
pub(super) fn tensors_of(parcels: Vec<(String, Parcel)>) -> Result<Vec<(String, Tensor)>> {
    let live = |(name, parcel)| match parcel {
        Parcel::Tensor(tensor) => Ok((name, tensor)),
        Parcel::Dead => Err(err!(InvalidArgument, "{name} was given without a value")),
    };
    parcels.into_iter().map(live).collect()
}

/// The one tensor of a message that holds plain bytes.
pub(super) fn bytes_of(parcels: Vec<(String, Parcel)>) -> Result<Bytes> {
    match parcels.into_iter().next() {
        Some((_, Parcel::Tensor(tensor))) if tensor.buffer().is_some() => {
            Ok(tensor.buffer().map(|buffer| buffer.to_bytes()).unwrap_or_default())
        }
        _ => bail!(InvalidArgument, "a call without its message"),
    }
}

/// The answer to a call: tensors in the order asked for, and what else was asked for in the body.
pub(super) fn reply(id: u64, outcome: Result<StepAnswer>) -> Outbound {
    let mut message = Outbound::new(Head::of_call(Kind::Reply, id));
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
        Err(status) => {
            let mut message = Outbound::new(Head::of_call(Kind::Reply, id));
            message.head.set_status(&status);
            message
        }
    }
}

/// What came of a step.
///
/// # Errors
/// The step's; `Internal` for an answer that makes no sense.
pub(crate) fn run_graph_answer(answer: Inbound) -> Result<StepAnswer> {
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
