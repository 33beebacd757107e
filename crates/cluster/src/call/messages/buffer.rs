//! Buffers of collectives: the bytes of a tensor, packed as TensorFlow's tasks expect them.

use bytes::{Bytes, BytesMut};
use prost::Message;
use tensor::{Result, Tensor, ensure, err};

/// A message of any kind, named by a type.
#[derive(Clone, PartialEq, prost::Message)]
struct Any {
    #[prost(string, tag = "1")]
    type_url: String,
    #[prost(bytes = "bytes", tag = "2")]
    value: Bytes,
}

const TYPE: &str = "type.googleapis.com/tensorflow.RecvBufRespExtra";
/// A message holds no more than this, with some room for what is around it.
const MOST: usize = i32::MAX as usize - 1024;

/// Writes the answer to whoever asks for a buffer.
///
/// # Errors
/// `InvalidArgument` for a tensor without plain bytes, or one that does not fit into a message.
pub(crate) fn buffer_to_proto(tensor: &Tensor) -> Result<wire::RecvBufResponse> {
    let bytes = tensor.buffer().map(|buffer| buffer.to_bytes());
    let bytes = bytes.ok_or_else(|| err!(InvalidArgument, "a buffer of {} cannot be sent", tensor.dtype()))?;
    ensure!(bytes.len() <= MOST, InvalidArgument, "a buffer of {} bytes does not fit into a message", bytes.len());
    let num_bytes = bytes.len() as i64;
    let extra = wire::RecvBufRespExtra { tensor_content: vec![bytes] };
    let options = Any { type_url: TYPE.to_owned(), value: extra.encode_to_vec().into() };
    Ok(wire::RecvBufResponse {
        num_bytes,
        transport_options: Some(options.encode_to_vec().into()),
        ..Default::default()
    })
}

/// Reads a buffer.
///
/// # Errors
/// `Internal` for an answer that holds none.
pub(crate) fn buffer_from_proto(response: wire::RecvBufResponse) -> Result<Bytes> {
    let broken = |error: prost::DecodeError| err!(Internal, "a RecvBufResponse does not decode: {error}");
    let options = Any::decode(response.transport_options.unwrap_or_default()).map_err(broken)?;
    let extra = wire::RecvBufRespExtra::decode(options.value).map_err(broken)?;
    let mut parts = extra.tensor_content;
    if parts.len() <= 1 {
        return Ok(parts.pop().unwrap_or_default());
    }
    let mut whole = BytesMut::with_capacity(parts.iter().map(Bytes::len).sum());
    parts.iter().for_each(|part| whole.extend_from_slice(part));
    Ok(whole.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_out_as_it_went_in_and_in_pieces_too() {
        let response = buffer_to_proto(&Tensor::vector(&[1i32, 2])).unwrap();
        assert_eq!(buffer_from_proto(response).unwrap(), [1, 0, 0, 0, 2, 0, 0, 0][..]);
        let content = vec![Bytes::from_static(b"ab"), Bytes::from_static(b"c")];
        let extra = wire::RecvBufRespExtra { tensor_content: content };
        let options = Any { type_url: TYPE.to_owned(), value: extra.encode_to_vec().into() };
        let response =
            wire::RecvBufResponse { transport_options: Some(options.encode_to_vec().into()), ..Default::default() };
        assert_eq!(buffer_from_proto(response).unwrap(), b"abc"[..]);
        assert!(buffer_to_proto(&Tensor::from("text")).is_err());
    }
}
