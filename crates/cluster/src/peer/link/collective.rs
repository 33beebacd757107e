//! Letters about collectives as frames.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use graph::op::{CollectiveKind, CollectiveShrink, CollectiveTerms, Parcel};
use prost::Message;
use runtime::{CollectiveLetter, CollectiveMessage};
use tensor::proto::dtype_from_proto;
use tensor::{Code, Result, Shape, Status, bail, err};

use super::connect::Link;
use super::frame::{FrameKind, Head, Outbound};
use super::incoming::Inbound;

/// A letter, but for its tensor.
#[derive(Clone, PartialEq, prost::Message)]
struct Letter {
    #[prost(uint32, tag = "1")]
    kind: u32,
    #[prost(sint32, tag = "2")]
    group: i32,
    #[prost(fixed64, tag = "3")]
    formation: u64,
    #[prost(uint32, tag = "4")]
    size: u32,
    /// Devices: the one that joins or leaves, or all members.
    #[prost(string, repeated, tag = "5")]
    devices: Vec<String>,
    #[prost(int32, tag = "6")]
    code: i32,
    #[prost(string, tag = "7")]
    message: String,
    #[prost(bool, tag = "8")]
    derived: bool,
    #[prost(sint32, tag = "9")]
    instance: i32,
    #[prost(uint64, tag = "10")]
    round: u64,
    #[prost(uint32, tag = "11")]
    from: u32,
    #[prost(uint32, tag = "12")]
    to: u32,
    #[prost(uint32, tag = "13")]
    part: u32,
    #[prost(int32, tag = "14")]
    exchange: i32,
    #[prost(int32, tag = "15")]
    dtype: i32,
    #[prost(int64, repeated, tag = "16")]
    dims: Vec<i64>,
    /// Keys of instances, and how often each was entered.
    #[prost(sint32, repeated, tag = "17")]
    instances: Vec<i32>,
    #[prost(uint64, repeated, tag = "18")]
    counts: Vec<u64>,
    /// The least number of members, if fewer than `size` will do.
    #[prost(uint32, tag = "19")]
    shrink_to: u32,
    #[prost(uint64, tag = "20")]
    shrink_after_ms: u64,
}

const JOIN: u32 = 1;
const LEAVE: u32 = 2;
const FORMED: u32 = 3;
const REFUSED: u32 = 4;
const MESSAGE: u32 = 5;
const FAILED: u32 = 6;
const LEFT: u32 = 7;
const MIXED: u32 = 8;

impl Link {
    /// Sends a letter.
    ///
    /// # Errors
    /// `Unavailable` if the connection was just lost; `InvalidArgument` for a tensor that cannot leave this process;
    /// `Unimplemented` if the other end is of a version that knows no collectives.
    pub fn post_letter(self: &Arc<Self>, letter: CollectiveLetter) -> Result<()> {
        let message = write(letter)?;
        let connection = self.connection();
        let sent = connection.check_letters().and_then(|()| connection.out.post(message));
        sent.map_err(|status| self.explain(&status))
    }
}

fn write(letter: CollectiveLetter) -> Result<Outbound> {
    let mut body = Letter::default();
    let mut tensor = None;
    match letter {
        CollectiveLetter::Join { group, size, shrink, device } => {
            body = Letter { kind: JOIN, group, size, devices: vec![device], ..body };
            if let Some(CollectiveShrink { at_least, after }) = shrink {
                (body.shrink_to, body.shrink_after_ms) =
                    (at_least, u64::try_from(after.as_millis()).unwrap_or(u64::MAX));
            }
        }
        CollectiveLetter::Leave { group, device } => {
            body = Letter { kind: LEAVE, group, devices: vec![device], ..body };
        }
        CollectiveLetter::Formed { group, formation, members } => {
            body = Letter { kind: FORMED, group, formation, devices: members, ..body };
        }
        CollectiveLetter::Mixed { group } => body = Letter { kind: MIXED, group, ..body },
        CollectiveLetter::Refused { group, status } => {
            body = Letter { kind: REFUSED, group, ..body };
            body.set_status(&status);
        }
        CollectiveLetter::Failed { group, formation, status } => {
            body = Letter { kind: FAILED, group, formation, ..body };
            body.set_status(&status);
        }
        CollectiveLetter::Left { group, formation, rank, entered } => {
            let (instances, counts) = entered.into_iter().unzip();
            body = Letter { kind: LEFT, group, formation, from: rank, instances, counts, ..body };
        }
        CollectiveLetter::Message(message) => {
            let CollectiveMessage { group, formation, instance, round, from, to, part, terms, tensor: value } = message;
            let (exchange, dtype, dims) = (terms.kind as i32, terms.dtype.number(), terms.shape.dims().to_vec());
            body = Letter {
                kind: MESSAGE,
                group,
                formation,
                instance,
                round,
                from,
                to,
                part,
                exchange,
                dtype,
                dims,
                ..body
            };
            tensor = value;
        }
    }
    let mut message = Outbound::new(Head::new(FrameKind::Collective));
    message.head.body = body.encode_to_vec().into();
    if let Some(tensor) = tensor {
        message.add("", &Parcel::Tensor(tensor))?;
    }
    Ok(message)
}

/// Reads a letter.
///
/// # Errors
/// `InvalidArgument` for what is not a letter.
pub(crate) fn read_letter(message: Inbound) -> Result<CollectiveLetter> {
    let body: Bytes = message.head.body;
    let letter = Letter::decode(body).map_err(|error| err!(InvalidArgument, "a letter does not decode: {error}"))?;
    let (group, formation) = (letter.group, letter.formation);
    let device = |letter: &Letter| letter.devices.first().cloned().unwrap_or_default();
    Ok(match letter.kind {
        JOIN => {
            let after = Duration::from_millis(letter.shrink_after_ms);
            let shrink = (letter.shrink_to > 0).then_some(CollectiveShrink { at_least: letter.shrink_to, after });
            CollectiveLetter::Join { group, size: letter.size, shrink, device: device(&letter) }
        }
        LEAVE => CollectiveLetter::Leave { group, device: device(&letter) },
        FORMED => CollectiveLetter::Formed { group, formation, members: letter.devices },
        MIXED => CollectiveLetter::Mixed { group },
        REFUSED => CollectiveLetter::Refused { group, status: letter.status() },
        FAILED => CollectiveLetter::Failed { group, formation, status: letter.status() },
        LEFT => {
            let entered = letter.instances.into_iter().zip(letter.counts).collect();
            CollectiveLetter::Left { group, formation, rank: letter.from, entered }
        }
        MESSAGE => {
            let Some(kind) = CollectiveKind::from_number(letter.exchange) else {
                bail!(InvalidArgument, "an exchange of kind {}", letter.exchange);
            };
            let terms =
                CollectiveTerms { kind, dtype: dtype_from_proto(letter.dtype)?, shape: Shape::new(&letter.dims)? };
            let tensor = match message.parcels.into_iter().next() {
                Some((_, Parcel::Tensor(tensor))) => Some(tensor),
                _ => None,
            };
            CollectiveLetter::Message(CollectiveMessage {
                group,
                formation,
                instance: letter.instance,
                round: letter.round,
                from: letter.from,
                to: letter.to,
                part: letter.part,
                terms,
                tensor,
            })
        }
        kind => bail!(InvalidArgument, "a letter of kind {kind}"),
    })
}

impl Letter {
    fn set_status(&mut self, status: &Status) {
        (self.code, self.message, self.derived) = (status.code().number(), status.wire_message(), status.is_derived());
    }

    fn status(&self) -> Status {
        let status = Status::new(Code::from_number(self.code), self.message.clone());
        if self.derived { status.derived() } else { status }
    }
}

#[cfg(test)]
mod tests {
    use tensor::{DType, Tensor};

    use super::*;

    /// What a letter says after it was written and read.
    fn carried(letter: &CollectiveLetter) -> String {
        let message = write(letter.clone()).unwrap();
        let parcels = match letter {
            CollectiveLetter::Message(CollectiveMessage { tensor: Some(tensor), .. }) => {
                assert_eq!(message.payloads.len(), 1);
                vec![(String::new(), Parcel::Tensor(tensor.clone()))]
            }
            _ => Vec::new(),
        };
        format!("{:?}", read_letter(Inbound { head: message.head, parcels }).unwrap())
    }

    #[test]
    fn letters_arrive_as_they_were_written() {
        let device = "/job:worker/replica:0/task:1/device:CPU:0".to_owned();
        let terms =
            CollectiveTerms { kind: CollectiveKind::Gather, dtype: DType::Float, shape: Shape::new(&[4, 3]).unwrap() };
        let (group, formation, status) = (-7, u64::MAX, err!(Unavailable, "gone").derived());
        let message = CollectiveMessage {
            group,
            formation,
            instance: -1,
            round: 1 << 40,
            from: 1,
            to: 2,
            part: 3,
            terms,
            tensor: Some(Tensor::from([1f32, 2.0])),
        };
        for letter in [
            CollectiveLetter::Join { group, size: 3, shrink: None, device: device.clone() },
            CollectiveLetter::Join {
                group,
                size: 3,
                shrink: Some(CollectiveShrink { at_least: 2, after: Duration::from_millis(1500) }),
                device: device.clone(),
            },
            CollectiveLetter::Leave { group, device: device.clone() },
            CollectiveLetter::Formed { group, formation, members: vec![device.clone(), device] },
            CollectiveLetter::Refused { group, status: status.clone() },
            CollectiveLetter::Failed { group, formation, status },
            CollectiveLetter::Left { group, formation, rank: 2, entered: vec![(-1, 5), (3, 0)] },
            CollectiveLetter::Message(CollectiveMessage { tensor: None, ..message.clone() }),
            CollectiveLetter::Message(message),
        ] {
            assert_eq!(carried(&letter), format!("{letter:?}"));
        }
        let nonsense = Inbound { head: Head::new(FrameKind::Collective), parcels: Vec::new() };
        assert!(read_letter(nonsense).is_err());
    }
}
