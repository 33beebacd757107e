//! What memory there is, asked before a large tensor is made: an allocation beyond it would end the process.

/// Smaller tensors are not worth the question.
const LARGE: u64 = 256 << 20;
/// Where the system does not tell.
const UNKNOWN: u64 = 1 << 40;

/// Whether so many bytes can be taken now, with a quarter of what is free left over.
pub(crate) fn allows(bytes: u64) -> bool {
    bytes <= LARGE || bytes <= available() / 4 * 3
}

/// Bytes that are free: on the machine, and within the limit of the container this process runs in.
fn available() -> u64 {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
    });
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let container = number("/sys/fs/cgroup/memory.max")
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
