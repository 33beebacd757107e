//! What memory there is, and how much of it this process may take: asked before something is made, because an allocation
//! beyond it would end the process.
//!
//! Blocks of tensors are counted exactly, before they are taken, with one atomic addition each. What else there is (code,
//! strings, tables, graphs, messages) is the difference to what the system says of the process, which is asked once a second by
//! whoever keeps house ([`look`]), and when something large or something refused is at stake.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};
use std::time::Instant;

use parking_lot::Mutex;

use crate::buffer::{bytes_in_use, free_recycled};
use crate::{Result, Status, ensure, err};

/// What is smaller is not worth a question to the system.
const LARGE: u64 = 256 << 20;
/// Where the system does not tell.
const UNKNOWN: u64 = 1 << 40;
/// For so long an answer of the system is good.
const FRESH_MILLIS: u64 = 100;
/// For so long nothing that is refused is worth another question.
const PRESSED_MILLIS: u64 = 10;
/// Who asks for much leaves so much of the limit, at most, to those who ask for little: 1 of so many parts.
const LEFT_OVER: u64 = 16;

/// What is not larger is refused only so far beyond the limit: 1 of so many parts.
const TINY: u64 = 4096;
const TOLERANCE: u64 = 8;

/// How much this process may take.
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);
/// What it had when it last looked, besides the blocks of tensors in use.
static OTHERS: AtomicU64 = AtomicU64::new(0);

/// Limits what this process takes, for all of its servers and sessions; without a limit, only what is free on the machine
/// counts. Beyond it, whoever asks for a tensor gets `ResourceExhausted`.
///
/// ```
/// use tensorfleet_tensor::{Code, DType, Shape, Tensor, memory};
/// memory::set_limit(2 << 30);
/// let refused = Tensor::zeros(DType::Float, &Shape::vector(1 << 30)).unwrap_err();
/// assert_eq!(refused.code(), Code::ResourceExhausted);
/// memory::set_limit(u64::MAX);
/// ```
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
    look();
}

/// Returns how much this process may take, if that is limited.
///
/// ```
/// assert_eq!(tensorfleet_tensor::memory::limit(), None);
/// ```
pub fn limit() -> Option<u64> {
    Some(LIMIT.load(Ordering::Relaxed)).filter(|limit| *limit != u64::MAX)
}

/// Returns a limit for a process that was not told one: nine tenths of what the machine, or the container, has.
///
/// ```
/// assert!(tensorfleet_tensor::memory::default_limit() > 0);
/// ```
pub fn default_limit() -> u64 {
    let machine = meminfo("MemTotal:").unwrap_or(UNKNOWN);
    machine.min(container_limit().unwrap_or(UNKNOWN)) / 10 * 9
}

/// Reads a size: bytes, or with `K`, `M`, `G` or `T` (also `KiB` and so on) so many times 1024.
///
/// ```
/// use tensorfleet_tensor::memory::parse_size;
/// assert_eq!((parse_size("8G")?, parse_size("512 MiB")?, parse_size("1.5k")?), (8 << 30, 512 << 20, 1536));
/// assert!(parse_size("much").is_err() && parse_size("-1G").is_err() && parse_size("0").is_err());
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
///
/// # Errors
/// `InvalidArgument` if it is no size, or zero.
pub fn parse_size(text: &str) -> Result<u64> {
    let wrong = || err!(InvalidArgument, "'{text}' is not a size of memory, as 8G or 512M");
    let lower = text.trim().to_ascii_lowercase();
    let number = lower.trim_end_matches("ib").trim_end_matches('b');
    let power = number.chars().last().and_then(|unit| "kmgt".find(unit)).map_or(0, |place| place as u32 + 1);
    let number = if power > 0 { &number[..number.len() - 1] } else { number };
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    let bytes = number * 1024f64.powi(power as i32);
    ensure!(bytes.is_finite() && (1.0..1e18).contains(&bytes), InvalidArgument, "{}", wrong().message());
    Ok(bytes as u64)
}

/// Returns how many bytes this process holds: tensors as they are now, and the rest as it was when it last looked.
///
/// ```
/// let tensor = tensorfleet_tensor::Buffer::zeroed(1 << 20);
/// assert!(tensorfleet_tensor::memory::held() >= 1 << 20);
/// ```
pub fn held() -> u64 {
    bytes_in_use().saturating_add(OTHERS.load(Ordering::Relaxed))
}

/// Looks at what the process has besides tensors. Servers do so once a second.
pub fn look() {
    if LIMIT.load(Ordering::Relaxed) != u64::MAX {
        OTHERS.store(resident().saturating_sub(bytes_in_use()), Ordering::Relaxed);
    }
}

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
/// `ResourceExhausted` if they would take more than three quarters of what is free, or lead beyond the limit of the process.
pub fn ensure_free(bytes: u64, what: fmt::Arguments<'_>) -> Result<()> {
    ensure_possible(bytes, what)?;
    if within(held().saturating_add(bytes), bytes) || within(held_now().saturating_add(bytes), bytes) {
        return Ok(());
    }
    Err(err!(ResourceExhausted, "{what} takes {bytes} bytes: {}", beyond()))
}

/// Asks only whether the machine has room for so many bytes, whatever the limit of the process is.
///
/// ```
/// use tensorfleet_tensor::memory;
/// assert!(memory::ensure_possible(1 << 60, format_args!("a message")).is_err());
/// ```
///
/// # Errors
/// `ResourceExhausted` if they would take more than three quarters of what is free.
pub fn ensure_possible(bytes: u64, what: fmt::Arguments<'_>) -> Result<()> {
    ensure!(
        system_allows(bytes),
        ResourceExhausted,
        "{what} takes {bytes} bytes, and this process may take {} more",
        available() / 4 * 3
    );
    Ok(())
}

/// Whether the system has so many bytes, with a quarter of what is free left over.
pub(crate) fn system_allows(bytes: u64) -> bool {
    bytes <= LARGE || bytes <= available() / 4 * 3
}

/// Looks whether a block of so many bytes, which has been counted, leads beyond the limit.
///
/// # Errors
/// `ResourceExhausted` if it does.
pub(crate) fn check_limit(bytes: u64) -> Result<()> {
    if within(held(), bytes) || within(held_now(), bytes) { Ok(()) } else { Err(refused(bytes)) }
}

#[cold]
fn refused(bytes: u64) -> Status {
    err!(ResourceExhausted, "OOM when allocating {bytes} bytes: {}", beyond())
}

fn beyond() -> String {
    let limit = LIMIT.load(Ordering::Relaxed);
    format!("this process holds {} of the {limit} bytes that it may take (--memory_limit)", held())
}

/// Whether `all`, of which somebody asks for `bytes`, is within the limit, with something left over for smaller wishes.
fn within(all: u64, bytes: u64) -> bool {
    let limit = LIMIT.load(Ordering::Relaxed);
    if bytes <= TINY {
        // Others may have gone beyond it for a moment; steps that need next to nothing go on.
        return all <= limit.saturating_add(limit / TOLERANCE);
    }
    let left_over = bytes.saturating_mul(8).min(limit / LEFT_OVER);
    limit == u64::MAX || all.saturating_add(left_over) <= limit
}

/// What the process holds after everything that only waits for reuse was freed. Asked when something is to be refused.
#[cold]
fn held_now() -> u64 {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    let mut last = LAST.lock();
    if last.is_none_or(|last| last.elapsed().as_millis() as u64 >= PRESSED_MILLIS) {
        free_recycled();
        look();
        *last = Some(Instant::now());
    }
    held()
}

/// Counts what an op makes piece by piece, such as strings, and asks for room now and then.
///
/// ```
/// use tensorfleet_tensor::memory::Tally;
/// let mut tally = Tally::new("strings");
/// tally.add(1 << 20)?;
/// assert!(tally.add(1 << 60).is_err());
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
pub struct Tally {
    what: &'static str,
    bytes: u64,
    asked: u64,
}

impl Tally {
    /// After so many bytes more it asks.
    const STEP: u64 = 4 << 20;

    /// Returns a count of nothing yet; `what` names it if there is no room.
    pub fn new(what: &'static str) -> Tally {
        Tally { what, bytes: 0, asked: 0 }
    }

    /// Counts so many bytes more, which are about to be taken.
    ///
    /// # Errors
    /// `ResourceExhausted` if there is no room for them.
    pub fn add(&mut self, bytes: u64) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        let more = self.bytes - self.asked;
        if more < Tally::STEP {
            return Ok(());
        }
        look();
        ensure_free(more, format_args!("{} of {} bytes, of which the next part", self.what, self.bytes))?;
        self.asked = self.bytes;
        Ok(())
    }
}

/// Adds bytes to others that may become very many. Room for a larger block is asked for before it is taken.
///
/// ```
/// let mut text = Vec::new();
/// tensorfleet_tensor::memory::extend(&mut text, b"more", "a text")?;
/// assert_eq!(text, b"more");
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
///
/// # Errors
/// `ResourceExhausted` if there is no room.
pub fn extend(bytes: &mut Vec<u8>, more: &[u8], what: &'static str) -> Result<()> {
    let wanted = bytes.len() + more.len();
    if wanted > bytes.capacity() {
        let room = wanted.max(2 * bytes.capacity());
        if room as u64 > Tally::STEP {
            look();
            ensure_free(room as u64, format_args!("{what}"))?;
        }
        bytes.reserve_exact(room - bytes.len());
    }
    bytes.extend_from_slice(more);
    Ok(())
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
    look();
    answer
}

fn ask() -> u64 {
    let used = || number("/sys/fs/cgroup/memory.current").unwrap_or(0);
    let container = container_limit().map(|limit| limit.saturating_sub(used()));
    meminfo("MemAvailable:").unwrap_or(UNKNOWN).min(container.unwrap_or(UNKNOWN))
}

fn meminfo(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

fn number(path: &str) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok()
}

fn container_limit() -> Option<u64> {
    static LIMIT: OnceLock<Option<u64>> = OnceLock::new();
    *LIMIT.get_or_init(|| number("/sys/fs/cgroup/memory.max"))
}

/// The process's resident memory, in bytes; zero if the system does not tell. Pages have 4096 bytes where this runs.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Buffer, Code};

    #[test]
    fn small_is_fine_and_absurd_is_not() {
        let allows = |bytes: u64| ensure_free(bytes, format_args!("this")).is_ok();
        assert!(allows(0) && allows(1 << 20));
        assert!(!allows(1 << 50) && !allows(u64::MAX));
    }

    /// The limit is one for the process, so one test has it: others take little, and what is left over is enough for them.
    #[test]
    fn beyond_the_limit_who_asks_is_refused_and_smaller_wishes_find_room() {
        const MEBI: usize = 1 << 20;
        look();
        set_limit(resident() + (512 << 20));
        let blocks: Vec<Buffer> = std::iter::from_fn(|| Buffer::try_zeroed(32 * MEBI).ok()).take(100).collect();
        // Blocks that nobody has written to hide as much of what else there is.
        assert!((8..20).contains(&blocks.len()), "{} blocks", blocks.len());
        let refused = Buffer::try_dirty(32 * MEBI).err().map(|status| status.code());
        assert_eq!(refused, Some(Code::ResourceExhausted));
        assert!(Buffer::try_zeroed(100_000).is_ok());
        let counted = bytes_in_use();
        assert!(Buffer::try_zeroed(1 << 40).is_err());
        // What was refused is not counted.
        assert!(bytes_in_use() <= counted + (64 << 20));
        let mut tally = Tally::new("strings");
        assert!(tally.add(1 << 20).is_ok() && tally.add(1 << 30).is_err());
        drop(blocks);
        assert!(Buffer::try_zeroed(32 * MEBI).is_ok());
        set_limit(u64::MAX);
    }
}
