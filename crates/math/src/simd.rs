//! Runs a loop body compiled for the best instruction set of the machine.
//!
//! The body is an ordinary generic loop; it is compiled twice, once for the baseline target and
//! once with AVX2 and FMA enabled, and the processor is asked at run time which one to use.
//! LLVM vectorises both. Mark the closure `#[inline(always)]` at the call so that it is really
//! compiled into the wide clone.

/// Calls `body`, compiled with AVX2, FMA and F16C where the processor has them.
#[inline(always)]
pub(crate) fn wide<R>(body: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx2() {
            // SAFETY: the features the clone is compiled for were just detected.
            return unsafe { with_avx2(body) };
        }
    }
    body()
}

/// True when the AVX2 clones are used on this machine.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn with_avx2<R>(body: impl FnOnce() -> R) -> R {
    body()
}
