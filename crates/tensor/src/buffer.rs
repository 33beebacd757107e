//! The storage of plain elements: shared, 64-byte aligned, recycled.
//!
//! A [`Buffer`] is a window into a block of memory that is either ours (aligned and freshly zeroed or
//! recycled) or bytes that arrived from elsewhere; or it is one element that stands for many, until
//! somebody reads their bytes. Every byte of a block is initialised at all times: recycled blocks keep old
//! contents, so handing one out costs neither a fill nor any uninitialised memory.
//! This is the only file of the crate with `unsafe`.
#![allow(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;

use crate::repeated::Repeated;
use crate::{Element, Result, memory};

const ALIGNMENT: usize = 64;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; ALIGNMENT]);

/// Shared plain bytes. Clones share them; [`Buffer::get_mut`] gives write access to a sole owner.
///
/// ```
/// use tensorfleet_tensor::{Buffer, DType, Shape, Tensor};
/// let mut buffer = Buffer::zeroed(8);
/// buffer.get_mut().unwrap()[0] = 1;
/// let tensor = Tensor::from_buffer(DType::Int32, Shape::vector(2), buffer)?;
/// assert_eq!(tensor.as_slice::<i32>()?, [1, 0]);
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
#[derive(Clone)]
pub struct Buffer {
    storage: Storage,
    offset: usize,
    len: usize,
}

#[derive(Clone)]
enum Storage {
    /// A few bytes in place, as scalars are: they cost no allocation, and a clone of them is a copy.
    Small([u64; 1]),
    Owned(Arc<Block>),
    Received(Bytes),
    Repeated(Arc<Repeated>),
}

/// Buffers of at most so many bytes lie in place.
const SMALL: usize = size_of::<[u64; 1]>();

/// Fewer bytes than these are written out at once, however often an element repeats.
const REPEATED_FROM: usize = 4096;

struct Block {
    lines: Vec<Line>,
}

impl Buffer {
    /// Zeroed bytes, whatever the limit of the process is: for what it needs itself, and what has been asked for before.
    ///
    /// ```
    /// assert_eq!(tensorfleet_tensor::Buffer::zeroed(3).as_bytes(), [0, 0, 0]);
    /// ```
    pub fn zeroed(len: usize) -> Buffer {
        recycle::count(len.div_ceil(ALIGNMENT));
        Buffer::fresh(len)
    }

    /// Zeroed bytes, counted before they are taken.
    ///
    /// # Errors
    /// `ResourceExhausted` if they lead beyond the limit of the process ([`memory::set_limit`]).
    pub fn try_zeroed(len: usize) -> Result<Buffer> {
        claim(len)?;
        Ok(Buffer::fresh(len))
    }

    /// Bytes of arbitrary (but initialised) content, for callers that overwrite all of them.
    pub fn dirty(len: usize) -> Buffer {
        recycle::count(len.div_ceil(ALIGNMENT));
        Buffer::used(len)
    }

    /// As [`dirty`](Buffer::dirty), counted before they are taken.
    ///
    /// # Errors
    /// `ResourceExhausted` if they lead beyond the limit of the process ([`memory::set_limit`]).
    pub fn try_dirty(len: usize) -> Result<Buffer> {
        claim(len)?;
        Ok(Buffer::used(len))
    }

    /// Zeroed bytes that have been counted.
    fn fresh(len: usize) -> Buffer {
        if len <= SMALL {
            return Buffer { storage: Storage::Small([0]), offset: 0, len };
        }
        // SAFETY: all-zero bytes are a value of `Line`. Asking the allocator for zeroed memory lets it hand out
        // untouched pages, so a large buffer costs nothing before it is written.
        let lines = unsafe { Box::<[Line]>::new_zeroed_slice(len.div_ceil(ALIGNMENT)).assume_init() };
        Buffer::owned(lines.into_vec(), len)
    }

    /// Bytes of any content that have been counted.
    fn used(len: usize) -> Buffer {
        match recycle::take(len.div_ceil(ALIGNMENT)) {
            Some(lines) => Buffer::owned(lines, len),
            None => Buffer::fresh(len),
        }
    }

    /// Returns a buffer with these bytes.
    ///
    /// ```
    /// let buffer = tensorfleet_tensor::Buffer::copy_of(&[1, 2, 3]);
    /// assert_eq!((buffer.as_bytes(), buffer.len(), buffer.is_empty()), (&[1, 2, 3][..], 3, false));
    /// ```
    pub fn copy_of(bytes: &[u8]) -> Buffer {
        Buffer::dirty(bytes.len()).filled_with(bytes)
    }

    /// As [`copy_of`](Buffer::copy_of), counted before the memory is taken.
    ///
    /// # Errors
    /// `ResourceExhausted` if it leads beyond the limit of the process ([`memory::set_limit`]).
    pub fn try_copy_of(bytes: &[u8]) -> Result<Buffer> {
        Ok(Buffer::try_dirty(bytes.len())?.filled_with(bytes))
    }

    fn filled_with(mut self, bytes: &[u8]) -> Buffer {
        if let Some(target) = self.get_mut() {
            target.copy_from_slice(bytes);
        }
        self
    }

    /// So many bytes of one element, which take no memory until somebody reads them or writes to them. Few bytes are
    /// written out at once.
    ///
    /// Panics if the element is larger than 16 bytes, or the bytes are no whole number of elements.
    ///
    /// ```
    /// let buffer = tensorfleet_tensor::Buffer::repeated(&[1, 2], 1 << 20);
    /// assert_eq!((buffer.element(), &buffer.as_bytes()[..4]), (Some(&[1, 2][..]), &[1, 2, 1, 2][..]));
    /// ```
    pub fn repeated(element: &[u8], len: usize) -> Buffer {
        let repeated = Repeated::new(element, len);
        if len < REPEATED_FROM {
            return repeated.write();
        }
        Buffer { storage: Storage::Repeated(Arc::new(repeated)), offset: 0, len }
    }

    /// The one element that stands for all, if that is so.
    pub fn element(&self) -> Option<&[u8]> {
        match &self.storage {
            Storage::Repeated(repeated) => Some(repeated.element()),
            _ => None,
        }
    }

    /// Returns the bytes; if they have to be written out for it, their memory is counted before it is taken.
    ///
    /// ```
    /// let buffer = tensorfleet_tensor::Buffer::repeated(&[7], 1 << 20);
    /// assert_eq!(buffer.try_bytes()?.len(), 1 << 20);
    /// # Ok::<(), tensorfleet_tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// `ResourceExhausted` if they lead beyond the limit of the process ([`memory::set_limit`]).
    pub fn try_bytes(&self) -> Result<&[u8]> {
        match &self.storage {
            Storage::Repeated(repeated) => Ok(repeated.try_written()?.as_bytes()),
            _ => Ok(self.as_bytes()),
        }
    }

    /// Makes sure that the memory is written out and nobody else shares it.
    ///
    /// # Errors
    /// `ResourceExhausted` if a copy leads beyond the limit of the process ([`memory::set_limit`]).
    pub(crate) fn make_own(&mut self) -> Result<()> {
        if let Storage::Repeated(repeated) = &mut self.storage {
            let written = Arc::get_mut(repeated).and_then(Repeated::take_written);
            *self = match written {
                Some(written) => written,
                None => repeated.try_write()?,
            };
        } else if !self.is_unique() {
            *self = Buffer::try_copy_of(self.as_bytes())?;
        }
        Ok(())
    }

    /// A view of received bytes where they are aligned for elements of `alignment` bytes, else a copy.
    pub fn received(bytes: Bytes, alignment: usize) -> Buffer {
        if (bytes.as_ptr() as usize).is_multiple_of(alignment.max(1)) {
            let len = bytes.len();
            Buffer { storage: Storage::Received(bytes), offset: 0, len }
        } else {
            Buffer::copy_of(&bytes)
        }
    }

    fn owned(lines: Vec<Line>, len: usize) -> Buffer {
        Buffer { storage: Storage::Owned(Arc::new(Block { lines })), offset: 0, len }
    }

    /// Returns how many bytes there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A window into the same memory.
    ///
    /// Panics if the range leaves the buffer, as slicing does.
    ///
    /// ```
    /// let buffer = tensorfleet_tensor::Buffer::copy_of(&[1, 2, 3, 4]);
    /// assert_eq!(buffer.slice(1, 2).as_bytes(), [2, 3]);
    /// ```
    pub fn slice(&self, start: usize, len: usize) -> Buffer {
        assert!(
            start.checked_add(len).is_some_and(|end| end <= self.len),
            "slice {start}+{len} of a buffer of {}",
            self.len
        );
        if let Storage::Repeated(repeated) = &self.storage {
            let width = repeated.element().len();
            if start.is_multiple_of(width) && len.is_multiple_of(width) {
                return Buffer::repeated(repeated.element(), len);
            }
            return repeated.written().slice(start, len);
        }
        Buffer { storage: self.storage.clone(), offset: self.offset + start, len }
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.storage {
            Storage::Small(bytes) => &bytemuck::bytes_of(bytes)[self.offset..self.offset + self.len],
            Storage::Owned(block) => &block.bytes()[self.offset..self.offset + self.len],
            Storage::Received(bytes) => &bytes[self.offset..self.offset + self.len],
            Storage::Repeated(repeated) => repeated.written().as_bytes(),
        }
    }

    /// Write access, if nobody else shares the memory; few bytes are never shared. One element that stands for many has
    /// no memory to write to.
    ///
    /// ```
    /// let mut buffer = tensorfleet_tensor::Buffer::copy_of(&[1; 100]);
    /// let other = buffer.clone();
    /// assert!(buffer.get_mut().is_none() && !buffer.is_unique());
    /// drop(other);
    /// buffer.get_mut().unwrap()[0] = 7;
    /// assert_eq!(buffer.as_bytes()[..2], [7, 1]);
    /// ```
    pub fn get_mut(&mut self) -> Option<&mut [u8]> {
        let (offset, len) = (self.offset, self.len);
        match &mut self.storage {
            Storage::Small(bytes) => Some(&mut bytemuck::bytes_of_mut(bytes)[offset..offset + len]),
            Storage::Owned(block) => Arc::get_mut(block).map(|block| &mut block.bytes_mut()[offset..offset + len]),
            Storage::Received(_) | Storage::Repeated(_) => None,
        }
    }

    /// Whether nobody else shares the bytes.
    pub fn is_unique(&mut self) -> bool {
        match &mut self.storage {
            Storage::Small(_) => true,
            Storage::Owned(block) => Arc::get_mut(block).is_some(),
            Storage::Received(_) => false,
            Storage::Repeated(repeated) => Arc::get_mut(repeated).is_some(),
        }
    }

    /// The same bytes as [`Bytes`], without a copy unless they are few, for handing them to a connection.
    ///
    /// ```
    /// let buffer = tensorfleet_tensor::Buffer::copy_of(&[1, 2]);
    /// assert_eq!(&buffer.to_bytes()[..], [1, 2]);
    /// ```
    pub fn to_bytes(&self) -> Bytes {
        match &self.storage {
            Storage::Small(_) => Bytes::copy_from_slice(self.as_bytes()),
            Storage::Owned(_) => Bytes::from_owner(Shared(self.clone())),
            Storage::Repeated(repeated) => repeated.written().to_bytes(),
            Storage::Received(bytes) => bytes.slice(self.offset..self.offset + self.len),
        }
    }

    /// The bytes as elements. `None` if they are misaligned for `T` or not a whole number of elements.
    ///
    /// For `bool` the caller must have made sure that every byte is 0 or 1: see [`Buffer::is_bools`].
    pub(crate) fn as_elements<T: Element>(&self) -> Option<&[T]> {
        let bytes = self.as_bytes();
        if !fits::<T>(bytes) {
            return None;
        }
        // SAFETY: the range is aligned and a whole number of elements (checked above), every byte is
        // initialised, and every bit pattern is a value of `T`: elements are numbers, or bools whose bytes
        // a tensor checks when it takes them from outside.
        Some(unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) })
    }

    /// The bytes as elements to write, if nobody else shares them.
    pub(crate) fn elements_mut<T: Element>(&mut self) -> Option<&mut [T]> {
        let bytes = self.get_mut()?;
        if !fits::<T>(bytes) {
            return None;
        }
        // SAFETY: as in `as_elements`; the slice is borrowed mutably, so nobody else can see it. For bool a
        // recycled block may hold other bytes: `Tensor` clears those before it hands them out.
        Some(unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / size_of::<T>()) })
    }

    /// Whether every byte is a valid `bool`.
    ///
    /// ```
    /// use tensorfleet_tensor::Buffer;
    /// assert!(Buffer::copy_of(&[0, 1]).is_bools() && !Buffer::copy_of(&[0, 2]).is_bools());
    /// ```
    pub fn is_bools(&self) -> bool {
        self.element().unwrap_or_else(|| self.as_bytes()).iter().all(|byte| *byte <= 1)
    }
}

/// Counts a block that is about to be taken.
///
/// # Errors
/// `ResourceExhausted` if it leads beyond the limit of the process.
fn claim(len: usize) -> Result<()> {
    let lines = len.div_ceil(ALIGNMENT);
    recycle::count(lines);
    memory::check_limit(len as u64).inspect_err(|_| recycle::uncount(lines))
}

fn fits<T>(bytes: &[u8]) -> bool {
    (bytes.as_ptr() as usize).is_multiple_of(align_of::<T>()) && bytes.len().is_multiple_of(size_of::<T>())
}

struct Shared(Buffer);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl Block {
    fn bytes(&self) -> &[u8] {
        let len = self.lines.len() * ALIGNMENT;
        // SAFETY: `lines` is one initialised allocation of `len` bytes.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), len) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let len = self.lines.len() * ALIGNMENT;
        // SAFETY: as above, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), len) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        recycle::give(std::mem::take(&mut self.lines));
    }
}

/// Bytes that wait for reuse at the moment.
///
/// ```
/// drop(tensorfleet_tensor::Buffer::zeroed(1 << 20));
/// let waiting = tensorfleet_tensor::recycled_bytes(); // a bounded number
/// assert!(waiting < usize::MAX);
/// ```
pub fn recycled_bytes() -> usize {
    recycle::HELD.load(Ordering::Relaxed)
        + recycle::LARGE.lock().blocks.iter().map(|(block, _)| block.len() * ALIGNMENT).sum::<usize>()
}

/// Bytes in use by blocks of a kibibyte or more.
pub(crate) fn bytes_in_use() -> u64 {
    (recycle::USED.load(Ordering::Relaxed) + recycle::LARGE_USED.load(Ordering::Relaxed)) as u64
}

/// Frees all that waits for reuse.
pub(crate) fn free_recycled() {
    recycle::free_all();
}

/// Frees the largest blocks that nobody has taken since the last call but one, and of the others what exceeds the most that was
/// in use since then. Whoever calls this every second or so lets tensors of many megabytes reuse each other's memory while they
/// come and go; without any call none of the largest is kept.
pub fn free_idle_memory() {
    recycle::free_idle();
}

/// Freed blocks, kept by size for the next step, which wants the same sizes. Bounded in bytes: no more than steps had in use at
/// once, so that waiting blocks never make a process larger than it has been.
mod recycle {
    use super::*;

    const SMALLEST: usize = 1024 / ALIGNMENT;
    const LARGEST: usize = (16 << 20) / ALIGNMENT;
    /// So much may wait in any case, and no more than that in no case.
    const LIMITS: [usize; 2] = [48 << 20, 512 << 20];

    type Shelf = Mutex<Vec<Vec<Line>>>;
    /// One shelf for every power of two; a block goes to the shelf of its capacity's logarithm.
    static SHELVES: [Shelf; 32] = [const { Mutex::new(Vec::new()) }; 32];
    pub(super) static HELD: AtomicUsize = AtomicUsize::new(0);
    /// Bytes of such blocks in use, the most since idle ones were last freed, and the most in the time before.
    pub(super) static USED: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    static MOST_BEFORE: AtomicUsize = AtomicUsize::new(0);

    /// Bytes of larger blocks in use.
    pub(super) static LARGE_USED: AtomicUsize = AtomicUsize::new(0);

    fn is_kept(lines: usize) -> bool {
        (SMALLEST..=LARGEST).contains(&lines)
    }

    /// How many bytes may wait.
    fn limit() -> usize {
        MOST.load(Ordering::Relaxed).max(MOST_BEFORE.load(Ordering::Relaxed)).clamp(LIMITS[0], LIMITS[1])
    }

    /// Counts a block that comes into use.
    pub(super) fn count(lines: usize) {
        let bytes = lines * ALIGNMENT;
        if is_kept(lines) {
            let used = USED.fetch_add(bytes, Ordering::Relaxed) + bytes;
            if used > MOST.load(Ordering::Relaxed) {
                MOST.fetch_max(used, Ordering::Relaxed);
            }
        } else if lines > LARGEST {
            LARGE_USED.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// A block is in use no more.
    pub(super) fn uncount(lines: usize) {
        if is_kept(lines) {
            USED.fetch_sub(lines * ALIGNMENT, Ordering::Relaxed);
        } else if lines > LARGEST {
            LARGE_USED.fetch_sub(lines * ALIGNMENT, Ordering::Relaxed);
        }
    }

    /// Blocks above the limit of shelves are kept for a short while: to fill new pages takes longer than to copy to old ones.
    pub(super) static LARGE: Mutex<LargeShelf> = Mutex::new(LargeShelf { blocks: Vec::new(), round: 0 });
    const LARGE_LIMIT: usize = 256 << 20;

    pub(super) struct LargeShelf {
        /// Each with the round in which it was given back.
        pub blocks: Vec<(Vec<Line>, u64)>,
        /// How often idle blocks have been freed; zero if nobody ever did.
        round: u64,
    }

    impl LargeShelf {
        fn bytes(&self) -> usize {
            self.blocks.iter().map(|(block, _)| block.len() * ALIGNMENT).sum()
        }
    }

    fn take_large(lines: usize) -> Option<Vec<Line>> {
        let mut shelf = LARGE.lock();
        let fits = |block: &[Line]| block.len() >= lines && block.len() <= lines + lines / 4;
        let position = shelf.blocks.iter().rposition(|(block, _)| fits(block))?;
        let (mut block, _) = shelf.blocks.swap_remove(position);
        drop(shelf);
        block.truncate(lines);
        Some(block)
    }

    fn give_large(block: Vec<Line>) {
        let mut shelf = LARGE.lock();
        if shelf.round > 0 && shelf.bytes() + block.len() * ALIGNMENT <= LARGE_LIMIT {
            let round = shelf.round;
            shelf.blocks.push((block, round));
        }
    }

    /// Allocators give pages back a moment after they were freed, when they are next asked for a large block.
    fn remind_allocator() {
        const LARGE: usize = 40 << 20;
        drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE)));
    }

    pub(super) fn free_idle() {
        let mut shelf = LARGE.lock();
        shelf.round += 1;
        let round = shelf.round;
        let (kept, idle): (Vec<_>, Vec<_>) =
            std::mem::take(&mut shelf.blocks).into_iter().partition(|(_, given)| given + 1 >= round);
        shelf.blocks = kept;
        drop(shelf);
        drop(idle);
        MOST_BEFORE.store(MOST.swap(USED.load(Ordering::Relaxed), Ordering::Relaxed), Ordering::Relaxed);
        shrink(limit());
        remind_allocator();
    }

    /// Frees all that waits.
    pub(super) fn free_all() {
        let large = std::mem::take(&mut LARGE.lock().blocks);
        drop(large);
        shrink(0);
        remind_allocator();
    }

    fn shrink(most: usize) {
        for shelf in SHELVES.iter().rev() {
            while HELD.load(Ordering::Relaxed) > most
                && let Some(block) = shelf.lock().pop()
            {
                HELD.fetch_sub(block.len() * ALIGNMENT, Ordering::Relaxed);
            }
        }
    }

    pub(super) fn take(lines: usize) -> Option<Vec<Line>> {
        if lines > LARGEST {
            return take_large(lines);
        }
        if lines < SMALLEST {
            return None;
        }
        let mut shelf = SHELVES[lines.ilog2() as usize].lock();
        let position = shelf.iter().rposition(|block| block.len() >= lines && block.len() <= lines + lines / 4)?;
        let mut block = shelf.swap_remove(position);
        drop(shelf);
        HELD.fetch_sub(block.len() * ALIGNMENT, Ordering::Relaxed);
        block.truncate(lines.max(1));
        Some(block)
    }

    pub(super) fn give(block: Vec<Line>) {
        let bytes = block.len() * ALIGNMENT;
        uncount(block.len());
        if block.len() > LARGEST {
            return give_large(block);
        }
        if !is_kept(block.len()) {
            return;
        }
        if HELD.load(Ordering::Relaxed) + bytes > limit() {
            return;
        }
        HELD.fetch_add(bytes, Ordering::Relaxed);
        SHELVES[block.len().ilog2() as usize].lock().push(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Held by tests that look at what waits for reuse, which is one for the process.
    static ALONE: Mutex<()> = Mutex::new(());

    #[test]
    fn a_sole_owner_may_write_and_a_sharer_may_not() {
        let mut buffer = Buffer::zeroed(100);
        assert!(buffer.get_mut().is_some());
        let mut window = buffer.slice(4, 8);
        assert!(buffer.get_mut().is_none() && window.get_mut().is_none());
        drop(buffer);
        window.get_mut().unwrap()[0] = 7;
        assert_eq!(window.as_bytes(), [7, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn small_buffers_are_copies_of_their_own() {
        let mut buffer = Buffer::copy_of(&[1, 2, 3, 4, 5, 6, 7, 8]);
        let mut window = buffer.slice(4, 4);
        window.get_mut().unwrap()[0] = 9;
        buffer.get_mut().unwrap()[7] = 0;
        assert_eq!((buffer.as_bytes(), window.as_bytes()), (&[1, 2, 3, 4, 5, 6, 7, 0][..], &[9, 6, 7, 8][..]));
        assert_eq!((&window.to_bytes()[..], window.as_elements::<i32>().unwrap().len()), (&[9, 6, 7, 8][..], 1));
    }

    #[test]
    fn received_bytes_are_viewed_when_aligned_and_copied_when_not() {
        let bytes = Bytes::from(vec![1u8; 64]);
        let skewed = bytes.slice(if (bytes.as_ptr() as usize).is_multiple_of(8) { 1 } else { 0 }..);
        let buffer = Buffer::received(skewed.clone(), 8);
        assert_ne!(buffer.as_bytes().as_ptr(), skewed.as_ptr());
        assert_eq!(buffer.as_bytes(), &skewed[..]);
        assert_eq!(Buffer::received(bytes.clone(), 1).as_bytes().as_ptr(), bytes.as_ptr());
    }

    #[test]
    fn large_blocks_come_back_for_a_while_if_somebody_frees_them_later() {
        const SIZE: usize = 20 << 20;
        let _alone = ALONE.lock();
        free_idle_memory();
        let others = recycled_bytes();
        let mut buffer = Buffer::dirty(SIZE);
        buffer.get_mut().unwrap()[SIZE - 1] = 9;
        drop(buffer);
        let again = Buffer::dirty(SIZE - 100);
        assert!(recycled_bytes() < others + SIZE);
        assert_eq!(again.len(), SIZE - 100);
        drop(again);
        assert!(recycled_bytes() >= others + SIZE - 100);
        free_idle_memory();
        free_idle_memory();
        assert!(recycled_bytes() < others + SIZE - 100);
    }

    /// More than a step's memory waits for the next step, until nobody has needed so much for a while.
    #[test]
    fn as_much_waits_as_was_in_use() {
        const SIZE: usize = 8 << 20;
        let _alone = ALONE.lock();
        let blocks: Vec<Buffer> = (0..12).map(|_| Buffer::dirty(SIZE)).collect();
        drop(blocks);
        assert!(recycled_bytes() >= 10 * SIZE, "{} bytes wait", recycled_bytes());
        free_idle_memory();
        free_idle_memory();
        assert!(recycled_bytes() < 10 * SIZE, "{} bytes wait", recycled_bytes());
    }

    #[test]
    fn blocks_come_back_from_the_shelf() {
        let mut buffer = Buffer::dirty(5000);
        buffer.get_mut().unwrap().fill(9);
        drop(buffer);
        let again = Buffer::dirty(5000);
        assert_eq!(again.len(), 5000);
        assert_eq!(again.as_bytes().as_ptr() as usize % ALIGNMENT, 0);
    }
}
