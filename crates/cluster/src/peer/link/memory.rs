//! Memory through which one end of a link hands pieces of large tensors to the other, on one machine.
//!
//! The writing end makes it and passes its descriptor. Neither end maps it: it is written and read by system calls, so that
//! whatever the other end does to it, a read returns bytes or an error. It consists of slots of one piece each; the slot with
//! the lowest number is taken first, so that no more of it is ever backed by memory than was needed at once.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use tensor::{Result, ensure, err};

use super::frame::PIECE;

/// So many pieces may be on their way.
pub(super) const SLOTS: u32 = 8;
const ALL: u64 = (1 << SLOTS) - 1;

/// The end that writes.
pub(crate) struct OutMemory {
    file: File,
    /// A bit for each slot that may be written.
    free: u64,
}

/// The end that reads.
pub(crate) struct InMemory(File);

impl OutMemory {
    /// New memory; none of it is in use yet.
    ///
    /// # Errors
    /// If the system has no such memory.
    pub fn new() -> io::Result<OutMemory> {
        Ok(OutMemory { file: system::sealed_memory(u64::from(SLOTS) * PIECE as u64)?, free: ALL })
    }

    /// The descriptor that the other end reads from.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Returns whether a slot is free.
    pub(super) fn has_room(&self) -> bool {
        self.free != 0
    }

    /// Copies a piece to a free slot; returns its number, or `None` if none is free.
    ///
    /// # Errors
    /// If the machine is out of memory.
    pub(super) fn put(&mut self, piece: &[u8]) -> io::Result<Option<u32>> {
        if self.free == 0 {
            return Ok(None);
        }
        let slot = self.free.trailing_zeros();
        self.file.write_all_at(piece, u64::from(slot) * PIECE as u64)?;
        self.free &= !(1 << slot);
        Ok(Some(slot))
    }

    /// Takes back slots that the other end has read: a bit for each.
    ///
    /// # Errors
    /// `InvalidArgument` for slots that it was not given.
    pub(super) fn take_back(&mut self, slots: u64) -> Result<()> {
        let lent = ALL & !self.free;
        ensure!(slots & !lent == 0, InvalidArgument, "the slots {slots:#b} come back, of which {lent:#b} were given");
        self.free |= slots;
        Ok(())
    }
}

impl InMemory {
    /// Memory of the other end, by its descriptor.
    ///
    /// # Errors
    /// `InvalidInput` if it is not memory of the right size that keeps that size: of other files a read may wait.
    pub(super) fn new(file: File) -> io::Result<InMemory> {
        let expected = u64::from(SLOTS) * PIECE as u64;
        let size = file.metadata()?.len();
        if size != expected || !system::keeps_its_size(&file)? {
            let what = format!("the other end's memory is {size} bytes that may change, instead of {expected}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        Ok(InMemory(file))
    }

    /// Copies a piece out of a slot.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such slot or it is too small.
    pub(super) fn read(&self, slot: u32, piece: &mut [u8]) -> Result<()> {
        let length = piece.len();
        ensure!(slot < SLOTS && length <= PIECE, InvalidArgument, "a piece of {length} bytes in slot {slot}");
        self.0
            .read_exact_at(piece, u64::from(slot) * PIECE as u64)
            .map_err(|error| err!(Unavailable, "a piece cannot be read from memory: {error}"))
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::File;
    use std::io;

    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, ftruncate, memfd_create};

    /// Returns memory of this size for good.
    pub fn sealed_memory(size: u64) -> io::Result<File> {
        let memory = memfd_create("tensorfleet-link", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&memory, size)?;
        fcntl_add_seals(&memory, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok(memory.into())
    }

    /// Returns whether this is memory that can neither shrink nor grow; only memory has seals.
    pub fn keeps_its_size(file: &File) -> io::Result<bool> {
        Ok(fcntl_get_seals(file)?.contains(SealFlags::SHRINK | SealFlags::GROW))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::fs::File;
    use std::io;

    pub fn sealed_memory(_: u64) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn keeps_its_size(_: &File) -> io::Result<bool> {
        Ok(false)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use tensor::Code;

    #[test]
    fn pieces_go_through_slots_which_come_back() {
        let mut out = OutMemory::new().unwrap();
        let memory = InMemory::new(out.file().try_clone().unwrap()).unwrap();
        for slot in 0..SLOTS {
            assert_eq!(out.put(&vec![slot as u8; PIECE]).unwrap(), Some(slot));
        }
        assert!(!out.has_room() && out.put(b"x").unwrap().is_none());
        let mut piece = vec![0; PIECE];
        memory.read(3, &mut piece).unwrap();
        assert_eq!(piece, vec![3; PIECE]);
        out.take_back(0b1000).unwrap();
        assert_eq!(out.put(b"x").unwrap(), Some(3));
    }

    #[test]
    fn what_was_not_given_does_not_come_back() {
        let mut out = OutMemory::new().unwrap();
        out.put(b"x").unwrap();
        for slots in [0b10, 0b11, 1 << SLOTS, u64::MAX] {
            assert_eq!(out.take_back(slots).unwrap_err().code(), Code::InvalidArgument);
        }
        out.take_back(1).unwrap();
    }

    #[test]
    fn only_memory_of_the_right_size_that_keeps_it_is_read_from() {
        let size = u64::from(SLOTS) * PIECE as u64;
        assert!(InMemory::new(system::sealed_memory(size - 1).unwrap()).is_err());
        // Without seals it might shrink.
        let loose = rustix::fs::memfd_create("loose", rustix::fs::MemfdFlags::ALLOW_SEALING).unwrap();
        rustix::fs::ftruncate(&loose, size).unwrap();
        assert!(InMemory::new(loose.into()).is_err());
        // Of other files a read may wait.
        assert!(InMemory::new(File::open("/proc/self/exe").unwrap()).is_err());
        let memory = InMemory::new(system::sealed_memory(size).unwrap()).unwrap();
        assert_eq!(memory.read(SLOTS, &mut [0]).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(memory.read(0, &mut vec![0; PIECE + 1]).unwrap_err().code(), Code::InvalidArgument);
    }
}
