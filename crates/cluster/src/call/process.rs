//! The process and its machine, as the system tells of them. What it does not tell is zero.

use wire::operator::Memory;

/// How many threads it has, files it has open, and how long its threads have computed, in milliseconds.
pub(crate) struct Process {
    pub memory: Memory,
    pub threads: u64,
    pub open_files: u64,
    pub cpu_millis: u64,
}

impl Process {
    /// Asks the system.
    pub fn now() -> Process {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let machine = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let limit = number("/sys/fs/cgroup/memory.max");
        let used = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
        let (free, total) = (field(&machine, "MemAvailable:") * 1024, field(&machine, "MemTotal:") * 1024);
        Process {
            memory: Memory {
                resident: field(&status, "VmRSS:") * 1024,
                available: limit.map_or(free, |limit| free.min(limit.saturating_sub(used))),
                limit: limit.map_or(total, |limit| total.min(limit)).min(tensor::memory::limit().unwrap_or(u64::MAX)),
                held: tensor::memory::held(),
            },
            threads: field(&status, "Threads:"),
            open_files: std::fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count() as u64),
            cpu_millis: cpu_millis(&std::fs::read_to_string("/proc/self/stat").unwrap_or_default()),
        }
    }
}

fn number(path: &str) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

fn field(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The times of a process in user and kernel mode, which are the 14th and 15th field, in hundredths of a second; the second
/// field, the name, may have blanks in it.
fn cpu_millis(stat: &str) -> u64 {
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_tells_of_this_process() {
        let process = Process::now();
        assert!(process.memory.resident > 0 && process.memory.limit >= process.memory.resident);
        assert!(process.threads > 0 && process.open_files > 0);
        assert_eq!(cpu_millis("1 (a b) c) S 1 1 1 0 -1 4194304 1 0 0 0 7 3 0 0 20"), 100);
    }
}
