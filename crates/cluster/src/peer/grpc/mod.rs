//! Calls over TensorFlow's gRPC, which every server of TensorFlow's protocol understands.

mod calls;
mod channel;
mod connector;
mod foreign;
mod watch;

pub(super) use calls::unless_cancelled;
pub(super) use channel::GrpcChannel;
pub(super) use foreign::foreign_answer;
