//! Denormal numbers, the tiny ones next to zero, taken for zero.
//!
//! Arithmetic on denormals takes many times as long as on other numbers, and training meets them
//! wherever gradients vanish. TensorFlow's kernels read them as zero and write zero in their place; a
//! thread that holds a [`Flushed`] does the same.

use std::marker::PhantomData;

/// While this lives, the thread's floating-point instructions read denormals as zero and write zero in
/// their place. What held before holds again afterwards.
///
/// Processors of x86-64 and AArch64 can do this; on others nothing changes. Moving, copying and
/// comparing bits leaves denormals as they are.
///
/// ```
/// use std::hint::black_box;
/// use tensorfleet_math::flush::Flushed;
///
/// let tiny = || black_box(1.5e-38f32) * black_box(0.5);
/// {
///     let _flushed = Flushed::new();
///     # #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
///     assert_eq!(tiny().to_bits(), 0);
/// }
/// assert_eq!(tiny(), 7.5e-39);
/// ```
#[must_use = "denormals are flushed while this lives"]
#[derive(Debug)]
pub struct Flushed {
    _adopted: Adopted,
}

impl Flushed {
    /// Flushes the denormals of this thread from now on.
    pub fn new() -> Flushed {
        Flushed { _adopted: Mode::current().flushing().adopt() }
    }
}

impl Default for Flushed {
    fn default() -> Flushed {
        Flushed::new()
    }
}

/// How a thread computes: the control word of its processor for floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mode(control::Word);

impl Mode {
    /// How this thread computes.
    pub(crate) fn current() -> Mode {
        Mode(control::read())
    }

    fn flushing(self) -> Mode {
        Mode(self.0 | control::FLUSH)
    }

    /// Lets this thread compute so until the result is dropped.
    pub(crate) fn adopt(self) -> Adopted {
        let before = Mode::current();
        // Writing the word is slow beside reading it.
        if self != before {
            control::write(self.0);
        }
        Adopted { before, now: self, here: PhantomData }
    }
}

/// Puts back how a thread computed before.
#[derive(Debug)]
pub(crate) struct Adopted {
    before: Mode,
    now: Mode,
    /// The control word is the thread's own, so this must not go to another one.
    here: PhantomData<*const ()>,
}

impl Drop for Adopted {
    fn drop(&mut self) {
        if self.now != self.before {
            control::write(self.before.0);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod control {
    use std::arch::asm;

    pub(super) type Word = u32;

    /// Results (flush to zero) and operands (denormals are zeros).
    pub(super) const FLUSH: Word = 1 << 15 | 1 << 6;
    /// What has happened so far, as opposed to what is to happen.
    const EVENTS: Word = 0b11_1111;

    pub(super) fn read() -> Word {
        whole() & !EVENTS
    }

    pub(super) fn write(word: Word) {
        let word = word | whole() & EVENTS;
        // SAFETY: the word was read here, with no other bits changed than those that flush. Compiled code
        // relies on no exception being unmasked and on the direction of rounding, which both stay; that a
        // denormal may become zero is what the caller asks for.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags, readonly)) };
    }

    fn whole() -> Word {
        let mut word: Word = 0;
        // SAFETY: stores the control word where the pointer points, and nothing else.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
        word
    }
}

#[cfg(target_arch = "aarch64")]
mod control {
    use std::arch::asm;

    pub(super) type Word = u64;

    /// Operands and results of 32 and 64 bits.
    pub(super) const FLUSH: Word = 1 << 24;

    pub(super) fn read() -> Word {
        let word: Word;
        // SAFETY: copies the control word to a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
        word
    }

    pub(super) fn write(word: Word) {
        // SAFETY: the word was read here, with no other bit changed than the one that flushes.
        unsafe { asm!("msr fpcr, {}", in(reg) word, options(nostack, preserves_flags)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod control {
    pub(super) type Word = u8;

    pub(super) const FLUSH: Word = 0;

    pub(super) fn read() -> Word {
        0
    }

    pub(super) fn write(_: Word) {}
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;
    use std::hint::black_box;

    fn product() -> (u32, u64) {
        let (x, y) = (black_box(1.5e-38f32) * black_box(0.5), black_box(1e-307f64) * black_box(0.01));
        (x.to_bits(), y.to_bits())
    }

    #[test]
    fn results_and_operands_are_flushed_until_the_end() {
        let kept = product();
        assert!(kept.0 != 0 && kept.1 != 0);
        {
            let _flushed = Flushed::new();
            assert_eq!(product(), (0, 0));
            let denormal = black_box(f32::from_bits(kept.0));
            assert_eq!(denormal * black_box(1e38), 0.0);
            assert_eq!(denormal.to_bits(), kept.0, "a copy stays as it is");
        }
        assert_eq!(product(), kept);
    }

    #[test]
    fn guards_may_nest() {
        let kept = product();
        let outer = Flushed::new();
        drop(Flushed::new());
        assert_eq!(product(), (0, 0));
        drop(outer);
        assert_eq!(product(), kept);
    }

    #[test]
    fn helpers_compute_as_the_thread_that_they_help() {
        let zeros = || {
            let mut out = vec![1f32; 64];
            crate::threads::parallel_units(&mut out, 1, 1, |_, run| {
                for x in run {
                    *x = black_box(1.5e-38f32) * black_box(0.5);
                    // Long enough for the helpers to come.
                    std::hint::black_box((0..10_000).fold(0u64, |a, b| black_box(a ^ b)));
                }
            });
            out.iter().filter(|x| x.to_bits() == 0).count()
        };
        assert_eq!(zeros(), 0);
        {
            let _flushed = Flushed::new();
            assert_eq!(zeros(), 64);
        }
        assert_eq!(zeros(), 0);
    }
}
