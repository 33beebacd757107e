//! The length that a gRPC message announces. Room for all of it is taken before its first byte arrives, so the sum of what
//! is announced at one time is bounded.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};

/// Announcements up to here are not counted: steps of honest clients go on while somebody announces much.
const COUNTED: u64 = 4 << 20;
/// A flag and a length, before each message.
const HEAD: usize = 5;

/// Bytes that were announced and have not all been decoded.
static ANNOUNCED: AtomicU64 = AtomicU64::new(0);

/// The body of a request, which ends with an error if its message is larger than there is room for.
pub(super) struct Announced {
    body: tonic::body::Body,
    /// What has been seen of the head.
    head: Vec<u8>,
    counted: u64,
}

impl Announced {
    /// A body whose announcement is not known yet.
    pub fn new(body: tonic::body::Body) -> Announced {
        Announced { body, head: Vec::new(), counted: 0 }
    }

    /// Looks at the next bytes.
    ///
    /// # Errors
    /// `ResourceExhausted` if the message does not find room.
    fn look(&mut self, data: &Bytes) -> Result<(), tonic::Status> {
        if self.head.len() >= HEAD {
            return Ok(());
        }
        self.head.extend(data.iter().take(HEAD - self.head.len()));
        if self.head.len() < HEAD {
            return Ok(());
        }
        let length = u64::from((&self.head[1..]).get_u32());
        if length > COUNTED {
            self.counted = length;
            let all = ANNOUNCED.fetch_add(length, Ordering::AcqRel).saturating_add(length);
            tensor::memory::ensure_free(all, format_args!("a message of {length} bytes, with those under way,"))
                .map_err(|status| tonic::Status::resource_exhausted(status.message()))?;
        }
        Ok(())
    }
}

impl Body for Announced {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
            && let Err(status) = self.look(data)
        {
            return Poll::Ready(Some(Err(status)));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        ANNOUNCED.fetch_sub(self.counted, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(length: u32) -> Bytes {
        [&[0][..], &length.to_be_bytes()].concat().into()
    }

    /// Two gigabytes each, of which not one byte comes.
    #[test]
    fn what_is_announced_at_one_time_is_bounded() {
        let mut bodies = Vec::new();
        let refused = (0..1 << 20).find_map(|_| {
            let mut body = Announced::new(tonic::body::Body::empty());
            let outcome = body.look(&head(u32::MAX)).err();
            bodies.push(body);
            outcome
        });
        assert_eq!(refused.map(|status| status.code()), Some(tonic::Code::ResourceExhausted));
        // What is small passes, in one piece or several.
        let mut small = Announced::new(tonic::body::Body::empty());
        for byte in head(COUNTED as u32) {
            small.look(&Bytes::from(vec![byte])).unwrap();
        }
        assert_eq!(small.counted, 0);
        drop(bodies);
        Announced::new(tonic::body::Body::empty()).look(&head(COUNTED as u32 + 1)).unwrap();
        assert_eq!(ANNOUNCED.load(Ordering::Acquire), 0);
    }
}
