//! Which instructions the loops use.
//!
//! The processor is asked once. `TENSORFLEET_MAX_ISA=portable|avx2|avx512` in the environment of a process
//! keeps it from using newer instructions than these, to compare them or to get the same last bits on
//! different machines; any other value has no effect.

use std::sync::atomic::{AtomicU8, Ordering};

/// A set of instructions; each has what those before it have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// What every processor of the compiled target has.
    Portable,
    /// x86-64 with AVX2, FMA and F16C.
    Avx2,
    /// x86-64 with the foundation of AVX-512 and its parts BW, DQ and VL.
    Avx512,
}

impl Isa {
    /// All of them, from the oldest to the newest.
    pub const ALL: [Isa; 3] = [Isa::Portable, Isa::Avx2, Isa::Avx512];

    /// The newest that this process uses.
    ///
    /// ```
    /// use tensorfleet_math::isa::Isa;
    ///
    /// assert!(Isa::best() >= Isa::Portable);
    /// ```
    #[inline(always)]
    pub fn best() -> Isa {
        match BEST.load(Ordering::Relaxed) {
            1 => Isa::Portable,
            2 => Isa::Avx2,
            3 => Isa::Avx512,
            _ => find(),
        }
    }

    /// The name that the environment variable knows it by.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }
}

/// One more than the number of the best set; 0 until it has been looked for.
static BEST: AtomicU8 = AtomicU8::new(0);

#[cold]
fn find() -> Isa {
    let best = of_processor().min(limit(std::env::var("TENSORFLEET_MAX_ISA").ok().as_deref()));
    BEST.store(best as u8 + 1, Ordering::Relaxed);
    best
}

fn limit(wanted: Option<&str>) -> Isa {
    Isa::ALL.into_iter().find(|isa| Some(isa.name()) == wanted).unwrap_or(Isa::Avx512)
}

fn of_processor() -> Isa {
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 =
            is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        match (avx2, avx512) {
            (true, true) => Isa::Avx512,
            (true, false) => Isa::Avx2,
            (false, _) => Isa::Portable,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    Isa::Portable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_sets_a_limit() {
        assert_eq!([limit(Some("portable")), limit(Some("avx2"))], [Isa::Portable, Isa::Avx2]);
        assert_eq!([limit(Some("avx512")), limit(None), limit(Some("AVX"))], [Isa::Avx512; 3]);
    }

    #[test]
    fn the_best_is_remembered() {
        let best = Isa::best();
        assert_eq!(best, Isa::best());
        assert!(best <= of_processor());
    }
}
