//! Frames: heads as protobuf, tensors as plain bytes.

use bytes::Bytes;
use graph::op::{Parcel, StepId};
use prost::Message;
use prost::encoding::{DecodeContext, decode_key, skip_field};
use tensor::memory::ensure_possible;
use tensor::proto::{decode, dtype_from_proto, repeated_to_proto, to_proto};
use tensor::{Buffer, Code, DType, Result, Shape, Status, Tensor, ensure, err};

/// The first bytes of a link.
pub(crate) const PREFACE: &[u8; 16] = b"tensorfleet 1\r\n\n";
/// Larger tensors are sent in pieces of this size.
pub(super) const PIECE: usize = 1 << 20;
/// A head holds names, never payloads.
pub(super) const MAX_HEAD: usize = 16 << 20;
/// The head of somebody who has not said who they are.
pub(super) const MAX_GREETING: usize = 4 << 10;
/// The tensors of one message. Each takes two bytes at least, and a hundred when it is read.
pub(super) const MAX_TENSORS: usize = 1 << 17;

/// The number of a call among those of a link.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct CallId(pub u64);

/// What a frame is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum FrameKind {
    Hello = 0,
    Call = 1,
    Reply = 2,
    Cancel = 3,
    /// Tensors for a step of the other task.
    Push = 4,
    /// A step is over.
    CleanUp = 5,
    Ping = 6,
    Pong = 7,
    /// Pushed bytes were claimed.
    Credit = 8,
    /// Tensors exist that credits do not allow to push.
    Held = 9,
    /// Somebody waits for a tensor that was held.
    Want = 10,
    /// A piece of a large tensor.
    Piece = 11,
    /// A letter about collectives.
    Collective = 12,
    /// Pieces were read from memory: their slots may be written again.
    Returned = 13,
}

/// The beginning of a frame: what it is for, and the heads of its tensors.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Head {
    #[prost(enumeration = "FrameKind", tag = "1")]
    pub kind: i32,
    /// Of a call; of a message that comes in pieces.
    #[prost(uint64, tag = "2")]
    pub id: u64,
    #[prost(uint32, tag = "3")]
    pub method: u32,
    #[prost(bytes = "bytes", tag = "4")]
    pub body: Bytes,
    #[prost(message, repeated, tag = "5")]
    pub tensors: Vec<TensorHead>,
    #[prost(int64, tag = "6")]
    pub step: i64,
    #[prost(int32, tag = "7")]
    pub code: i32,
    /// Of an error; the name of a task in a hello.
    #[prost(string, tag = "8")]
    pub message: String,
    #[prost(bool, tag = "9")]
    pub derived: bool,
    /// Of a credit; of the piece that follows; a bit for each slot that is returned.
    #[prost(uint64, tag = "10")]
    pub bytes: u64,
    /// Which message, counted by the sender, if some of its tensors follow in pieces.
    #[prost(uint64, tag = "11")]
    pub serial: u64,
    /// Which tensor of the message a piece belongs to.
    #[prost(uint32, tag = "12")]
    pub index: u32,
    /// The piece does not follow but lies in memory: in the slot before this number.
    #[prost(uint32, tag = "13")]
    pub slot: u32,
    /// Of a hello: what lets in; in the answer to one that asks for the door, what lets in there, once.
    #[prost(string, tag = "14")]
    pub token: String,
    /// Of a hello: the version of links that is spoken. Those who do not say speak the first.
    #[prost(uint32, tag = "15")]
    pub version: u32,
    /// Of a hello: what is known beyond that version, a bit for each.
    #[prost(uint64, tag = "16")]
    pub features: u64,
}

/// A tensor of a frame, but for its bytes.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TensorHead {
    /// A rendezvous key, or what the call defines.
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(int32, tag = "2")]
    pub dtype: i32,
    #[prost(int64, repeated, tag = "3")]
    pub dims: Vec<i64>,
    #[prost(uint64, tag = "4")]
    pub size: u64,
    #[prost(bool, tag = "5")]
    pub dead: bool,
    /// The bytes are not plain elements but TensorFlow's message.
    #[prost(bool, tag = "6")]
    pub encoded: bool,
    /// The bytes do not follow the head but come in pieces.
    #[prost(bool, tag = "7")]
    pub in_pieces: bool,
}

impl Head {
    /// A head of this kind, with nothing else in it.
    pub fn new(kind: FrameKind) -> Head {
        Head { kind: kind as i32, ..Default::default() }
    }

    /// A head that belongs to a call.
    pub fn of_call(kind: FrameKind, id: CallId) -> Head {
        Head { kind: kind as i32, id: id.0, ..Default::default() }
    }

    /// A head that belongs to a step.
    pub fn of_step(kind: FrameKind, step: StepId) -> Head {
        Head { kind: kind as i32, step: step.0, ..Default::default() }
    }

    /// Reads a head.
    ///
    /// # Errors
    /// `InvalidArgument` for what is no head, or one of too many tensors.
    pub fn read(bytes: Bytes) -> Result<Head> {
        let malformed = |error: prost::DecodeError| err!(InvalidArgument, "a frame: {error}");
        let (mut rest, mut tensors) = (&bytes[..], 0);
        while !rest.is_empty() {
            let (tag, kind) = decode_key(&mut rest).map_err(malformed)?;
            tensors += usize::from(tag == 5);
            ensure!(tensors <= MAX_TENSORS, InvalidArgument, "a frame of more than {MAX_TENSORS} tensors");
            skip_field(kind, tag, &mut rest, DecodeContext::default()).map_err(malformed)?;
        }
        Head::decode(bytes).map_err(malformed)
    }

    /// Returns the call that the frame belongs to.
    pub fn call(&self) -> CallId {
        CallId(self.id)
    }

    /// Returns the step that the frame belongs to.
    pub fn step(&self) -> StepId {
        StepId(self.step)
    }

    /// Returns the frame up to the tensors: length and head.
    pub fn to_frame(&self) -> Bytes {
        let length = self.encoded_len();
        let mut frame = Vec::with_capacity(4 + length);
        frame.extend_from_slice(&(length as u32).to_le_bytes());
        self.encode_raw(&mut frame);
        frame.into()
    }

    /// Makes this the head of an answer that says what went wrong.
    pub fn set_status(&mut self, status: &Status) {
        (self.code, self.message, self.derived) = (status.code().number(), status.wire_message(), status.is_derived());
    }

    /// Reads what an answer says.
    ///
    /// # Errors
    /// The status that the answer carries.
    pub fn status(&self) -> Result<()> {
        if self.code == 0 {
            return Ok(());
        }
        let status = Status::new(Code::from_number(self.code), self.message.clone());
        Err(if self.derived { status.derived() } else { status })
    }
}

/// A message on its way out: a head, and the bytes of each of its tensors.
pub(crate) struct Outbound {
    pub head: Head,
    pub payloads: Vec<Bytes>,
}

impl Outbound {
    /// A message without tensors.
    pub fn new(head: Head) -> Outbound {
        Outbound { head, payloads: Vec::new() }
    }

    /// Says that slots of memory have been read: a bit for each.
    pub fn returned(slots: u64) -> Outbound {
        Outbound::new(Head { bytes: slots, ..Head::new(FrameKind::Returned) })
    }

    /// Adds a tensor, or the news that it is dead.
    ///
    /// # Errors
    /// `InvalidArgument` for a tensor that cannot leave this process.
    pub fn add(&mut self, name: &str, parcel: &Parcel) -> Result<()> {
        let mut head = TensorHead { name: name.to_owned(), ..Default::default() };
        let payload = match parcel {
            Parcel::Dead => {
                head.dead = true;
                Bytes::new()
            }
            Parcel::Tensor(tensor) => {
                head.dtype = tensor.dtype().number();
                match (tensor.buffer(), repeated_to_proto(tensor)) {
                    (Some(buffer), None) => {
                        head.dims = tensor.dims().to_vec();
                        buffer.try_bytes()?;
                        buffer.to_bytes()
                    }
                    // One value that stands for many stays one.
                    (_, short) => {
                        head.encoded = true;
                        short.map_or_else(|| to_proto(tensor), Ok)?.encode_to_vec().into()
                    }
                }
            }
        };
        head.size = payload.len() as u64;
        self.head.tensors.push(head);
        self.payloads.push(payload);
        Ok(())
    }

    /// Adds plain bytes, such as a large message.
    pub fn add_bytes(&mut self, name: &str, bytes: Bytes) {
        let head = TensorHead {
            name: name.to_owned(),
            dtype: DType::UInt8.number(),
            dims: vec![bytes.len() as i64],
            size: bytes.len() as u64,
            ..Default::default()
        };
        self.head.tensors.push(head);
        self.payloads.push(bytes);
    }
}

impl TensorHead {
    /// Returns how many bytes there are.
    ///
    /// # Errors
    /// `InvalidArgument` if there may not be so many.
    pub fn check(&self) -> Result<usize> {
        ensure!(i64::try_from(self.size).is_ok(), InvalidArgument, "a tensor of {} bytes", self.size);
        // Beyond the limit of this process it is refused when its bytes come.
        ensure_possible(self.size, format_args!("a tensor that was announced"))?;
        if !self.dead && !self.encoded {
            let (dtype, shape) = (dtype_from_proto(self.dtype)?, Shape::new(&self.dims)?);
            let wanted = shape.num_elements().checked_mul(dtype.size());
            ensure!(
                dtype.is_plain() && wanted.is_some_and(|wanted| wanted as u64 == self.size),
                InvalidArgument,
                "{}: {} bytes for a {dtype} tensor of shape {shape}",
                self.name,
                self.size
            );
        }
        Ok(self.size as usize)
    }

    /// Makes the parcel, when its bytes are there.
    ///
    /// # Errors
    /// `InvalidArgument` if the bytes are not such a tensor.
    pub fn assemble(&self, buffer: Buffer) -> Result<Parcel> {
        if self.dead {
            return Ok(Parcel::Dead);
        }
        if self.encoded {
            return decode(buffer.to_bytes()).map(Parcel::Tensor);
        }
        Tensor::from_buffer(dtype_from_proto(self.dtype)?, Shape::new(&self.dims)?, buffer).map(Parcel::Tensor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bytes for each tensor: sixteen megabytes that would become hundreds.
    #[test]
    fn heads_of_very_many_tensors_are_refused_before_they_are_read() {
        let of = |count: usize| Bytes::from([0x2a, 0].repeat(count));
        assert_eq!(Head::read(of(MAX_TENSORS)).unwrap().tensors.len(), MAX_TENSORS);
        let refused = Head::read(of(MAX_HEAD / 2)).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert!(refused.message().starts_with("a frame of more than 131072 tensors"), "{refused}");
        assert!(Head::read(Bytes::from_static(&[0x2a, 5, 1])).is_err());
    }

    #[test]
    fn one_value_for_all_travels_as_one() {
        let ones = Tensor::repeating(&Tensor::from(1.5f32), Shape::vector(1 << 20)).unwrap();
        let mut frame = Outbound::new(Head::new(FrameKind::Returned));
        frame.add("ones", &Parcel::Tensor(ones.clone())).unwrap();
        assert!(frame.payloads[0].len() < 100, "{} bytes", frame.payloads[0].len());
        let buffer = Buffer::received(frame.payloads[0].clone(), 1);
        let Parcel::Tensor(read) = frame.head.tensors[0].assemble(buffer).unwrap() else { panic!("it has a value") };
        assert_eq!((read.element(), read), (Some(Tensor::from(1.5f32)), ones));
    }
}
