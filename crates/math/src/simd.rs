//! Runs a loop body compiled for the best instruction set of the machine.
//!
//! The body is an ordinary generic loop; it is compiled for the baseline target and for newer
//! instructions, and [`Isa`] says which one to use. LLVM vectorises all. Mark the closure
//! `#[inline(always)]` at the call so that it is really compiled into the clones.

use crate::isa::Isa;

/// Calls `body`, compiled with AVX2, FMA and F16C where the processor has them: for loops that wait
/// for memory, which wider vectors do not make faster.
#[inline(always)]
pub(crate) fn wide<R>(body: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if Isa::best() >= Isa::Avx2 {
        // SAFETY: the processor has what the clone is compiled for.
        return unsafe { with_avx2(body) };
    }
    body()
}

/// As [`wide`], and compiled for AVX-512 too: for loops with much arithmetic for every element.
#[inline(always)]
pub(crate) fn widest<R>(body: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    match Isa::best() {
        // SAFETY: the processor has what the clone is compiled for.
        Isa::Avx512 => return unsafe { with_avx512(body) },
        // SAFETY: as above.
        Isa::Avx2 => return unsafe { with_avx2(body) },
        Isa::Portable => {}
    }
    body()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn with_avx2<R>(body: impl FnOnce() -> R) -> R {
    body()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl")]
fn with_avx512<R>(body: impl FnOnce() -> R) -> R {
    body()
}
