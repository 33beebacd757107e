//! What memory there is, asked before something large is made: an allocation beyond it would end the process.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};
use std::time::Instant;

use crate::{Result, ensure};

/// What is smaller is not worth the question.
const LARGE: u64 = 256 << 20;
/// Where the system does not tell.
const UNKNOWN: u64 = 1 << 40;
/// For so long an answer of the system is good.
const FRESH_MILLIS: u64 = 100;

/// Asks for room for so many bytes, which `what` names if there is none.
///
/// ```
/// use tensorfleet_tensor::{Code, memory};
/// memory::ensure_free(1 << 10, format_args!("a small file"))?;
/// let refused = memory::ensure_free(1 << 60, format_args!("the file '/data/all'")).unwrap_err();
/// assert_eq!(refused.code(), Code::ResourceExhausted);
/// assert!(refused.message().starts_with("the file '/data/all' takes 1152921504606846976 bytes"));
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
///
/// # Errors
/// `ResourceExhausted` if they would take more than three quarters of what is free.
pub fn ensure_free(bytes: u64, what: fmt::Arguments<'_>) -> Result<()> {
    ensure!(
        allows(bytes),
        ResourceExhausted,
        "{what} takes {bytes} bytes, and this process may take {} more",
        available() / 4 * 3
    );
    Ok(())
}

/// Whether so many bytes can be taken now, with a quarter of what is free left over.
pub(crate) fn allows(bytes: u64) -> bool {
    bytes <= LARGE || bytes <= available() / 4 * 3
}

/// Bytes that are free: on the machine, and within the limit of the container this process runs in. Asking the system takes
/// a few files, so its answer is kept for a moment.
fn available() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    // When the answer was given, in milliseconds from the start, plus one: 0 is never.
    static WHEN: AtomicU64 = AtomicU64::new(0);
    static ANSWER: AtomicU64 = AtomicU64::new(0);
    let now = START.elapsed().as_millis() as u64 + 1;
    let when = WHEN.load(Ordering::Acquire);
    if when != 0 && now.saturating_sub(when) < FRESH_MILLIS {
        return ANSWER.load(Ordering::Relaxed);
    }
    let answer = ask();
    ANSWER.store(answer, Ordering::Relaxed);
    WHEN.store(now, Ordering::Release);
    answer
}

fn ask() -> u64 {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
    });
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    static LIMIT: OnceLock<Option<u64>> = OnceLock::new();
    let container = LIMIT
        .get_or_init(|| number("/sys/fs/cgroup/memory.max"))
        .map(|limit| limit.saturating_sub(number("/sys/fs/cgroup/memory.current").unwrap_or(0)));
    machine.unwrap_or(UNKNOWN).min(container.unwrap_or(UNKNOWN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_is_fine_and_absurd_is_not() {
        assert!(allows(0) && allows(LARGE));
        assert!(!allows(1 << 50) && !allows(u64::MAX));
    }
}
