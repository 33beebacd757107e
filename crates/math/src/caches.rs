//! The sizes of the processor's caches, by which products are cut into blocks.

use std::sync::OnceLock;

/// Sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caches {
    /// The second level; one core's as a rule.
    pub second: usize,
    /// The last level, shared by some cores.
    pub last: usize,
}

impl Caches {
    /// What most processors have at least.
    const USUAL: Caches = Caches { second: 256 << 10, last: 8 << 20 };

    /// The caches of this machine, or usual ones where they cannot be found out.
    pub fn get() -> Caches {
        static FOUND: OnceLock<Caches> = OnceLock::new();
        *FOUND.get_or_init(|| find().unwrap_or(Caches::USUAL).sensible())
    }

    /// Virtual machines may say anything.
    fn sensible(self) -> Caches {
        let second = self.second.clamp(128 << 10, 8 << 20);
        Caches { second, last: self.last.clamp(second.max(2 << 20), 64 << 20) }
    }
}

/// Asks the processor: Intel's list of caches, or the same list of AMD's.
#[cfg(target_arch = "x86_64")]
fn find() -> Option<Caches> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    [4, 0x8000_001d].into_iter().find_map(|leaf| {
        let highest = __cpuid(leaf & 0x8000_0000).eax;
        if highest < leaf {
            return None;
        }
        let (mut second, mut last) = (0, 0);
        for index in 0..8 {
            let found = __cpuid_count(leaf, index);
            let (kind, level) = (found.eax & 0x1f, found.eax >> 5 & 7);
            // No more caches; otherwise 1 is for data, 2 for instructions, 3 for both.
            if kind == 0 {
                break;
            }
            if kind == 2 {
                continue;
            }
            let part = |shift: u32, bits: u32| (found.ebx >> shift & ((1 << bits) - 1)) as usize + 1;
            let (ways, partitions, line) = (part(22, 10), part(12, 10), part(0, 12));
            let size = ways * partitions * line * (found.ecx as usize + 1);
            match level {
                2 => second = size,
                3 => last = size,
                _ => {}
            }
        }
        (second > 0).then_some(Caches { second, last: last.max(second) })
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn find() -> Option<Caches> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_sensible() {
        let caches = Caches::get();
        assert!(caches.second <= caches.last, "{caches:?}");
        assert_eq!(Caches::USUAL.sensible(), Caches::USUAL);
        let strange = Caches { second: usize::MAX, last: 1 }.sensible();
        assert!(strange.second <= strange.last, "{strange:?}");
    }
}
