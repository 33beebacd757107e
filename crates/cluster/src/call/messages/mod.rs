//! The calls as TensorFlow's messages: each translation once, both ways, for all who send or receive them.

mod buffer;
mod cluster;
mod graph_call;
mod improvements;
mod limit;
mod stats;
mod status;
mod step_call;

pub(crate) use buffer::{buffer_from_proto, buffer_to_proto};
pub(crate) use cluster::{cluster_from_proto, cluster_to_proto};
pub(crate) use graph_call::{
    graph_answer_from_proto, graph_answer_to_proto, graph_call_from_proto, graph_call_to_proto, new_session_from_proto,
    new_session_to_proto, parcel_from_proto, parcel_to_proto, placed_graph_from_proto,
};
pub(crate) use improvements::{improvements_from_proto, improvements_to_proto};
pub use stats::stats_to_proto;
pub(crate) use stats::{costs_to_proto, stats_from_proto};
pub(crate) use status::{shortened, status_from_body, to_grpc, told_by};
pub(crate) use step_call::{
    callable_answer_to_proto, callable_from_proto, feeds_from_proto, feeds_to_proto, step_answer_from_proto,
    step_answer_to_proto, step_from_proto, step_to_proto, time_limit,
};
