//! One element that stands for many, and their bytes once somebody has asked for them.

use std::sync::OnceLock;

use crate::{Buffer, Result};

pub(crate) struct Repeated {
    element: [u64; 2],
    width: usize,
    /// How many bytes all of them take.
    len: usize,
    written: OnceLock<Buffer>,
}

impl Repeated {
    /// Panics if the element is larger than 16 bytes, or the bytes are no whole number of elements.
    pub fn new(element: &[u8], len: usize) -> Repeated {
        let width = element.len();
        assert!((1..=16).contains(&width) && len.is_multiple_of(width), "{len} bytes of elements of {width}");
        let mut place = [0; 2];
        bytemuck::bytes_of_mut(&mut place)[..width].copy_from_slice(element);
        Repeated { element: place, width, len, written: OnceLock::new() }
    }

    pub fn element(&self) -> &[u8] {
        &bytemuck::bytes_of(&self.element)[..self.width]
    }

    /// All bytes, which stay there from now on, whatever the limit of the process is.
    pub fn written(&self) -> &Buffer {
        self.written.get_or_init(|| self.write())
    }

    /// As [`written`](Repeated::written), counted before memory is taken.
    ///
    /// # Errors
    /// `ResourceExhausted` if they lead beyond the limit of the process.
    pub fn try_written(&self) -> Result<&Buffer> {
        if self.written.get().is_none() {
            let written = self.try_write()?;
            // Somebody else may have been faster, with the same bytes.
            let _ = self.written.set(written);
        }
        Ok(self.written())
    }

    /// The bytes that were asked for before, unless somebody else shares them, such as a connection that still sends them.
    pub fn take_written(&mut self) -> Option<Buffer> {
        let mut written = self.written.take()?;
        written.is_unique().then_some(written)
    }

    /// A new buffer with all bytes, whatever the limit of the process is.
    pub fn write(&self) -> Buffer {
        if self.is_zero() { Buffer::zeroed(self.len) } else { self.fill(Buffer::dirty(self.len)) }
    }

    /// As [`write`](Repeated::write), counted before memory is taken.
    ///
    /// # Errors
    /// `ResourceExhausted` if they lead beyond the limit of the process.
    pub fn try_write(&self) -> Result<Buffer> {
        if self.is_zero() { Buffer::try_zeroed(self.len) } else { Ok(self.fill(Buffer::try_dirty(self.len)?)) }
    }

    fn is_zero(&self) -> bool {
        self.element == [0; 2]
    }

    fn fill(&self, mut buffer: Buffer) -> Buffer {
        if let Some(bytes) = buffer.get_mut() {
            let mut done = self.width.min(bytes.len());
            bytes[..done].copy_from_slice(&self.element()[..done]);
            // What is there is copied behind itself, twice as much each time.
            while done < bytes.len() {
                let more = done.min(bytes.len() - done);
                bytes.copy_within(..more, done);
                done += more;
            }
        }
        buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_repeats_to_the_end() {
        for width in [1usize, 2, 4, 8, 16] {
            let element: Vec<u8> = (1..=width as u8).collect();
            let buffer = Buffer::repeated(&element, width * 1001);
            assert_eq!(buffer.as_bytes(), element.repeat(1001), "{width}");
            let zeros = Buffer::repeated(&vec![0; width], width * 5000);
            assert_eq!(zeros.as_bytes(), vec![0; width * 5000]);
        }
    }

    #[test]
    fn few_bytes_and_none_are_written_at_once() {
        assert_eq!(Buffer::repeated(&[1, 2], 6).element(), None);
        assert_eq!(Buffer::repeated(&[1, 2], 6).as_bytes(), [1, 2, 1, 2, 1, 2]);
        assert!(Buffer::repeated(&[1, 2], 0).is_empty());
    }

    #[test]
    fn a_window_of_whole_elements_stays_one_element() {
        let buffer = Buffer::repeated(&[1, 2], 20_000);
        let window = buffer.slice(2, 8000);
        assert_eq!((window.element(), window.len()), (Some(&[1, 2][..]), 8000));
        assert_eq!(buffer.slice(1, 3).as_bytes(), [2, 1, 2]);
    }

    #[test]
    fn a_sole_owner_writes_to_what_was_read() {
        let mut buffer = Buffer::repeated(&[3], 10_000);
        let read = buffer.try_bytes().unwrap().as_ptr();
        buffer.make_own().unwrap();
        assert_eq!(buffer.as_bytes().as_ptr(), read);
        buffer.get_mut().unwrap()[0] = 4;
        assert_eq!((buffer.element(), buffer.as_bytes()[..2].to_vec()), (None, vec![4, 3]));
    }
}
