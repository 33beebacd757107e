//! Numbers and names as people read them.

use std::cmp::Ordering;

/// A day of the calendar, as in 2026-01-31, by a second since 1970.
pub fn day(unix: i64) -> String {
    // Days since the first of March of the year 0, of which four centuries have the same number each.
    let days = unix.div_euclid(86_400) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, year) = (day - (153 * month + 2) / 5 + 1, year + 400 * era);
    let (month, year) = if month < 10 { (month + 3, year) } else { (month - 9, year + 1) };
    format!("{year:04}-{month:02}-{day:02}")
}

/// Returns a task's name without the replica, as in `/job:ps/task:0`; of a device, that of its task.
pub fn task(name: &str) -> String {
    let name = name.split("/device:").next().unwrap_or(name);
    name.replace("/replica:0", "")
}

/// Whether what an operator typed means a task: `/job:ps/task:0`, `ps:0` or `ps/0`.
pub fn means(typed: &str, name: &str) -> bool {
    let parts = typed.rsplit_once(['/', ':']).filter(|(job, _)| !job.contains('/'));
    task(typed) == name || parts.is_some_and(|(job, index)| format!("/job:{job}/task:{index}") == name)
}

/// Orders tasks by job, then by number.
pub fn in_order(one: &str, other: &str) -> Ordering {
    let parts = |name: &str| {
        let (job, index) = name.rsplit_once(':').unwrap_or((name, ""));
        (job.to_owned(), index.parse::<u64>().unwrap_or(u64::MAX))
    };
    parts(one).cmp(&parts(other))
}

/// As in `3m12s`.
pub fn duration(millis: u64) -> String {
    let seconds = millis / 1000;
    match seconds {
        0..10 => format!("{:.1}s", millis as f64 / 1000.0),
        10..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d{:02}h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// As in `1.5 MiB`.
pub fn bytes(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1024.0 && unit + 1 < units.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", units[unit]) }
}

/// A rate, with as many digits as say something.
pub fn rate(per_second: f64) -> String {
    if per_second >= 100.0 { format!("{per_second:.0}") } else { format!("{per_second:.1}") }
}

/// The beginning of a session's handle, which is long.
pub fn session(handle: &str) -> String {
    handle.chars().take(12).collect()
}

/// TensorFlow's name of a code, by its number.
pub fn code(number: i32) -> String {
    if number == 0 { "OK".to_owned() } else { tensor::Code::from_number(number).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_go_by_short_names() {
        assert_eq!(task("/job:ps/replica:0/task:1/device:CPU:0"), "/job:ps/task:1");
        for typed in ["ps:1", "ps/1", "/job:ps/task:1", "/job:ps/replica:0/task:1"] {
            assert!(means(typed, "/job:ps/task:1"), "{typed}");
        }
        assert!(!means("ps:2", "/job:ps/task:1") && !means("ps", "/job:ps/task:1"));
        assert_eq!(in_order("/job:w/task:10", "/job:w/task:9"), Ordering::Greater);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([duration(1500), duration(192_000), duration(7_260_000)], ["1.5s", "3m12s", "2h01m"]);
        assert_eq!([bytes(17), bytes(1536), bytes(5 << 30)], ["17 B", "1.5 KiB", "5.0 GiB"]);
        assert_eq!([rate(0.25), rate(1234.5)], ["0.2", "1234"]);
        assert_eq!([code(0), code(10)], ["OK", "ABORTED"]);
    }
}
