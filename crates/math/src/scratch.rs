//! Working memory that a thread keeps from one call to the next.

use std::cell::RefCell;

/// Buffers above this size are given back after use.
const KEPT_BYTES: usize = 32 << 20;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

thread_local! {
    static FREE: RefCell<Vec<Vec<Line>>> = const { RefCell::new(Vec::new()) };
}

/// A type of which any bytes are a value.
///
/// # Safety
/// Every bit pattern must be a valid value, and the alignment at most 64.
pub(crate) unsafe trait Plain: Copy + Send + Sync + 'static {}
// SAFETY: floats of 32 bits have no invalid bit patterns.
unsafe impl Plain for f32 {}
// SAFETY: floats of 64 bits have no invalid bit patterns.
unsafe impl Plain for f64 {}

/// Calls `f` with `len` elements of scratch memory, 64-byte aligned, holding anything. Calls may
/// nest.
pub(crate) fn with_scratch<T: Plain, R>(len: usize, f: impl FnOnce(&mut [T]) -> R) -> R {
    let lines = (len * size_of::<T>()).div_ceil(64);
    let mut buffer = FREE.with(|free| free.borrow_mut().pop()).unwrap_or_default();
    if buffer.len() < lines {
        buffer.clear();
        buffer.resize(lines, Line([0; 64]));
    }
    // SAFETY: the buffer holds at least `len` elements of a type for which any bytes will do, and
    // is aligned to 64 bytes.
    let slice = unsafe { std::slice::from_raw_parts_mut(buffer.as_mut_ptr().cast::<T>(), len) };
    let result = f(slice);
    if buffer.len() * 64 <= KEPT_BYTES {
        FREE.with(|free| free.borrow_mut().push(buffer));
    }
    result
}
