//! TensorFlow's messages and service paths, without logic.
//!
//! The messages are written down in `proto/`, with TensorFlow's names and field numbers as of 2.21 (1.15 differs only by
//! missing fields), and appear here under the names that prost gives them: [`GraphDef`], [`TensorProto`],
//! [`attr_value::Value`], [`error::Code`]. The paths of the two gRPC services are in [`services`].
//!
//! Parts that nothing here looks into (accelerator options, debugger options, type annotations) are kept as
//! serialized bytes, and so travel unchanged. Fields unknown to these files are skipped when decoding. Nesting is
//! limited (prost: 100 levels), so a hostile message cannot exhaust the stack.
//!
//! ```
//! use prost::Message;
//! use tensorfleet_wire::{GraphDef, NodeDef};
//!
//! let node = NodeDef { name: "a".into(), op: "NoOp".into(), ..Default::default() };
//! let bytes = GraphDef { node: vec![node], ..Default::default() }.encode_to_vec();
//! assert_eq!(GraphDef::decode(&bytes[..])?.node[0].op, "NoOp");
//! # Ok::<(), prost::DecodeError>(())
//! ```
//!
//! [`operator`] holds the messages of a service of our own, for operators.
//!
//! The crate has no features.

#![warn(missing_docs)]

pub mod services;

pub use messages::tensorfleet::operator;
pub use messages::tensorflow::*;

/// The descriptions of all messages, a serialized `FileDescriptorSet`.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

mod messages {
    // What prost generates has the documentation of the `.proto` files, which say what a message or field is for only where its
    // name does not.
    #![allow(clippy::all, missing_docs)]
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

#[cfg(test)]
mod tests;
