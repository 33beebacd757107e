//! A small fuzzer: bytes that a parser takes are damaged at random, from a seed, and whatever is made of them must be an answer.
//!
//! What a parser says of an input tells how far it came: an input with an answer that was not heard before is kept and damaged
//! further. Runs are bounded, and the same every time; the environment says otherwise:
//!
//! | variable | |
//! |---|---|
//! | `FUZZ_SECONDS` | go on for so long |
//! | `FUZZ_SEED` | begin elsewhere |
//! | `FUZZ_INPUT` | only try the bytes of this file |

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// So many inputs are tried, for no longer than that, unless the environment says otherwise.
const TRIES: u64 = 4000;
const TIME: Duration = Duration::from_secs(2);
/// No input may take longer.
const HANG: Duration = Duration::from_secs(30);
/// Inputs become no longer than this.
const LONGEST: usize = 1 << 16;
/// So many inputs are kept.
const KEPT: usize = 2000;

/// Panics of any thread since the process began.
static PANICS: AtomicU64 = AtomicU64::new(0);
/// Only one target runs at a time, so that a panic is its own.
static ALONE: Mutex<()> = Mutex::new(());

/// Tries what `parse` makes of damaged seeds; it returns what it says to them.
///
/// # Panics
/// If anything panics or hangs, with the input in a file that the message names.
pub fn fuzz(name: &str, seeds: &[Vec<u8>], mut parse: impl FnMut(&[u8]) -> String) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    count_panics();
    if let Ok(path) = std::env::var("FUZZ_INPUT") {
        let input = std::fs::read(&path).unwrap_or_default();
        println!("{name}: {} bytes: {}", input.len(), parse(&input));
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (seconds, seed) = (number("FUZZ_SECONDS"), number("FUZZ_SEED").unwrap_or(1));
    let (tries, time) = seconds.map_or((TRIES, TIME), |seconds| (u64::MAX, Duration::from_secs(seconds)));
    let watch = Watch::begin(name);
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut kept, mut heard) = (seeds.to_vec(), HashSet::new());
    let (begin, mut tried) = (Instant::now(), 0);
    while tried < tries && begin.elapsed() < time {
        // The seeds as they are come first.
        let input = match seeds.get(tried as usize) {
            Some(seed) => seed.clone(),
            None => random.damaged(&kept),
        };
        tried += 1;
        let before = PANICS.load(Ordering::SeqCst);
        watch.next(&input);
        let answer = catch_unwind(AssertUnwindSafe(|| parse(&input)));
        watch.over();
        let panicked = PANICS.load(Ordering::SeqCst) > before;
        let Some(answer) = answer.ok().filter(|_| !panicked) else {
            panic!("{name}: a panic, after {tried} inputs; this one is in {}", stored(name, &input).display());
        };
        if kept.len() < KEPT && heard.insert(gist(&answer)) {
            kept.push(input);
        }
    }
    println!("{name}: {tried} inputs, {} different answers, {:.1?}", heard.len(), begin.elapsed());
}

/// What an answer says apart from numbers and names, of which there is no end.
fn gist(answer: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let plain = answer.chars().filter(|letter| letter.is_ascii_alphabetic() || *letter == ' ');
    plain.take(60).collect::<String>().hash(&mut hasher);
    hasher.finish()
}

fn stored(name: &str, input: &[u8]) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let path = std::env::temp_dir().join(format!("tensorfleet-fuzz-{name}-{:016x}", hasher.finish()));
    let _ = std::fs::write(&path, input);
    path
}

fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.fetch_add(1, Ordering::SeqCst);
            usual(panic);
        }));
    });
}

/// Ends the process when an input takes too long.
struct Watch(Arc<Mutex<(bool, Option<(Instant, Vec<u8>)>)>>);

impl Watch {
    fn begin(name: &str) -> Watch {
        let state: Arc<Mutex<(bool, Option<(Instant, Vec<u8>)>)>> = Arc::default();
        let (seen, name) = (state.clone(), name.to_owned());
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(500));
                let state = seen.lock().unwrap_or_else(PoisonError::into_inner);
                match &*state {
                    (true, _) => return,
                    (_, Some((since, input))) if since.elapsed() > HANG => {
                        eprintln!(
                            "{name}: {HANG:?} are not enough for the input in {}",
                            stored(&name, input).display()
                        );
                        std::process::abort();
                    }
                    _ => {}
                }
            }
        });
        Watch(state)
    }

    fn next(&self, input: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1 = Some((Instant::now(), input.to_vec()));
    }

    fn over(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1 = None;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0 = true;
    }
}

/// Random numbers, and what they do to bytes.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// One of these, changed in a few places.
    fn damaged(&mut self, kept: &[Vec<u8>]) -> Vec<u8> {
        // The newest came furthest.
        let recent = self.below(2) == 0;
        let first = if recent { kept.len() * 3 / 4 } else { 0 };
        let mut bytes = kept[first + self.below(kept.len() - first)].clone();
        for _ in 0..=self.below(4) {
            self.damage(&mut bytes, kept);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn damage(&mut self, bytes: &mut Vec<u8>, kept: &[Vec<u8>]) {
        const TELLING: [u64; 12] =
            [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 40, u64::MAX >> 1, u64::MAX];
        let at = self.below(bytes.len() + 1);
        let length = self.below((bytes.len() - at).min(32) + 1);
        match self.below(10) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 if at < bytes.len() => bytes[at] = self.next() as u8,
            2 if at < bytes.len() => bytes[at] = bytes[at].wrapping_add(self.below(9) as u8).wrapping_sub(4),
            3 => bytes.truncate(at),
            4 => drop(bytes.drain(at..at + length)),
            5 => {
                let part = bytes[at..at + length].to_vec();
                let to = self.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            6 => {
                let other = &kept[self.below(kept.len())];
                let from = self.below(other.len());
                let part = &other[from..(from + 64).min(other.len())];
                bytes.splice(at..at + length, part.iter().copied());
            }
            // A number in place of others, in either order of bytes.
            7 | 8 => {
                let number = TELLING[self.below(TELLING.len())];
                let width = 1 << self.below(4);
                let both = [number.to_le_bytes(), number.to_be_bytes()];
                let part = if self.below(2) == 0 { &both[0][..width] } else { &both[1][8 - width..] };
                let end = (at + width).min(bytes.len());
                bytes.splice(at..end, part.iter().copied());
            }
            // A number as messages have it.
            _ => {
                let mut number = TELLING[self.below(TELLING.len())];
                let mut part = Vec::new();
                while number >= 0x80 {
                    part.push(number as u8 | 0x80);
                    number >>= 7;
                }
                part.push(number as u8);
                bytes.splice(at..at + length.min(1), part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A parser that trusts a length is found out within the usual number of inputs.
    #[test]
    fn a_length_that_is_believed_is_found() {
        let careless = |bytes: &[u8]| -> String {
            let [b'T', b'F', length, rest @ ..] = bytes else { return "no head".to_owned() };
            let payload = &rest[..*length as usize];
            format!("{} bytes", payload.len())
        };
        let found = catch_unwind(|| fuzz("careless", &[b"TF\x03abc".to_vec()], careless));
        assert!(found.is_err());
        fuzz("careful", &[b"TF\x03abc".to_vec()], |bytes| format!("{:?}", bytes.first()));
    }
}
